"""What a browser loads: from the book alone, without an error, and little of it."""

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from bs4 import BeautifulSoup

from tests.book.test_pages import DOCUMENTS
from tests.conftest import SETTLE
from tests.page.frame import open_search
from tools import limits
from tools.audit import __main__ as audit
from tools.project import ROOT

CORE = (ROOT / "attnutils" / "widgets" / "static" / "core.js").read_text(encoding="utf-8")
PAGES = [*(f"{name}.html" for name in DOCUMENTS), "search.html?q=softmax", "index.html"]
# The sum of all that moves without the reader's doing. Browsers count the worst five seconds.
OBSERVE = """
window.shift = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (!entry.hadRecentInput) window.shift += entry.value;
  }
}).observe({ type: "layout-shift", buffered: true });
"""


def packed_size(text: str) -> float:
    """How many KB a text takes with gzip."""
    return len(gzip.compress(text.encode())) / limits.KB


def settle(visit) -> None:
    """Wait for what a page still does when it has loaded: leads on, fetches fonts, searches."""
    if not urlsplit(visit.page.url).path.endswith("search.html"):
        visit.page.wait_for_url("**/chapters/*.html")
    visit.page.evaluate("document.fonts.ready.then(() => null)")
    if "search" in visit.page.url:
        visit.page.wait_for_load_state("networkidle")


@pytest.mark.parametrize("page", PAGES)
def test_a_page_loads_from_the_book_alone(book, server, open_page: Callable, page):
    visit = open_page(f"{server}/{page}")
    settle(visit)
    others = [a for a in visit.requests if not a.startswith((server, "data:", "blob:"))]
    assert not others
    assert not visit.problems


@pytest.mark.parametrize("page", PAGES)
def test_a_page_loads_from_a_folder(book, open_page: Callable, page):
    visit = open_page(f"{book.as_uri()}/{page}")
    settle(visit)
    others = [a for a in visit.requests if not a.startswith((book.as_uri(), "data:", "blob:"))]
    assert not others
    assert not visit.problems


@pytest.fixture(scope="module")
def packed_server(book: Path) -> Iterator[str]:
    """The address of the built book from a server that packs what travels."""
    with audit.serving(book) as address:
        yield address


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_light(book, packed_server, browser, page):
    measures, _ = audit.weigh(browser, f"{packed_server}/{page}", book)
    assert not [miss for measure in measures for miss in measure.miss()]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_each_explorer_is_light_and_what_they_share_travels_once(book, name):
    page = BeautifulSoup((book / f"{name}.html").read_text(encoding="utf-8"), "html.parser")
    if not (held := page.find(id="widget-data")):
        return
    data = json.loads(held.string)
    if len(data["scripts"]) > 1:  # else all of it counts as shared
        assert CORE in data["shared"]
        assert all(
            packed_size(own) <= limits.EXPLORER_SCRIPT_KB for own in data["scripts"].values()
        )


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", [*PAGES[:-1], "404.html"])
def test_a_page_stands_still_while_it_loads(server, open_page: Callable, name, width):
    """Also where fonts come when the first lines are shown."""
    held = []

    def hold_fonts(page):
        page.add_init_script(OBSERVE)
        page.route("**/*.woff2", lambda route: held.append(route))

    visit = open_page(f"{server}/{name}", width=width, prepare=hold_fonts, wait=False)
    visit.page.wait_for_function("document.readyState !== 'loading'")
    visit.page.evaluate(SETTLE)
    for font in held:
        font.continue_()
    visit.page.unroute("**/*.woff2")
    visit.page.wait_for_load_state("networkidle")
    visit.page.evaluate(f"document.fonts.ready.then(() => {SETTLE})")
    assert visit.page.evaluate("shift") <= limits.LAYOUT_SHIFT


@pytest.mark.parametrize("where", ["http", "folder"])
def test_search_finds_a_word(book, server, open_page: Callable, where):
    root = server if where == "http" else book.as_uri()
    page = open_page(f"{root}/search.html?q=softmax").page
    page.wait_for_selector("#search-results li a")
    assert page.locator("#search-results li a").first.inner_text()
    page.locator("#search-results li a").first.click()
    page.wait_for_url("**/chapters/*")


def test_search_fetches_no_page_that_it_finds(server, open_page: Callable):
    visit = open_page(f"{server}/search.html?q=attention")
    visit.page.get_by_text("Places found:").wait_for()
    visit.page.wait_for_load_state("networkidle")
    assert not [address for address in visit.requests if "/chapters/" in address]


@pytest.mark.parametrize("where", ["http", "folder"])
def test_search_says_that_it_found_nothing(book, server, open_page: Callable, where):
    root = server if where == "http" else book.as_uri()
    page = open_page(f"{root}/search.html?q=xylophone").page
    page.get_by_text("Nothing found.").wait_for()


@pytest.mark.parametrize("width", [390, 1280])
def test_search_opens_and_runs_by_keyboard(server, open_page: Callable, width):
    page = open_page(f"{server}/{DOCUMENTS[1]}.html", width=width).page
    open_search(page)
    page.keyboard.type("sparsemax")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=sparsemax*")
    page.get_by_text("Places found:").wait_for()


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("width", [1280, 390, 320])
def test_no_page_scrolls_sideways(server, open_page: Callable, name, width):
    page = open_page(f"{server}/{name}.html", width=width).page
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_formula_that_overflows_can_be_scrolled_by_keyboard(server, open_page: Callable):
    page = open_page(f"{server}/{DOCUMENTS[1]}.html").page
    formula = page.locator(".katex-display").first
    assert formula.get_attribute("tabindex") is None
    formula.evaluate("element => { element.style.maxWidth = '40px'; }")
    page.wait_for_selector(".katex-display[tabindex='0']")
    formula.evaluate("element => { element.style.maxWidth = ''; }")
    page.wait_for_selector(".katex-display:not([tabindex])")


def test_colours_follow_the_reader_before_any_script_is_loaded(server, open_page: Callable):
    def no_files(page):
        page.route("**/*.js*", lambda route: route.abort())

    for theme, colour in (("dark", "rgb(20, 24, 30)"), ("light", "rgb(255, 255, 255)")):
        for options in ({"prepare": no_files, "wait": False}, {"scripts": False}):
            page = open_page(f"{server}/{DOCUMENTS[1]}.html", theme=theme, **options).page
            page.wait_for_selector("article h1")
            root = page.locator("html")
            assert root.evaluate("e => getComputedStyle(e).backgroundColor") == colour
