"""The bug game: its arguments, its boxes, its board, its picture, and its script's numbers."""

import numpy as np
import pytest

from attnutils.bugs import PROBES, keeps
from attnutils.widgets import BugGame
from attnutils.widgets.bug_game import SUSPECTS, probed
from attnutils.worked_example import KEYS, VALUES, WORDS

QUERIES = KEYS[:, [1, 2, 0]]


@pytest.fixture
def game():
    return BugGame.example()


def make(words=WORDS, query=QUERIES, key=KEYS, value=VALUES[:, 0], *rest, **options):
    return BugGame(words, query, key, value, *rest, **options)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"words": ["Book"]}, ValueError, "2 to 12"),
        ({"query": QUERIES[:5]}, ValueError, r"query has shape \(5, 3\) but \(6, d\)"),
        ({"query": np.ones((6, 9))}, ValueError, "query has width 9 but at most 8"),
        ({"key": KEYS[:, :2]}, ValueError, r"key has shape \(6, 2\) but \(6, 3\)"),
        ({"value": VALUES}, ValueError, r"value has shape \(6, 1\) but \(6,\)"),
        ({"value": [np.inf] * 6}, ValueError, "value must hold"),
        ({"layers": ["no mistake"]}, ValueError, "layers must be 2 to 8 of no mistake"),
        ({"layers": ["no mistake", "a bug"]}, ValueError, r"layers must be .* got .*a bug"),
        ({"layers": ["no mistake"] * 2}, ValueError, "layers must be different"),
        ({"layers": [0, [1]]}, ValueError, "layers must be"),
        ({"box": 8}, ValueError, "box must be an integer from 0 to 7"),
        ({"probe": 8}, ValueError, "probe must be an integer from 0 to 7"),
        ({"probe": "one query"}, TypeError, "probe must be an integer"),
    ],
)
def test_bad_facts(change, error, message):
    with pytest.raises(error, match=message) as caught:
        make(**change)
    assert str(caught.value).startswith("BugGame: ")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("verdicts", [0] * 7),
        ("verdicts", [8] + [0] * 7),
        ("verdicts", [-2] + [0] * 7),
        ("verdicts", None),
        ("seen", [256] + [0] * 7),
        ("seen", [-1] + [0] * 7),
        ("seen", [0.5] * 8),
        ("order", [0] * 8),
        ("order", list(range(7))),
        ("order", "abc"),
    ],
)
def test_bad_traits_are_refused(game, assign, name, value):
    before = getattr(game, name)
    with pytest.raises((TypeError, ValueError), match=f"^BugGame: {name}"):
        assign(game, name, value)
    assert getattr(game, name) == before


def test_the_game_is_solved_where_all_boxes_are_named_right(game):
    assert sorted(game.layers) == sorted(SUSPECTS)
    game.order = [3, 0, 1, 2, 7, 6, 5, 4]
    right = [SUSPECTS.index(game.in_box(box)) for box in range(8)]
    assert sorted(right) == list(range(8))
    for box in range(8):
        game.verdicts = [*right[:box], -1, *right[box + 1 :]]
        assert not game.is_solved
    game.verdicts = right
    assert game.is_solved


def test_the_board_shows_what_was_tried_and_what_is(game):
    assert game.board[0] == ["breaks"] + [""] * 7
    assert game.board[1:] == [[""] * 8] * 7
    game.seen = [0, 0b1000, *[0] * 5, 255]
    game.box, game.probe = 2, 1
    assert game.board[0] == [""] * 8
    assert game.board[1] == ["", "", "", "breaks", "", "", "", ""]
    assert game.board[2] == ["", "NaN", "", "", "", "", "", ""]
    assert game.board[7] == ["keeps"] * 6 + ["breaks", "keeps"]
    game.box, game.probe = 0, list(PROBES).index("everything twice")
    assert game.board[0][game.probe] == "error"
    assert game.probed is None


def test_the_opening_shows_a_mean_of_ones_that_is_not_1(game):
    assert game.probed.wanted.tolist() == [[1]] * 6
    assert not keeps(game.probed).any()


def test_no_two_boxes_do_the_same(game):
    game.seen = [255] * 8
    kept = [tuple(outcome == "keeps" for outcome in row) for row in game.board]
    assert len(set(kept)) == 8


def test_the_script_computes_what_attnutils_does(run_script):
    rng = np.random.default_rng(0)
    cases = [(QUERIES, KEYS, VALUES[:, 0])]
    cases += [(rng.normal(size=(n, 4)), rng.normal(size=(n, 4)), rng.normal(size=n))
              for n in (2, 5, 12)]  # fmt: skip
    got = run_script(
        "bug_game",
        """
        console.log(JSON.stringify(input.map(([q, k, v]) => SUSPECTS.map((name) =>
          NAMES.map((_, p) => {
            const { output, wanted, broken, outcome } = probed(name, p, openInput(q, k, v));
            return { output: output && output.map((o) => Number.isNaN(o) ? "NaN" : o),
              wanted, broken, outcome };
          })))));
        """,
        [[x.tolist() for x in case] for case in cases],
    )
    for (q, k, v), by_layer in zip(cases, got, strict=True):
        for mistake, by_probe in zip(SUSPECTS, by_layer, strict=True):
            for probe, found in zip(PROBES, by_probe, strict=True):
                ours = probed(mistake, probe, q, k, v[:, None])
                if ours is None:
                    assert found["output"] is None
                    assert found["outcome"] == "error"
                    continue
                theirs = np.array(found["output"], dtype=np.float64)
                np.testing.assert_allclose(theirs, ours.output[:, 0], rtol=1e-9, atol=1e-12)
                np.testing.assert_allclose(found["wanted"], ours.wanted[:, 0], atol=1e-12)
                assert found["broken"] == (~keeps(ours)).tolist()


def test_the_script_offers_the_names_of_python(run_script):
    got = run_script("bug_game", "console.log(JSON.stringify([SUSPECTS, NAMES]));", None)
    assert got == [list(SUSPECTS), list(PROBES)]


@pytest.mark.parametrize("change", [{"box": 3}, {"probe": 4}, {"seen": [255] * 8}])
def test_the_picture_shows_the_traits(pixels, game, change):
    other = make()
    for name, value in change.items():
        setattr(other, name, value)
    assert np.abs(pixels(game) - pixels(other)).max() > 100


def test_the_text_is_one_stable_line(game):
    assert repr(game) == "BugGame(6 words, 8 layers, box=0, probe='all values 1')"
