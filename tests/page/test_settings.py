"""Readers enlarge, space out, recolour and still the pages; nothing of the text gets lost."""

from contextlib import suppress
from itertools import cycle, product

import numpy as np
import pytest
from playwright.sync_api import Page, TimeoutError

from attnutils import GraphAttentionExplorer, TemperatureExplorer
from tests.book.test_lessons import LESSONS
from tests.conftest import IS_EXHAUSTIVE, SETTLE, some
from tests.examples import USUAL
from tests.page.conftest import (
    ONE_OF_EACH_KIND,
    PAGES,
    SKELETON,
    only,
    picture,
    resize,
    unfold,
)

LARGE = "html { font-size: 200% !important; }"
# WCAG 1.4.12. Formulas and drawings are set by their own rules.
SPACED = """
*:not(svg *, .katex, .katex *) {
  line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important;
}
p { margin-bottom: 2em !important; }
"""
# Boxes that hide what is too large for them, with text in them that is.
CUT = """() => {
  const hides = (overflow) => ["hidden", "clip"].includes(overflow);
  const sizes = (e) => [e.scrollWidth - e.clientWidth, e.scrollHeight - e.clientHeight];
  return [...document.querySelectorAll("body *")].filter((e) => {
    if (e.closest(".katex, .katex-display, span.math, svg, [aria-hidden=true]")) return false;
    if (e.matches(".unseen, .visually-hidden, .name, legend")) return false;
    if (e.clientWidth < 2 || !e.checkVisibility()) return false;
    const { overflowX, overflowY } = getComputedStyle(e);
    const [across, down] = sizes(e);
    const cut = (hides(overflowX) && across > 1) || (hides(overflowY) && down > 3);
    return cut && e.innerText.trim(); // of what is shown
  }).map((e) => `${sizes(e)}: ${e.outerHTML.slice(0, 160)}`);
}"""


def lost(page: Page) -> list[str]:
    """What is cut off, and whether the page scrolls sideways."""
    page.evaluate(SETTLE)
    with suppress(TimeoutError):  # an explorer draws anew once it is told of its width
        page.wait_for_function("document.documentElement.scrollWidth <= innerWidth", timeout=3000)
    across = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return page.evaluate(CUT) + ([f"{across} px too wide"] if across > 0 else [])


def test_no_page_scrolls_sideways(screen):
    widths = {}
    for width in (1280, 390, 320):
        resize(screen, width)
        widths[width] = screen.evaluate("document.documentElement.scrollWidth")
    assert not {width: needed for width, needed in widths.items() if needed > width}


@only("screen", some(ONE_OF_EACH_KIND, ONE_OF_EACH_KIND[1]))
def test_nothing_is_lost_where_text_is_large_or_spaced_out(screen):
    page = screen
    unfold(page)
    resize(page, 640)
    found = {"zoom 200 %": lost(page)}
    resize(page, 1280)
    sheet = page.add_style_tag(content=LARGE)
    found["text 200 %"] = lost(page)
    sheet.evaluate("(sheet, text) => { sheet.textContent = text; }", SPACED)
    found["spaced out"] = lost(page)
    resize(page, 320)
    found["spaced out, 320 px"] = lost(page)
    sheet.evaluate("sheet => sheet.remove()")
    assert not {state: told for state, told in found.items() if told}


# Fields with letters that are too small for a phone, or with a text that has no room. A thumb's
# height is in what is pressed, which is no field.
SMALL = """() => [...document.querySelectorAll("input, select, textarea")]
  .filter((field) => !["range", "radio", "checkbox"].includes(field.type))
  .filter((field) => parseFloat(getComputedStyle(field).fontSize) < 16
    || (field.type === "number" && field.scrollWidth > field.clientWidth))
  .map((field) => `${getComputedStyle(field).fontSize}: ${field.outerHTML.slice(0, 120)}`)"""
WITH_FIELDS = ["attention-mechanism", "positional-encoding"]  # of every kind


@pytest.mark.parametrize("name", some(LESSONS, *WITH_FIELDS))
def test_no_field_makes_a_phone_enlarge_the_page(browser, server, name):
    """Safari does so for letters below 16 px, and leaves it so."""
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    page.goto(f"{server}/chapters/{name}.html")
    page.wait_for_selector("html[data-widgets=ready]")
    unfold(page)
    assert page.locator("input, select").count() > 1
    assert page.evaluate(SMALL) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    context.close()


THEMES = ["light", "dark"]
# What is shared is tried in both by turns, unless all is tried.
EACH = product(USUAL, THEMES) if IS_EXHAUSTIVE else zip(SKELETON, cycle(THEMES), strict=False)


