"""The explorer of word orders in a browser: words that are dragged or moved by keys, and Python."""

import numpy as np
import pytest

from attnutils.widgets import WordOrderExplorer
from attnutils.worked_example import KEYS, VALUES, WORDS
from tests.page.conftest import from_python, to_python

SECOND = [4, 5, 3, 0, 1, 2]


@pytest.fixture
def explorer():
    projections = np.random.default_rng(0).normal(size=(3, 4, 4)) / 2
    return WordOrderExplorer(WORDS, np.hstack([KEYS, VALUES]), projections, SECOND)


def word(page, name):
    return page.get_by_role("slider", name=f"place of {name}", exact=True)


def gaps(page):
    return page.locator("data.gap").evaluate_all("items => items.map((i) => Number(i.value))")


def test_another_order_is_noticed_only_with_positions(show, explorer):
    page = show(explorer)
    headline = page.locator(".headline")
    assert headline.inner_text() == (
        "The Sleepy Child Reads A Book. Drag a word to another place. Which outputs will notice?"
    )
    page.get_by_role("button", name="A Book Reads The Sleepy Child").click()
    assert headline.inner_text() == (
        "A Book Reads The Sleepy Child. Six words have moved, and no output has changed: "
        "largest gap 0.000."
    )
    page.get_by_role("radio", name="its position").check()
    assert headline.inner_text() == (
        "A Book Reads The Sleepy Child. Six of six outputs have changed: largest gap 0.864 at "
        "Sleepy."
    )
    to_python(page, explorer)
    assert explorer.order == SECOND
    assert explorer.has_positions
    np.testing.assert_allclose(gaps(page), explorer.gaps, rtol=0, atol=1e-9)


def test_a_word_is_moved_by_keys(show, explorer):
    page = show(explorer)
    page.get_by_role("checkbox", name="causal mask").check()
    child = word(page, "Child")
    child.press("ArrowRight")
    child.press("ArrowRight")
    assert child.get_attribute("aria-valuenow") == "4"
    child.press("End")
    child.press("ArrowRight")  # there is no further
    assert page.locator(".headline b").first.inner_text() == "The Sleepy Reads A Book Child"
    child.press("Home")
    child.press("ArrowLeft")
    to_python(page, explorer)
    assert explorer.order == [2, 0, 1, 3, 4, 5]
    assert "its output has moved by 0.000" not in child.get_attribute("aria-valuetext")
    assert (
        word(page, "Book")
        .get_attribute("aria-valuetext")
        .startswith("place 5, its output as in the first order")
    )
    np.testing.assert_allclose(gaps(page), explorer.gaps, rtol=0, atol=1e-9)


def test_a_word_is_dragged(reopen, widget_page, explorer):
    page = reopen(widget_page(explorer)).page
    start, end = (word(page, name).bounding_box() for name in ("Book", "Sleepy"))
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + 10)
    page.mouse.down()
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + 10, steps=9)
    page.mouse.up()
    assert page.locator(".headline b").first.inner_text() == "The Book Sleepy Child Reads A"
    left = page.locator(".column").evaluate_all(
        "items => items.map((i) => parseFloat(i.style.left))"
    )
    np.testing.assert_allclose(left, np.array([0, 2, 3, 4, 5, 1]) / 6 * 100, atol=1e-3)


def test_a_bar_ends_at_its_mark_where_nothing_has_changed(show, explorer):
    page = show(explorer)
    script = """() => [...document.querySelectorAll(".track")].map((track) => {
      const [fill, mark] = [".fill", ".mark"].map((name) => track.querySelector(name).style);
      const [left, width] = [parseFloat(fill.left), parseFloat(fill.width)];
      const at = parseFloat(mark.left);
      return Math.min(Math.abs(left - at), Math.abs(left + width - at));
    })"""
    assert max(page.evaluate(script)) < 0.02
    page.get_by_role("button", name="A Book Reads The Sleepy Child").click()
    assert max(page.evaluate(script)) < 0.02
    page.get_by_role("radio", name="its position").check()
    assert max(page.evaluate(script)) > 5


def test_python_moves_the_words(show, explorer):
    page = show(explorer)
    explorer.order, explorer.has_positions, explorer.is_causal = SECOND, True, True
    from_python(page, explorer, "order", "has_positions", "is_causal")
    assert page.locator(".headline b").first.inner_text() == "A Book Reads The Sleepy Child"
    assert page.get_by_role("radio", name="its position").is_checked()
    assert page.get_by_role("checkbox", name="causal mask").is_checked()
    np.testing.assert_allclose(gaps(page), explorer.gaps, rtol=0, atol=1e-9)
