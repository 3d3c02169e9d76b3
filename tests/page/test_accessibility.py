"""axe-core finds nothing on any page, in light and dark, wide and narrow, at rest and in use."""

import pytest
from playwright.sync_api import Page

from attnutils import TemperatureExplorer
from attnutils.worked_example import KEYS, WORDS
from tests.book.test_pages import DOCUMENTS
from tests.examples import STATES
from tools.project import ROOT

AXE = (ROOT / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
PAGES = [*(f"{name}.html" for name in DOCUMENTS), "search.html?q=softmax"]
VIEWS = [("light", 1280), ("dark", 1280), ("light", 390), ("dark", 390), ("light", 320)]


def findings(page: Page) -> str:
    """What axe finds, as text; nothing if it finds nothing."""
    page.evaluate("document.fonts.ready.then(() => true)")
    page.evaluate(AXE)
    violations = page.evaluate("axe.run().then((result) => result.violations)")
    return "\n".join(
        f"{violation['id']}: {node['html'][:200]}\n  {node['failureSummary']}"
        for violation in violations
        for node in violation["nodes"]
    )


@pytest.mark.parametrize(("theme", "width"), VIEWS)
@pytest.mark.parametrize("name", PAGES)
def test_pages_at_rest(open_page, server, name, theme, width):
    page = open_page(f"{server}/{name}", theme=theme, width=width).page
    assert not findings(page)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_pages_with_everything_folded_out(open_page, server, name, theme):
    page = open_page(f"{server}/{name}.html", theme=theme).page
    page.evaluate("for (const item of document.querySelectorAll('details')) item.open = true")
    for button in page.locator(".attn-question button").all():
        button.click()
    assert not findings(page)


@pytest.mark.parametrize(("theme", "width"), VIEWS)
def test_widgets_in_every_state(open_page, widget_page, theme, width):
    page = open_page(widget_page(*STATES), theme=theme, width=width).page
    page.get_by_role("spinbutton").first.fill("")
    for summary in page.locator("summary").all():
        summary.click()
    for button in page.get_by_role("button", name="Check").all():
        button.click()
    assert not findings(page)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_console_stays_quiet(open_page, server, name):
    said: list[str] = []

    def listen(page: Page) -> None:
        page.on(
            "console", lambda m: said.append(m.text) if m.type in ("warning", "error") else None
        )

    page = open_page(f"{server}/{name}.html", prepare=listen).page
    page.wait_for_load_state("networkidle")
    for slider in page.get_by_role("slider").all():
        slider.fill("70")
    assert not said


def test_widgets_keep_still_where_motion_is_not_wanted(open_page, widget_page):
    def reduce(page: Page) -> None:
        page.emulate_media(reduced_motion="reduce")

    page = open_page(widget_page(*STATES), prepare=reduce).page
    durations = page.locator(".attn *").evaluate_all(
        "items => items.map((item) => getComputedStyle(item).transitionDuration)"
    )
    assert set(durations) == {"0s"}


def test_controls_are_large_enough_to_hit(open_page, widget_page):
    page = open_page(widget_page(*STATES), width=320).page
    targets = "button, select, input:not([type=checkbox], [type=radio]), label:has(input)"
    small = page.locator(f".attn :is({targets})").evaluate_all(
        """items => items.map((item) => [item.outerHTML, item.getBoundingClientRect()])
             .filter(([, box]) => Math.min(box.width, box.height) < 24)"""
    )
    assert small == []


@pytest.mark.parametrize(
    ("attributes", "scheme"),
    [
        ({"html": {"data-theme": "dark"}}, "dark"),
        ({"html": {"data-theme": "light"}}, "light"),
        ({"html": {"theme": "dark"}}, "dark"),
        ({"body": {"data-jp-theme-light": "false"}}, "dark"),
        ({"body": {"data-jp-theme-light": "true"}}, "light"),
    ],
)
def test_the_theme_of_the_page_wins_over_the_readers(open_page, widget_page, attributes, scheme):
    address = widget_page(TemperatureExplorer(WORDS, KEYS @ KEYS[5]))
    other = "light" if scheme == "dark" else "dark"
    page = open_page(address, theme=other).page
    ink = {"light": "rgb(31, 35, 40)", "dark": "rgb(232, 233, 235)"}

    def colour() -> str:
        return page.evaluate("getComputedStyle(document.querySelector('.attn')).color")

    assert colour() == ink[other]
    for element, values in attributes.items():
        for name, value in values.items():
            page.locator(element).evaluate("(e, [n, v]) => e.setAttribute(n, v)", [name, value])
    assert colour() == ink[scheme]
