"""Every explorer in all its named states, in a browser, by one set of rules.

What an explorer says, its tables and what a screen reader finds in it are kept in `__snapshots__`:
`make snapshots` renews them, and the difference is what one reads.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from attnbook.explorers._base import Explorer
from attnbook.models.online_softmax import read_blocks
from tests.conftest import Visit, resize, until
from tests.explorers.conftest import SHOWN, acts, from_python, headline, mount, settle, to_python
from tests.explorers.labels import IMAGE
from tests.explorers.states import HOSTILE_WIDGETS, NAMED, WIDE_WIDGETS

each_explorer = pytest.mark.parametrize("name", NAMED)


class TextExtension(SingleFileSnapshotExtension):
    """A text file for each explorer."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"


# ---- no text lies on another, and none is cut ---------------------------------------------------

# Each line of text is a box, less high than its line, and each field; what is unseen is none.
LAYOUT = """() => {
  const root = document.querySelector(".attn"), found = [], texts = [];
  const add = (e, says, rects, share) => {
    const frames = [], panes = [];  // of what cuts off what is too long for it, of what scrolls
    for (let box = e; box !== root; box = box.parentElement) {
      const { overflow, display, clipPath } = getComputedStyle(box);
      if (clipPath === "inset(50%)") return;
      if (overflow === "visible" || display === "inline") continue;
      (overflow.includes("auto") ? panes : frames).push(box.getBoundingClientRect());
    }
    if (frames.some(({ width }) => width < 3)) return;
    if (!e.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return;
    for (const { left, right, top, bottom } of rects) {
      const off = share * (bottom - top), isAway = (pane) => top < pane.top || bottom > pane.bottom;
      if (right - left < 1 || panes.some(isAway)) continue;
      texts.push({ e, says, frames, left, right, top: top + off, bottom: bottom - off });
    }
  };
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const e = node.parentElement, range = document.createRange();
    if (!node.data.trim() || e.closest("option, style, svg title, svg desc")) continue;
    range.selectNodeContents(node);
    add(e, node.data.trim(), range.getClientRects(), 0.22);
  }
  for (const e of root.querySelectorAll("[type=number], [type=text], select, textarea")) {
    add(e, `the field ${e.ariaLabel ?? e.id}`, [e.getBoundingClientRect()], 0);
    if (e.type === "number" && e.scrollWidth > e.clientWidth + 1) found.push(`${e.value} is cut`);
  }
  texts.forEach(({ e, says, frames, left, right, top, bottom }, i) => {
    if (left < -1.5 || right > innerWidth + 1.5) found.push(`“${says}” leaves the screen`);
    if (frames.some((frame) => left < frame.left - 1.5 || right > frame.right + 1.5
      || top < frame.top - 1.5 || bottom > frame.bottom + 1.5)) found.push(`“${says}” is cut`);
    for (const other of texts.slice(i + 1)) {
      const across = Math.min(right, other.right) - Math.max(left, other.left);
      const down = Math.min(bottom, other.bottom) - Math.max(top, other.top);
      if (across > 1.5 && down > 0.5) found.push(`“${says}” lies on “${other.says}”`);
    }
  });
  if (document.documentElement.scrollWidth > innerWidth) found.push("it is wider than the screen");
  return [...new Set(found)];
}"""

# ---- what is drawn and written is what attnutils computes ---------------------------------------

