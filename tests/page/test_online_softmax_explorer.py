"""The online softmax explorer in a browser: on a page of its own, and with a kernel behind it."""

import math
import re

import numpy as np
import pytest
from playwright.sync_api import Locator, Page

from attnutils import OnlineSoftmaxExplorer
from attnutils.worked_example import KEYS, VALUES, WORDS
from tests.conftest import exhaustive, some
from tests.examples import STATES
from tests.page.conftest import ROOM, drag, from_python, picture, resize, to_python

SCORES = KEYS @ KEYS[5]
UNUSUAL = [widget for widget in STATES if isinstance(widget, OnlineSoftmaxExplorer)]
PADDING = "body { max-width: 760px; margin: 0 auto; padding: 0 16px; }"


@pytest.fixture
def explorer():
    return OnlineSoftmaxExplorer(SCORES, VALUES[:, 0], names=WORDS, step=4)


@pytest.fixture
def live(reopen, widget_page, explorer):
    page = reopen(widget_page(explorer, style=PADDING)).page
    page.emulate_media(reduced_motion="reduce")
    return page.locator(".widget-slot")


def step(widget: Locator | Page) -> Locator:
    return widget.get_by_role("slider", name="Keys read")


def block(widget: Locator | Page) -> Locator:
    return widget.get_by_role("slider", name="Block size")


def correct(widget: Locator | Page) -> Locator:
    return widget.get_by_role("checkbox", name="Correct old terms when the maximum rises")


def button(widget: Locator | Page, name: str) -> Locator:
    return widget.get_by_role("button", name=name)


def headline(widget: Locator | Page) -> str:
    return widget.locator(".headline").inner_text()


def check(widget: Locator | Page, numbers, explorer, tolerance=1e-6) -> None:
    """The page shows the numbers of the Python side."""
    state = explorer.states[explorer.step]
    terms = numbers(widget.locator("tbody tr:not(.coming) data"))
    np.testing.assert_allclose(terms, state.terms, rtol=0, atol=tolerance)
    (total,) = numbers(widget.locator("tfoot data"))
    assert total == pytest.approx(explorer.total, abs=tolerance)
    kept = numbers(widget.locator("dl data"))
    assert kept[0] == explorer.maximum
    # Before the first block there is no correction to show.
    correction = state.correction if explorer.step else 0
    wanted = [correction, explorer.total, explorer.output]
    np.testing.assert_allclose(kept[1:], wanted, rtol=0, atol=tolerance)
    said = numbers(widget.locator(".headline data"))
    assert said[0] == pytest.approx(explorer.output, abs=tolerance)
    if len(said) > 1:
        assert said[-1] == pytest.approx(explorer.exact, abs=tolerance)


@pytest.mark.parametrize("size", some([1, 2, 4, 6], 4))
@pytest.mark.parametrize("is_correct", [True, False])
def test_it_shows_what_attnutils_computes(live, explorer, numbers, size, is_correct):
    block(live).fill(str(size))
    correct(live).set_checked(is_correct)
    explorer.block, explorer.correct = size, is_correct
    for at in range(explorer.n_blocks + 1):
        explorer.step = at
        step(live).fill(str(at))
        check(live, numbers, explorer)


def test_the_headline(live):
    for at, says in (
        (0, "0 of 6 keys read: output o = 0.0000, the exact one is 0.3624."),
        (3, "3 of 6 keys read: output o = −0.1440, the exact one is 0.3624."),
        (6, "6 of 6 keys read: output o = 0.3624, the exact one."),
    ):
        step(live).fill(str(at))
        assert headline(live) == says
    correct(live).uncheck()
    assert headline(live) == (
        "6 of 6 keys read: output o = 0.0686 is wrong, the exact one is 0.3624."
    )
    step(live).fill("4")
    assert headline(live) == (
        "4 of 6 keys read: output o = 0.0672 is wrong (right so far: 0.3982), "
        "the exact one is 0.3624."
    )
    block(live).fill("6")
    step(live).fill("1")
    assert headline(live) == "6 of 6 keys read: output o = 0.3624, the exact one."


def test_the_note_says_what_becomes_of_old_terms(live):
    note = live.locator(".note")
    for at, says in (
        (0, "No key has been read: there is no term yet."),
        (1, "The first block: there are no old terms to correct."),
        (3, "The maximum stays 1: the old terms stay as they are."),
        (4, "The maximum rises from 1 to 7: each old term shrinks, ×\xa0exp(1 − 7) = 0.0025."),
    ):
        step(live).fill(str(at))
        assert note.inner_text() == says
    correct(live).uncheck()
    assert note.inner_text() == (
        "The maximum rises from 1 to 7: each old term should shrink, ×\xa0exp(1 − 7) = 0.0025, "
        "but stays as it is."
    )
    step(live).fill("5")
    assert note.inner_text() == (
        "The maximum stays 7: the terms from before it rose are still too large."
    )


