"""The kernel regression explorer in a browser: on a page of its own, in a notebook, in the book."""

import math
import re

import numpy as np
import pytest
from playwright.sync_api import Locator, Page

from attnutils import KernelRegressionExplorer
from tests.conftest import some
from tests.examples import STATES
from tests.page.conftest import drag, from_python, picture, temperature_at, to_python

RNG = np.random.default_rng(0)
X = RNG.uniform(0, 5, size=20).round(2)
Y = (np.sin(2 * X) + RNG.normal(scale=0.3, size=20)).round(2)
UNUSUAL = [widget for widget in STATES if isinstance(widget, KernelRegressionExplorer)]
# Positions of the slider of bandwidths: 0, 0.011, 0.1, 0.52, 1, 10, 400, infinity.
POSITIONS = [0, 1, 25, 43, 50, 75, 99, 100]


@pytest.fixture
def explorer():
    return KernelRegressionExplorer(X, Y, query=2, bandwidth=0.5)


@pytest.fixture
def live(reopen, widget_page, explorer):
    return reopen(widget_page(explorer)).page.locator(".widget-slot")


def bandwidth(widget: Locator | Page) -> Locator:
    return widget.get_by_role("slider", name="Bandwidth σ")


def query(widget: Locator | Page) -> Locator:
    return widget.get_by_role("slider", name="Query q")


def middle(item: Locator) -> float:
    box = item.bounding_box()
    return box["x"] + box["width"] / 2


@pytest.mark.parametrize("position", some(POSITIONS, *POSITIONS[::3]))
def test_it_shows_what_attnutils_computes(live, explorer, numbers, position):
    live.locator("summary").click()
    heaviest, every = live.locator("table").all()
    bandwidth(live).fill(str(position))
    explorer.bandwidth = temperature_at(position)
    for place in (0, 57, 100, 250):  # of 250 on the axis from 0 to 5
        query(live).fill(str(place))
        explorer.query = place / 50
        weights, order = explorer.weights, np.argsort(-explorer.weights, kind="stable")
        got = numbers(every.locator("tbody data"))
        wanted = np.column_stack([X, Y, weights, weights * Y])
        np.testing.assert_allclose(np.reshape(got, (20, 4)), wanted, rtol=0, atol=1e-6)
        got = numbers(heaviest.locator("tbody data"))
        np.testing.assert_allclose(np.reshape(got, (6, 4)), wanted[order[:6]], rtol=0, atol=1e-6)
        got = numbers(heaviest.locator("tfoot data"))
        rest = wanted[order[6:], 2:].sum(axis=0)
        np.testing.assert_allclose(got, [*rest, 1, explorer.output], rtol=0, atol=1e-6)
        got = [
            float(data)
            for data in live.locator(".headline data").evaluate_all(
                "items => items.map((item) => item.value)"
            )
        ]
        wanted = [explorer.query, explorer.bandwidth, explorer.temperature, explorer.output]
        np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-6)


def test_the_headline(live):
    headline = live.locator(".headline")
    assert headline.inner_text() == (
        "At q = 2.00 with σ = 0.5, T = σ² = 0.25: o = −0.1284; "
        "7 of 20 points hold 95 % of the weight."
    )
    bandwidth(live).fill("100")
    assert headline.inner_text() == (
        "At q = 2.00 with σ = ∞, T = σ² = ∞: all 20 points weigh the same, o = 0.2870 is the mean."
    )
    bandwidth(live).fill("0")
    assert headline.inner_text() == (
        "At q = 2.00 with σ = 0, T = σ² = 0: the nearest point gives o = −0.4300."
    )


def test_nearest_points_share(reopen, widget_page):
    widget = KernelRegressionExplorer([0, 1, 3, 1], [5, 7, 9, 2], query=2, bandwidth=0)
    live = reopen(widget_page(widget)).page.locator(".widget-slot")
    text = "the three nearest points share, o = 6.0000."
    assert live.locator(".headline").inner_text().endswith(text)
    # Two points at one place: their bars stand on each other.
    bars = [bar.bounding_box() for bar in live.locator("rect.weight").all()]
    assert bars[1]["x"] == bars[3]["x"]
    assert bars[3]["y"] + bars[3]["height"] == pytest.approx(bars[1]["y"], abs=1.5)
    assert bars[1]["height"] == bars[2]["height"] == bars[3]["height"] > 10


