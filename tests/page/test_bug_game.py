"""The bug game in a browser: boxes that are probed, mistakes that are named, and Python."""

import pytest

from attnutils.bugs import PROBES
from attnutils.widgets import BugGame
from attnutils.widgets.bug_game import SUSPECTS
from tests.page.conftest import from_python, to_python

NAMES = list(PROBES)


@pytest.fixture
def game():
    return BugGame.example()


def probe(page, name):
    page.get_by_role("radio", name=name, exact=True).check()


def choose(page, name):
    page.get_by_role("combobox", name="The mistake").select_option(name)
    page.get_by_role("button", name="Name it").press("Enter")


def board(page):
    """The marks of each box, from the first probe to the last."""
    rows = page.locator(".board tbody tr")
    marks = [
        rows.nth(p).locator("td > span:first-child").all_inner_texts() for p in range(len(NAMES))
    ]
    return [list(column) for column in zip(*marks, strict=True)]


MARKS = {"": "", "keeps": "–", "breaks": "●", "NaN": "?", "error": "!"}


def test_what_was_probed_stays_on_the_board(show, game):
    page = show(game)
    headline = page.locator(".headline")
    start = "Box A, all values 1: 6 of 6 outputs are off. The output of The is 3.673, not 1.000."
    assert headline.inner_text() == start
    for name in ("keys shifted", "everything twice", "a hidden key"):
        probe(page, name)
    probe(page, "box D")
    assert headline.inner_text() == "Box D, a hidden key: the law holds."
    to_python(page, game)
    assert game.seen == [0b1010011, *[0] * 7]
    assert game.box == 3
    assert board(page) == [[MARKS[outcome] for outcome in row] for row in game.board]
    assert board(page)[0] == ["●", "–", "", "", "!", "", "–", ""]


def test_a_press_on_the_board_asks_that_box_that_question(show, game):
    page = show(game)
    at = NAMES.index("keys shifted")
    page.locator(".board tbody tr").nth(at).locator("td").nth(2).click()
    to_python(page, game)
    assert (game.box, game.probe) == (2, at)
    assert page.get_by_role("radio", name="box C").is_checked()
    assert "The output of" in page.locator(".headline").inner_text()
    assert "NaN" in page.locator(".chart").inner_text()


def test_all_boxes_can_be_named_and_a_wrong_name_gets_a_probe(show, game):
    page = show(game)
    verdict = page.locator(".verdict")
    for letter, layer in zip("ABCDEFGH", game.layers, strict=True):
        probe(page, f"box {letter}")
        assert verdict.inner_text().startswith("Probe the box.")
        choose(page, SUSPECTS[SUSPECTS.index(layer) - 1])
        assert verdict.inner_text().startswith("Not yet: with ")
        choose(page, layer)
        assert verdict.inner_text().startswith(f"Right, {layer.replace('-', '−')}: ")
    assert "All eight are named. Well done." in page.locator(".name").inner_text()
    to_python(page, game)
    assert game.is_solved


def test_a_wrong_name_is_contradicted_by_a_probe(show, game):
    page = show(game)
    choose(page, "no mistake")
    clue = "Not yet: with “no mistake” the law of “all values 1” would be kept. Look at the board."
    assert page.locator(".verdict").inner_text() == clue
    choose(page, "divided by d")
    assert "would be kept" in page.locator(".verdict").inner_text()


def test_no_answer_is_read_before_it_is_given(show, game):
    page = show(game)
    page.locator("select").evaluate("select => select.remove()")  # it offers all names alike
    text = page.locator(".attn").inner_text()
    for layer in SUSPECTS:
        assert layer not in text


def test_a_new_game_shuffles_and_forgets(show, game):
    page = show(game)
    probe(page, "one query")
    choose(page, "no keepdims")
    orders = set()
    for _ in range(3):
        page.get_by_role("button", name="New game").click()
        to_python(page, game)
        orders.add(tuple(game.order))
        assert game.seen == [0] * 8
        assert game.verdicts == [-1] * 8
        assert (game.box, game.probe) == (0, 0)
    assert len(orders) > 1


def test_python_moves_the_game(show, game):
    page = show(game)
    game.box, game.probe = 4, NAMES.index("an empty row")
    game.verdicts = [-1, -1, -1, -1, SUSPECTS.index("hidden scores -1e9"), -1, -1, -1]
    game.seen = [255] + [0] * 7
    from_python(page, game, "box", "probe", "verdicts", "seen")
    assert page.get_by_role("radio", name="box E").is_checked()
    assert page.get_by_role("radio", name="an empty row").is_checked()
    assert page.locator(".verdict").inner_text().startswith("Right, hidden scores −1e9: ")
    assert "Named so far: E." in page.locator(".name").inner_text()
    assert "" not in board(page)[0]
