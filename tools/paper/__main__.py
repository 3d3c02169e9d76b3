"""Print the whole book as one PDF: _build/attention-layers.pdf.

The built pages become one document (document.py), which the browser of the checks prints, with tags
and with bookmarks from its headings, until the numbers of the pages in it are right.
"""

import io
import logging
import subprocess
import sys
from pathlib import Path

import yaml
from playwright.sync_api import Page
from pypdf import PdfReader

from book import address
from tools import browser
from tools.paper.document import PaperError, document
from tools.project import BUILD, HTML, ROOT

FILE = BUILD / "attention-layers.pdf"
PAGE = BUILD / "paper.html"
# The room between the margins of A4 (paper.css), in CSS pixels.
WIDTH, HEIGHT = 612, 930
SMALLEST = 0.6  # smaller than this, letters could not be read
ROUNDS = 4
FIT = Path(__file__).with_name("fit.js").read_text(encoding="utf-8")
# Chromium breaks pages that it has printed before in other places: it is to forget these.
FILL = """(pages) => {
  for (const link of document.querySelectorAll(".page-of")) {
    link.querySelector(".number").textContent = pages[link.getAttribute("href").slice(1)] ?? "000";
  }
  document.body.style.display = "none";
  document.body.offsetHeight;
  document.body.style.display = "";
}"""


def read() -> str:
    """Return the built book as one document."""
    about = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    command = ["git", "log", "-1", "--date=format:%-d %B %Y", "--format=%cd, commit %h"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    made = done.stdout.strip() or f"{about['date-released']:%-d %B %Y}"
    return document(HTML, about, f"Version {about['version']}, {made}", address.pages())


def printed(page: Page, url: str) -> bytes:
    """Return a document as a PDF with the numbers of pages filled in."""
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    page.emulate_media(media="print")
    page.goto(url, timeout=0)  # it is as large as all pages together
    page.evaluate("document.fonts.ready")
    if cut := page.evaluate(FIT, [WIDTH, HEIGHT, SMALLEST]):
        raise PaperError("This does not fit on the paper:\n  " + "\n  ".join(cut))
    options = {"prefer_css_page_size": True, "print_background": True}
    pages: dict[str, int] = {}
    for _ in range(ROUNDS):
        page.evaluate(FILL, pages)
        data = page.pdf(tagged=True, outline=True, **options)
        before, pages = pages, places(data)
        if pages == before:
            return data
    raise PaperError(f"The numbers of pages still change after {ROUNDS} rounds.")


def places(data: bytes) -> dict[str, int]:
    """Return on which page each target of a link is, counted from 1."""
    reader = PdfReader(io.BytesIO(data))
    numbers = {page.indirect_reference.idnum: n for n, page in enumerate(reader.pages, start=1)}
    found = reader.named_destinations.items()
    return {name.removeprefix("/"): numbers[place.page.idnum] for name, place in found}


def write() -> Path:
    """Write the PDF; leave none where something is wrong with it."""
    FILE.unlink(missing_ok=True)
    PAGE.write_text(read(), encoding="utf-8")
    with browser.opened() as chromium:
        FILE.write_bytes(printed(chromium.new_page(), PAGE.as_uri()))
    PAGE.unlink()
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
