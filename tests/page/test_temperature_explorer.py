"""The temperature explorer in a browser: what the reader moves, and what Python does."""

from itertools import pairwise

import numpy as np
import pytest

from attnutils import TemperatureExplorer, entropy
from attnutils.worked_example import KEYS, VALUES, WORDS
from tests.conftest import some
from tests.page.conftest import SAMPLES, slider, temperature_at, to_python

SCORES = KEYS @ KEYS[5]


@pytest.mark.parametrize("normalizer", some(["softmax", "sparsemax", "hardmax"], "sparsemax"))
@pytest.mark.parametrize("tie", some([False, True], True))
def test_the_explorer_shows_what_attnutils_computes(slot, numbers, normalizer, tie):
    live = slot("TemperatureExplorer", "temperature")
    explorer = TemperatureExplorer(WORDS, SCORES, VALUES, normalizer=normalizer, tie=tie)
    live.get_by_role("combobox").select_option(normalizer)
    live.get_by_role("checkbox").set_checked(tie)
    for position in SAMPLES:
        slider(live).fill(str(position))
        explorer.temperature = temperature_at(position)
        weights, mean = explorer.weights, explorer.weights @ explorer.tied_scores
        wanted = [*weights, mean, entropy(weights), *explorer.output]
        got = numbers(live.locator("table data"))
        np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-6)


def test_the_worked_example_at_its_landmarks(slot):
    live = slot("TemperatureExplorer", "temperature")
    headline = live.locator(".headline")
    for position, says in (
        (0, "At T = 0, Reads takes 1.000; entropy 0.000 bits, output o = 0.4000."),
        (50, "At T = 1, Reads takes 0.877; entropy 0.566 bits, output o = 0.3624."),
        (100, "At T = ∞, all six words share: 0.167 each; entropy 2.585 bits, output o = 0.1000."),
    ):
        slider(live).fill(str(position))
        assert headline.inner_text() == says
    live.get_by_role("checkbox", name="tie: Book scores 7, as Reads does").check()
    slider(live).fill("0")
    assert "Reads and Book share: 0.500 each" in headline.inner_text()
    live.get_by_role("combobox").select_option("hardmax")
    assert headline.inner_text().startswith("hardmax has no temperature")


def test_the_slider_is_the_axis_of_the_curves(slot):
    live = slot("TemperatureExplorer", "temperature")
    for position in (0, 25, 50, 75, 100):
        slider(live).fill(str(position))
        track = slider(live).bounding_box()
        thumb = track["x"] + 8 + (track["width"] - 16) * position / 100
        cursor = live.locator("path.cursor").bounding_box()
        assert abs(cursor["x"] + cursor["width"] / 2 - thumb) < 1.5


def test_traits_set_from_outside_move_the_widget(reopen, widget_page):
    explorer = TemperatureExplorer(WORDS, SCORES, VALUES, temperature=0.2, normalizer="sparsemax")
    live = reopen(widget_page(explorer)).page.locator(".widget-slot")
    assert live.locator("output").inner_text() == "0.2"
    assert live.get_by_role("combobox").input_value() == "sparsemax"


def test_the_explorer_moves_python(show):
    explorer = TemperatureExplorer.example()
    page = show(explorer)
    page.get_by_role("combobox").select_option("sparsemax")
    page.get_by_role("checkbox").check()
    to_python(page, explorer)
    assert (explorer.normalizer, explorer.tie) == ("sparsemax", True)


# The labels of the weights at the cursor, as boxes of their plates, and the names of the curves.
LABELS = """(svg) => {
  const shown = (item) => item.closest("[visibility=hidden]") === null && item.textContent;
  const labels = [...svg.querySelectorAll(".plate + text")].filter(shown).map((text) => {
    const { top, bottom, left, right } = text.previousSibling.getBoundingClientRect();
    return { text: text.textContent, top, bottom, left, right };
  });
  return { labels, names: [...svg.querySelectorAll(".dim.halo")].filter(shown)
    .map((name) => name.textContent) };
}"""
# How far each curve goes down or up at most from one of its points to the next, in px.
LEAPS = """(paths) => paths.map((path) => {
  const ys = path.getAttribute("d").slice(1).split("L").map((point) => Number(point.split(" ")[1]));
  return Math.max(...ys.slice(-20).map((y, i, last) => (i ? Math.abs(y - last[i - 1]) : 0)));
})"""


def test_each_word_is_named_at_the_cursor_and_elsewhere(slot):
    live = slot("TemperatureExplorer", "temperature")
    chart = live.locator("svg")
    for normalizer in ("softmax", "sparsemax"):
        live.get_by_role("combobox").select_option(normalizer)
        for position in (10, 40, 50, 60, 80, 95):
            slider(live).fill(str(position))
            seen = chart.evaluate(LABELS)
            labels = [label for label in seen["labels"] if label["text"][0] in "TSCRAB"]
            names = ", ".join(label["text"].rpartition(" ")[0] for label in labels)
            assert sorted(names.split(", ")) == sorted(WORDS)
            for upper, lower in pairwise(labels):
                assert upper["bottom"] <= lower["top"] + 0.5, (position, upper, lower)
            assert {"Reads", "Book", "Child"} & set(seen["names"]), (position, seen["names"])


# The middle of a path and of what it is drawn through, as places on the screen: the point of the
# curve of the mean score that is nearest to a level, and the highest point of the curve of a word.
TURNS = """(svg) => {
  const points = (path) => path.getAttribute("d").slice(1).split("L")
    .map((point) => point.split(" ").map(Number));
  const lines = [...svg.querySelectorAll(".line")];
  const mean = points(svg.querySelector(".line.mean"));
  const level = Number(svg.querySelector(".passed").getAttribute("d").split(" ")[1].split("H")[0]);
  const crossing = mean.reduce((a, b) => Math.abs(b[1] - level) < Math.abs(a[1] - level) ? b : a);
  const book = points(lines[5]);
  const top = Math.min(...book.map(([, y]) => y));
  const flat = book.filter(([, y]) => y === top).map(([x]) => x);
  return { crossing: crossing[0], from: flat[0], to: flat.at(-1) };
}"""


def test_book_turns_where_the_mean_score_passes_its_own(slot):
    live = slot("TemperatureExplorer", "temperature")
    live.get_by_role("combobox").select_option("softmax")
    chart = live.locator("svg")
    assert live.locator("path.passed").count() == 1  # Sleepy lies below the plain mean
    assert "score of Book, 5" in chart.text_content()
    turns = chart.evaluate(TURNS)
    assert turns["from"] - 6 < turns["crossing"] < turns["to"] + 6
    live.get_by_role("checkbox").check()
    assert live.locator("path.passed").count() == 0
    live.get_by_role("checkbox").uncheck()
    assert live.locator("path.passed").count() == 1
    live.get_by_role("combobox").select_option("sparsemax")  # it turns elsewhere
    assert live.locator("path.passed").count() == 0


@pytest.mark.parametrize("normalizer", ["softmax", "sparsemax"])
def test_no_curve_leaps_at_the_hot_end(slot, normalizer):
    live = slot("TemperatureExplorer", "temperature")
    live.get_by_role("combobox").select_option(normalizer)
    assert max(live.locator("path.line").evaluate_all(LEAPS)) < 3
