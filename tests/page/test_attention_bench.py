"""The bench in a browser: what the reader moves, edits and hides, and what Python does."""

import numpy as np
import pytest

from attnutils import AttentionBench
from attnutils.worked_example import KEYS, VALUES, WORDS
from tests.conftest import some
from tests.page.conftest import SAMPLES, from_python, slider, temperature_at, to_python

# Names and numbers above the beam, with where on the beam each belongs.
NAMED = """(svg) => {
  const box = (item) => item.getBoundingClientRect();
  const middle = (item) => box(item).left + box(item).width / 2;
  const shown = (item) => item.getAttribute("visibility") === "visible";
  const all = (selector) => [...svg.querySelectorAll(selector)].filter(shown);
  const [texts, leaders, ticks] = [".halo", ".leader", ".valuetick"].map(all);
  return texts.map((text, i) => {
    const { left, right, top, bottom } = box(text);
    const path = leaders[i].getAttribute("d");
    const end = path ? Number(path.split("L")[1].split(" ")[0]) + box(svg).left : middle(text);
    const off = Math.abs(end - middle(ticks[i]));
    return { text: text.textContent, left, right, top, bottom, off,
      inside: [box(svg).left - left, right - box(svg).right, box(svg).top - top] };
  });
}"""


@pytest.fixture
def bench():
    return AttentionBench.example()


def test_the_bench_shows_what_attnutils_computes(slot, numbers):
    live = slot("AttentionBench", "attention-mechanism")
    bench = AttentionBench(WORDS, KEYS, VALUES, query=5)
    weights = live.locator("table").nth(1).locator("tbody td:last-child data")
    output = live.locator("tfoot .o data, tfoot data.o")
    for query in range(6):
        live.get_by_role("radio").nth(query).check()
        bench.query = query
        for position in SAMPLES:
            slider(live).fill(str(position))
            bench.temperature = temperature_at(position)
            np.testing.assert_allclose(numbers(weights), bench.weights, rtol=0, atol=1e-6)
            np.testing.assert_allclose(numbers(output), bench.output, rtol=0, atol=1e-6)


def test_the_bench_is_in_sight_without_scrolling(slot):
    live = slot("AttentionBench", "attention-mechanism")
    box = live.locator(".flow").bounding_box()
    assert box["y"] > 0
    assert box["y"] + box["height"] <= 800


def test_cells_can_be_edited_and_what_is_no_number_is_explained(slot):
    live = slot("AttentionBench", "attention-mechanism")
    headline, error = live.locator(".headline"), live.locator(".error")
    start = headline.inner_text()
    cell = live.get_by_role("spinbutton", name="key of Reads, second component")
    cell.fill("")
    assert cell.get_attribute("aria-invalid") == "true"
    assert error.inner_text() == "Key of Reads, second component is not a number; 3 is used."
    assert headline.inner_text() == start
    cell.fill("10000000")
    assert "is not from −1,000,000 to 1,000,000" in error.inner_text()
    cell.fill("-1")
    assert error.inner_text() == ""
    assert cell.get_attribute("aria-invalid") is None
    assert "most weight goes to Book" in headline.inner_text()
    assert "NaN" not in live.inner_text()


def test_the_query_follows_its_key_until_it_is_edited(slot):
    live = slot("AttentionBench", "attention-mechanism")
    query = live.get_by_role("spinbutton", name="query, first component")
    key = live.get_by_role("spinbutton", name="key of Book, first component")
    key.fill("3")
    assert query.input_value() == "3"
    query.fill("1")
    assert "edited query" in live.locator(".headline").inner_text()
    key.fill("4")
    assert query.input_value() == "1"


def test_hidden_words_get_no_weight_and_reset_brings_all_back(slot):
    live = slot("AttentionBench", "attention-mechanism")
    seen = live.locator(".flow").inner_text()
    live.get_by_role("checkbox", name="may attend to Reads").uncheck()
    assert "o = 0.0934" in live.locator(".headline").inner_text()
    for word in WORDS:
        live.get_by_role("checkbox", name=f"may attend to {word}", exact=True).uncheck()
    assert live.locator(".headline").inner_text().startswith("Nothing to attend to")
    live.get_by_role("spinbutton", name="value of A", exact=True).fill("")
    slider(live).fill("0")
    live.get_by_role("button", name="Reset").click()
    assert live.locator(".flow").inner_text() == seen
    assert live.locator(".error").inner_text() == ""
    assert live.get_by_role("spinbutton", name="value of A", exact=True).input_value() == "0"