# All numbers, exact and as they are read; how long each bar is, of how much, beside which number;
# what has the colour of a weight, and its number.
SEEN = """() => {
  const all = (selector) =>
    [...document.querySelectorAll(`.attn ${selector}`)].filter((e) => e.checkVisibility());
  const beside = (bar) => [...bar.closest("tr, li, dl > div").querySelectorAll("data")]
    .find((item) => bar.compareDocumentPosition(item) & Node.DOCUMENT_POSITION_FOLLOWING);
  const bars = all(".bar .fill").map((fill) => [fill, fill.closest(".bar")])
    .flatMap(([fill, bar]) => beside(bar)
      ? [[fill.getBoundingClientRect().width, bar.clientWidth, Number(beside(bar).value)]] : []);
  const colours = all("[style*='--weight']").flatMap((e) => {
    const item = e.matches(".fill") ? beside(e.closest(".bar")) : e.querySelector("data");
    return item ? [[parseFloat(e.style.background.split("--weight)")[1]), Number(item.value)]] : [];
  });
  return { bars, colours, numbers: all("data").map((e) => [e.value, e.textContent]),
    says: document.querySelector(".headline").textContent };
}"""
#: Lengths and widths that are weights: what they are of, a script that reads one, and what they
#: are in Python.
DRAWN: dict[str, tuple[str, str, Callable[[Any], Any]]] = {
    "BindingExplorer": (
        ".beam", "e.getAttribute('stroke-width') / 30", lambda w: w.weights.ravel()),
    "AttentionExplorer": (
        ".arcs path", "e.getAttribute('stroke-width') / e.parentNode.dataset.thick",
        lambda w: w.shares[w.token]),
    "AttentionBench": (
        ".arc", "e.getAttribute('stroke-width') / e.closest('svg').dataset.thick",
        lambda w: w.weights[np.array(w.mask)]),
    "GraphAttentionExplorer": (
        "svg .edge",
        "e.getAttribute('stroke-width') / 0.4 / document.querySelector('.nodes label').offsetWidth",
        lambda w: w.weights[np.array(w.receivers) == w.receiver]),
    "HeadTeaser": (
        ".arcs path", "e.getAttribute('stroke-width') / e.parentNode.dataset.thick",
        lambda w: w.weights.ravel() * (w.guess >= 0)),
    "HeadWall": (
        ".arcs path", "e.getAttribute('stroke-width') / e.parentNode.dataset.thick",
        lambda w: w.weights[w.head]),
    "KernelRegressionExplorer": (
        "rect.weight", "e.getBBox().height / all.length / (Math.max(...all.map((x) => x.getBBox())"
        ".map((x) => x.y + x.height)) - document.querySelector('path.uniform').getBBox().y)",
        lambda w: w.weights),
    "MemoryExplorer": (
        ".track .gone-by", "e.getAttribute('width') / (e.parentNode.viewBox.baseVal.width - 16)",
        lambda w: np.array([w.written_out[0], w.in_tiles[0]]) / max(w.totals)),
    "TemperatureExplorer": (
        ".cut", "e.getAttribute('height') / e.parentNode.dataset.high", lambda w: w.weights),
    "ProjectionExplorer": (
        "circle.k", "((e.getAttribute('r') - 4.5) / 6) ** 2", lambda w: w.weights[w.token]),
    "TrainingExplorer": (
        ".map rect:not(.right)", "+e.getAttribute('fill-opacity')", lambda w: w.weights.ravel()),
    "TranslatorExplorer": (
        ".ribbon.now[stroke^=url]", "e.getAttribute('stroke-width') / 18",
        lambda w: w.weights if w.attends[w.model] else []),
    "WidthExplorer": (
        "rect.weight", "e.getAttribute('height') / e.parentNode.dataset.high",
        lambda w: w.weights.ravel()),
}  # fmt: skip
#: Numbers that a table has beside the traits and properties of its explorer.
DERIVED: dict[str, Callable[[Any], list[Any]]] = {
    "AttentionBench": lambda w: [
        w.weights[:, None] * w.value_matrix,
        w.key_matrix @ w.query_vector,
        w.raw_scores / (w.temperature or 1),
    ],
    "OnlineSoftmaxExplorer": lambda w: [
        *(each.terms for each in w.states),
        [each.correction for each in w.states],
        [x.output for x in read_blocks(w.scores, w.values, w.block, correct=True)],
    ],
    "ProjectionExplorer": lambda w: [w.token_matrix @ w.w_query, w.token_matrix @ w.w_key],
}  # fmt: skip
LARGEST_ENTROPIES = np.log2(np.arange(1, 33))  # in bits, of so many weights


def python_numbers(widget: Explorer) -> np.ndarray:
    """All numbers that an explorer has in Python, as traits or computed by attnutils."""
    own = {name for each in type(widget).__mro__[:2] for name in vars(each) if name[0] != "_"}
    values = [getattr(widget, x) for x in own if not callable(getattr(type(widget), x))]
    found = [LARGEST_ENTROPIES]
    for value in values + DERIVED.get(type(widget).__name__, lambda w: [])(widget):
        for part in value.values() if isinstance(value, dict) else [value]:
            try:
                found.append(np.ravel(part).astype(float))
            except (TypeError, ValueError):
                continue  # no numbers
    return np.concatenate(found)


