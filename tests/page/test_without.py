"""The pages without a server, without scripts, without storage, and with a widget that fails."""

import json
import re
from collections.abc import Callable
from copy import copy

import pytest
from playwright.sync_api import Locator, Page, Route

from tests.book.test_pages import DOCUMENTS
from tests.conftest import parsed, some, until
from tests.page.conftest import ONE_OF_EACH_KIND
from tests.page.frame import BAR, BOOK, CONTENTS, PAGE_LINKS, SECTION_LINKS, button, open_search

FOLDED = "article details"
# Pages are also read from a folder, so it is from there that they are read without scripts.
PHONE = {"width": 390, "height": 844}
SHOWN = """items => items.filter((item) =>
  item.checkVisibility() && item.getBoundingClientRect().width > 0).length"""
DRAWN = "images => images.every((image) => image.complete && image.naturalWidth > 0)"


def bare(book, open_page: Callable, name: str, **options: object) -> Page:
    """Open a page of the book from its folder, with scripts off."""
    return open_page(f"{book.as_uri()}/{name}.html", scripts=False, **options).page


def pictures_are_drawn(slot: Locator) -> bool:
    """Whether the picture of a widget is on the page, or its text where it has none."""
    slot.scroll_into_view_if_needed()
    picture = slot.locator(".widget-picture")
    return picture.is_visible() and picture.locator("img").evaluate_all(DRAWN)


@pytest.fixture(
    scope="module",
    params=some(ONE_OF_EACH_KIND, ONE_OF_EACH_KIND[1]),
    ids=lambda page: f"{page}@no-scripts",
)
def bare_page(request, book, browser):
    """A page on a phone with scripts off, opened once for all tests of it."""
    page = browser.new_page(viewport=PHONE, java_script_enabled=False)
    page.goto(f"{book.as_uri()}/{request.param}")
    yield page
    page.close()


def test_a_page_without_scripts_has_its_text_formulas_and_pictures(book, bare_page):
    page = bare_page
    file = book / "chapters" / page.url.rpartition("/")[2]
    source = copy(parsed(file))
    for template in source("template"):  # holds formulas for a script
        template.decompose()
    for heading in source.select("article h1, article h2, article h3"):
        assert page.locator(f"[id='{heading.parent['id']}'] > {heading.name}").is_visible()

    shown = page.locator("article .katex-html:not(details *)").evaluate_all(SHOWN)
    folded = source.select("article details .katex-html")
    assert shown == len(source.select("article .katex-html")) - len(folded)

    assert page.locator(".widget-slot").count() == len(source.select(".widget-slot"))
    for slot in page.locator(".widget-slot").all():
        assert pictures_are_drawn(slot)
        assert slot.locator(".widget-live").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_folded_parts_open_without_scripts(bare_page):
    for part in bare_page.locator(FOLDED).all():
        inside = part.locator(":scope > :not(summary)").first
        assert not inside.is_visible()
        part.locator("summary").first.click()
        assert inside.is_visible()


def test_a_lesson_has_folded_parts(book, open_page):
    assert bare(book, open_page, "chapters/temperature").locator(FOLDED).count() > 1


@pytest.mark.parametrize("width", [390, 1280])
def test_every_page_can_be_reached_without_scripts(book, open_page, width):
    page = bare(book, open_page, DOCUMENTS[2], width=width)
    if width < 1000:
        button(page, CONTENTS).click()
    links = page.locator(PAGE_LINKS)
    assert links.count() == len(DOCUMENTS) - 1
    for link in [
        page.locator(f"{BOOK} > .title"),
        *links.all(),
        *page.locator(SECTION_LINKS).all(),
    ]:
        assert link.is_visible()
    links.last.click()
    assert page.url.endswith(f"{DOCUMENTS[-1]}.html")


@pytest.mark.parametrize("width", [390, 1280])
def test_no_button_in_the_bar_is_dead_without_scripts(book, open_page, width):
    page = bare(book, open_page, DOCUMENTS[2], width=width)
    buttons = page.locator(f"{BAR} button:visible, {BOOK} button:visible").all()
    assert len(buttons) == (3 if width < 1000 else 2)
    for opener in buttons:
        menu = page.locator(f"[id='{opener.get_attribute('popovertarget')}']")
        opener.press("Enter")
        assert menu.locator("a").first.is_visible()
        page.keyboard.press("Escape")
        assert opener.evaluate("button => button === document.activeElement")


def test_search_says_that_it_needs_scripts(book, open_page):
    page = bare(book, open_page, "search")
    assert "activate JavaScript" in page.locator("article").inner_text()


# ---- a widget that fails ----------------------------------------------------------------------