def test_terms_are_called_too_large_only_where_they_are(reopen, widget_page):
    widget = OnlineSoftmaxExplorer([7, 0, 5], [1, 2, 3], step=2, correct=False)
    live = reopen(widget_page(widget)).page.locator(".widget-slot")
    assert live.locator(".note").inner_text() == (
        "The maximum stays 7: the old terms stay as they are."
    )


def test_a_line_stands_above_each_block(live):
    rows = live.locator("tbody tr")
    for size in (1, 2, 4):
        block(live).fill(str(size))
        lines = rows.evaluate_all(
            """rows => rows.map((row) =>
                 parseFloat(getComputedStyle(row.cells[0]).borderTopWidth) > 0)"""
        )
        assert lines == [i > 0 and i % size == 0 for i in range(6)]


def test_the_step_is_written_out_in_numbers(live):
    assert live.locator("dt").all_inner_texts() == [
        "maximum m",
        "correction c",
        "sum ℓ",
        "output o",
    ]
    how = live.locator(".how span:last-child")
    assert live.locator("dl data").all_inner_texts() == ["7", "0.0025", "1.0034", "0.3982"]
    assert how.all_inner_texts() == [
        "max(1, 7)",
        "exp(1 − 7)",
        "0.0025 × 1.3746 + 1",
        "(0.0025 × 1.3746 × (−0.144) + 0.4) / 1.0034",
    ]
    correct(live).uncheck()
    assert how.nth(1).inner_text() == "left out: 1, not exp(1 − 7) = 0.0025"
    # Nothing is left out where the maximum stays, or where nothing came before.
    step(live).fill("5")
    assert how.nth(1).inner_text() == "exp(7 − 7)"
    step(live).fill("1")
    assert live.locator("dl data").all_inner_texts() == ["0", "0", "1.0000", "0.0000"]
    assert how.all_inner_texts()[1:3] == ["exp(−∞ − 0)", "0 × 0 + 1"]
    step(live).fill("0")
    assert live.locator("dl data").all_inner_texts() == ["−∞", "–", "0.0000", "0.0000"]
    assert how.all_inner_texts() == ["before any key"] * 4


def test_each_key_says_whether_it_is_read(live):
    block(live).fill("2")
    rows = live.locator("tbody tr")
    assert [text.split()[-2:] == ["to", "come"] for text in rows.all_inner_texts()] == (
        [False] * 4 + [True] * 2
    )
    heads = live.locator("tbody th").all_text_contents()
    assert ", ".join(heads) == (
        "The, Sleepy, Child (read in this step), Reads (read in this step), A, Book"
    )
    step(live).fill("0")
    assert rows.locator("data").all_inner_texts() == ["to come"] * 6


@pytest.mark.parametrize(("size", "at", "framed"), [(1, 4, [3]), (2, 2, [2, 3]), (4, 2, [4, 5])])
def test_the_frame_is_around_the_block_of_this_step(live, size, at, framed):
    for width in (1280, 390):
        resize(live.page, width)
        block(live).fill(str(size))
        step(live).fill(str(at))
        frame = live.locator(".frame").bounding_box()
        rows = [live.locator("tbody tr").nth(i).bounding_box() for i in framed]
        assert frame["y"] == pytest.approx(rows[0]["y"], abs=0.3)
        bottom = rows[-1]["y"] + rows[-1]["height"]
        assert frame["y"] + frame["height"] == pytest.approx(bottom, abs=0.3)
        assert frame["x"] < rows[0]["x"]
    step(live).fill("0")
    assert not live.locator(".frame").is_visible()


