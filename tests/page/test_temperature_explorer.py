"""The temperature explorer in a browser: what the reader moves, and what Python does."""

import numpy as np
import pytest

from attnutils import TemperatureExplorer, entropy
from attnutils.worked_example import KEYS, VALUES, WORDS
from tests.page.conftest import SAMPLES, slider, temperature_at, to_python

SCORES = KEYS @ KEYS[5]


@pytest.mark.parametrize("normalizer", ["softmax", "sparsemax", "hardmax"])
@pytest.mark.parametrize("tie", [False, True])
def test_the_explorer_shows_what_attnutils_computes(slot, numbers, normalizer, tie):
    live = slot("TemperatureExplorer", "temperature")
    explorer = TemperatureExplorer(WORDS, SCORES, VALUES, normalizer=normalizer, tie=tie)
    live.get_by_role("combobox").select_option(normalizer)
    live.get_by_role("checkbox").set_checked(tie)
    for position in SAMPLES:
        slider(live).fill(str(position))
        explorer.temperature = temperature_at(position)
        wanted = [*explorer.weights, entropy(explorer.weights), *explorer.output]
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