def test_both_numbers_move_with_the_bandwidth(live):
    outputs = live.locator(".controls output")
    slider = bandwidth(live)
    for position, sigma, temperature, says in (
        (0, "0", "0", "bandwidth 0: the nearest point takes all"),
        (20, "0.063", "0.003969", "bandwidth 0.063, temperature 0.003969"),
        (50, "1", "1", "bandwidth 1, temperature 1"),
        (62, "3", "9", "bandwidth 3, temperature 9"),
        (100, "∞", "∞", "bandwidth infinite: the mean of all points"),
    ):
        slider.fill(str(position))
        assert outputs.all_inner_texts() == [sigma, temperature]
        assert slider.get_attribute("aria-valuetext") == says


@pytest.mark.parametrize("control", [bandwidth, query])
def test_a_slider_moves_by_keyboard_and_by_pointer(live, control):
    slider, seen = control(live), picture(live)
    start = int(slider.input_value())
    slider.focus()
    slider.press("ArrowRight")
    slider.press("ArrowRight")
    assert int(slider.input_value()) == start + 2
    moved = picture(live)
    assert moved != seen
    drag(live.page, slider, 0.9)
    assert int(slider.input_value()) > 0.8 * int(slider.get_attribute("max"))
    assert picture(live) != moved


def test_the_slider_is_the_axis_of_the_chart(live):
    for place in (0, 60, 125, 250):
        query(live).fill(str(place))
        track = query(live).bounding_box()
        thumb = track["x"] + 8 + (track["width"] - 16) * place / 250
        assert abs(middle(live.locator("path.cursor")) - thumb) < 1.5
        assert abs(middle(live.locator("circle.estimate")) - thumb) < 1.5


def test_the_slider_is_the_axis_beside_wide_numbers_too(reopen, widget_page):
    widget = KernelRegressionExplorer([0, 5], [-987654, 123456], query=0)
    live = reopen(widget_page(widget)).page.locator(".widget-slot")
    track = query(live).bounding_box()
    assert abs(middle(live.locator("path.cursor")) - (track["x"] + 8)) < 1.5
    chart = live.locator("svg").bounding_box()
    for text in live.locator("svg text.dim:not(.halo)").all():
        assert text.bounding_box()["x"] >= chart["x"] - 1


def test_bars_and_points_stand_at_their_keys(live):
    query(live).fill("0")
    left = middle(live.locator("path.cursor"))
    query(live).fill("250")
    right = middle(live.locator("path.cursor"))
    for i in (0, 7, 19):
        wanted = left + (right - left) * X[i] / 5
        assert abs(middle(live.locator("circle.point").nth(i)) - wanted) < 1
        assert abs(middle(live.locator("rect.weight").nth(i)) - wanted) < 1


def test_the_heights_of_the_bars_are_the_weights(live, explorer):
    for position in (25, 43, 100):
        bandwidth(live).fill(str(position))
        explorer.bandwidth = temperature_at(position)
        heights = live.locator("rect.weight").evaluate_all(
            "items => items.map((item) => Number(item.getAttribute('height')))"
        )
        shares = np.array(heights) / sum(heights)
        np.testing.assert_allclose(shares, explorer.weights, rtol=0, atol=0.02)


def test_the_estimate_is_on_the_curve(live):
    for position in (0, 25, 43, 100):
        bandwidth(live).fill(str(position))
        for place in (3, 100, 211):
            query(live).fill(str(place))
            far = live.evaluate(
                """slot => {
                  const points = slot.querySelector(".curve").getAttribute("d").slice(1).split("L");
                  const dot = slot.querySelector(".estimate");
                  const [x, y] = ["cx", "cy"].map((name) => Number(dot.getAttribute(name)));
                  return Math.min(...points.map((point) => {
                    const [a, b] = point.split(" ").map(Number);
                    return Math.hypot(a - x, b - y);
                  }));
                }"""
            )
            assert far < 0.2


def test_the_pointer_moves_the_query_on_the_chart(live):
    page, chart = live.page, live.locator("svg")
    chart.scroll_into_view_if_needed()
    box, track = chart.bounding_box(), query(live).bounding_box()
    y = box["y"] + 150

    def x(place: int) -> float:
        return track["x"] + 8 + (track["width"] - 16) * place / 250

    page.mouse.move(x(10), y)
    assert query(live).input_value() == "100"  # moved over, not pressed
    page.mouse.down()
    assert query(live).input_value() == "10"
    page.mouse.move(x(180), y + 30, steps=3)
    assert query(live).input_value() == "180"
    page.mouse.move(box["x"] + box["width"] + 200, y)
    assert query(live).input_value() == "250"
    page.mouse.up()
    page.mouse.move(x(50), y)
    assert query(live).input_value() == "250"


