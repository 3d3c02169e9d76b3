"""Make attnbook/models/data/wonderland.txt from its source, and compare it with what is stored.

    python -m tools.wonderland alice29.txt           fail if they differ
    python -m tools.wonderland --write alice29.txt   store what was made

The README in attnbook/models/data says where the source comes from.
"""

import argparse
import hashlib
import re
import sys
from pathlib import Path

from tools.project import ROOT

SOURCE_SHA256 = "7467306ee0feed4971260f3c87421154a05be571d944e9cb021a5713700c38f0"
STORED = ROOT / "attnbook" / "models" / "data" / "wonderland.txt"


def cleaned(source: str) -> str:
    """The chapters, each paragraph and each line of a poem on a line; chapters two lines apart.

    Title, headings, rows of stars and two notes on later editions go; the opening quote ` becomes
    ', the marks of italics go.
    """
    start, end = source.index("  Alice was beginning"), source.index("THE END")
    chapters = re.split(r"\n+ +CHAPTER [IVXL]+\n+ +[^\n]+\n+", source[start:end])
    return "\n\n".join(map(_chapter, chapters)) + "\n"


def _chapter(text: str) -> str:
    text = re.sub(r"\[later editions.*?\]", "", text, flags=re.DOTALL)
    rows = [row for row in text.split("\n") if not re.fullmatch(r"[ *]*\*[ *]*", row)]
    paragraphs = re.split(r"\n\s*\n", "\n".join(rows))
    return "\n".join(filter(None, map(_paragraph, paragraphs))).replace("`", "'").replace("_", "")


def _paragraph(text: str) -> str:
    joined = ""
    for row in filter(str.strip, text.split("\n")):
        is_verse = len(row) - len(row.lstrip()) > 3
        is_cut = joined.endswith("-") and not joined.endswith("--")
        between = "" if is_cut or not joined else "\n" if is_verse else " "
        joined += between + " ".join(row.split())
    return joined


def main() -> int:
    parser = argparse.ArgumentParser(description="Make the text that the language model learns.")
    parser.add_argument("--write", action="store_true", help="store what was made")
    parser.add_argument("source", type=Path)
    options = parser.parse_args()
    source = options.source.read_bytes()
    if hashlib.sha256(source).hexdigest() != SOURCE_SHA256:
        print(f"{options.source} is not the source: its hash is another.", file=sys.stderr)
        return 1
    text = cleaned(source.decode("ascii").replace("\r\n", "\n"))
    if options.write:
        STORED.write_text(text, encoding="utf-8")
    print(f"{STORED.relative_to(ROOT)}, {len(text)} characters.")
    return int(text != STORED.read_text(encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(main())