def test_the_uniform_weight_is_that_of_the_words_that_are_not_hidden(show, bench):
    page = show(bench)
    place = "ticks => [...new Set(ticks.map((tick) => parseFloat(tick.style.left)))]"
    for hidden, word in enumerate(WORDS, start=1):
        page.get_by_role("checkbox", name=f"may attend to {word}", exact=True).uncheck()
        n = len(WORDS) - hidden
        assert page.locator(".barhead").inner_text() == (f"1/{n}" if n else "")
        (left,) = page.locator(".bar .uniform").evaluate_all(place)
        assert left == pytest.approx(100 / max(1, n), abs=0.01)


def test_the_score_can_be_chosen_where_there_is_a_choice(reopen, widget_page):
    bench = AttentionBench(WORDS, KEYS, VALUES, query=5)
    only_dot = AttentionBench(WORDS, KEYS, VALUES, query=5, scores=("dot",))
    slots = reopen(widget_page(bench, only_dot)).page.locator(".widget-slot")
    assert slots.nth(1).get_by_role("combobox").count() == 0
    for score in ("scaled_dot", "gaussian", "dot"):
        slots.nth(0).get_by_role("combobox").select_option(score)
        bench.score = score
        assert f"o = {bench.output[0]:.4f}" in slots.nth(0).locator(".headline").inner_text()


def test_traits_set_from_outside_move_the_widget(reopen, widget_page, numbers):
    bench = AttentionBench(WORDS, KEYS, VALUES, query=2, temperature=np.inf)
    bench.mask = [True, False, True, True, True, True]
    live = reopen(widget_page(bench)).page.locator(".widget-slot")
    assert slider(live).input_value() == "100"
    weights = numbers(live.locator("table").nth(1).locator("tbody td:last-child data"))
    np.testing.assert_allclose(weights, bench.weights, rtol=0, atol=1e-12)
    assert live.get_by_role("radio", name="Child").is_checked()


def test_python_moves_everything_on_the_bench(show, bench):
    page = show(bench)
    bench.query, bench.score, bench.temperature = 2, "gaussian", 3
    bench.mask = [True, True, False, True, True, True]
    bench.key_matrix = np.arange(18).reshape(6, 3) / 4
    bench.value_matrix = np.arange(6)[:, None]
    bench.query_vector = [1, 0.5, 0]
    names = ("query", "query_vector", "key_matrix", "value_matrix", "mask", "score", "temperature")
    from_python(page, bench, *names)
    assert page.get_by_role("radio", name="Child").is_checked()
    assert page.get_by_role("combobox").input_value() == "gaussian"
    assert not page.get_by_role("checkbox", name="may attend to Child").is_checked()
    cell = page.get_by_role("spinbutton", name="key of Book, third component")
    assert cell.input_value() == "4.25"
    weights = page.locator("table").nth(1).locator("tbody td:last-child data")
    got = weights.evaluate_all("items => items.map((item) => Number(item.value))")
    np.testing.assert_allclose(got, bench.weights, rtol=0, atol=1e-12)
    page.get_by_role("button", name="Reset").click()
    to_python(page, bench)
    assert bench.output.round(4).tolist() == [0.3624]


def test_the_bench_moves_python(show, bench):
    page = show(bench)
    page.get_by_role("radio", name="Child").check()
    page.get_by_role("spinbutton", name="key of Child, first component").fill("3.5")
    page.get_by_role("spinbutton", name="value of The").fill("-1")
    page.get_by_role("checkbox", name="may attend to Book").uncheck()
    page.get_by_role("combobox").select_option("scaled_dot")
    assert to_python(page, bench) == 5
    assert bench.query == 2
    assert bench.query_vector.tolist() == [3.5, -1, -2]
    assert bench.key_matrix[2].tolist() == [3.5, -1, -2]
    assert bench.value_matrix[0] == -1
    assert bench.mask == [True] * 5 + [False]
    assert bench.score == "scaled_dot"
    exact = float(page.locator(".headline .o data").get_attribute("value"))
    assert exact == pytest.approx(bench.output[0], abs=1e-12)


def test_what_the_reader_is_typing_is_left_alone(show, bench):
    page = show(bench)
    cell = page.get_by_role("spinbutton", name="key of The, first component")
    cell.press("Control+a")
    cell.press_sequentially("1.50")
    from_python(page, bench, "score", "mask")
    assert cell.input_value() == "1.50"


