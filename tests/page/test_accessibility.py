"""axe-core finds nothing on any page, in light and dark, wide and narrow, at rest and in use.

A page is visited once and brought into its states one after the other. Each look takes seconds:
one page of each kind is looked at, in one state with every rule and in another with some; widgets
are looked at on a page of their own. With EXHAUSTIVE=1 in the environment every state of every page
is judged, by every rule.
"""

import pytest
from playwright.sync_api import Page

from attnutils import TemperatureExplorer
from attnutils.worked_example import KEYS, WORDS
from tests.book.test_pages import DOCUMENTS
from tests.conftest import IS_EXHAUSTIVE, SETTLE, Visit, some
from tests.examples import STATES
from tests.page.conftest import ONE_OF_EACH_KIND, PAGES, TOP, at_rest, only, resize, unfold
from tests.page.frame import CONTENTS, LAUNCH, SEARCH, SOURCE, button, opened
from tools import widget_page as widget_pages
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
# the way up, three of a page are judged, and three of each kind of explorer. What is passed over of
# formulas and code is mere text for that long.
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
    const kind = e.closest("[data-widget]")?.dataset.widget;
    return [color, fontSize, fontWeight, textShadow, ground(e), kind].join("|");
  };
  const hasText = (e) => e.matches("input, select, textarea")
    || [...e.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  for (const e of document.body.querySelectorAll("*")) {
    let isPassed = !hasText(e) || !e.checkVisibility({ visibilityProperty: true });
    if (!isPassed) {
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


def without(rules: list[str]) -> dict[str, object]:
    """The options of axe for all rules but these."""
    return {"rules": {rule: {"enabled": False} for rule in rules}}


ALL, STRUCTURE, CONTRAST = {}, without(COLOURS), {"runOnly": COLOURS}


def findings(page: Page, options: object = ALL) -> list[str]:
    """What axe finds, each as a text; it is loaded once a page."""
    page.evaluate("document.fonts.ready.then(() => true)")
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
        # Off in axe by itself; Lighthouse asks for it, too.
        page.evaluate("axe.configure({ rules: [{ id: 'target-size', enabled: true }] })")
    quick = {"preload": False, "selectors": False, "resultTypes": ["violations", "incomplete"]}
    context = {"include": ["html"]}
    if IS_EXHAUSTIVE:
        return page.evaluate(RUN, [context, quick])
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


@only("screen", some(PAGES, *ONE_OF_EACH_KIND[:2]))
def test_axe_finds_nothing_on_a_page(screen):
    page = screen
    page.emulate_media(reduced_motion="reduce")  # colours on their way would be judged
    address = page.url.partition("#")[0]  # what was moved on it before may stand behind
    number = [address.endswith(name) for name in PAGES].index(True)
    looks = LOOKS
    if not IS_EXHAUSTIVE:  # narrow, dark, or both take turns
        looks = [(LOOKS[0], *LOOKS[2:4])[number % 3], LOOKS[1]]
    found = {}
    for theme, width, rules in looks:
        if width > 320:
            unfold(page)
        resize(page, width)
        page.emulate_media(color_scheme=theme)
        page.evaluate(TOP)  # the bar stays when a page is scrolled, and covers what goes by
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
# What lies behind them has been looked at; a page without it is looked at in a fifth of the time.
EMPTY = """article => article.querySelectorAll(":not(h1, h1 *, :has(h1))")
  .forEach((item) => item.remove())"""


@pytest.mark.parametrize("name", some(DOCUMENTS, LESSON))
def test_dialogs_and_menus(reopen, server, name):
    page = reopen(f"{server}/{name}.html").page
    page.emulate_media(reduced_motion="reduce")
    if not IS_EXHAUSTIVE:
        page.locator("article").evaluate(EMPTY)
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
            found[f"{what}, {theme}"] = findings(page, options)
        page.keyboard.press("Escape")
        opened(page).wait_for(state="hidden")
    assert not {state: told for state, told in found.items() if told}


@pytest.fixture(scope="session", params=["states"], ids=lambda name: f"{name}@once")
def states_visit(tmp_path_factory, browser):
    """One visit of all states of all widgets, which take seconds to mount."""
    path = tmp_path_factory.mktemp("states") / "states.html"
    path.write_text(widget_pages.html(*STATES), encoding="utf-8")
    page = browser.new_page()
    Visit(page).open(path.as_uri())
    yield page
    page.close()


@pytest.fixture
def states(states_visit):
    """All states on a wide screen."""
    return at_rest(states_visit, 1280)


def test_widgets_in_every_state(states):
    found = {}
    states.get_by_role("spinbutton").first.fill("")
    for check in states.get_by_role("button", name="Check").all():
        check.click()
    looks = [(*view, ALL) for view in VIEWS]
    if not IS_EXHAUSTIVE:
        looks = [looks[0], (*VIEWS[3], CONTRAST)]
    for theme, width, rules in looks:
        states.emulate_media(color_scheme=theme)
        resize(states, width)
        states.evaluate("for (const item of document.querySelectorAll('details')) item.open = true")
        states.evaluate(SETTLE)
        found[f"{width} px, {theme}"] = findings(states, rules)
    assert not {state: told for state, told in found.items() if told}


def test_widgets_keep_still_where_motion_is_not_wanted(states):
    states.emulate_media(reduced_motion="reduce")
    durations = states.locator(".attn *").evaluate_all(
        # What an explorer has just drawn anew has no style any more.
        "items => items.filter((item) => item.isConnected)"
        ".map((item) => getComputedStyle(item).transitionDuration)"
    )
    assert set(durations) == {"0s"}


# The boxes of controls, also of those that show at times only.
BOXES = """(targets) => {
  const unseen = [...document.querySelectorAll("[hidden]")];
  for (const item of unseen) item.hidden = false;
  const boxes = [...document.querySelectorAll(`.attn :is(${targets})`)].map((item) =>
    [item.outerHTML.slice(0, 200), item.getBoundingClientRect().toJSON()]);
  for (const item of unseen) item.hidden = true;
  return boxes;
}"""


def test_controls_are_large_enough_to_hit(states):
    resize(states, 320)
    targets = "button, select, input:not([type=checkbox], [type=radio]), label:has(input)"
    boxes = states.evaluate(BOXES, targets)
    assert boxes
    assert [name for name, box in boxes if min(box["width"], box["height"]) < 24] == []


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
