"""The plane explorer in a browser: on a page of its own, in a notebook, in the book."""

import math

import numpy as np
import pytest
from playwright.sync_api import Locator, Page

from attnutils import PlaneExplorer
from tests.conftest import SETTLE, some
from tests.examples import STATES
from tests.page.conftest import from_python, to_python
from tests.widgets.test_plane_explorer import BOOK, FLAT, FLAT_VALUES, PLANE, WORDS

UNUSUAL = [widget for widget in STATES if isinstance(widget, PlaneExplorer)]


@pytest.fixture
def explorer():
    axes = ("sentiment", "activity")
    return PlaneExplorer(WORDS, FLAT, FLAT_VALUES, PLANE @ BOOK, axes=axes)


@pytest.fixture
def live(reopen, widget_page, explorer):
    return reopen(widget_page(explorer)).page.locator(".widget-slot")


def handle(widget: Locator | Page, name: str) -> Locator:
    return widget.get_by_role("slider", name=name, exact=True)


def centre(item: Locator) -> tuple[float, float]:
    box = item.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def unit(live: Locator) -> float:
    """The px of a 1 in the plane: A is two below The."""
    return (centre(handle(live, "key of A"))[1] - centre(handle(live, "key of The"))[1]) / 2


def shown(live: Locator) -> list[float]:
    """The weights as they stand beside the arrows."""
    texts = live.locator(".amount").all_text_contents()
    return [0.0 if "<" in text else float(text) for text in texts]


def agrees(live: Locator, explorer: PlaneExplorer) -> None:
    np.testing.assert_allclose(shown(live), explorer.weights, rtol=0, atol=0.0006)
    got = live.locator(".headline data").evaluate_all("items => items.map((i) => Number(i.value))")
    wanted = [explorer.weights.max(), *explorer.output]
    np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-9)


def drag(live: Locator, name: str, right: float, up: float) -> None:
    """Pull the end of an arrow by so much of the plane."""
    page, item = live.page, handle(live, name)
    item.scroll_into_view_if_needed()
    (x, y), px = centre(item), unit(live)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + px * right, y - px * up, steps=3)
    page.mouse.up()


def test_it_shows_what_attnutils_computes_wherever_the_query_is_pulled(live, explorer):
    agrees(live, explorer)
    assert live.locator(".headline").inner_text() == (
        "With the query q = (2.24, 0.00), most weight goes to Reads 0.877; "
        "output o = (0.362, 0.051)."
    )
    for right, up in ((-1, 1), (-3, 0.4), (0.5, -2.5), (3, -0.5)):
        drag(live, "query", right, up)
        x, y = explorer.query_vector
        value = handle(live, "query").get_attribute("aria-valuetext")
        place = [float(part) for part in value.strip("()").replace("−", "-").split(",")]
        assert place == pytest.approx([x + right, y + up], abs=0.03)
        explorer.query_vector = place
        agrees(live, explorer)


def test_arrow_keys_move_the_query_and_a_key(live, explorer):
    handle(live, "query").press("ArrowLeft")
    handle(live, "query").press("ArrowUp")
    explorer.query_vector = np.round(explorer.query_vector + np.array([-0.1, 0.1]), 2)
    agrees(live, explorer)
    the = handle(live, "key of The")
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        the.press(key)
    assert the.get_attribute("aria-valuetext").startswith("(0.10, −0.20), score 0.19, weight ")
    keys = explorer.key_matrix.copy()
    keys[0] = 0.1, -0.2
    explorer.key_matrix = keys
    agrees(live, explorer)
    live.get_by_role("button", name="Reset").click()
    assert "Reads 0.877" in live.locator(".headline").inner_text()
    assert the.get_attribute("aria-valuetext").startswith("(0.00, 0.00), score 0.00")


def test_the_page_is_not_scrolled_by_an_arrow_key(live):
    live.page.set_viewport_size({"width": 600, "height": 300})
    live.page.evaluate(SETTLE)
    handle(live, "query").focus()
    live.page.evaluate(SETTLE)
    before = live.page.evaluate("scrollY")
    live.page.keyboard.press("ArrowDown")
    live.page.evaluate(SETTLE)
    assert live.page.evaluate("scrollY") == before


