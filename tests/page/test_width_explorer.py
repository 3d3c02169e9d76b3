"""The width explorer in a browser: what the reader moves, and what Python does."""

import numpy as np
import pytest
from playwright.sync_api import Locator, Page

from attnutils import WidthExplorer
from tests.page.conftest import from_python, to_python


def slider(widget: Locator | Page) -> Locator:
    return widget.get_by_role("slider", name="Width d")


def shown(live: Locator) -> np.ndarray:
    """The score and the three weights of each key, exact: shape (10, 4)."""
    values = live.locator("tbody data").evaluate_all("items => items.map((item) => item.value)")
    return np.array(values, dtype=float).reshape(10, 4)


def wanted(explorer: WidthExplorer) -> np.ndarray:
    return np.column_stack([explorer.scores, *explorer.weights])


@pytest.fixture
def live(reopen, widget_page):
    return reopen(widget_page(WidthExplorer())).page.locator(".widget-slot")


def test_it_shows_what_attnutils_computes(live):
    explorer = WidthExplorer()
    again = live.get_by_role("button", name="New draw")
    for draw in (1, 2, 3):
        explorer.draw = draw
        for power in (0, 3, 8, 10):
            slider(live).fill(str(power))
            explorer.width = 2**power
            np.testing.assert_allclose(shown(live), wanted(explorer), rtol=0, atol=1e-12)
            divisors = live.locator("thead data").evaluate_all("all => all.map((t) => +t.value)")
            assert divisors == list(explorer.divisors)
        assert live.locator(".again .small").inner_text() == f"draw {draw}"
        again.press("Enter")


def test_the_headline_and_the_winner(live):
    headline = live.locator(".headline")
    assert headline.inner_text() == (
        "Random numbers of width d = 256: key 8 takes 0.993; "
        "divided by √d = 16, 0.310; by d, 0.110."
    )
    assert live.locator("tr.top th").all_inner_texts() == ["8"]
    slider(live).press("Home")
    assert headline.inner_text().startswith("Random numbers of width d = 1: key ")
    assert slider(live).get_attribute("aria-valuetext") == "width 1"
    assert live.locator("tr.top th").count() == 1


def test_bars_are_as_long_as_the_weights(live):
    bars = live.locator("tbody .bar").evaluate_all(
        "bars => bars.map((bar) => bar.firstChild.style.width)"
    )
    lengths = np.array([float(bar.rstrip("%")) / 100 for bar in bars]).reshape(10, 3)
    np.testing.assert_allclose(lengths, WidthExplorer().weights.T, rtol=0, atol=1e-6)


def test_on_a_phone_the_three_columns_stay_side_by_side(reopen, widget_page):
    page = reopen(widget_page(WidthExplorer()), width=390).page
    bars = page.locator("tbody tr").first.locator(".bar").all()
    boxes = [bar.bounding_box() for bar in bars]
    assert len({box["y"] for box in boxes}) == 1
    assert all(box["width"] > 30 for box in boxes)


def test_the_page_and_python_move_each_other(show):
    explorer = WidthExplorer()
    page = show(explorer)
    slider(page).fill("5")
    page.get_by_role("button", name="New draw").click()
    to_python(page, explorer)
    assert (explorer.width, explorer.draw) == (32, 2)
    explorer.width, explorer.draw = 1024, 9999
    from_python(page, explorer, "width", "draw")
    np.testing.assert_allclose(shown(page.locator("body")), wanted(explorer), rtol=0, atol=1e-12)
    page.get_by_role("button", name="New draw").click()  # after the last comes the first
    to_python(page, explorer)
    assert explorer.draw == 1
