"""The winner explorer in a browser: on a page of its own, in a notebook, in the book."""

import numpy as np
import pytest
from playwright.sync_api import Locator, Page

from attnutils import WinnerExplorer
from tests.conftest import some
from tests.examples import STATES, WIDE_WIDGETS
from tests.page.conftest import from_python, to_python
from tests.widgets.test_winner_explorer import BOOK, FLAT, SCORES, WORDS

UNUSUAL = [each for each in STATES + WIDE_WIDGETS if isinstance(each, WinnerExplorer)]


@pytest.fixture
def explorer():
    return WinnerExplorer(WORDS, FLAT, BOOK)


@pytest.fixture
def live(reopen, widget_page, explorer):
    return reopen(widget_page(explorer)).page.locator(".widget-slot")


def handle(widget: Locator | Page, name: str) -> Locator:
    return widget.get_by_role("slider", name=name, exact=True)


def centre(item: Locator) -> tuple[float, float]:
    box = item.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def agrees(live: Locator, explorer: WinnerExplorer) -> None:
    texts = live.locator(".amount").all_text_contents()
    shown = [0.0 if "<" in text else float(text) for text in texts]
    np.testing.assert_allclose(shown, explorer.weights, rtol=0, atol=0.0006)
    got = live.locator(".headline data").evaluate_all("items => items.map((i) => Number(i.value))")
    np.testing.assert_allclose(got, [explorer.weights.max()], rtol=0, atol=1e-9)


def drag(live: Locator, name: str, right: float, up: float, unit: float) -> None:
    page, item = live.page, handle(live, name)
    item.scroll_into_view_if_needed()
    x, y = centre(item)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + unit * right, y - unit * up, steps=3)
    page.mouse.up()


def unit(live: Locator) -> float:
    """The px of a 1 in the plane: Sleepy is two right of The."""
    return (centre(handle(live, "key of Sleepy"))[0] - centre(handle(live, "key of The"))[0]) / 2


def winner_at(live: Locator, x: float, y: float) -> str:
    """The word whose region lies at this point of the page."""
    at = live.locator(".region").evaluate_all(
        """(paths, [x, y]) => paths.findIndex((path) => {
             const box = path.ownerSVGElement.getBoundingClientRect();
             return path.isPointInFill(new DOMPoint(x - box.left, y - box.top));
           })""",
        [x, y],
    )
    return WORDS[at]


@pytest.mark.parametrize("score", SCORES)
def test_colours_are_of_the_winners(live, explorer, score):
    live.get_by_role("radio", name=score).check()
    explorer.score = score
    agrees(live, explorer)
    (x0, y0), px = centre(handle(live, "key of The")), unit(live)
    for x, y in np.random.default_rng(0).uniform(-3.5, 3.5, size=(60, 2)):
        explorer.query_vector = [x, y]
        wanted = WORDS[explorer.weights.argmax()]
        assert winner_at(live, x0 + px * x, y0 - px * y) == wanted, (x, y)


def test_the_query_is_dragged_and_moved_by_arrow_keys(live, explorer):
    drag(live, "query", -1, -1, unit(live))
    handle(live, "query").press("ArrowLeft")
    value = handle(live, "query").get_attribute("aria-valuetext").replace("−", "-")
    explorer.query_vector = [float(part) for part in value.strip("()").split(",")]
    np.testing.assert_allclose(explorer.query_vector, [-1.1, 1], atol=0.03)
    agrees(live, explorer)


def test_a_key_is_dragged_and_loses_its_region(live, explorer):
    assert live.locator(".headline").inner_text().endswith("The wins nowhere.")
    for _ in range(10):
        handle(live, "key of The").press("ArrowDown")
    for _ in range(10):
        handle(live, "key of The").press("ArrowLeft")
    assert live.locator(".headline").inner_text().endswith("Every key wins somewhere.")
    assert live.locator(".key.nowhere").count() == 0
    assert handle(live, "key of The").get_attribute("aria-valuetext").startswith("(−1.00, −1.00)")
    live.get_by_role("button", name="Reset").click()
    assert live.locator(".headline").inner_text().endswith("The wins nowhere.")
    assert live.locator(".key.nowhere").count() == 1
    agrees(live, explorer)


def test_more_of_the_plane_is_shown_and_the_query_may_go_there(live, explorer):
    px = unit(live)
    slider = live.get_by_role("slider", name="Plane shown")
    slider.focus()
    slider.press("End")
    assert unit(live) == pytest.approx(px / 64, abs=0.05)
    live.get_by_role("radio", name="Gaussian").check()
    drag(live, "query", 200, 100, px / 64)
    explorer.score = "Gaussian"
    value = handle(live, "query").get_attribute("aria-valuetext").replace("−", "-")
    explorer.query_vector = [float(part) for part in value.strip("()").split(",")]
    np.testing.assert_allclose(explorer.query_vector, [200, 102], atol=2)
    agrees(live, explorer)
    slider.press("Home")  # the query comes along
    assert handle(live, "query").get_attribute("aria-valuetext") == "(4.00, 4.00)"


@pytest.mark.parametrize("width", some([390, 320], 320))
def test_it_fits_a_phone(reopen, widget_page, width):
    visit = reopen(widget_page(*UNUSUAL), width=width)
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    assert not visit.problems
    assert "NaN" not in visit.page.locator("main").inner_html()
    for target in visit.page.locator("input[type=range], button, [role=slider]").all():
        box = target.bounding_box()
        assert min(box["width"], box["height"]) >= 24


def test_both_ways_live(show, explorer):
    page = show(explorer)
    explorer.query_vector, explorer.score, explorer.zoom = [-2, 1], "Gaussian", 1
    from_python(page, explorer, "query_vector", "score", "zoom")
    agrees(page.locator("body"), explorer)
    handle(page, "query").press("ArrowRight")
    page.get_by_role("radio", name="cosine").check()
    to_python(page, explorer)
    assert explorer.query_vector.tolist() == [-1.9, 1]
    assert explorer.score == "cosine"
    agrees(page.locator("body"), explorer)