def reads_as(text: str, value: float) -> bool:
    """Whether a text is a number, rounded; one with a unit or a word is anything."""
    found = re.fullmatch(r"(<?)([−]?)(\d*)(\.\d+)?(e−?\d+)?", text)
    if not found or not found[3] + (found[4] or "") or found[5]:
        return True
    shown = float(f"{found[2] and '-'}{found[3] or 0}{found[4] or ''}")
    if found[1]:
        return 0 < value < shown
    digits = len(found[4] or ".") - 1
    return abs(value - shown) <= max(0.5000001 * 10**-digits, 0 if digits else abs(value) / 50)


def untrue(page: Page, widget: Explorer) -> list[str]:
    """What an explorer shows that is not as Python has it."""
    seen, known = page.evaluate(SEEN), python_numbers(widget)
    found = []
    for exact, text in ((exact, text) for exact, text in seen["numbers"] if exact):
        if not np.isclose(known, float(exact), rtol=1e-9, atol=1e-12).any():
            found.append(f"Python has no {exact}, which stands as “{text}”")
        if not reads_as(text, float(exact)):
            found.append(f"{exact} reads as “{text}”")
    for long, full, number in seen["bars"]:
        if abs(long - max(1, full * number)) > 1.5:
            found.append(f"a bar is {long} of {full} px long, its number is {number}")
    for share, number in seen["colours"]:
        if abs(share / 100 - number) > 1e-4:
            found.append(f"the colour is that of {share} %, the number is {number}")
    if type(widget).__name__ in DRAWN:
        selector, read, wanted = DRAWN[type(widget).__name__]
        drawn = page.locator(selector).evaluate_all(f"all => all.map((e, i) => {read})")
        found += [
            f"{selector} is {got:.3f}, not {x:.3f}"
            for got, x in zip(drawn, wanted(widget), strict=True)
            if abs(got - x) > 0.06
        ]
    return found


# ---- snapshots ----------------------------------------------------------------------------------

# The rows of all tables and lists and the values of all sliders, a line each.
ROWS = """() => [...document.querySelectorAll(
    ".attn :is(caption, tr, li, dl > div, [aria-valuetext])")]
  .filter((e) => !e.closest("[hidden]") && !e.matches(":has(li, tr)")).map((row) => {
    const parts = row.children.length && row.matches("tr, div") ? [...row.children] : [row];
    const text = (e) => [...(e.ariaValueText ? [e.ariaLabel, e.ariaValueText] : [e.textContent]),
      ...[...e.querySelectorAll("input[type=number]")].map((x) => x.value)].join(" ");
    return parts.map((e) => text(e).replace(/\\s+/g, " ").trim()).join(" | ");
  }).filter((line) => /\\S/.test(line))"""


def speech(page: Page) -> str:
    """What a screen reader finds; the cells of a row are in the name of the row."""
    tree = page.locator(".attn").aria_snapshot()
    return re.sub(r"(?m)^ *- (rowgroup:|(cell|rowheader|columnheader)( \".*\")?)$\n?", "", tree)


@each_explorer
def test_named_states(show, snapshot: SnapshotAssertion, name):
    told, texts = [], []
    widths = [1280, 390]
    for state, widget in NAMED[name].items():
        page = show(widget, widths[0])
        wrong = untrue(page, widget)
        for width in widths:
            if width != widths[0]:
                resize(page, width)
            wrong += [f"at {width} px {each}" for each in page.evaluate(LAYOUT)]
            if width == 1280:
                texts += [f"== {state}", headline(page), *page.evaluate(ROWS), ""]
                if state == "start":
                    texts += [speech(page), ""]
        widths.reverse()  # the next one is mounted at the width that the page has
        told += [f"{state}: {each}" for each in wrong]
    assert not told, "\n".join(told)
    assert "\n".join(texts) == snapshot(extension_class=TextExtension)


# ---- the reader, Python and the page ------------------------------------------------------------

#: States in which readers move what they cannot at the start.
MORE = {
    "AttentionExplorer": ["two texts"],
    "HeadWall": ["not yet"],
    "LearnedQueriesExplorer": ["two share a job"],
    "TrainingExplorer": ["stuck and freed, nine letters"],
}
#: Traits that are moved in games, or by pulling points, alone (test_gestures.py).
IN_GAMES = {
    "BugGame": {"order"},
    "HeadWall": {"head", "tried"},
    "KernelRegressionExplorer": {"x", "y"},
}
#: What the page keeps for itself, such as a name that was chosen, stays: each act finds it anew.
FRESH = ("TrainingExplorer",)


