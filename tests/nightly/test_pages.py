"""Pages in the settings of few readers, and all of them where `make test` asks one or two."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.conftest import SETTLE, resize, until
from tests.pages.axe import ALL, CONTRAST, findings
from tests.pages.conftest import DOCUMENTS, LESSONS, TOC
from tests.pages.conftest import reopen as reopen
from tests.pages.conftest import used as used
from tests.pages.test_answers import answer, odds
from tests.pages.test_features import OPENED, button, visible
from tests.pages.test_present import check_slides
from tests.pages.test_smoke import unfold

LESSON = "chapters/temperature"
KINDS = ["chapters/index", LESSON, "chapters/trained-heads", "chapters/api", "search"]
LARGE = "html { font-size: 200% !important; }"
# WCAG 1.4.12. Formulas and drawings are set by their own rules.
SPACED = """*:not(svg *, .katex, .katex *) {
  line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important;
} p { margin-bottom: 2em !important; }"""
# Boxes that hide what is too large for them, with text in them that is.
CUT = """() => [...document.querySelectorAll("body *")].filter((e) => {
  if (e.closest(".katex, .katex-display, span.math, svg, [aria-hidden=true]")) return false;
  if (e.matches(".unseen, .visually-hidden, .name, legend")) return false;
  if (e.clientWidth < 2 || !e.checkVisibility()) return false;
  const { overflowX, overflowY } = getComputedStyle(e);
  const hides = (overflow) => ["hidden", "clip"].includes(overflow);
  const cut = (hides(overflowX) && e.scrollWidth - e.clientWidth > 1)
    || (hides(overflowY) && e.scrollHeight - e.clientHeight > 3);
  return cut && e.innerText.trim(); // of what is shown
}).map((e) => e.outerHTML.slice(0, 160))"""


@pytest.mark.parametrize("name", DOCUMENTS)
def test_nothing_is_lost_where_text_is_large_or_spaced_out(reopen, server, name):
    page = reopen(f"{server}/{name}.html", reduced_motion="reduce").page
    unfold(page)
    sheet = page.add_style_tag(content=LARGE)
    for text, width in ((LARGE, 1280), (SPACED, 1280), (SPACED, 320)):
        sheet.evaluate("(sheet, text) => { sheet.textContent = text; }", text)
        resize(page, width)
        until(page, "() => document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate(CUT) == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_text_can_be_read_in_the_dark(reopen, server, name):
    page = reopen(f"{server}/{name}.html", theme="dark", reduced_motion="reduce").page
    unfold(page)
    for width in (1280, 390):
        resize(page, width)
        assert findings(page, CONTRAST) == []


OPENERS = [(1280, "Search"), (1280, "Launch"), (1280, "Source"), (390, "Contents"), (390, "Search")]


@pytest.mark.parametrize(("width", "opener"), OPENERS)
def test_axe_finds_nothing_on_what_opens(reopen, server, width, opener):
    page = reopen(f"{server}/{LESSON}.html", width=width, reduced_motion="reduce").page
    if opener == "Launch" and not page.get_by_role("button", name=opener).count():
        pytest.skip("A book without an address launches nothing.")
    button(page, opener).click()
    page.locator(OPENED).wait_for()
    for theme, rules in (("dark", CONTRAST), ("light", ALL)):
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        page.evaluate(SETTLE)
        assert findings(page, rules) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_on_a_page_to_embed_and_on_a_slide(reopen, server, theme):
    media = {"theme": theme, "reduced_motion": "reduce"}
    page = reopen(f"{server}/embed/temperature-temperature.html", width=400, **media).page
    assert findings(page) == []
    page = reopen(f"{server}/{LESSON}.html?present=3", height=720, **media).page
    page.locator("html[data-slide='3']").wait_for(state="attached")
    assert findings(page) == []


def test_a_page_keeps_still_where_motion_is_not_wanted(reopen, server):
    moving = """() => [...document.querySelectorAll("*")].filter((item) => {
      const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(item);
      return transitionDuration.split(", ").some((time) => parseFloat(time) > 0.01)
        || animationName !== "none" || scrollBehavior === "smooth";
    }).map((item) => item.outerHTML.slice(0, 80))"""
    for name in KINDS:
        assert reopen(f"{server}/{name}.html", reduced_motion="reduce").page.evaluate(moving) == []


# Fields with letters that are too small for a phone, for which Safari enlarges the page, or with a
# text that has no room. A thumb's height is in what is pressed, which is no field.
SMALL = """() => [...document.querySelectorAll("input, select, textarea")]
  .filter((field) => !["range", "radio", "checkbox"].includes(field.type))
  .filter((field) => parseFloat(getComputedStyle(field).fontSize) < 16
    || (field.type === "number" && field.scrollWidth > field.clientWidth))
  .map((field) => `${getComputedStyle(field).fontSize}: ${field.outerHTML.slice(0, 120)}`)"""


@pytest.mark.parametrize("name", LESSONS)
def test_no_field_makes_a_phone_enlarge_the_page(browser, server, name):
    size = {"width": 390, "height": 844}
    context = browser.new_context(viewport=size, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(f"{server}/{name}.html")
    page.wait_for_selector("html[data-widgets=ready]")
    unfold(page)
    assert page.evaluate(SMALL) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    context.close()


# What a pointer can use, in the order of the page: controls, and what scrolls. Of radio buttons
# with one name the Tab key takes one; the arrow keys take the others.
REACHABLE = """() => {
  const controls = "a[href], button, input, select, textarea, summary, [tabindex='0']";
  const scrolls = (e) => {
    const { overflowX, overflowY } = getComputedStyle(e);
    const may = (overflow) => ["auto", "scroll"].includes(overflow);
    return (may(overflowX) && e.scrollWidth > e.clientWidth + 1)
      || (may(overflowY) && e.scrollHeight > e.clientHeight + 1);
  };
  const groups = new Set();
  return [...document.body.querySelectorAll("*")].filter((e) => {
    const isSeen = e.getClientRects().length && e.checkVisibility({ visibilityProperty: true });
    if (!isSeen || e.closest("[inert], dialog:not([open])")) return false;
    if (!e.matches(controls)) {
      return !e.matches("body, span.math") && scrolls(e) && !e.querySelector(controls);
    }
    if (e.disabled || e.type === "hidden" || e.tabIndex < 0) return false; // arrows reach these
    return e.type !== "radio" || (!groups.has(e.name) && groups.add(e.name));
  }).map((e, i) => {
    e.dataset.stop = e.type === "radio" ? e.name : String(i);
    return [e.dataset.stop, e.outerHTML.slice(0, 120)];
  });
}"""
# Where the focus is, and whether one can see it: it or its label has an outline, or it is a slider,
# whose thumb has one; its beginning is not under the bar at the top of the page.
STOP = """() => {
  const e = document.activeElement;
  if (!e || e === document.body) return null;
  const rings = (item) => item && getComputedStyle(item).outlineStyle !== "none"
    && parseFloat(getComputedStyle(item).outlineWidth) >= 2;
  const { left, top, right, bottom, width, height } = e.getClientRects()[0];
  // What is higher than the screen may begin above it: there, the middle of what is seen.
  const middle = (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2;
  const y = height > innerHeight - 100 ? middle : top + Math.min(height / 2, 8);
  const above = document.elementFromPoint(left + Math.min(width / 2, 12), y);
  const isCovered = !above || !(e.contains(above) || above.contains(e)
    || e.closest("label, .choice")?.contains(above));
  return {
    stop: e.type === "radio" ? e.name : e.dataset.stop ?? "", html: e.outerHTML.slice(0, 120),
    isSeen: (e.type === "range" || rings(e) || rings(e.nextElementSibling)
      || (e.parentElement.matches("form, label") && rings(e.parentElement)))
      && !(isCovered && width >= 2 && height >= 2),
  };
}"""


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", KINDS)
def test_tab_reaches_everything_in_order_and_shows_where_it_is(reopen, server, name, width):
    # A link that shows when it has the focus slides in.
    page = reopen(f"{server}/{name}.html?q=softmax", width=width, reduced_motion="reduce").page
    if name == "search":
        page.get_by_text("Places found:").wait_for()
    page.evaluate("for (const item of document.querySelectorAll('details')) item.open = true")
    page.evaluate(SETTLE)
    wanted, stops = dict(page.evaluate(REACHABLE)), []
    while len(stops) < 1000:
        page.keyboard.press("Tab")
        if not (stop := page.evaluate(STOP)):
            break
        stops.append(stop)
    assert [stop["html"] for stop in stops if not stop["isSeen"]] == []
    reached = [stop["stop"] for stop in stops]
    assert [html for name, html in wanted.items() if name not in reached] == []
    assert [name for name in reached if name in wanted] == list(wanted)


# What stands over the edge of the paper, or is cut off there.
WIDE = """items => items.filter((item) => item.checkVisibility()
    && (item.getBoundingClientRect().right > innerWidth + 1
      || (item.matches("pre") && item.scrollWidth > item.clientWidth + 1)))
  .map((item) => item.outerHTML.slice(0, 120))"""


@pytest.mark.parametrize("name", DOCUMENTS)
def test_nothing_is_cut_off_on_paper(reopen, server, name):
    page = reopen(f"{server}/{name}.html", width=718, media="print").page  # A4, margins of 1 cm
    parts = page.locator("article :is(pre, img, table, .katex, .drawing svg)")
    assert parts.evaluate_all(WIDE) == []
    assert page.locator("article :is(button, input, select, .widget-live):visible").count() == 0
    slots = page.locator(".widget-slot").count()
    assert len(visible(page, ".widget-slot > .widget-picture")) == slots


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1024, 768), (1920, 1080)])
@pytest.mark.parametrize("name", [entry["file"] for entry in TOC["parts"][0]["chapters"][:6]])
def test_every_lesson_of_the_chapter_fits_on_slides(reopen, server, name, width, height):
    check_slides(reopen(f"{server}/{name}.html", width=width, height=height).page)


def test_two_tabs_agree(open_page: Callable, server):
    page = open_page(f"{server}/{LESSON}.html").page
    other = page.context.new_page()
    other.goto(page.url)
    answer(odds(page), "7.389")
    expect(other.locator(".progress")).to_contain_text("1 answered right")
    answer(other.locator("[data-exercise=half-temperature]"), "3.3441")
    expect(page.locator(".progress")).to_contain_text("2 answered right")


def test_a_press_copies_the_code_of_a_cell(open_page: Callable, server):
    page = open_page(f"{server}/{LESSON}.html").page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    cell = page.locator(".cell_input:visible").first
    cell.get_by_role("button", name="Copy").press("Enter")
    cell.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == cell.locator("pre").text_content()