def test_a_finger_pulls_the_query_along(browser, widget_page, explorer):
    page = browser.new_context(has_touch=True).new_page()
    page.goto(widget_page(explorer))
    box, track = page.locator(".chart svg").bounding_box(), query(page).bounding_box()
    session = page.context.new_cdp_session(page)

    def touch(kind: str, *places: int) -> None:
        xs = [track["x"] + 8 + (track["width"] - 16) * place / 250 for place in places]
        points = [{"x": x, "y": box["y"] + 150} for x in xs]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    page.locator(".chart svg").tap(position={"x": box["width"] - 8, "y": 150})
    assert query(page).input_value() == "250"
    touch("touchStart", 50)
    for place in (90, 130, 180):
        touch("touchMove", place)
    touch("touchEnd")
    assert abs(int(query(page).input_value()) - 180) <= 1
    page.context.close()


def attributes(items: Locator, *names: str) -> np.ndarray:
    """Numbers of an item each, of shape (n_items, n_names)."""
    script = "(items, names) => items.map((i) => names.map((name) => Number(i.getAttribute(name))))"
    return np.array(items.evaluate_all(script, names))


def path_points(path: Locator) -> np.ndarray:
    """The points of a path of straight lines, of shape (n, 2)."""
    return np.array(re.findall(r"[-\d.]+", path.get_attribute("d")), dtype=float).reshape(-1, 2)


def number(text: str) -> float:
    return float(text.replace("−", "-"))


def test_points_and_curve_have_the_height_that_the_axis_says(live, explorer):
    left = live.locator("svg text[text-anchor=end]")
    marks = {}
    for text, y in zip(left.all_text_contents(), attributes(left, "y")[:, 0] - 4, strict=True):
        if y < 240:  # the upper panel
            marks[number(text)] = y
    assert len(marks) >= 3
    slope, start = np.polyfit(list(marks), list(marks.values()), 1)
    np.testing.assert_allclose([start + slope * v for v in marks], list(marks.values()), atol=0.01)
    heights = attributes(live.locator("circle.point"), "cy")[:, 0]
    np.testing.assert_allclose(heights, start + slope * Y, rtol=0, atol=0.06)
    estimate = attributes(live.locator("circle.estimate"), "cy")[0, 0]
    np.testing.assert_allclose(estimate, start + slope * explorer.output, rtol=0, atol=0.06)


def test_the_kernel_runs_through_the_tops_of_the_bars(live, explorer):
    bars = attributes(live.locator("rect.weight"), "x", "width", "y")
    at = bars[:, 0] + bars[:, 1] / 2
    kernel = path_points(live.locator("path.kernel"))
    near = explorer.weights > 0.01
    assert near.sum() > 3
    tops = np.interp(at[near], *kernel.T)
    np.testing.assert_allclose(tops, bars[near, 2], rtol=0, atol=0.5)
    feet = live.locator("path.feet").get_attribute("d").split("M")[1:]
    starts = [float(foot.split()[0]) for foot in feet]
    np.testing.assert_allclose(starts, at, rtol=0, atol=0.11)


def test_the_kernel_stays_a_bell_however_narrow(reopen, widget_page):
    x = np.linspace(0, 10, 30)
    explorer = KernelRegressionExplorer(x, np.sin(x), query=5, bandwidth=0.063)
    live = reopen(widget_page(explorer)).page.locator(".widget-slot")
    kernel = path_points(live.locator("path.kernel"))  # one line, without a gap
    heights = kernel[:, 1]
    summit = heights.argmin()
    assert (np.diff(heights[: summit + 1]) <= 0).all()
    assert (np.diff(heights[summit:]) >= 0).all()
    assert heights[summit] == pytest.approx(266, abs=0.2)  # the top of the panel
    assert heights[0] == heights[-1] == pytest.approx(350, abs=0.2)
    assert "a lowered kernel around q" in live.locator("svg").text_content()


def test_bars_have_the_colours_and_the_scale_of_their_weights(live, explorer):
    fills = live.locator("rect.weight").evaluate_all("b => b.map((i) => i.getAttribute('fill'))")
    shares = [float(re.search(r"var\(--weight\) ([\d.]+)%", fill)[1]) for fill in fills]
    np.testing.assert_allclose(shares, 100 * explorer.weights, rtol=0, atol=0.006)
    bars = attributes(live.locator("rect.weight"), "y", "height")
    floor, top = bars[0].sum(), explorer.weights.argmax()
    uniform = float(re.search(r" ([\d.]+)H", live.locator("path.uniform").get_attribute("d"))[1])
    assert floor - uniform == pytest.approx(bars[top, 1] / explorer.weights[top] / 20, abs=0.2)


