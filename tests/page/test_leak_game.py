"""The leak game in a browser: numbers that are probed, layers that are named, and Python."""

import pytest

from attnutils.widgets import LeakGame
from attnutils.widgets.leak_game import LAYERS
from tests.page.conftest import from_python, to_python
from tests.page.test_attention_bench import pull

NAMES = list(LAYERS)


@pytest.fixture
def game():
    return LeakGame.example()


def choose(page, name):
    page.get_by_role("combobox", name="It has").select_option(name)
    page.get_by_role("button", name="Name it").press("Enter")


def test_a_probe_shows_what_moves(show, game):
    page = show(game)
    page.get_by_role("radio", name="D", exact=True).check()
    assert game.layers[3] == "causal mask"
    headline = page.locator(".headline")
    start = "Box D: 0 outputs have moved. Change the number of one token. Which do?"
    assert headline.inner_text() == start
    page.get_by_role("spinbutton", name="number of Reads").press("ArrowUp")
    assert headline.inner_text() == ("Box D: Reads at 2 moves 3 outputs: Reads, A and Book.")
    column = page.locator("tbody td:nth-of-type(4)").all_inner_texts()
    assert [text.replace("\n", "") for text in column] == ["–stays"] * 3 + ["●moves"] * 3
    assert page.locator("td.moved").count() == 3
    page.get_by_role("spinbutton", name="number of Book").fill("2")
    to_python(page, game)
    assert game.numbers.tolist() == [1, 2, 0.5, 2, 1, 2]
    outputs = page.locator("tbody td.o data")
    got = outputs.evaluate_all("items => items.map((item) => Number(item.value))")
    assert got == pytest.approx(game.output, abs=1e-12)
    page.get_by_role("button", name="Numbers back").click()
    assert headline.inner_text() == start


def test_a_number_is_dragged_sideways(reopen, widget_page, game):
    page = reopen(widget_page(game)).page
    pull(page, page.get_by_role("spinbutton", name="number of Book"), 12)
    assert "Book at 2 moves 6 outputs" in page.locator(".headline").inner_text()
    assert page.get_by_role("spinbutton", name="number of Book").input_value() == "2"


def test_all_boxes_can_be_named_and_a_wrong_name_gets_a_probe(show, game):
    page = show(game)
    verdict = page.locator(".verdict")
    for letter, layer in zip("ABCDE", game.layers, strict=True):
        page.get_by_role("radio", name=letter, exact=True).check()
        assert verdict.inner_text() == "What does this box do? Probe it, then name it."
        choose(page, NAMES[NAMES.index(layer) - 1])
        assert verdict.inner_text().startswith("Not yet")
        choose(page, layer)
        assert verdict.inner_text().startswith(f"Right, {layer}:")
    assert "All five are named. Well done." in page.locator(".name").inner_text()
    to_python(page, game)
    assert game.is_solved
    # A name stays with its box.
    page.get_by_role("radio", name="A", exact=True).check()
    assert page.get_by_role("combobox").input_value() == game.layers[0]
    assert page.get_by_role("status").count() == 2


def test_layers_that_move_the_same_are_told_apart_by_how_far(show, game):
    page = show(game)
    page.get_by_role("radio", name="AB"[game.layers.index("no mask")], exact=True).check()
    choose(page, "mask after softmax")
    assert "Pull the number of Book up to 9" in page.locator(".verdict").inner_text()
    page.get_by_role("spinbutton", name="number of Book").fill("9")
    assert float(page.locator("tbody td.o data").first.get_attribute("value")) > 8


def test_python_moves_the_game(show, game):
    page = show(game)
    game.box, game.numbers, game.verdicts = 2, [1, 2, 0.5, 1.5, 1, 3], [1, 4, 2, -1, -1]
    from_python(page, game, "box", "numbers", "verdicts")
    assert page.get_by_role("radio", name="C").is_checked()
    assert page.get_by_role("spinbutton", name="number of Book").input_value() == "3"
    assert page.locator(".verdict").inner_text().startswith("Right, one key too many")
    assert "Named so far: A, B and C." in page.locator(".name").inner_text()
    game.verdicts = [-1] * 5
    from_python(page, game, "verdicts")
    assert page.get_by_role("combobox").input_value() == ""


def test_nothing_flashes_for_who_wants_no_motion(still, game):
    page = still(game)
    page.get_by_role("spinbutton", name="number of The").press("ArrowUp")
    style = "cell => getComputedStyle(cell).animationName"
    assert page.locator("td.moved").first.evaluate(style) == "none"
