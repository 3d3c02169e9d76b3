"""The explorer of positional encodings in a browser: what the reader moves, sees and hears."""

import math
import re
from itertools import pairwise

import matplotlib
import numpy as np
import pytest
from numpy.testing import assert_allclose
from playwright.sync_api import Locator, Page

from attnutils import PositionalEncodingExplorer
from tests.conftest import some
from tests.page.conftest import drag, from_python, picture, to_python

HEIGHT = 300  # of the panels, in px
ENCODINGS = ["sinusoidal", "rotary", "ALiBi"]


@pytest.fixture
def place(reopen, widget_page):
    """A function that shows one explorer on a page and returns its slot."""

    def show(explorer=None, **options) -> Locator:
        address = widget_page(explorer or PositionalEncodingExplorer())
        return reopen(address, **options).page.locator(".widget-slot")

    return show


def slider(widget: Locator | Page, name: str) -> Locator:
    return widget.get_by_role("slider", name=name)


def cells(widget: Locator | Page, row: int) -> Locator:
    return widget.locator(f"tbody tr:nth-child({row + 1}) data")


def points(widget: Locator, panel: str, nth: int = 0) -> np.ndarray:
    """The points of a curve in px, of shape (n, 2)."""
    path = widget.locator(f".{panel} path.wave").nth(nth).get_attribute("d")
    return np.array(re.findall(r"-?[\d.]+", path), dtype=float).reshape(-1, 2)


def chosen_side(curve: np.ndarray, position: int) -> np.ndarray:
    """By offset, on the side that reaches further: both hold the same numbers."""
    return curve[position:] if position < len(curve) / 2 else curve[position::-1]


def settings(explorer: PositionalEncodingExplorer) -> list[tuple[str, str, int, dict]]:
    """Where to put each slider, and what that means to Python."""
    first = [
        ("Length", "90", {"length": 90}),
        ("Position", "0", {"position": 0}),
        ("Position", "89", {"position": 89}),
        ("Length", "2", {"length": 2, "position": 1}),
        ("Length", "128", {"length": 128}),
        ("Position", "77", {"position": 77}),
    ]
    if explorer.encoding == "alibi":
        return first + [("Head", str(head), {"head": head}) for head in (0, 5, 7)]
    return [
        *first,
        ("Dimension", "1", {"dim": 2}),
        ("Dimension", "64", {"dim": 128}),
        ("Base", "0", {"base": 10}),
        ("Base", "50", {"base": 1_000_000}),
        ("Base", "30", {"base": 10_000}),
        ("Dimension", "25", {"dim": 50}),
    ]