def test_bars_are_the_terms_and_old_ones_leave_an_outline_when_they_shrink(live, explorer):
    def shares(part: str) -> list[float]:
        # What the border adds is no part of the length.
        return live.locator(f".bar .{part}").evaluate_all(
            "bars => bars.map((bar) => bar.hidden ? -1 : parseFloat(bar.style.width) / 100)"
        )

    before, now = explorer.states[3].terms, explorer.states[4].terms
    np.testing.assert_allclose(shares("fill"), [*now, -1, -1], rtol=0, atol=1e-4)
    np.testing.assert_allclose(shares("ghost"), [*before, -1, -1, -1], rtol=0, atol=1e-4)
    labels = live.locator(".shrink:not([hidden])")
    assert labels.all_inner_texts() == ["× 0.0025"] * 3
    colours = live.locator(".bar .fill").evaluate_all(
        "bars => bars.map((bar) => parseFloat(bar.style.background.split('--weight)')[1]))"
    )
    np.testing.assert_allclose(colours[:4], 100 * np.array(now), rtol=0, atol=0.006)

    step(live).fill("5")  # the maximum stays
    assert shares("ghost") == [-1] * 6
    assert labels.count() == 0
    step(live).fill("4")
    correct(live).uncheck()  # the old terms stay
    assert shares("ghost") == [-1] * 6
    np.testing.assert_allclose(shares("fill")[:2], [1, 1], rtol=0, atol=1e-4)


def test_a_bar_is_as_long_as_its_term_says(live):
    step(live).fill("6")
    widths = [live.locator(".bar").nth(i).bounding_box()["width"] - 1 for i in (3, 5)]
    fills = [live.locator(".bar .fill").nth(i).bounding_box()["width"] for i in (3, 5)]
    assert fills == pytest.approx([widths[0], widths[1] * math.exp(-2)], abs=1)


def attributes(items: Locator, *names: str) -> np.ndarray:
    """Numbers of an item each, of shape (n_items, n_names)."""
    script = "(items, names) => items.map((i) => names.map((name) => Number(i.getAttribute(name))))"
    return np.array(items.evaluate_all(script, names))


@pytest.mark.parametrize("width", some([1280, 390], 390))
@pytest.mark.parametrize("size", [1, 4])
def test_the_drawing_shows_values_and_outputs_at_their_places(live, explorer, width, size):
    resize(live.page, width)
    block(live).fill(str(size))
    explorer.block = size
    explorer.step = explorer.n_blocks
    step(live).fill(str(explorer.step))
    values = attributes(live.locator("circle.value"), "cx", "cy")
    slope, start = np.polyfit(explorer.values, values[:, 0], 1)
    np.testing.assert_allclose(values[:, 0], start + slope * explorer.values, atol=0.06)
    dots = attributes(live.locator("circle.output[visibility=visible]"), "cx", "cy")
    outputs = np.array([state.output for state in explorer.states[1:]])
    np.testing.assert_allclose(dots[:, 0], start + slope * outputs, rtol=0, atol=0.11)
    # An output stands on the lower edge of its block: half a row below the last value.
    ends = [min(6, size * (i + 1)) - 1 for i in range(explorer.n_blocks)]
    np.testing.assert_allclose(dots[:, 1], values[ends, 1] + 14)
    line = re.findall(r"[-\d.]+", live.locator("path.path").get_attribute("d"))
    np.testing.assert_allclose(np.array(line, dtype=float).reshape(-1, 2), dots, atol=0.06)
    exact = float(re.match(r"M([\d.]+)", live.locator("path.exact").get_attribute("d"))[1])
    assert exact == pytest.approx(dots[-1, 0], abs=0.06)
    texts = live.locator("svg text.o[visibility=visible]").all_text_contents()
    assert texts == [f"{output:.4f}".replace("-", "−") for output in outputs]


def test_the_drawing_has_the_rows_of_the_table_beside_it(live):
    for i in range(6):
        row = live.locator("tbody tr").nth(i).bounding_box()
        value = live.locator("circle.value").nth(i).bounding_box()
        assert value["x"] > row["x"] + row["width"]
        assert value["y"] + value["height"] / 2 == pytest.approx(
            row["y"] + row["height"] / 2, abs=1.5
        )
    assert not live.locator("svg .name").first.is_visible()
    # Below each other, the drawing names its rows itself.
    resize(live.page, 390)
    assert live.locator("svg .name").all_text_contents() == list(WORDS)
    track = live.locator(".track").bounding_box()
    table = live.locator("table").bounding_box()
    assert track["y"] > table["y"] + table["height"]
    left = min(circle.bounding_box()["x"] for circle in live.locator("circle.value").all())
    right = max(
        name["x"] + name["width"]
        for name in (label.bounding_box() for label in live.locator("svg .name").all())
    )
    assert left > right