def python(page: Page, widget: Explorer, values: dict[str, Any]) -> str:
    """Set traits on the Python side; return what the page shows then."""
    for trait, value in values.items():
        setattr(widget, trait, value)
    from_python(page, widget, *widget.settable())
    settle(page)
    return page.evaluate(SHOWN)


@each_explorer
def test_the_reader_moves_python_and_python_moves_the_page(show, name):
    moved, said = set(), set()
    for state in ("start", *MORE.get(name, ())):
        widget = NAMED[name][state]
        page, traits = show(widget), widget.settable()
        start = {trait: getattr(widget, trait) for trait in traits}
        sent, seen = widget.get_state(traits), page.evaluate(SHOWN)
        for what, act in acts(page):
            if name in FRESH:
                seen = show(widget).evaluate(SHOWN)
            act()
            page.mouse.move(0, 0)  # what is under it is looked at
            settle(page)
            saves, shown = to_python(page, widget), page.evaluate(SHOWN)
            now = widget.get_state(traits)
            changed = {x: getattr(widget, x) for x in traits if now[x] != sent[x]}
            assert shown != seen or what == "button", f"{what}: nothing is seen"
            if what != "button":
                assert saves == 1, f"{what}: Python hears of it {saves} times"
                assert changed, f"{what}: Python is not moved"
            assert untrue(page, widget) == [], what
            said.add(headline(page))
            back = python(page, widget, start)
            if {*changed} - moved and name != "TrainingExplorer":  # how far it has trained is seen
                assert back == seen, f"{what}: Python does not take it back"
                assert python(page, widget, changed) == shown, f"{what}: Python does not do it"
                python(page, widget, start)
            moved |= {*changed}
            seen = back
        assert page.evaluate("listening()") > 0
        page.evaluate("dispose()")
        assert page.evaluate("listening()") == 0
        assert page.locator(".attn").count() == 0
    assert len(said) > 1, "no control changes the headline"
    assert {*traits} - moved == IN_GAMES.get(name, set())


# ---- in motion ----------------------------------------------------------------------------------

#: All drawings, and all lengths and places that a style gives.
DRAWINGS = """() => JSON.stringify([...document.querySelectorAll(".attn svg *, .attn [style]")]
  .map((e) => [...e.attributes].filter(({ name }) => !/^(id|name)$/.test(name))
    .map(({ name, value }) => `${name}=${value.replace(/url\\(.*\\)/, "")}`)))"""


@pytest.fixture(scope="module")
def moving(browser: Browser) -> Iterator[Visit]:
    """A page on which things move."""
    visit = Visit(browser.new_page(reduced_motion="no-preference"))
    visit.listen()
    yield visit
    visit.page.context.close()


@each_explorer
def test_what_moves_arrives_where_it_stands_without_motion(show, moving, name):
    states = list(NAMED[name].values())
    still, problems, moving = show(states[0]), moving.problems, mount(moving.page, states[0])
    problems.clear()
    for number in range(min(2, len(list(acts(still))))):
        for page in (still, moving):
            list(acts(page))[number][1]()
            page.mouse.move(1, 1)
            settle(page)
        until(moving, f"(there) => ({DRAWINGS})() === there", still.evaluate(DRAWINGS))
    if play := [b for b in moving.locator("button.play:visible").all() if b.is_enabled()]:
        before = moving.evaluate(SHOWN)
        play[0].click()
        until(moving, f"(before) => ({SHOWN})() !== before", before)
        if moving.get_by_role("button", name="Pause").count():
            play[0].click()
    assert problems == []


# ---- together on a page -------------------------------------------------------------------------


def test_the_widest_fit_a_phone(open_widgets):
    page = open_widgets(*WIDE_WIDGETS, width=320).page
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert "NaN" not in page.locator("main").inner_text()


def test_labels_are_text(open_widgets):
    page = open_widgets(*HOSTILE_WIDGETS).page
    question = page.locator(".attn-question")
    question.get_by_role("radio").first.check()
    question.get_by_role("button").first.click()
    for slot in page.locator(".widget-slot").all():
        texts = [field.input_value() for field in slot.locator("textarea").all()]
        texts += slot.locator("[aria-label]").evaluate_all("all => all.map((e) => e.ariaLabel)")
        assert IMAGE in slot.inner_text() + "".join(texts)
    assert page.locator("main img, main b:text-is('y')").count() == 0
    assert {*question.locator("code").all_text_contents()} == {IMAGE}
