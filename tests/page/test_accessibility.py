"""axe-core finds nothing on any page, in light and dark, wide and narrow, at rest and in use.

A page is visited once and brought into its states one after the other. Most of the time goes into
the contrast of thousands of spans. So a text is judged once a theme; where the page is narrow it
is judged again if it has other colours, and a formula has those of the text around it. With
EXHAUSTIVE=1 in the environment every state is judged by every rule, on everything.
"""

import pytest
from playwright.sync_api import Page

from attnutils import TemperatureExplorer
from attnutils.worked_example import KEYS, WORDS
from tests.book.test_pages import DOCUMENTS
from tests.conftest import IS_EXHAUSTIVE, SETTLE
from tests.examples import STATES
from tests.page.conftest import resize, unfold
from tests.page.frame import CONTENTS, LAUNCH, SEARCH, SOURCE, button, opened
from tools.project import ROOT

AXE = (ROOT / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
VIEWS = [("light", 1280), ("dark", 1280), ("light", 390), ("dark", 390), ("light", 320)]

COLOURS = ["color-contrast", "link-in-text-block"]
# The contrast of a single letter is for axe something to look at; here it counts. What axe
# cannot judge at all, such as text in a drawing, has no ratio.
RUN = """([context, options]) => axe.run(context, options).then(({ violations, incomplete }) => [
  ...violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) =>
    `${id}: ${html.slice(0, 200)}\n  ${failureSummary}`)),
  ...incomplete.filter(({ id }) => id === "color-contrast").flatMap(({ nodes }) =>
    nodes.flatMap(({ html, any }) => any.filter(({ data }) =>
      data?.contrastRatio && data.contrastRatio < parseFloat(data.expectedContrastRatio))
      .map(({ data }) => `contrast ${data.contrastRatio}: ${html.slice(0, 200)}`))),
])"""
ALL, STRUCTURE, CONTRAST = (
    {},
    {"rules": {rule: {"enabled": False} for rule in COLOURS}},
    {"runOnly": COLOURS},
)
# Notes the colours of the text, and marks what has others when it is asked again. A widget, which
# draws itself anew, is judged by itself.
MARK = """theme => {
  for (const item of document.querySelectorAll("article, article :not(.attn, .attn *)")) {
    const { color, backgroundColor, opacity } = getComputedStyle(item);
    const tint = [color, backgroundColor, opacity].join();
    item.tints ??= {};
    item.toggleAttribute("data-recoloured", tint !== (item.tints[theme] ??= tint));
  }
}"""


def findings(
    page: Page, options: object = ALL, *, leave_out: tuple[str, ...] = (), but: tuple[str, ...] = ()
) -> list[str]:
    """What axe finds, each as a text; it is loaded once a page."""
    page.evaluate("document.fonts.ready.then(() => true)")
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    quick = {"preload": False, "selectors": False, "resultTypes": ["violations", "incomplete"]}
    context = {"include": ["html", *but], "exclude": [*leave_out]}
    if IS_EXHAUSTIVE:
        context, options = {"include": ["html"]}, ALL
    return page.evaluate(RUN, [context, {**quick, **options}])


def strangers(page: Page) -> list[str]:
    """Formulas that have not the colour of the text around them."""
    return page.evaluate(
        """() => [...document.querySelectorAll(".katex")].filter((formula) => {
          const { color } = getComputedStyle(formula.parentElement);
          return [formula, ...formula.querySelectorAll("*")].some((part) => {
            const own = getComputedStyle(part);
            const isPlain = own.opacity === "1" && own.backgroundColor === "rgba(0, 0, 0, 0)";
            return own.color !== color || !isPlain;
          });
        }).map((formula) => `colour: ${formula.textContent}`)"""
    )


def test_axe_finds_nothing_on_a_page(screen):
    page = screen
    page.emulate_media(reduced_motion="reduce")  # colours on their way would be judged
    found = {"at rest": findings(page, STRUCTURE)}
    unfold(page)
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        page.evaluate(SETTLE)
        found[theme] = findings(page, CONTRAST, leave_out=(".katex",)) + strangers(page)
        page.evaluate(MARK, theme)
    found["unfolded"] = findings(page, STRUCTURE)
    resize(page, 390)
    for theme in ("dark", "light"):
        page.emulate_media(color_scheme=theme)
        page.evaluate(SETTLE)
        page.evaluate(MARK, theme)
        found[f"390 px, {theme}"] = findings(
            page, CONTRAST, leave_out=("article",), but=("[data-recoloured]",)
        )
    if IS_EXHAUSTIVE:
        found["390 px"] = findings(page)
    resize(page, 320)
    found["320 px"] = findings(page, STRUCTURE)
    assert not {state: told for state, told in found.items() if told}


OPENERS = {
    "search": (1280, SEARCH),
    "launch": (1280, LAUNCH),
    "source": (1280, SOURCE),
    "contents": (390, CONTENTS),
    "search on a phone": (390, SEARCH),
}
LESSON = "chapters/temperature"  # has them all; other pages have the same, or fewer


@pytest.mark.parametrize("name", DOCUMENTS if IS_EXHAUSTIVE else [LESSON])
def test_dialogs_and_menus(reopen, server, name):
    page = reopen(f"{server}/{name}.html").page
    page.emulate_media(reduced_motion="reduce")
    found = {}
    for what, (width, opener) in OPENERS.items():
        resize(page, width)
        opening = button(page, opener)
        if opening.count() == 0 and name != LESSON:  # nothing to launch
            continue
        opening.click()
        opened(page).wait_for()
        for theme, options in (("dark", CONTRAST), ("light", ALL)):
            page.emulate_media(color_scheme=theme)
            page.evaluate(SETTLE)
            # What lies behind it has been looked at.
            found[f"{what}, {theme}"] = findings(page, options, leave_out=("article",))
        page.keyboard.press("Escape")
        opened(page).wait_for(state="hidden")
    assert not {state: told for state, told in found.items() if told}


@pytest.mark.parametrize(("theme", "width"), VIEWS)
def test_widgets_in_every_state(reopen, widget_page, theme, width):
    page = reopen(widget_page(*STATES), theme=theme, width=width).page
    page.get_by_role("spinbutton").first.fill("")
    for summary in page.locator("summary").all():
        summary.click()
    for check in page.get_by_role("button", name="Check").all():
        check.click()
    assert findings(page) == []


def test_widgets_keep_still_where_motion_is_not_wanted(open_page, widget_page):
    def reduce(page: Page) -> None:
        page.emulate_media(reduced_motion="reduce")

    page = open_page(widget_page(*STATES), prepare=reduce).page
    durations = page.locator(".attn *").evaluate_all(
        "items => items.map((item) => getComputedStyle(item).transitionDuration)"
    )
    assert set(durations) == {"0s"}


def test_controls_are_large_enough_to_hit(reopen, widget_page):
    page = reopen(widget_page(*STATES), width=320).page
    page.evaluate("for (const item of document.querySelectorAll('[hidden]')) item.hidden = false")
    targets = "button, select, input:not([type=checkbox], [type=radio]), label:has(input)"
    controls = page.locator(f".attn :is({targets})")
    assert controls.count()
    small = controls.evaluate_all(
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
def test_the_theme_of_the_page_wins_over_the_readers(reopen, widget_page, attributes, scheme):
    address = widget_page(TemperatureExplorer(WORDS, KEYS @ KEYS[5]))
    other = "light" if scheme == "dark" else "dark"
    page = reopen(address, theme=other).page
    ink = {"light": "rgb(31, 35, 40)", "dark": "rgb(232, 233, 235)"}

    def colour() -> str:
        return page.evaluate("getComputedStyle(document.querySelector('.attn')).color")

    assert colour() == ink[other]
    for element, values in attributes.items():
        for name, value in values.items():
            page.locator(element).evaluate("(e, [n, v]) => e.setAttribute(n, v)", [name, value])
    assert colour() == ink[scheme]
