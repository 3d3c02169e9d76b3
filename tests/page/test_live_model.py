"""A widget with a kernel behind it: Python moves the widget, and the reader moves Python.

The page holds a model as a notebook does, which notes what the widget saves; the test plays the
kernel and passes it on to the Python side of the same widget, and back.
"""

import numpy as np
import pytest

from attnutils import AttentionBench, TemperatureExplorer
from attnutils.worked_example import KEYS, VALUES, WORDS
from tests.page.conftest import from_python, to_python


@pytest.fixture
def bench():
    return AttentionBench(WORDS, KEYS, VALUES, query=5)


@pytest.fixture
def explorer():
    return TemperatureExplorer(WORDS, KEYS @ KEYS[5], VALUES)


@pytest.mark.parametrize(
    ("t", "position", "says"),
    [(0.2, 33, "0.2"), (np.inf, 100, "∞"), (0, 0, "0"), (1e-9, 1, "1e−9")],
)
def test_python_moves_the_slider(show, bench, explorer, t, position, says):
    for widget in (bench, explorer):
        page = show(widget)
        widget.temperature = t
        from_python(page, widget, "temperature")
        assert page.get_by_role("slider").input_value() == str(position)
        assert page.locator("output").inner_text() == says
        exact = float(page.locator(".headline .o data").get_attribute("value"))
        assert exact == pytest.approx(widget.output[0], abs=1e-12)


@pytest.mark.parametrize(("position", "t"), [(0, 0.0), (33, 0.21), (100, np.inf)])
def test_the_slider_moves_python(show, bench, explorer, position, t):
    for widget in (bench, explorer):
        page = show(widget)
        page.get_by_role("slider").fill(str(position))
        assert to_python(page, widget) == 1
        assert widget.temperature == t


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


def test_the_explorer_moves_python(show, explorer):
    page = show(explorer)
    page.get_by_role("combobox").select_option("sparsemax")
    page.get_by_role("checkbox").check()
    to_python(page, explorer)
    assert (explorer.normalizer, explorer.tie) == ("sparsemax", True)


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