@pytest.mark.parametrize("width", some([1280, 390, 320], 320))
def test_numbers_on_the_drawing_do_not_overlap(live, width):
    resize(live.page, width)
    step(live).fill("6")
    for is_correct in (True, False):
        correct(live).set_checked(is_correct)
        svg = live.locator("svg").bounding_box()
        boxes = [text.bounding_box() for text in live.locator("svg text.halo").all()]
        assert len(boxes) == 6
        for i, a in enumerate(boxes):
            assert a["x"] >= svg["x"] - 1
            assert a["x"] + a["width"] <= svg["x"] + svg["width"] + 1
            for b in boxes[:i]:
                # A line of text is as high as its letters and some room.
                assert abs(a["y"] - b["y"]) > 9 or (
                    a["x"] + a["width"] <= b["x"] or b["x"] + b["width"] <= a["x"]
                )


def test_the_right_way_is_there_beside_the_wrong_one(live, explorer):
    assert live.locator("path.right").get_attribute("d") == ""
    path = live.locator("path.path").get_attribute("d")
    correct(live).uncheck()
    assert live.locator("path.right").get_attribute("d") == path
    assert live.locator("path.path").get_attribute("d") != path
    named = live.locator("svg text", has_text="dotted: corrected")
    for width in (1280, 390, 320):
        resize(live.page, width)
        box, after = named.bounding_box(), live.locator("dl").bounding_box()
        assert box["y"] + box["height"] - 3 <= after["y"], width  # no letter goes below the line
    # One block has an output and no line.
    step(live).fill("1")
    assert (named.count(), live.locator("path.right").get_attribute("d")) == (0, "")
    step(live).fill("2")
    assert named.count() == 1
    correct(live).check()
    assert named.count() == 0


@pytest.mark.parametrize("values", [[0, 0, 9], [9, 9, 0]])
def test_the_name_of_the_exact_output_stays_on_the_drawing(still, values):
    page = still(OnlineSoftmaxExplorer([5, 9, -9], values, step=3))
    for width in (1280, 390):
        resize(page, width)
        name = page.locator("svg text", has_text="exact").bounding_box()
        track = page.locator(".track").bounding_box()
        # On a phone the names of the keys stand at the left.
        keys = [label.bounding_box() for label in page.locator("svg .name:visible").all()]
        left = max([track["x"], *(key["x"] + key["width"] for key in keys)])
        assert left <= name["x"] + 0.5
        assert name["x"] + name["width"] <= track["x"] + track["width"] + 0.5


def test_sliders_move_by_keyboard_and_by_pointer(live):
    seen = picture(live)
    step(live).focus()
    step(live).press("ArrowRight")
    assert step(live).get_attribute("aria-valuetext") == "5 of 6 keys read"
    assert picture(live) != seen
    step(live).press("Home")
    assert headline(live).startswith("0 of 6 keys read")
    step(live).press("End")
    assert headline(live).startswith("6 of 6 keys read")
    drag(live.page, step(live), 0.1)
    assert int(step(live).input_value()) <= 1
    block(live).press("ArrowRight")
    assert block(live).get_attribute("aria-valuetext") == "blocks of 2 keys"
    block(live).press("Home")
    assert block(live).get_attribute("aria-valuetext") == "blocks of 1 key"


def test_the_buttons_step_by_keyboard_and_by_pointer(live):
    block(live).fill("4")
    back, forth = button(live, "Back"), button(live, "Next block")
    step(live).fill("0")
    assert [back.get_attribute("aria-disabled"), forth.get_attribute("aria-disabled")] == [
        "true",
        "false",
    ]
    back.click(force=True)  # nothing to go back to
    assert headline(live).startswith("0 of 6 keys read")
    forth.click()
    assert headline(live).startswith("4 of 6 keys read")
    forth.focus()
    live.page.keyboard.press("Enter")
    assert headline(live).startswith("6 of 6 keys read")
    # The last step: the button keeps the focus and does nothing more.
    live.page.keyboard.press("Enter")
    assert headline(live).startswith("6 of 6 keys read")
    assert forth.evaluate("button => button === document.activeElement")
    assert [back.get_attribute("aria-disabled"), forth.get_attribute("aria-disabled")] == [
        "false",
        "true",
    ]
    back.focus()
    live.page.keyboard.press("Space")
    assert headline(live).startswith("4 of 6 keys read")


def test_everything_is_reached_by_tab(live):
    step(live).focus()
    reached = []
    for _ in range(4):
        live.page.keyboard.press("Tab")
        reached.append(
            live.page.evaluate(
                "(document.activeElement.labels?.[0] ?? document.activeElement).textContent"
            )
        )
    assert reached == [
        "Back",
        "Next block",
        "Block size",
        "Correct old terms when the maximum rises",
    ]
    live.page.keyboard.press("Space")
    assert "is wrong" in headline(live)