RENDER = "render({ el }) { el.textContent = 'live'; }"
FAILURES = {
    "its file does not come": None,
    "the script does not parse": "this is not JavaScript",
    "the script throws": "throw new Error('on purpose'); export default {};",
    "the script says nothing": "export const nothing = 1;",
    "initialize throws": f"export default {{ initialize() {{ throw 1; }}, {RENDER} }};",
    "initialize fails later": (
        f"export default {{ async initialize() {{ await 0; throw 1; }}, {RENDER} }};"
    ),
    "render throws": "export default { render() { throw new Error('on purpose'); } };",
    "render fails half-way": (
        "export default { async render({ el }) { el.textContent = 'half'; await 0; throw 1; } };"
    ),
}


def with_script(book, name: str, kind: str, script: str) -> Callable[[Page], None]:
    """What replaces the script of a kind of widget on a page, before the page loads."""
    html = (book / f"{name}.html").read_text(encoding="utf-8")
    (held,) = re.findall(r'<script[^>]* id="widget-data"[^>]*>(.*?)</script>', html, re.DOTALL)
    data = json.loads(held)
    (full,) = (found for found in data["scripts"] if found.endswith(f".{kind}"))
    data["scripts"][full] = script
    html = html.replace(held, json.dumps(data))

    def replace(route: Route) -> None:
        route.fulfill(body=html, content_type="text/html; charset=utf-8")

    return lambda page: page.route(f"**/{name}.html", replace)


def without_its_file(book, name: str, kind: str) -> Callable[[Page], None]:
    """What loses the script of a kind of widget, before the page loads."""
    html = (book / f"{name}.html").read_text(encoding="utf-8")
    (file,) = re.findall(rf'\.{kind}":{{"file":"([^"]+)"', html)
    return lambda page: page.route(f"**/{file}", lambda route: route.abort())


@pytest.mark.parametrize(
    "failure", some(FAILURES, "its file does not come", "render fails half-way")
)
def test_one_widget_fails_and_the_others_live(book, server, open_page, failure):
    script = FAILURES[failure]
    if script is None:
        prepare = without_its_file(book, "chapters/temperature", "TemperatureExplorer")
    else:
        prepare = with_script(book, "chapters/temperature", "TemperatureExplorer", script)
    page = open_page(f"{server}/chapters/temperature.html", prepare=prepare).page
    failed = page.locator(".widget-slot[data-widget=TemperatureExplorer]")
    for slot in failed.all():
        assert slot.get_attribute("data-state") == "failed"
        assert slot.locator(".widget-live").count() == 0
        slot.scroll_into_view_if_needed()  # it loads when it is wanted
        image = slot.locator("img").element_handle()
        until(page, "image => image.complete && image.naturalWidth > 0", image)
        assert pictures_are_drawn(slot)
        picture, whole = slot.locator(".widget-picture").bounding_box(), slot.bounding_box()
        assert whole["height"] <= picture["height"] + 40  # no room is kept for what never came

    others = page.locator(".widget-slot:not([data-widget=TemperatureExplorer])")
    assert failed.count()
    assert others.count()
    for slot in others.all():
        assert slot.get_attribute("data-state") == "live"
    question = others.locator("form, .attn-question").first
    question.get_by_role("radio").first.check()
    question.get_by_role("button", name="Check").click()
    assert question.get_by_role("status").inner_text()


def test_a_widget_that_fails_in_use_leaves_the_others_alone(book, server, open_page):
    script = """export default { render({ el }) {
      const button = document.createElement("button");
      button.addEventListener("click", () => { throw new Error("on purpose"); });
      el.append(button);
    } };"""
    prepare = with_script(book, "chapters/temperature", "TemperatureExplorer", script)
    visit = open_page(f"{server}/chapters/temperature.html", prepare=prepare)
    visit.page.locator(".widget-slot[data-widget=TemperatureExplorer] button").first.click()
    assert any("on purpose" in problem for problem in visit.problems)
    question = visit.page.locator(".widget-slot[data-widget=Question]").first
    question.get_by_role("radio").first.check()
    question.get_by_role("button", name="Check").click()
    assert question.get_by_role("status").inner_text()


# ---- a browser that keeps nothing -------------------------------------------------------------

BLOCKED = """for (const name of ["localStorage", "sessionStorage"]) {
  Object.defineProperty(window, name, {
    configurable: true,
    get() { throw new DOMException("Access is denied", "SecurityError"); },
  });
}"""


def test_a_page_works_where_the_browser_keeps_nothing(book, open_page):
    visit = open_page(
        f"{book.as_uri()}/chapters/temperature.html",
        theme="dark",
        prepare=lambda page: page.add_init_script(BLOCKED),
    )
    page = visit.page
    assert page.locator(".widget-slot:not([data-state=live])").count() == 0
    page.get_by_role("button", name="Colour mode").click()
    assert page.locator("html").get_attribute("data-mode") != "auto"
    open_search(page)
    page.keyboard.type("softmax")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=softmax")
    page.wait_for_selector("#search-results li a")
    assert not visit.problems
