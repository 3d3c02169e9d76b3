"""The LeakyReLU explorer in a browser: what the reader moves, and what Python does."""

import re

import numpy as np
import pytest
from playwright.sync_api import Locator

from attnutils import BendExplorer
from tests.conftest import some
from tests.page.conftest import from_python, resize, to_python

NAMES, PARTS = ["Eli", "Fay", "Gus", "Hal"], [1, 4, 3, 2]


def made(**options) -> BendExplorer:
    return BendExplorer(NAMES, PARTS, **options)


@pytest.fixture
def live(reopen, widget_page):
    return reopen(widget_page(made())).page.locator(".widget-slot")


def slider(live, name: str) -> Locator:
    return live.get_by_role("slider", name=name)


def names_in(live, axis: str) -> list[str]:
    """The names above the curve from right to left, or those at its right from the top."""
    texts = live.locator("svg text.k").evaluate_all(
        "texts => texts.map((text) => ["
        "text.getAttribute('text-anchor'), text.firstChild.data.trim(),"
        " +text.getAttribute('x'), +text.getAttribute('y')])"
    )
    if axis == "sums":
        return [t[1] for t in sorted((t for t in texts if t[0]), key=lambda t: -t[2])]
    return [t[1] for t in sorted((t for t in texts if not t[0]), key=lambda t: t[3])]


def test_it_shows_what_attnutils_computes(live):
    explorer = made()
    for half, tenth in ((-20, 2), (-5, 2), (0, 10), (20, 0), (-12, -4)):
        slider(live, "Number of the receiver r").fill(str(half))
        slider(live, "Slope below 0").fill(str(tenth))
        explorer.receiver_part, explorer.slope = half / 2, tenth / 10
        order = np.argsort(PARTS)[::-1]
        shown = live.locator("tbody data").evaluate_all("all => all.map((data) => +data.value)")
        sums = explorer.receiver_part + explorer.sender_parts
        wanted = np.column_stack([PARTS, sums, explorer.scores, explorer.weights])[order]
        np.testing.assert_allclose(np.reshape(shown, (4, 4)), wanted, rtol=0, atol=1e-12)


def test_points_slide_and_never_swap_unless_the_curve_falls(live):
    order = ["Fay", "Gus", "Hal", "Eli"]
    for half in (-20, -12, -5, 0, 20):
        slider(live, "Number of the receiver r").fill(str(half))
        assert names_in(live, "sums") == names_in(live, "scores") == order
        assert "The order of t." in live.locator(".headline").inner_text()
    slider(live, "Number of the receiver r").fill("-12")
    slider(live, "Slope below 0").fill("-4")
    assert names_in(live, "sums") == order
    assert names_in(live, "scores") == order[::-1]
    assert "Not the order of t: the curve falls" in live.locator(".headline").inner_text()
    slider(live, "Slope below 0").fill("0")
    assert "Fay = Gus = Hal = Eli" in live.locator(".headline").inner_text()


def test_points_stand_on_the_curve(live):
    slider(live, "Number of the receiver r").fill("-5")
    path, dots = live.locator("svg .curve"), live.locator("svg .dot")
    (x0, y0), (x1, y1), (x2, y2) = (
        map(float, pair.split()) for pair in re.split("[ML]", path.get_attribute("d"))[1:]
    )
    for dot in dots.all():
        x, y = (float(dot.get_attribute(name)) for name in ("cx", "cy"))
        on = (
            y0 + (x - x0) * (y1 - y0) / (x1 - x0)
            if x < x1
            else y1 + (x - x1) * (y2 - y1) / (x2 - x1)
        )
        assert abs(y - on) < 0.3


@pytest.mark.parametrize("width", some([1280, 390, 320], 320))
def test_names_do_not_touch_and_stay_inside(still, width):
    page = still(made(receiver_part=-10))
    resize(page, width)
    box = page.locator("svg").bounding_box()
    boxes = [text.bounding_box() for text in page.locator("svg text.k").all()]
    for i, a in enumerate(boxes):
        assert box["x"] - 1 <= a["x"]
        assert a["x"] + a["width"] <= box["x"] + box["width"] + 1
        for b in boxes[:i]:
            apart = max(abs(a["x"] - b["x"]) - min(a["width"], b["width"]), 0)
            assert apart > 0 or abs(a["y"] - b["y"]) > 8


def test_the_page_and_python_move_each_other(show):
    explorer = made()
    page = show(explorer)
    slider(page, "Number of the receiver r").fill("-12")
    slider(page, "Slope below 0").fill("-3")
    to_python(page, explorer)
    assert (explorer.receiver_part, explorer.slope) == (-6, -0.3)
    explorer.receiver_part, explorer.slope = 2.25, 0.2
    from_python(page, explorer, "receiver_part", "slope")
    assert page.locator(".headline").inner_text().startswith("With r = 2.25: Fay, Gus, Hal, Eli.")
