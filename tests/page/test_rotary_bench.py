"""The rotary bench in a browser: positions that move alone and together, hands that are dragged."""

import numpy as np
import pytest

from attnutils.widgets import RotaryBench
from tests.page.conftest import from_python, to_python


@pytest.fixture
def bench():
    return RotaryBench.example()


def score(page):
    return float(page.locator(".headline data").get_attribute("value"))


def slider(page, name):
    return page.get_by_role("slider", name=name)


def test_a_score_moves_with_one_position_and_freezes_with_both(show, bench):
    page = show(bench)
    headline = page.locator(".headline")
    start = "Offset j − i = 4: the score is 0.3687; pair 0 adds −0.55 and pair 1 adds 0.92."
    assert headline.inner_text() == start
    slider(page, "Position j of the key").fill("8")
    assert headline.inner_text().startswith("Offset j − i = 5: the score is 2.4250;")
    page.get_by_role("button", name="Reset").click()
    page.get_by_role("checkbox", name="move both").check()
    paths = "items => items.map((item) => item.getAttribute('d'))"
    hands = page.locator("path.hand").evaluate_all(paths)
    slider(page, "Position i of the query").fill("40")
    assert slider(page, "Position j of the key").input_value() == "44"
    assert headline.inner_text() == start
    after = page.locator("path.hand").evaluate_all(paths)
    assert all(a != b for a, b in zip(hands, after, strict=True))
    slider(page, "Position i of the query").fill("63")  # the key has no room for it
    to_python(page, bench)
    assert (bench.query_position, bench.key_position, bench.together) == (59, 63, True)
    assert score(page) == pytest.approx(bench.score, abs=1e-12)


def test_a_hand_is_dragged_where_it_stands(reopen, widget_page, bench):
    page = reopen(widget_page(bench)).page
    hand = slider(page, "query, pair 1")
    clock = page.locator(".clock").nth(1).bounding_box()
    x, y = clock["x"] + clock["width"] / 2, clock["y"] + clock["height"] / 2
    box = hand.bounding_box()
    page.mouse.move(box["x"] + 14, box["y"] + 14)
    page.mouse.down()
    page.mouse.move(x - 50, y, steps=5)
    page.mouse.up()
    moved = hand.bounding_box()
    assert abs(moved["x"] + 14 - (x - 50)) < 2
    assert abs(moved["y"] + 14 - y) < 2
    # Before turning, it points elsewhere by the angle of its position.
    text = hand.get_attribute("aria-valuetext")
    raw = [float(x.replace("−", "-")) for x in text[1 : text.index(")")].split(", ")]
    assert np.arctan2(raw[1], raw[0]) == pytest.approx(np.pi - 0.03, abs=0.02)


def test_a_hand_is_moved_by_keys(show, bench):
    page = show(bench)
    before = bench.key_vector.copy()
    hand = slider(page, "key, pair 0")
    hand.press("ArrowUp")
    to_python(page, bench)
    angle = bench.key_position * 1.0
    turned = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    step = turned @ (bench.key_vector - before)[:2]
    np.testing.assert_allclose(step, [0, 0.1], atol=0.011)
    assert score(page) == pytest.approx(bench.score, abs=1e-12)


def test_the_dot_stands_on_the_curve(show, bench):
    page = show(bench)
    for j in ("0", "7", "40"):
        slider(page, "Position j of the key").fill(j)
        at = [float(page.locator("circle.here").get_attribute(name)) for name in ("cx", "cy")]
        line = page.locator("path.line").get_attribute("d")
        points = np.array([part.split() for part in line[1:].split("L")], dtype=float)
        assert np.hypot(*(points - at).T).min() < 0.2


def test_python_moves_the_bench(show, bench):
    page = show(bench)
    bench.query_vector, bench.query_position = [0, 1, 1, 0], 20
    bench.key_vector, bench.together = [1, 1, 0, 2], True
    from_python(page, bench, "query_vector", "query_position", "key_vector", "together")
    assert slider(page, "Position i of the query").input_value() == "20"
    assert page.get_by_role("checkbox", name="move both").is_checked()
    assert score(page) == pytest.approx(bench.score, abs=1e-12)
    angles = page.locator(".clock text:last-child").all_text_contents()
    assert angles[0].endswith("° from q to k")
