"""What a browser loads: from the book alone, without an error or a warning, and little of it."""

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from _ext.esbuild import minified
from tests.book.test_pages import DOCUMENTS
from tests.conftest import Visit, some, until
from tests.page.conftest import ONE_OF_EACH_KIND, PAGES, first_visit, only
from tests.page.frame import open_search
from tools import limits
from tools.audit import __main__ as audit
from tools.project import ROOT

CORE = (ROOT / "attnutils" / "widgets" / "static" / "core.js").read_text(encoding="utf-8")
# From a folder, with the search and the one that leads on.
SOME_PAGES = [*some(PAGES, *ONE_OF_EACH_KIND, PAGES[-1]), "index.html"]


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


def check(visit: Visit, root: str) -> None:
    """Check that all of a page came from the book and went well."""
    others = [a for a in visit.requests if not a.startswith((root, "data:", "blob:"))]
    assert visit.requests
    assert not others
    assert not visit.problems


def test_a_page_loads_from_the_book_alone(packed_server, screen_visit):
    check(screen_visit, packed_server)


@pytest.mark.parametrize("page", SOME_PAGES)
def test_a_page_loads_from_a_folder(book, reopen: Callable, page):
    visit = reopen(f"{book.as_uri()}/{page}")
    settle(visit)
    check(visit, book.as_uri())


def test_the_console_stays_quiet_while_sliders_move(screen, screen_visit):
    for slider in screen.locator("input[type=range]:visible").all():
        value = slider.input_value()
        slider.fill("70")
        slider.fill(value)  # for the tests of this visit that follow
    assert not screen_visit.warnings + screen_visit.problems


def test_a_page_is_light(book, screen_visit):
    file = book / urlsplit(screen_visit.page.url).path.lstrip("/")
    measures = audit.weights(file, screen_visit.sizes)
    assert not [miss for measure in measures for miss in measure.miss()]


def test_a_page_has_few_elements(screen_visit):
    assert audit.elements(screen_visit.page).miss() == []


def test_the_page_that_leads_on_is_light(book, packed_server, browser):
    measures, _ = audit.weigh(browser, f"{packed_server}/index.html", book)
    assert not [miss for measure in measures for miss in measure.miss()]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_each_explorer_is_light_and_what_they_share_travels_once(book, name):
    html = (book / f"{name}.html").read_text(encoding="utf-8")
    if not (
        held := re.search(r'<script[^>]* id="widget-data"[^>]*>(.*?)</script>', html, re.DOTALL)
    ):
        return
    data = json.loads(held[1])
    shared, *scripts = (
        (book / "_static" / text["file"]).read_text(encoding="utf-8")
        for text in (data["shared"], *data["scripts"].values())
    )
    assert json.loads(shared.partition("]=")[2]) == minified(CORE, "js")
    assert all(packed_size(own) <= limits.EXPLORER_SCRIPT_KB for own in scripts)


def test_a_page_stands_still_while_it_loads(screen_visit):
    assert screen_visit.moved <= limits.LAYOUT_SHIFT


@only("phone", some(PAGES, *ONE_OF_EACH_KIND))
def test_a_page_stands_still_while_it_loads_on_a_phone(phone_visit):
    assert phone_visit.moved <= limits.LAYOUT_SHIFT


@only("screen", [f"{DOCUMENTS[2]}.html"])
def test_fonts_come_late_on_these_visits(screen_visit):
    assert screen_visit.late_fonts


@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_for_wrong_addresses_stands_still_while_it_loads(browser, server, width):
    with first_visit(browser, f"{server}/404.html", width, 800) as visit:
        assert visit.moved <= limits.LAYOUT_SHIFT


@pytest.mark.parametrize("where", ["http", "folder"])
def test_search_finds_a_word(book, server, open_page: Callable, where):
    root = server if where == "http" else book.as_uri()
    page = open_page(f"{root}/search.html?q=softmax").page
    page.wait_for_selector("#search-results li a")
    assert page.locator("#search-results li a").first.inner_text()
    # Files are pages of processes of their own, which hear a moment later what one of them keeps:
    # a picture, whose page has no script that would take it, has heard it.
    other = page.context.new_page()
    other.goto(f"{root}/_static/favicon.svg")
    until(other, "() => localStorage.getItem('sphinx_highlight_terms') === 'softmax'")
    other.close()
    page.locator("#search-results li a").first.click()
    page.wait_for_url("**/chapters/*")
    # Where it is found it is marked, until Escape.
    marked = """() => CSS.highlights.get("sought")?.size &&
      [...CSS.highlights.get("sought")].every(({ startContainer: text, startOffset, endOffset }) =>
        text.data.slice(startOffset, endOffset).toLowerCase() === "softmax")"""
    until(page, marked)
    page.keyboard.press("Escape")
    assert not page.evaluate("CSS.highlights.has('sought')")
    page.reload()
    assert not page.evaluate("CSS.highlights.has('sought')")


def test_scripts_of_the_search_are_loaded_by_its_page_alone(book):
    for path in book.rglob("*.html"):
        sources = re.findall(r'<script[^>]* src="([^"]*)"', path.read_text(encoding="utf-8"))
        names = [Path(source).name.partition("?")[0] for source in sources]
        assert ("doctools.js" in names) == (path.name == "search.html"), path.name


def test_search_fetches_no_page_that_it_finds(server, reopen: Callable):
    visit = reopen(f"{server}/search.html?q=attention")
    visit.page.get_by_text("Places found:").wait_for()
    visit.page.wait_for_load_state("networkidle")
    assert not [address for address in visit.requests if "/chapters/" in address]


@pytest.mark.parametrize("where", ["http", "folder"])
def test_search_says_that_it_found_nothing(book, server, reopen: Callable, where):
    root = server if where == "http" else book.as_uri()
    page = reopen(f"{root}/search.html?q=xylophone").page
    page.get_by_text("Nothing found.").wait_for()


@pytest.mark.parametrize("width", [390, 1280])
def test_search_opens_and_runs_by_keyboard(server, reopen: Callable, width):
    page = reopen(f"{server}/{DOCUMENTS[1]}.html", width=width).page
    open_search(page)
    page.keyboard.type("sparsemax")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=sparsemax*")
    page.get_by_text("Places found:").wait_for()


def test_a_formula_that_overflows_can_be_scrolled_by_keyboard(server, reopen: Callable):
    page = reopen(f"{server}/{DOCUMENTS[1]}.html").page
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
            expect(root).to_have_css("background-color", colour)  # the style may be on its way