def test_the_letters_on_the_chart_have_their_numbers(live):
    assert live.locator("svg text.q").text_content() == "q = 2.00"
    assert query(live).get_attribute("aria-valuetext") == "query 2.00"
    assert live.locator("svg text.o").text_content() == "o = −0.1284"
    below = live.locator("svg text.dim[text-anchor=middle]")
    assert below.all_text_contents() == ["0", "1", "2", "3", "4", "5"]
    query(live).fill("0")
    start = middle(live.locator("path.cursor"))
    query(live).fill("250")
    end = middle(live.locator("path.cursor"))
    assert abs(middle(below.nth(2)) - (start + 0.4 * (end - start))) < 1


@pytest.mark.parametrize("place", [0, 25, 125])
def test_the_line_of_the_query_does_not_run_through_text(live, place):
    query(live).fill(str(place))
    titles = [title.bounding_box() for title in live.locator("svg text.dim.halo").all()]
    top = live.locator("svg").bounding_box()["y"]
    at = middle(live.locator("path.cursor"))
    path = live.locator("path.cursor").get_attribute("d")
    parts = [[float(y) for y in part.split(" ")[1].split("V")] for part in path.split("M")[1:]]
    for box in titles:
        for start, end in parts:
            if box["x"] <= at <= box["x"] + box["width"]:
                # The box has room for a letter that stands higher, and for the halo.
                low, high = box["y"] + 4, box["y"] + box["height"] - 4
                assert top + end <= low or top + start >= high


def test_the_folded_table_opens_by_keyboard(live, numbers):
    folded = live.locator("details")
    assert not folded.locator("table").is_visible()
    live.locator("summary").focus()
    live.page.keyboard.press("Enter")
    folded.locator("table").wait_for()
    keys = numbers(folded.locator("th data"))
    assert keys == X.tolist()


@pytest.mark.parametrize("width", some([390, 320], 320))
def test_it_fits_a_phone(reopen, widget_page, width):
    visit = reopen(widget_page(*UNUSUAL), width=width)
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    assert not visit.problems
    assert "NaN" not in visit.page.locator("main").inner_html()
    for target in visit.page.locator("input, summary").all():
        assert target.bounding_box()["height"] >= 24


def test_a_very_narrow_cell_breaks_nothing(reopen, widget_page):
    visit = reopen(widget_page(*UNUSUAL), width=150)
    for slider in visit.page.get_by_role("slider").all():
        slider.fill("60")
    assert not visit.problems


def test_nothing_moves_below_the_widget(reopen, widget_page, explorer):
    for width in (1280, 390):
        live = reopen(widget_page(explorer), width=width).page.locator(".widget-live")
        heights = set()
        for position in POSITIONS:
            bandwidth(live).fill(str(position))
            heights.add(live.bounding_box()["height"])
        assert len(heights) == 1


@pytest.mark.parametrize(
    ("sigma", "position", "says"),
    [
        (0.2, 33, ["0.2", "0.04"]),
        (np.inf, 100, ["∞", "∞"]),
        (0, 0, ["0", "0"]),
        (1e-9, 1, ["1e−9", "1e−18"]),
    ],
)
def test_python_moves_the_widget(show, explorer, sigma, position, says):
    page = show(explorer)
    explorer.bandwidth, explorer.query = sigma, 3.125
    explorer.y = Y - 1
    from_python(page, explorer, "bandwidth", "query", "y")
    assert bandwidth(page).input_value() == str(position)
    assert page.locator(".controls output").all_inner_texts() == says
    assert query(page).input_value() == "156"
    exact = float(page.locator(".headline .o data").get_attribute("value"))
    assert exact == pytest.approx(explorer.output, abs=1e-12)


def test_a_query_far_away_makes_the_axis_longer(show, explorer):
    page = show(explorer)
    explorer.query = 12.5
    from_python(page, explorer, "query")
    assert page.locator(".plot output").inner_text() == "12.5"
    query(page).press("ArrowLeft")
    to_python(page, explorer)
    assert 12 < explorer.query < 12.5
    query(page).fill("0")
    to_python(page, explorer)
    assert explorer.query == 0
    assert query(page).get_attribute("max") == "150"  # of 0.1, from 0 to 15


@pytest.mark.parametrize(("position", "sigma"), [(0, 0.0), (43, 0.52), (100, math.inf)])
def test_the_widget_moves_python(show, explorer, position, sigma):
    page = show(explorer)
    bandwidth(page).fill(str(position))
    query(page).fill("57")
    assert to_python(page, explorer) == 2
    assert (explorer.bandwidth, explorer.query) == (sigma, 1.14)
    exact = float(page.locator(".headline .o data").get_attribute("value"))
    assert exact == pytest.approx(explorer.output, abs=1e-12)
