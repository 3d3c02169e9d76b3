"""Print the whole book as one PDF, check it, and write it to _build/attention-layers.pdf.

The built pages become one document (document.py). The browser of the checks prints it until the
numbers of the pages in it are right, and then with tags (pdf.py). What is wrong with the result
stops everything (checks.py). The same commit gives the same book: no clock is asked.
"""

import logging
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from tools import address, browser
from tools.paper import checks, pdf
from tools.paper.document import Document, PaperError, assembled, parts_of_the_book
from tools.project import BUILD, HTML, ROOT

FILE = BUILD / "attention-layers.pdf"
PAGE = BUILD / "paper.html"


def version(about: dict[str, Any]) -> tuple[datetime, str]:
    """Return the time of the commit, or of the release where git knows nothing, and the words."""
    command = ["git", "log", "-1", "--format=%ct %h"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if result.returncode:
        made, commit = datetime.combine(about["date-released"], datetime.min.time(), UTC), ""
    else:
        seconds, name = result.stdout.split()
        made, commit = datetime.fromtimestamp(int(seconds), UTC), f", commit {name}"
    return made, f"Version {about['version']}, {made.day} {made:%B %Y}{commit}"


def read() -> tuple[Document, dict[str, Any], datetime]:
    """Return the built book as one document, what is said about it, and its time."""
    about = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    made, words = version(about)
    here = address.current()
    site = None if here.is_placeholder else here.pages
    return assembled(parts_of_the_book(), HTML, about, words, site), about, made


def write() -> Path:
    """Write the PDF; leave none where something is wrong with it."""
    FILE.unlink(missing_ok=True)
    document, about, made = read()
    PAGE.write_text(document.html, encoding="utf-8")
    with browser.opened() as chromium:
        printed = pdf.printed(chromium.new_page(), PAGE.as_uri())
    data = pdf.finished(printed, document, about, made)
    PAGE.unlink()
    if wrong := checks.problems(data, document):
        raise PaperError("\n".join([f"{len(wrong)} things are wrong with it:", *wrong]))
    FILE.write_bytes(data)
    return FILE


def main() -> int:
    # Chromium counts two objects less than it writes, which pypdf would tell us each time.
    logging.getLogger("pypdf").setLevel(logging.ERROR)
    print("Printing the book (a few minutes) ...", flush=True)
    try:
        file = write()
    except (PaperError, OSError, browser.NoBrowserError) as error:
        print(f"The PDF was not written: {error}", file=sys.stderr)
        return 1
    print(f"The book as a PDF ({file.stat().st_size / 1e6:.1f} MB): {file}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