@pytest.mark.parametrize(
    ("widget", "theme"),
    [*EACH],
    ids=lambda given: given if isinstance(given, str) else type(given).__name__,
)
def test_forced_colours_leave_text_marks_and_states(reopen, widget_page, widget, theme):
    page = reopen(widget_page(widget), theme=theme).page
    page.emulate_media(forced_colors="active", color_scheme=theme, reduced_motion="reduce")
    page.evaluate(SETTLE)
    ink, paper = page.evaluate(
        """() => {
          const probe = document.createElement("p");
          probe.style = "color: CanvasText; background: Canvas";
          document.body.append(probe);
          const { color, backgroundColor } = getComputedStyle(probe);
          probe.remove();
          return [color, backgroundColor];
        }"""
    )
    assert ink != paper
    # Texts and lines of a drawing have the reader's ink; the colour of a weight stays.
    texts = page.locator(".attn :is(.headline, svg text):visible").evaluate_all(
        "items => items.map((e) => getComputedStyle(e)[e.matches('text') ? 'fill' : 'color'])"
    )
    assert set(texts) <= {ink}
    fills = page.locator(".attn .bar .fill:visible").evaluate_all(
        "items => items.map((item) => getComputedStyle(item).backgroundColor)"
    )
    assert texts
    assert paper not in fills
    # Where the focus is, and what is chosen, is seen. Some have choices of their own; what slides
    # and what is ticked is the same in all.
    live = page.locator(".attn")
    is_first = IS_EXHAUSTIVE or isinstance(widget, TemperatureExplorer)
    for kind in ("range", "radio", "checkbox") if is_first else ("radio",):
        control = page.locator(f"input[type={kind}]:not(:checked):visible").last
        if control.count() == 0:
            continue
        seen = picture(live)
        page.keyboard.press("Shift")  # the focus is the keyboard's
        control.focus()
        focused = picture(live)
        assert focused != seen
        control.press("End" if kind == "range" else " ")
        assert picture(live) != focused
        page.evaluate("document.activeElement.blur()")


@pytest.mark.parametrize("name", ["chapters/index", "chapters/temperature"])
def test_a_page_keeps_still_where_motion_is_not_wanted(reopen, server, name):
    page = reopen(f"{server}/{name}.html").page
    page.emulate_media(reduced_motion="reduce")
    moving = page.evaluate(
        """() => [...document.querySelectorAll("*")].filter((item) => {
          const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(item);
          return transitionDuration.split(", ").some((time) => parseFloat(time) > 0.01)
            || animationName !== "none" || scrollBehavior === "smooth";
        }).map((item) => item.outerHTML.slice(0, 80))"""
    )
    assert moving == []


def test_more_contrast_makes_labels_as_dark_as_text(reopen, widget_page):
    page = reopen(widget_page(USUAL[0])).page
    label = page.locator(".attn label").first
    colour = "label => getComputedStyle(label.closest('.attn').querySelector('.dim')).color"
    ink = page.locator(".attn").evaluate("root => getComputedStyle(root).color")
    assert label.evaluate(colour) != ink
    page.emulate_media(contrast="more")
    assert label.evaluate(colour) == ink


def test_a_name_that_hovering_shows_is_told_by_a_tap(reopen, widget_page):
    names = [f"Rechtsschutzversicherung {i}" for i in range(3)]
    graph = GraphAttentionExplorer(
        names, [[0, 0], [1, 0], [0, 1]], [0, 1], [1, 2], {"dot": np.ones(2)}
    )
    page = reopen(widget_page(graph), width=390).page
    cut = page.locator(".attn .nodes span[title]:not([title=''])")
    assert cut.count() == 3
    for name, label in zip(names, cut.all(), strict=True):
        label.locator("..").click()
        assert name in page.locator(".headline").inner_text()
        assert page.get_by_role("radio", name=name).is_checked()


@only("screen", some(PAGES, *ONE_OF_EACH_KIND))
def test_safari_is_told_what_it_needs(screen):
    """It knows one name with its prefix only, and lets the longest choice of a list overflow."""
    style = "[...document.styleSheets].map(s => s.href).filter(h => h?.startsWith(location.origin))"
    texts = screen.evaluate(
        f"Promise.all({style}.map(async (h) => (await fetch(h)).text())).then(t => t.join(''))"
    )
    assert "-webkit-text-size-adjust:none" in texts
    lists = screen.locator(".widget-slot .control:has(> select)")
    assert set(lists.evaluate_all("all => all.map(e => getComputedStyle(e).overflowX)")) <= {"clip"}