@pytest.mark.parametrize("name", ENCODINGS)
def test_the_page_shows_what_attnutils_computes(place, numbers, name):
    explorer = PositionalEncodingExplorer()
    live = place(explorer)
    live.get_by_role("radio", name=name).check()
    explorer.encoding = name.lower()
    for control, value, means in settings(explorer):
        slider(live, control).fill(value)
        for trait, new in means.items():
            setattr(explorer, trait, new)
        curve = chosen_side(explorer.similarity, explorer.position)[:9]
        is_bias = explorer.encoding == "alibi"
        rows = [curve, np.exp(curve)] if is_bias else [curve * explorer.dim / 2, curve]
        for i, wanted in enumerate(rows):
            got = cells(live, i)
            shown = numbers(got)[: len(curve)]
            assert_allclose(shown, wanted, rtol=0, atol=1e-6, err_msg=f"{control} {value}")
            assert set(got.all_inner_texts()[len(curve) :]) <= {"–"}
        headline = numbers(live.locator(".headline data"))
        assert headline[0] == pytest.approx(curve[1], abs=1e-6)
        if len(curve) == 9:
            assert headline[1] == pytest.approx(curve[8], abs=1e-6)
        if not is_bias:
            columns = [int(field.input_value()) for field in live.get_by_role("spinbutton").all()]
            values = numbers(live.locator(".values data"))[: len(columns)]
            wanted = explorer.encoding_matrix[explorer.position, columns]
            assert_allclose(values, wanted, rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", ENCODINGS)
def test_the_heatmap_has_the_colours_of_the_numbers(place, name):
    explorer = PositionalEncodingExplorer(length=41, dim=10, base=100, encoding=name.lower())
    live = place(explorer)
    matrix = explorer.encoding_matrix
    got = live.locator("canvas").evaluate(
        "c => [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data]"
    )
    shades = -np.sqrt(-matrix / 8) if name == "ALiBi" else matrix
    wanted = matplotlib.colormaps["RdBu_r"]((shades + 1) / 2)
    # The last digit of a sine may fall on the other side of a colour's edge.
    far = np.abs(np.reshape(got, (*matrix.shape, 4)) - 255 * wanted) > 0.51
    assert far.any(axis=-1).sum() <= 1


@pytest.mark.parametrize("position", [0, 11, 40])
def test_the_curves_are_drawn_where_the_numbers_are(place, position):
    explorer = PositionalEncodingExplorer(length=41, dim=12, base=50, position=position)
    live = place(explorer)
    y = (np.arange(41) + 0.5) * HEIGHT / 41
    curve = points(live, "curve")
    low = min(-0.25, (explorer.encoding_matrix @ explorer.encoding_matrix[0] / 6).min())
    width = live.locator(".panel.curve").bounding_box()["width"]
    x = width * (explorer.similarity - low) / (1 - low)
    assert_allclose(curve, np.stack([x, y], axis=-1), rtol=0, atol=0.06)
    # The waves meet the encoding at each whole position.
    strip = (live.locator(".panel.middle").bounding_box()["width"] - 12) / 3
    for i, column in enumerate((0, 6, 11)):
        wave = points(live, "middle", i)
        wave = wave[:: (len(wave) - 1) // 40]
        x = i * (strip + 6) + strip * (explorer.encoding_matrix[:, column] + 1) / 2
        assert_allclose(wave, np.stack([x, y], axis=-1), rtol=0, atol=0.06)


@pytest.mark.parametrize("name", ENCODINGS)
def test_moving_the_position_slides_the_curve_and_keeps_its_shape(place, name):
    live = place(PositionalEncodingExplorer(encoding=name.lower()))
    slider(live, "Position").fill("10")
    first, numbers_then = points(live, "curve"), cells(live, 1).all_inner_texts()
    slider(live, "Position").fill("15")
    second = points(live, "curve")
    assert_allclose(second[5:, 0], first[:-5, 0], rtol=0, atol=0.06)
    assert_allclose(second[5:, 1], first[:-5, 1] + 5 * HEIGHT / 64, rtol=0, atol=0.16)
    assert cells(live, 1).all_inner_texts() == numbers_then


@pytest.mark.parametrize("width", some([1280, 390, 320], 390))
def test_one_line_crosses_three_panels_side_by_side(place, width):
    live = place(width=width)
    panels = [live.locator(f".panel.{name}").bounding_box() for name in ("heat", "middle", "curve")]
    for left, right in pairwise(panels):
        assert left["x"] + left["width"] < right["x"]
        assert (left["y"], left["height"]) == (right["y"], right["height"])
    for position in (0, 20, 63):
        slider(live, "Position").fill(str(position))
        line = live.locator(".cursor").bounding_box()
        middle = line["y"] + line["height"] / 2 - panels[0]["y"]
        assert middle == pytest.approx((position + 0.5) * HEIGHT / 64, abs=0.6)
        assert line["x"] == panels[0]["x"]
        assert line["x"] + line["width"] >= panels[2]["x"] + panels[2]["width"] - 0.1


def test_the_numbers_that_are_taught(place):
    live = place()
    assert live.locator(".headline").inner_text() == (
        "Position 20: similarity 0.957 at offset 1, 0.658 at 8. "
        "It does not fall steadily: 0.729 at 4, 0.736 at 5."
    )
    dots = cells(live, 0).all_inner_texts()
    assert [dots[k] for k in (0, 4, 5)] == ["16.00", "11.66", "11.78"]
    assert "similarity, ÷\u00a016" in live.inner_text()
    for name in ENCODINGS:
        live.get_by_role("radio", name=name).check()
        assert "position itself does not matter" in live.locator(".note").inner_text()


def test_everything_can_be_done_by_keyboard(place):
    live = place()
    keyboard = live.page.keyboard
    seen = picture(live)
    live.get_by_role("radio", name="sinusoidal").focus()
    keyboard.press("ArrowRight")
    assert live.get_by_role("radio", name="rotary").is_checked()
    assert picture(live) != seen
    for name, key, says in (
        ("Length", "ArrowLeft", "Length 63"),
        ("Dimension", "ArrowRight", "Dimension 34"),
        ("Base", "End", "Base 1000000"),
        ("Position", "Home", "Position 0"),
    ):
        seen = picture(live)
        keyboard.press("Tab")
        assert slider(live, name).evaluate("e => e === document.activeElement")
        keyboard.press(key)
        assert slider(live, name).get_attribute("aria-valuetext") == says
        assert picture(live) != seen
    seen = picture(live)
    keyboard.press("Tab")
    keyboard.press("ArrowUp")
    assert live.get_by_label("dim of the first wave").input_value() == "1"
    assert picture(live) != seen


def test_the_position_is_picked_by_pointer(place):
    live = place()
    for panel, share, position in (("heat", 0.51, 32), ("middle", 0.001, 0), ("curve", 0.999, 63)):
        area = live.locator(f".panel.{panel}")
        box = area.bounding_box()
        area.click(position={"x": box["width"] / 2, "y": box["height"] * share})
        assert slider(live, "Position").input_value() == str(position)
    drag(live.page, slider(live, "Position"), 0.2)
    assert 10 <= int(slider(live, "Position").input_value()) <= 14


def test_a_mouse_pulls_the_line_and_a_finger_does_not(place):
    live = place()
    position, mouse = slider(live, "Position"), live.page.mouse
    area = live.locator(".panel.heat")
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    x, y = box["x"] + 40, box["y"]
    mouse.move(x, y + 152)
    assert position.input_value() == "20"  # moved over, not pressed
    mouse.down()
    assert position.input_value() == "32"
    mouse.move(x, y + 10, steps=3)
    assert position.input_value() == "2"
    mouse.move(x, y + 900)
    assert position.input_value() == "63"
    mouse.up()
    mouse.move(x, y + 152)
    assert position.input_value() == "63"
    # Text that is being selected, from the table up over the heatmap.
    table = live.locator("table").bounding_box()
    mouse.move(table["x"] + 10, table["y"] + 10)
    mouse.down()
    mouse.move(x, y + 152, steps=3)
    mouse.up()
    assert position.input_value() == "63"
    # A browser captures a finger by itself.
    area.evaluate(
        """(e, y) => {
          e.hasPointerCapture = () => true;
          for (const type of ["pointerdown", "pointermove"]) {
            e.dispatchEvent(new PointerEvent(type, { pointerType: "touch", clientY: y }));
          }
        }""",
        y + 152,
    )
    assert position.input_value() == "63"


def test_a_finger_picks_with_a_tap(browser, widget_page):
    page = browser.new_context(has_touch=True).new_page()
    page.goto(widget_page(PositionalEncodingExplorer()))
    page.locator(".panel.heat").tap(position={"x": 40, "y": 152})
    assert slider(page, "Position").input_value() == "32"
    page.context.close()


def test_drawings_have_their_numbers_dots_and_names(place, numbers):
    live = place()

    def marked(panel: str, anchor: str) -> dict[str, float]:
        texts = live.locator(f".{panel} svg text[text-anchor={anchor}]")
        heights = texts.evaluate_all("items => items.map((i) => Number(i.getAttribute('y')) - 4)")
        return dict(zip(texts.all_text_contents(), heights, strict=True))

    def y(position: int) -> float:
        return (position + 0.5) * HEIGHT / 64

    beside = marked("heat", "end")
    for position in (0, 20, 32, 48, 63):
        assert beside[str(position)] == pytest.approx(y(position))
    offsets = marked("curve", "start")
    for text, k in (("−16", -16), ("+16", 16), ("+32", 32)):
        assert offsets[text] == pytest.approx(y(20 + k))
    width = live.locator(".panel.middle").bounding_box()["width"]
    strip = (width - 12) / 3
    values = numbers(live.locator(".values data"))
    dots = live.locator(".middle circle").evaluate_all(
        "items => items.map((i) => [Number(i.getAttribute('cx')), Number(i.getAttribute('cy'))])"
    )
    wanted = [[i * (strip + 6) + strip * (value + 1) / 2, y(20)] for i, value in enumerate(values)]
    assert_allclose(dots, wanted, rtol=0, atol=0.06)
    ramp = live.locator(".ramp")
    assert "rgb(247, 247, 247)" in ramp.evaluate("e => getComputedStyle(e).backgroundImage")
    live.get_by_role("radio", name="ALiBi").check()
    heads = live.locator(".middle text.halo").all_text_contents()
    assert {"0", "1", "2"} <= set(heads) <= set("01234567")


@pytest.mark.parametrize("width", some([1280, 390], 390))
def test_no_number_is_written_over_a_curve(reopen, widget_page, width):
    for explorer in (
        PositionalEncodingExplorer(dim=4),
        PositionalEncodingExplorer(encoding="alibi", head=7),
        PositionalEncodingExplorer(encoding="alibi", head=3),
    ):
        page = reopen(widget_page(explorer), width=width).page
        line, *texts = page.locator(".panel.curve svg").evaluate(
            """(svg) => [svg.querySelector(".wave"), ...svg.querySelectorAll("text")]
                 .map((item) => item.getBoundingClientRect().toJSON())"""
        )
        assert len(texts) > 4
        for text in texts:
            assert text["left"] >= line["right"] or text["top"] >= line["bottom"]
            assert text["right"] <= width


def test_the_last_heads_of_alibi_show_something(place):
    live = place(PositionalEncodingExplorer(encoding="alibi", head=7))
    corner = live.locator("canvas").evaluate(
        "c => [...c.getContext('2d').getImageData(63, 0, 1, 1).data].slice(0, 3)"
    )
    assert max(247 - channel for channel in corner) > 25
    # The line of the chosen head is named, and leads away from the axis.
    assert "7" in live.locator(".middle text.here").all_text_contents()
    ends = points(live, "middle", 7)[[0, -1], 0]
    assert live.locator(".panel.middle").bounding_box()["width"] - ends.min() > 30
    live.get_by_role("slider", name="Head").fill("5")
    slider(live, "Position").fill("0")
    assert "+44" in live.locator(".curve text.here").all_text_contents()
    at = 64 * math.log(2) + 0.5  # of the height of a position, from the top
    dots = live.locator(".curve circle").evaluate_all(
        "dots => dots.map((dot) => Number(dot.getAttribute('cy')))"
    )
    assert_allclose(dots, [0.5 * HEIGHT / 64, at * HEIGHT / 64], rtol=0, atol=0.06)


def test_the_headline_and_rows_name_what_is_scaled(place):
    live = place(PositionalEncodingExplorer(encoding="alibi", head=2))
    assert live.locator(".headline").inner_text() == (
        "Position 20: bias −0.125 at offset 1, −1.000 at 8 (a factor of 0.368). "
        "It falls steadily: every 5.5 positions halve a weight."
    )
    live.get_by_role("radio", name="rotary").check()
    assert live.locator("tbody th").all_inner_texts() == ["score q · k", "score, ÷\u00a016"]


def test_the_waves_can_be_chosen_and_what_is_none_is_explained(place):
    live = place()
    second, error = live.get_by_label("dim of the second wave"), live.locator(".error")
    second.fill("31")
    assert live.locator(".waves data").nth(1).inner_text() == "λ 35333"
    marks = live.locator(".heat path.dot")
    heat = live.locator(".panel.heat").bounding_box()
    mark = marks.nth(1).bounding_box()
    middle = mark["x"] + mark["width"] / 2 - heat["x"]
    assert middle == pytest.approx(heat["width"] * 31.5 / 32, abs=0.6)
    for wrong in ("32", "-1", "1.5", ""):
        second.fill(wrong)
        assert second.get_attribute("aria-invalid") == "true"
        assert error.inner_text() == "A dim must be a whole number from 0 to 31."
        assert live.locator(".waves data").nth(1).inner_text() == "λ 35333"
    second.press("Tab")
    assert second.input_value() == "31"
    assert error.inner_text() == ""
    slider(live, "Dimension").fill("2")
    assert [field.input_value() for field in live.get_by_role("spinbutton").all()] == [
        *["0", "2", "3"]
    ]
    slider(live, "Dimension").fill("1")
    assert live.get_by_role("spinbutton").count() == 2


def test_alibi_has_heads_in_place_of_dimensions(place):
    live = place()
    live.get_by_role("radio", name="ALiBi").check()
    for name in ("Dimension", "Base"):
        assert slider(live, name).count() == 0
    assert live.get_by_role("spinbutton").count() == 0
    assert "No dimension and no base" in live.inner_text()
    head = slider(live, "Head")
    head.fill("0")
    assert head.get_attribute("aria-valuetext") == "Head 0, slope 1/2"
    assert cells(live, 0).nth(1).inner_text() == "−0.500"
    thick = [
        "chosen" in path.get_attribute("class") for path in live.locator(".middle path.wave").all()
    ]
    assert thick == [True] + [False] * 7
    # Each line goes from the chosen position as far as its head reaches before -8.
    fan = [points(live, "middle", i) for i in range(8)]
    width = live.locator(".panel.middle").bounding_box()["width"]
    step = HEIGHT / 64
    for i, line in enumerate(fan):
        slope = 2.0 ** -(i + 1)
        reach = min(43, 8 / slope)
        wanted = width * (1 - slope * reach / 8), (20.5 + reach) * step
        assert_allclose(line[2], wanted, rtol=0, atol=0.06)
    live.get_by_role("radio", name="rotary").check()
    assert slider(live, "Head").count() == 0
    assert slider(live, "Dimension").input_value() == "16"


def test_a_shorter_length_takes_the_position_along(show):
    explorer = PositionalEncodingExplorer(position=50)
    page = show(explorer)
    slider(page, "Length").fill("30")
    assert slider(page, "Position").input_value() == "29"
    assert slider(page, "Position").get_attribute("max") == "29"
    assert page.evaluate("saves.length") == 1
    assert to_python(page, explorer) == 1
    assert (explorer.length, explorer.position) == (30, 29)
    # From Python the length arrives before the position does.
    explorer.length = 10
    from_python(page, explorer, "length")
    assert page.locator(".headline").inner_text().startswith("Position 9:")
    from_python(page, explorer, "position")
    assert slider(page, "Position").input_value() == "9"


def test_python_moves_the_page(show):
    explorer = PositionalEncodingExplorer()
    page = show(explorer)
    explorer.length, explorer.dim, explorer.base, explorer.position = 33, 8, 1236, 4
    explorer.encoding = "rotary"
    from_python(page, explorer, "length", "dim", "base", "position", "encoding")
    assert page.get_by_role("radio", name="rotary").is_checked()
    texts = page.locator("output").all_inner_texts()
    # The slider lies at the nearest of its places, and the number is exact.
    assert texts == ["33", "8", "1236", "4"]
    assert slider(page, "Base").input_value() == "21"
    got = cells(page, 1).evaluate_all("items => items.map((item) => Number(item.value))")
    assert_allclose(got, explorer.similarity[4:13], rtol=0, atol=1e-12)
    explorer.encoding, explorer.head = "alibi", 6
    from_python(page, explorer, "encoding", "head")
    assert slider(page, "Head").input_value() == "6"


def test_the_page_moves_python(show):
    explorer = PositionalEncodingExplorer()
    page = show(explorer)
    for name, value in (("Length", "70"), ("Dimension", "5"), ("Base", "20"), ("Position", "69")):
        slider(page, name).fill(value)
    page.get_by_role("radio", name="ALiBi").check()
    slider(page, "Head").fill("4")
    assert to_python(page, explorer) == 6
    assert (explorer.length, explorer.dim, explorer.base, explorer.position) == (70, 10, 1000, 69)
    assert (explorer.encoding, explorer.head) == ("alibi", 4)


def test_the_lines_follow_the_theme_without_a_redraw(place):
    live = place(theme="light")
    wave, line = live.locator(".curve path.wave"), live.locator(".cursor")
    ink = {"light": "rgb(31, 35, 40)", "dark": "rgb(232, 233, 235)"}
    for theme in ("light", "dark"):
        live.page.emulate_media(color_scheme=theme)
        assert wave.evaluate("e => getComputedStyle(e).stroke") == ink[theme]
        assert line.evaluate("e => getComputedStyle(e).backgroundColor") == ink[theme]


LARGEST = {"length": 128, "dim": 128, "base": 1e6}


@pytest.mark.parametrize("options", some([{}, LARGEST], LARGEST))
@pytest.mark.parametrize("name", ENCODINGS)
def test_it_fits_a_small_phone(place, name, options):
    explorer = PositionalEncodingExplorer(encoding=name.lower(), **options)
    live = place(explorer, width=320)
    assert live.page.evaluate("document.documentElement.scrollWidth") <= 320
    right = live.locator(".attn").bounding_box()
    for item in live.locator("data:visible, .panels, table").all():
        box = item.bounding_box()
        assert box["x"] + box["width"] <= right["x"] + right["width"] + 0.5, item.inner_text()


@pytest.mark.parametrize("width", some([1280, 600, 390], 390))
def test_every_encoding_has_the_same_height(place, width):
    live = place(width=width)
    height = live.locator(".widget-live").bounding_box()["height"]
    for name in ENCODINGS[1:]:
        live.get_by_role("radio", name=name).check()
        assert live.locator(".widget-live").bounding_box()["height"] == height