@pytest.mark.parametrize(
    ("size", "at", "new", "wanted"),
    [(1, 3, 2, "2 of 6"), (1, 6, 4, "6 of 6"), (2, 2, 1, "4 of 6"), (1, 5, 6, "0 of 6")],
)
def test_a_new_block_size_keeps_what_is_read(live, size, at, new, wanted):
    block(live).fill(str(size))
    step(live).fill(str(at))
    block(live).fill(str(new))
    assert live.locator("output").first.inner_text() == wanted
    assert int(step(live).get_attribute("max")) == math.ceil(6 / new)


def test_large_scores_and_ties(reopen, widget_page, numbers):
    cases = [
        OnlineSoftmaxExplorer([-1000, 1000, 999], [5, 7, -9], step=3),
        OnlineSoftmaxExplorer([1000, -1000], [1, 2], step=2),
        OnlineSoftmaxExplorer([3] * 5, range(5), block=2, step=3),
        OnlineSoftmaxExplorer([1, 2, 2, 1], [1, 1, 1, 1], block=3, step=2, correct=False),
    ]
    visit = reopen(widget_page(*cases))
    for slot, widget in zip(visit.page.locator(".widget-slot").all(), cases, strict=True):
        check(slot, numbers, widget, 1e-12)
        assert "NaN" not in slot.inner_html()
        assert headline(slot).endswith("the exact one.")
    assert not visit.problems


def test_an_output_that_is_right_by_chance_is_not_called_wrong(reopen, widget_page):
    widget = OnlineSoftmaxExplorer([1, 5, 3], [2, 2, 2], step=3, correct=False)
    live = reopen(widget_page(widget)).page.locator(".widget-slot")
    assert headline(live) == "3 of 3 keys read: output o = 2.0000, the exact one."
    assert live.locator(".note").inner_text().endswith("still too large.")


@pytest.mark.parametrize("width", some([390, 320], 320))
def test_it_fits_a_phone(reopen, widget_page, width):
    visit = reopen(widget_page(*UNUSUAL), width=width)
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    assert not visit.problems
    assert "NaN" not in visit.page.locator("main").inner_html()
    for target in visit.page.locator("input:not([type=checkbox]), button, label.tick").all():
        assert target.bounding_box()["height"] >= 24


def test_a_page_without_margins_does_not_scroll_sideways(still, explorer):
    page = still(explorer, width=320)
    page.evaluate("document.body.style.margin = 0")
    for width in (320, 590, 800):
        resize(page, width)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_labels_of_bars_do_not_cover_numbers(live):
    for width in (1280, 620, 390, 320):
        resize(live.page, width)
        for at in range(7):
            step(live).fill(str(at))
            for label in live.locator(".shrink:visible").all():
                box = label.bounding_box()
                number = live.locator("tbody tr").first.locator("data").bounding_box()
                assert box["x"] + box["width"] <= number["x"]


def test_a_label_has_room_beside_its_bar(reopen, widget_page):
    widget = OnlineSoftmaxExplorer([1, 0, 1.5], [1, 2, 3], step=3)
    live = reopen(widget_page(widget)).page.locator(".widget-slot")
    # exp(-0.5) is too long a bar for a label beside it, exp(-1.5) is not.
    assert live.locator(".shrink:visible").all_inner_texts() == ["× 0.6065"]
    labelled = live.locator("tr", has=live.page.locator(".shrink:visible"))
    assert labelled.locator("th").all_inner_texts() == ["k1"]


def test_a_label_without_room_is_cut_before_the_number(still):
    names, values = ["Donaudampf", "schifffahrt"], [-987654, 987654]
    page = still(OnlineSoftmaxExplorer([-100001, -100000], values, names=names, step=2), width=360)
    number = page.locator("tbody tr").first.locator("td").last
    label = page.locator(".shrink:visible")
    cell = number.bounding_box()
    assert label.bounding_box()["x"] + label.bounding_box()["width"] > cell["x"]
    # The whole pixels of the cell: of one that it has in part, the label may have the rest.
    left, top = math.ceil(cell["x"]), math.ceil(cell["y"])
    right, bottom = math.floor(cell["x"] + cell["width"]), math.floor(cell["y"] + cell["height"])
    clip = {"x": left, "y": top, "width": right - left, "height": bottom - top}
    seen = page.screenshot(clip=clip)
    label.evaluate("label => { label.style.visibility = 'hidden'; }")
    assert page.screenshot(clip=clip) == seen


