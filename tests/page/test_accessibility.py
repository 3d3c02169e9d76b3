"""axe-core finds nothing on any page, in light and dark, wide and narrow, at rest and in use.

A page is visited once and brought into its states one after the other. Each look takes seconds:
all pages are looked at once, one of each kind in the other states too. With EXHAUSTIVE=1 in the
environment every state of every page is judged, by every rule.
"""

import pytest
from playwright.sync_api import Page

from attnutils import TemperatureExplorer
from attnutils.worked_example import KEYS, WORDS
from tests.book.test_pages import DOCUMENTS
from tests.conftest import IS_EXHAUSTIVE, SETTLE
from tests.examples import STATES
from tests.page.conftest import ONE_OF_EACH_KIND, PAGES, resize, unfold
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
# Two thirds of axe's time go into colours, most of the rest into formulas and code. What has no
# text of its own it would pass over later; of texts that have the same colour, size and grounds all
# the way up, three of a page are judged, and of explorers all. What is passed over of formulas and
# code is mere text for that long.
THIN_OUT = """() => {
  const grounds = new Map([[null, ""]]), counts = new Map(), thinned = [];
  const ground = (e) => {
    if (!grounds.has(e)) {
      const { backgroundColor, backgroundImage, opacity, filter, position } = getComputedStyle(e);
      const isPlain = backgroundColor === "rgba(0, 0, 0, 0)" && backgroundImage === "none"
        && opacity === "1" && filter === "none" && ["static", "relative"].includes(position);
      const own = [backgroundColor, backgroundImage, opacity, filter, position, ""].join("|");
      grounds.set(e, (isPlain ? "" : own) + ground(e.parentElement));
    }
    return grounds.get(e);
  };
  const look = (e) => {
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(e);
    return [color, fontSize, fontWeight, textShadow, ground(e)].join("|");
  };
  const hasText = (e) => e.matches("input, select, textarea")
    || [...e.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  for (const e of document.body.querySelectorAll("*")) {
    let isPassed = !hasText(e) || !e.checkVisibility({ visibilityProperty: true });
    if (!isPassed && !e.closest(".widget-slot")) {
      const its = look(e), count = (counts.get(its) ?? 0) + 1;
      counts.set(its, count);
      isPassed = count > 3;
    }
    e.toggleAttribute("data-passed-over", isPassed);
  }
  axe.configure({ rules: [{ id: "color-contrast", selector: "*:not([data-passed-over])" }] });
  const judged = ":not([data-passed-over]), a, button, [tabindex], [role], [id]";
  const thin = (e) => {
    if (e.matches(judged) || e.querySelector(judged)) return [...e.children].forEach(thin);
    const text = document.createTextNode(e.textContent);
    e.replaceWith(text);
    thinned.push([text, e]);
  };
  for (const e of document.querySelectorAll("article :is(.katex-html, pre)")) {
    if (!e.closest(".widget-slot")) [...e.children].forEach(thin);
  }
  window.putBack = () => thinned.forEach(([text, e]) => text.replaceWith(e));
}"""
ALL, STRUCTURE, CONTRAST = (
    {},
    {"rules": {rule: {"enabled": False} for rule in COLOURS}},
    {"runOnly": COLOURS},
)


def findings(page: Page, options: object = ALL, *, leave_out: tuple[str, ...] = ()) -> list[str]:
    """What axe finds, each as a text; it is loaded once a page."""
    page.evaluate("document.fonts.ready.then(() => true)")
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    quick = {"preload": False, "selectors": False, "resultTypes": ["violations", "incomplete"]}
    context = {"include": ["html"], "exclude": [*leave_out]}
    if IS_EXHAUSTIVE:
        return page.evaluate(RUN, [{"include": ["html"]}, quick])
    page.evaluate(THIN_OUT)
    found = page.evaluate(RUN, [context, {**quick, **options}])
    page.evaluate("putBack()")
    return found


# Where a page is looked at, and with which rules: as it opens, and with all unfolded.
LOOKS = [
    ("light", 320, STRUCTURE),
    ("light", 1280, ALL),
    ("dark", 1280, CONTRAST),
    ("dark", 390, CONTRAST),
    ("light", 390, CONTRAST),
]


def test_axe_finds_nothing_on_a_page(screen):
    page = screen
    page.emulate_media(reduced_motion="reduce")  # colours on their way would be judged
    number = [page.url.endswith(name) for name in PAGES].index(True)
    looks = LOOKS
    if PAGES[number] not in ONE_OF_EACH_KIND:
        looks = LOOKS[1:2]
    elif not IS_EXHAUSTIVE:  # narrow, dark, or both take turns
        looks = [(LOOKS[0], *LOOKS[2:4])[number % 3], LOOKS[1]]
    found = {}
    for theme, width, rules in looks:
        if width > 320:
            unfold(page)
        resize(page, width)
        page.emulate_media(color_scheme=theme)
        page.evaluate(SETTLE)
        found[f"{width} px, {theme}"] = findings(page, rules)
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


@pytest.mark.parametrize(("theme", "width"), VIEWS if IS_EXHAUSTIVE else [VIEWS[0], VIEWS[3]])
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
        # What an explorer has just drawn anew has no style any more.
        "items => items.filter((item) => item.isConnected)"
        ".map((item) => getComputedStyle(item).transitionDuration)"
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
