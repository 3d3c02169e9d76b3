"""Who has no pointer reaches everything, in the order of reading, sees where they are, gets out."""

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.conftest import IS_EXHAUSTIVE, SETTLE, exhaustive, some, until
from tests.examples import STATES
from tests.page.conftest import ONE_OF_EACH_KIND, PAGES, only
from tests.page.frame import (
    BOOK,
    CONTENTS,
    LAUNCH,
    OPENED,
    SEARCH,
    SECTION_LINKS,
    SOURCE,
    button,
    open_search,
    opened,
)

LESSON = "chapters/temperature.html"

# What a pointer can use, in the order of the page: controls, and what scrolls. Of radio buttons
# with one name the Tab key takes one; the arrow keys take the others.
REACHABLE = """() => {
  const isSeen = (e) =>
    e.getClientRects().length > 0 && e.checkVisibility({ visibilityProperty: true });
  const scrolls = (e) => {
    const { overflowX, overflowY } = getComputedStyle(e);
    const may = (overflow) => ["auto", "scroll"].includes(overflow);
    return (may(overflowX) && e.scrollWidth > e.clientWidth + 1)
      || (may(overflowY) && e.scrollHeight > e.clientHeight + 1);
  };
  const inside = "a[href], button, input, select, summary, [tabindex='0']";
  const groups = new Set();
  return [...document.body.querySelectorAll("*")].filter((e) => {
    if (!isSeen(e) || e.closest("[inert], dialog:not([open])")) return false;
    if (e.matches("a[href], button, input, select, textarea, summary, [tabindex='0']")) {
      if (e.disabled || e.type === "hidden") return false;
      if (e.type !== "radio") return true;
      if (groups.has(e.name)) return false;
      groups.add(e.name);
      return true;
    }
    return !e.matches("body, span.math") && scrolls(e) && !e.querySelector(inside);
  }).map((e, i) => {
    e.dataset.stop = e.type === "radio" ? e.name : String(i);
    return [e.dataset.stop, e.outerHTML.slice(0, 120)];
  });
}"""

# Where the focus is, and whether one can see it: it has an outline, its thumb or its label has
# one, and its beginning is not under the bar at the top of the page.
STOP = """() => {
  const e = document.activeElement;
  if (!e || e === document.body) return null;
  const rings = (item) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(item);
    return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
  };
  const ring = e.type === "range" ? null
    : rings(e) || (e.nextElementSibling && rings(e.nextElementSibling))
      || (e.parentElement.matches("form, label") && rings(e.parentElement));
  const { left, top, right, bottom, width, height } = e.getClientRects()[0];
  // What is higher than the screen may begin above it: there, the middle of what is seen.
  const middle = (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2;
  const first = height > innerHeight - 100 ? middle : top + Math.min(height / 2, 8);
  const [x, y] = [left + Math.min(width / 2, 12), first];
  const above = document.elementFromPoint(x, y);
  const isCovered = !above || !(e.contains(above) || above.contains(e)
    || e.closest("label, .choice")?.contains(above));
  return {
    stop: e.type === "radio" ? e.name : e.dataset.stop ?? "", html: e.outerHTML.slice(0, 120),
    explorer: e.closest("[data-widget]")?.dataset.widget ?? "",
    ring, isCovered: isCovered && !(width < 2 || height < 2),
  };
}"""


def is_ringed(page: Page) -> bool:
    """Whether the slider in focus looks different without it: its ring is on its thumb."""
    slider = page.locator("*:focus").element_handle()
    focused = slider.screenshot(animations="disabled")
    slider.evaluate("slider => slider.blur()")
    at_rest = slider.screenshot(animations="disabled")
    slider.focus()
    return focused != at_rest


def walk(page: Page) -> list[dict[str, Any]]:
    """Press Tab from the top of the page to its end."""
    stops: list[dict[str, Any]] = []
    rings: dict[str, bool] = {}  # of the sliders of a kind of explorer: one look takes two pictures
    while True:
        page.keyboard.press("Tab")
        stop = page.evaluate(STOP)
        if stop is None:
            return stops
        if stop["ring"] is None:
            kind = stop["explorer"]
            if kind not in rings or IS_EXHAUSTIVE:
                rings[kind] = is_ringed(page)
            stop["ring"] = rings[kind]
        stops.append(stop)
        assert len(stops) < 1000, f"no way out of {stop['html']}"


def open_folds(page: Page) -> None:
    """Open all that is folded, without a click, after which Tab would go on from there."""
    page.evaluate("for (const item of document.querySelectorAll('details')) item.open = true")
    page.evaluate(SETTLE)


