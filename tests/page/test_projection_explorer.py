"""The projection explorer in a browser: what the reader edits and presses, and what Python does."""

import numpy as np
import pytest

from attnutils.widgets import ProjectionExplorer
from tests.conftest import some
from tests.page.conftest import from_python, to_python
from tests.page.test_attention_bench import pull

OPPOSITE = "−I: my opposite"


@pytest.fixture
def explorer():
    return ProjectionExplorer.example()


def shares(page):
    cells = page.locator(".grid tbody data")
    values = cells.evaluate_all("items => items.map((item) => Number(item.value))")
    return np.reshape(values, (-1, int(len(values) ** 0.5)))


def test_the_opposite_of_book_is_child(show, explorer):
    page = show(explorer)
    headline = page.locator(".headline")
    start = headline.inner_text()
    assert start == "Book attends most to Reads 0.723; Reads gives Book 0.017 in return."
    button = page.get_by_role("button", name=OPPOSITE)
    assert button.get_attribute("aria-pressed") == "false"
    button.press("Enter")
    assert button.get_attribute("aria-pressed") == "true"
    assert headline.inner_text().startswith("Book attends most to Child 0.793; Child gives")
    page.get_by_role("checkbox", name="divide the scores by the root of 3").uncheck()
    assert headline.inner_text().startswith("Book attends most to Child 0.958")
    to_python(page, explorer)
    assert explorer.w_query.tolist() == (-np.eye(3)).tolist()
    np.testing.assert_allclose(shares(page), explorer.weights, rtol=0, atol=1e-12)
    page.get_by_role("button", name="Reset").click()
    assert headline.inner_text() == start
    assert button.get_attribute("aria-pressed") == "false"


def test_each_number_of_both_matrices_can_be_stepped_and_typed(show, explorer):
    page = show(explorer)
    page.get_by_role("radio", name="Reads").check()
    cell = page.get_by_role("spinbutton", name="query matrix, row 2, column 3")
    cell.press("ArrowUp")
    assert cell.input_value() == "0.5"
    page.get_by_role("spinbutton", name="key matrix, row 1, column 2").fill("-2")
    page.get_by_role("spinbutton", name="key matrix, row 3, column 1").fill("1.5")
    to_python(page, explorer)
    assert explorer.w_query.tolist() == [[1, 0, 0], [0, 1, 0.5], [0, 0, 1]]
    assert explorer.w_key.tolist() == [[1, -2, 0], [0, 1, 0], [1.5, 0, 1]]
    assert explorer.token == 3
    np.testing.assert_allclose(shares(page), explorer.weights, rtol=0, atol=1e-12)


def test_a_number_is_dragged_sideways(reopen, widget_page, explorer):
    page = reopen(widget_page(explorer)).page
    pull(page, page.get_by_role("spinbutton", name="query matrix, row 2, column 2"), -24)
    explorer.w_query = np.diag([1, -1, 1])
    np.testing.assert_allclose(shares(page), explorer.weights, rtol=0, atol=1e-12)


def test_what_is_no_number_is_explained_and_a_preset_clears_it(show, explorer):
    page = show(explorer)
    cell = page.get_by_role("spinbutton", name="query matrix, row 1, column 1")
    cell.fill("")
    error = page.locator(".error")
    assert error.inner_text() == "Query matrix, row 1, column 1 is not a number; 1 is used."
    page.get_by_role("button", name="I: my like", exact=True).click()
    assert cell.input_value() == "1"
    assert error.inner_text() == ""


def test_a_press_on_a_row_lets_its_word_ask(show, explorer):
    page = show(explorer)
    page.locator(".grid tbody tr").nth(0).click()
    assert page.get_by_role("radio", name="The").is_checked()
    headline = page.locator(".headline").inner_text()
    assert headline == "The attends to all six tokens alike, 0.167."
    page.get_by_role("radio", name="Sleepy").check()
    headline = page.locator(".headline").inner_text()
    assert headline == "Sleepy attends most to itself and Reads 0.451 each."


def test_python_moves_everything(show, explorer):
    page = show(explorer)
    explorer.w_query, explorer.w_key = np.arange(9).reshape(3, 3) / 4, -np.eye(3)
    explorer.scaled, explorer.token = False, 2
    from_python(page, explorer, "w_query", "w_key", "scaled", "token")
    cell = page.get_by_role("spinbutton", name="query matrix, row 2, column 3")
    assert cell.input_value() == "1.25"
    assert page.get_by_role("radio", name="Child").is_checked()
    assert not page.get_by_role("checkbox").is_checked()
    np.testing.assert_allclose(shares(page), explorer.weights, rtol=0, atol=1e-12)


@pytest.mark.parametrize("width", some([1280, 390, 320], 320))
def test_rows_of_both_tables_stand_beside_each_other_or_below(still, explorer, width):
    page = still(explorer, width)
    tops = "rows => rows.map((row) => row.getBoundingClientRect().bottom)"
    left, right = (page.locator(f"{table} tbody tr").evaluate_all(tops)
                   for table in ("table:not(.grid)", ".grid"))  # fmt: skip
    if width == 1280:
        np.testing.assert_allclose(left, right, atol=3)
    else:
        assert right[0] > left[-1]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