@exhaustive
def test_its_height_is_kept_and_nothing_moves(reopen, roomy_page, explorer):
    live = reopen(roomy_page(explorer)).page.locator(".widget-slot")
    for width in (1280, 772, 640, 600, 390, 320):
        resize(live.page, width)
        kept, _ = live.evaluate(ROOM)
        heights = set()
        for is_correct in (True, False):
            correct(live).set_checked(is_correct)
            for size in (1, 2, 4):
                block(live).fill(str(size))
                for at in range(math.ceil(6 / size) + 1):
                    step(live).fill(str(at))
                    heights.add(live.locator(".widget-live").bounding_box()["height"])
        assert len(heights) == 1, f"{heights} at {width}"
        assert -2 <= kept - heights.pop() <= 4, f"at {width}"
        assert live.page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("n", some([2, 16], 16))
def test_the_height_of_few_keys_and_of_many_is_kept(reopen, roomy_page, n):
    widget = OnlineSoftmaxExplorer(np.sin(np.arange(n)), np.cos(np.arange(n)), step=n)
    page = reopen(roomy_page(widget)).page
    for width in (1280, 390):
        resize(page, width)
        kept, height = page.locator(".widget-slot").evaluate(ROOM)
        assert -2 <= kept - height <= 4


def test_the_block_is_framed_in_forced_colours(live):
    live.page.emulate_media(forced_colors="active")
    styles = live.locator(".frame").evaluate(
        "frame => [getComputedStyle(frame).borderTopColor, getComputedStyle(frame).borderTopStyle]"
    )
    page_colour = live.evaluate("slot => getComputedStyle(slot.querySelector('.attn')).color")
    assert styles == [page_colour, "solid"]
    fill = live.locator(".bar .fill").nth(3)
    assert fill.evaluate("bar => getComputedStyle(bar).backgroundColor") == "color(srgb 0 0 0)"


def test_the_widget_has_names_for_those_who_do_not_see_it(live):
    assert live.get_by_role("table", name="The keys, in the order in which they are read").count()
    drawing = live.locator("svg")
    assert drawing.get_attribute("aria-label") == (
        "The output after each block, from top to bottom: 0.0000, −0.1462, −0.1440, 0.3982. "
        "Vertical line, the exact output: 0.3624."
    )
    correct(live).uncheck()
    assert "Dotted, the corrected output: 0.0000, −0.1462" in drawing.get_attribute("aria-label")
    step(live).fill("0")
    assert "bottom: none yet. Vertical" in drawing.get_attribute("aria-label")
    for hidden in (".bar", ".frame"):
        assert live.locator(hidden).first.get_attribute("aria-hidden") == "true"


def test_python_moves_the_widget(show, explorer, numbers):
    page = show(explorer)
    check(page, numbers, explorer, 1e-12)
    explorer.block, explorer.correct = 4, False
    from_python(page, explorer, "block")  # the step comes later, and is too large until then
    assert "NaN" not in page.locator(".attn").inner_html()
    from_python(page, explorer, "step", "correct")
    check(page, numbers, explorer, 1e-12)
    assert (step(page).input_value(), block(page).input_value()) == ("1", "4")
    assert not correct(page).is_checked()
    explorer.step = 0
    from_python(page, explorer, "step")
    check(page, numbers, explorer, 1e-12)


def test_a_step_that_is_too_large_for_now_is_shown_as_the_last(show, explorer):
    page = show(explorer)
    page.evaluate("kernel('block', 6)")
    assert headline(page).startswith("6 of 6 keys read")
    assert button(page, "Next block").get_attribute("aria-disabled") == "true"


def test_the_widget_moves_python(show, explorer, numbers):
    page = show(explorer)
    step(page).fill("3")
    assert to_python(page, explorer) == 1
    assert explorer.step == 3
    block(page).fill("2")
    assert to_python(page, explorer) == 1
    assert (explorer.block, explorer.step) == (2, 1)
    button(page, "Next block").click()
    correct(page).uncheck()
    assert to_python(page, explorer) == 2
    assert (explorer.step, explorer.correct) == (2, False)
    button(page, "Back").click()
    button(page, "Back").click()
    assert to_python(page, explorer) == 2
    button(page, "Back").click(force=True)  # nothing to go back to
    assert to_python(page, explorer) == 0
    assert explorer.step == 0
    check(page, numbers, explorer, 1e-12)