def check_walk(page: Page) -> None:
    """Check that everything is reached in order and seen."""
    wanted = page.evaluate(REACHABLE)
    # A link that shows when it has the focus slides in.
    page.emulate_media(reduced_motion="reduce")
    stops = walk(page)
    assert [stop["html"] for stop in stops if not stop["ring"]] == []
    assert [stop["html"] for stop in stops if stop["isCovered"]] == []
    reached = [stop["stop"] for stop in stops]
    names = dict(wanted)
    assert [names[stop] for stop in names if stop not in reached] == []
    assert [stop for stop in reached if stop in names] == list(names)


@only("screen", some([*ONE_OF_EACH_KIND, PAGES[-1]], LESSON))
def test_tab_reaches_everything_in_order(screen):
    open_folds(screen)
    check_walk(screen)


# Its frame is another, what is in it the same: one of the lessons, unless all is tried.
@only("phone", some([*ONE_OF_EACH_KIND, PAGES[-1]], LESSON))
def test_tab_reaches_everything_on_a_phone(phone):
    open_folds(phone)
    check_walk(phone)


@exhaustive
def test_tab_reaches_everything_in_every_state_of_a_widget(reopen, widget_page):
    page = reopen(widget_page(*STATES)).page
    open_folds(page)
    check_walk(page)


@only("screen", some(PAGES, *ONE_OF_EACH_KIND))
def test_the_first_stop_skips_to_the_text(screen):
    page = screen
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent.trim()") == "Skip to main content"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('#main-content, main') !== null")


@pytest.mark.parametrize(
    ("width", "openers"), [(1280, (LAUNCH, SOURCE, SEARCH)), (390, (SEARCH, CONTENTS))]
)
def test_escape_closes_what_was_opened_and_gives_the_focus_back(reopen, server, width, openers):
    page = reopen(f"{server}/chapters/temperature.html", width=width).page
    for opener in openers:
        opening = button(page, opener)
        opening.press("Enter")
        opened(page).wait_for()
        if opener in (SEARCH, CONTENTS):
            until(page, "s => document.activeElement.closest(s) !== null", OPENED)
        page.keyboard.press("Escape")
        opened(page).wait_for(state="hidden")
        assert opening.evaluate("button => button === document.activeElement"), opener


def test_escape_closes_the_search_where_the_field_keeps_the_key(reopen, server):
    """In Safari the field empties itself, and the dialog hears nothing of it."""
    page = reopen(f"{server}/chapters/temperature.html").page
    open_search(page)
    field = page.locator("dialog[open] input")
    field.evaluate("field => field.addEventListener('keydown', (e) => e.preventDefault())")
    page.keyboard.press("Escape")
    opened(page).wait_for(state="hidden")
    open_search(page)
    field.evaluate("field => { field.value = 'softmax'; }")
    page.keyboard.press("Escape")
    assert opened(page).is_visible()


@pytest.mark.parametrize("is_tapped", [True, False])
def test_a_link_in_the_contents_of_a_phone_shows_its_section(reopen, server, is_tapped):
    page = reopen(f"{server}/chapters/temperature.html", width=390).page
    button(page, CONTENTS).click()
    link = opened(page).locator("a[href='#what-goes-wrong']")
    link.click() if is_tapped else link.press("Enter")
    opened(page).wait_for(state="hidden")
    page.keyboard.press("Tab")
    assert page.evaluate(
        """() => Boolean(document.getElementById("what-goes-wrong").compareDocumentPosition(
          document.activeElement) & Node.DOCUMENT_POSITION_FOLLOWING)"""
    )
    assert page.locator("#what-goes-wrong > h2").is_visible()


@pytest.mark.parametrize("width", [390, 1280])
def test_the_contents_follow_the_reading(open_page, server, width):
    # Browsers of 2023 have drawers, and not this.
    older = "delete Element.prototype.checkVisibility" if width == 390 else ""
    visit = open_page(
        f"{server}/chapters/temperature.html",
        width=width,
        prepare=lambda page: page.add_init_script(older),
    )
    page = visit.page
    marked = page.locator(f"{SECTION_LINKS}[aria-current]")
    for section in ("exercises", "the-question", "the-derivative"):
        page.evaluate("id => document.getElementById(id).scrollIntoView()", section)
        page.locator(f"{SECTION_LINKS}[aria-current][href='#{section}']").wait_for(state="attached")
        assert marked.count() == 1
        if width == 1280:
            frame, mark = page.locator(BOOK).bounding_box(), marked.bounding_box()
            assert 0 <= mark["y"] <= frame["height"] - mark["height"]
    assert not visit.problems


def test_a_press_copies_the_code_of_a_cell(open_page, server):
    page = open_page(
        f"{server}/chapters/temperature.html", prepare=lambda page: page.clock.install(time=0)
    ).page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.clock.pause_at(3600)
    cell = page.locator(".cell_input:visible").first
    cell.get_by_role("button", name="Copy").press("Enter")
    cell.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == cell.locator("pre").text_content()
    page.clock.run_for(2000)
    cell.get_by_role("button", name="Copy", exact=True).wait_for()
