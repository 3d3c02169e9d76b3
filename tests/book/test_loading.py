"""What a browser loads: from the book alone, without an error, and little of it."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from bs4 import BeautifulSoup, Tag

from tests.book.test_pages import DOCUMENTS

PAGES = [*(f"{name}.html" for name in DOCUMENTS), "search.html?q=softmax", "index.html"]
LIMIT = 450 * 1024
SCRIPT_LIMIT = 120 * 1024
# Formats that are compressed already; servers send them as they are.
PACKED = {".png", ".woff2"}


def file_of(book: Path, address: str) -> Path:
    return book / unquote(urlsplit(address).path).lstrip("/")


def weight(data: bytes, suffix: str = "") -> int:
    """The size of a file as a server with gzip sends it."""
    return len(data) if suffix in PACKED else len(gzip.compress(data, 6))


def code(script: Tag) -> str:
    """What runs of a script element; the numbers that widgets show are data."""
    if script.get("id") == "widget-data":
        return "\n".join(json.loads(script.string)["scripts"].values())
    return script.string or ""


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


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_page_is_light(book, server, open_page: Callable, name):
    visit = open_page(f"{server}/{name}.html")
    settle(visit)
    files = {file_of(book, a) for a in visit.requests if a.startswith(server)}
    sizes = {path: weight(path.read_bytes(), path.suffix) for path in files}

    page = BeautifulSoup((book / f"{name}.html").read_text(encoding="utf-8"), "html.parser")
    inline = "\n".join(map(code, page.find_all("script", src=False)))
    scripts = sum(size for path, size in sizes.items() if path.suffix == ".js")
    scripts += weight(inline.encode())

    report = json.dumps({path.name: size for path, size in sorted(sizes.items())}, indent=1)
    assert sum(sizes.values()) <= LIMIT, report
    assert scripts <= SCRIPT_LIMIT, f"{report}\ninline: {weight(inline.encode())}"


@pytest.mark.parametrize("where", ["http", "folder"])
def test_search_finds_a_word(book, server, open_page: Callable, where):
    root = server if where == "http" else book.as_uri()
    page = open_page(f"{root}/search.html?q=softmax").page
    page.wait_for_selector("#search-results li a")
    page.locator("#search-results li a").first.click()
    assert "/chapters/" in page.url


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
            assert page.evaluate("getComputedStyle(document.body).backgroundColor") == colour