def test_a_finger_pulls_the_query_and_does_not_scroll(browser, widget_page, explorer):
    page = browser.new_context(has_touch=True, viewport={"width": 390, "height": 700}).new_page()
    page.goto(widget_page(explorer))
    item = handle(page, "query")
    item.scroll_into_view_if_needed()
    (x, y), px = centre(item), unit(page)
    session, before = page.context.new_cdp_session(page), page.evaluate("scrollY")
    for kind, up in (("Start", 0), ("Move", 0.5), ("Move", 1), ("Move", 2)):
        point = [{"x": x - px * up, "y": y - px * up}]
        session.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": point})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert handle(page, "query").get_attribute("aria-valuetext").startswith("(0.2")
    assert page.evaluate("scrollY") == before
    page.context.close()


def test_an_arrow_does_not_leave_the_drawing(live):
    drag(live, "query", 30, 30)
    assert handle(live, "query").get_attribute("aria-valuetext") == "(4.00, 2.50)"
    (x, y), box = centre(handle(live, "query")), live.locator(".plane").bounding_box()
    assert box["x"] < x < box["x"] + box["width"]
    assert box["y"] < y < box["y"] + box["height"]


def test_arrows_are_as_thick_as_their_weights_and_end_at_their_keys(live, explorer):
    widths = live.locator(".stem").evaluate_all(
        "items => items.map((item) => Number(item.getAttribute('stroke-width')))"
    )
    np.testing.assert_allclose(np.array(widths) - 1, 13 * explorer.weights, rtol=0, atol=0.006)
    origin, px = centre(handle(live, "key of The")), unit(live)
    for word, (x, y) in zip(WORDS, FLAT, strict=True):
        at = centre(handle(live, f"key of {word}"))
        assert at == pytest.approx((origin[0] + px * x, origin[1] - px * y), abs=1)


def test_the_dashed_line_lies_across_the_query_through_the_winner(live, explorer):
    for right, up in ((0, 0), (-4, 1), (2, -2)):
        drag(live, "query", right, up)
        numbers = live.locator(".front").get_attribute("d").replace("M", "").replace("L", " ")
        x0, y0, x1, y1 = map(float, numbers.split())
        value = handle(live, "query").get_attribute("aria-valuetext")
        q = [float(part) for part in value.strip("()").replace("−", "-").split(",")]
        across = np.array([x1 - x0, y0 - y1]) / math.hypot(x1 - x0, y1 - y0)
        assert abs(across @ q) / math.hypot(*q) < 0.01
        box = live.locator(".plane svg").bounding_box()
        explorer.query_vector = q
        x, y = centre(handle(live, f"key of {WORDS[explorer.weights.argmax()]}"))
        x, y = x - box["x"], y - box["y"]
        assert abs((x - x0) * (y1 - y0) - (y - y0) * (x1 - x0)) / math.hypot(x1 - x0, y1 - y0) < 1


def test_the_hull_shows_which_keys_can_win(live):
    live.get_by_role("checkbox", name="hull of the keys").check()
    assert live.locator(".headline").inner_text().endswith("No corner of the hull: The.")
    assert live.locator(".hull.k").get_attribute("d").count("L") == 4
    drag(live, "key of The", -3, -2)
    assert live.locator(".headline").inner_text().endswith("Every key is a corner of the hull.")
    assert live.locator(".hull.k").get_attribute("d").count("L") == 5


def test_the_output_is_drawn_at_its_place_among_the_values(live, explorer):
    for right, up in ((0, 0), (-3, 1), (-2, -2)):
        drag(live, "query", right, up)
        value = handle(live, "query").get_attribute("aria-valuetext")
        explorer.query_vector = [
            float(part) for part in value.strip("()").replace("−", "-").split(",")
        ]
        dots = [centre(dot) for dot in live.locator(".value").all()]
        wanted = explorer.weights @ np.array(dots)
        assert centre(live.locator(".output")) == pytest.approx(wanted, abs=1)
        live.get_by_role("button", name="Reset").click()


@pytest.mark.parametrize("width", some([390, 320], 320))
def test_it_fits_a_phone(reopen, widget_page, width):
    visit = reopen(widget_page(*UNUSUAL), width=width)
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    assert not visit.problems
    assert "NaN" not in visit.page.locator("main").inner_html()
    for target in visit.page.locator("input, button, [role=slider]").all():
        box = target.bounding_box()
        assert min(box["width"], box["height"]) >= 24 or target.get_attribute("type") == "checkbox"


def test_both_ways_live(show, explorer):
    page = show(explorer)
    explorer.query_vector, explorer.hull = [-2, 1], True
    from_python(page, explorer, "query_vector", "hull")
    agrees(page.locator("body"), explorer)
    handle(page, "query").press("ArrowRight")
    to_python(page, explorer)
    assert explorer.query_vector.tolist() == [-1.9, 1]
    agrees(page.locator("body"), explorer)