def test_an_empty_cell_is_filled_when_python_sets_it(show, bench):
    page = show(bench)
    cell = page.get_by_role("spinbutton", name="value of Reads")
    cell.fill("")
    values = VALUES.copy()
    values[3] = 2
    bench.value_matrix = values
    from_python(page, bench, "value_matrix")
    assert cell.input_value() == "2"
    assert page.locator(".error").inner_text() == ""


@pytest.fixture
def challenged():
    return AttentionBench(WORDS, KEYS, VALUES, query=5, challenge=("Book", "Child"))


def pull(page, cell, px):
    """Press on a number and drag it sideways."""
    box = cell.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + px, y, steps=7)
    page.mouse.up()


def test_a_number_is_dragged_sideways_by_its_steps(reopen, widget_page, bench):
    page = reopen(widget_page(bench)).page
    cell = page.get_by_role("spinbutton", name="query, third component")
    pull(page, cell, -42)
    assert cell.input_value() == "-2.5"
    assert not cell.evaluate("cell => cell === document.activeElement")
    value = page.get_by_role("spinbutton", name="value of Reads")
    pull(page, value, 18)
    assert value.input_value() == "0.7"
    bench.query_vector, bench.value_matrix = [0, 2, -2.5], np.where(VALUES == 0.4, 0.7, VALUES)
    assert f"o = {bench.output[0]:.4f}" in page.locator(".headline").inner_text()


def test_a_press_on_a_number_starts_typing_and_a_drag_then_selects(reopen, widget_page, bench):
    page = reopen(widget_page(bench)).page
    cell = page.get_by_role("spinbutton", name="query, third component")
    cell.click()
    page.keyboard.type("12")
    assert cell.input_value() == "12"
    pull(page, cell, -30)
    assert cell.input_value() == "12"
    page.keyboard.press("ArrowUp")
    assert cell.input_value() == "12.5"


def test_a_cell_without_a_number_is_dragged_from_zero(reopen, widget_page, bench):
    page = reopen(widget_page(bench)).page
    cell = page.get_by_role("spinbutton", name="value of The")
    cell.fill("")
    cell.blur()
    pull(page, cell, 60)
    assert cell.input_value() == "1"
    assert page.locator(".error").inner_text() == ""


def test_the_challenge_answers_when_it_is_met(show, challenged):
    page = show(challenged)
    task, spoken = page.locator(".challenge"), page.get_by_role("status").nth(1)
    start = task.inner_text()
    assert start == "Challenge: make Book attend most to Child."
    assert spoken.inner_text() == ""
    cell = page.get_by_role("spinbutton", name="query, third component")
    cell.fill("-6")
    met = (
        "Well done: Book attends most to Child. "
        "You changed the third component of the query from 1 to −6."
    )
    assert task.inner_text() == met
    page.wait_for_function(
        "text => document.querySelectorAll('[role=status]')[1].innerText === text", arg=met
    )
    to_python(page, challenged)
    assert challenged.is_met
    page.get_by_role("radio", name="Child").check()  # which attends to itself
    assert task.inner_text() == start
    page.get_by_role("radio", name="Book").check()
    page.get_by_role("checkbox", name="may attend to Reads").uncheck()
    page.get_by_role("checkbox", name="may attend to Book").uncheck()
    assert task.inner_text() == start
    page.get_by_role("spinbutton", name="key of Child, first component").fill("9")
    page.get_by_role("spinbutton", name="key of Child, second component").fill("9")
    key = "the key of Child from (1, −1, −2) to (9, 9, −2)"
    assert task.inner_text().endswith(f"You changed {key} and the mask at Reads and Book.")
    page.get_by_role("button", name="Reset").click()
    assert task.inner_text() == start


@pytest.mark.parametrize("width", some([1280, 390, 320], 320))
def test_what_stands_on_the_beam_is_named_however_it_crowds(still, bench, width):
    page = still(bench, width)
    beam = page.locator("figure svg")
    for value in ("0.3", "-30", "0.39", "0.4", "500000"):
        page.get_by_role("spinbutton", name="value of Child").fill(value)
        labels = beam.evaluate(NAMED)
        text = " ".join(label["text"] for label in labels)
        assert all(word in text for word in WORDS), text
        for at, label in enumerate(labels):
            assert label["off"] < 3.5, label
            assert max(label["inside"]) < 1, label
            for other in labels[:at]:
                apart = label["left"] >= other["right"] or label["right"] <= other["left"]
                assert apart or label["top"] >= other["bottom"] or label["bottom"] <= other["top"]
