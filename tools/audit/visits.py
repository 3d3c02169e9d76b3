"""What a browser does with a page: the files it asks for, the hosts, and how far things move."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from playwright.sync_api import Browser

# A phone and a laptop.
WIDTHS = ((412, 823), (1350, 940))

# Every name but that of this machine leads nowhere, so nothing can be fetched from elsewhere.
ALONE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"

# The sum of all that moves without the reader's doing. Browsers count the worst five seconds.
OBSERVE = """
window.auditShift = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (!entry.hadRecentInput) window.auditShift += entry.value;
  }
}).observe({ type: "layout-shift", buffered: true });
"""
# To the end, so that what waits to be seen is loaded, and counted, too.
SCROLL = """
async () => {
  const next = (done) => requestAnimationFrame(() => requestAnimationFrame(done));
  for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight) {
    scrollTo({ top: y, behavior: "instant" });
    await new Promise(next);
  }
}
"""


@dataclass(frozen=True)
class Visit:
    """A page after it was loaded and scrolled to its end."""

    #: Where the reader is now: a page can lead on.
    address: str
    #: The path of every file of the book that was asked for.
    paths: frozenset[str]
    #: The address of every request to another host.
    elsewhere: tuple[str, ...]
    shift: float

    def files(self, book: Path) -> set[Path]:
        """Return the files that travelled; one that is not there is an error for Lighthouse."""
        found = (file_of(book, path) for path in self.paths)
        return {file for file in found if file.is_file()}


def file_of(book: Path, path: str) -> Path:
    """Return the file that a server sends for a path."""
    file = book / unquote(path).lstrip("/")
    return file / "index.html" if file.is_dir() else file


def sort(server: str, requests: Iterable[str]) -> tuple[frozenset[str], tuple[str, ...]]:
    """Part the addresses of requests into paths of this server, and addresses elsewhere."""
    # These are made in the page and never travel.
    sent = [a for a in requests if not a.startswith(("data:", "blob:"))]
    own = frozenset(urlsplit(a).path for a in sent if a.startswith(f"{server}/"))
    return own, tuple(sorted({a for a in sent if not a.startswith(f"{server}/")}))


def visit(browser: Browser, server: str, page: str, width: int, height: int) -> Visit:
    """Open a page in a fresh context, as a reader who never was here."""
    context = browser.new_context(viewport={"width": width, "height": height})
    try:
        tab = context.new_page()
        requests: list[str] = []
        tab.on("request", lambda request: requests.append(request.url))
        tab.add_init_script(OBSERVE)
        tab.goto(f"{server}/{page}", wait_until="networkidle")
        # Before scrolling: the contents beside a page unfold as its reader goes down, on purpose.
        shift = tab.evaluate("window.auditShift")
        tab.evaluate(SCROLL)
        tab.wait_for_load_state("networkidle")
        return Visit(tab.url, *sort(server, requests), shift)
    finally:
        context.close()


def visits(browser: Browser, server: str, page: str) -> list[Visit]:
    """Open a page in every width."""
    return [visit(browser, server, page, width, height) for width, height in WIDTHS]
