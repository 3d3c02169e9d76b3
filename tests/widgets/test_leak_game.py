"""The leak game: its arguments, its layers, its verdicts, its picture, and its script's numbers."""

import numpy as np
import pytest

from attnutils.widgets import LeakGame
from attnutils.widgets.leak_game import LAYERS, outputs_of
from attnutils.worked_example import WORDS

NUMBERS = [1, 2, 0.5, 1.5, -1, 1]
NAMES = list(LAYERS)


@pytest.fixture
def game():
    return LeakGame.example()


def make(words=WORDS, numbers=NUMBERS, *rest, **options):
    return LeakGame(words, numbers, *rest, **options)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"words": ["Book"]}, ValueError, "2 to 12"),
        ({"numbers": NUMBERS[:5]}, ValueError, r"numbers has shape \(5,\) but \(6,\)"),
        ({"numbers": [np.inf] * 6}, ValueError, "numbers must hold"),
        ({"layers": ["no mask"]}, ValueError, "layers must be 2 to 8 of causal mask"),
        ({"layers": ["no mask", "a leak"]}, ValueError, r"layers must be .* got .*a leak"),
        ({"layers": "no mask"}, ValueError, "layers must be"),
        ({"box": 5}, ValueError, "box must be an integer from 0 to 4"),
        ({"box": "A"}, TypeError, "box must be an integer"),
    ],
)
def test_bad_facts(change, error, message):
    with pytest.raises(error, match=message) as caught:
        make(**change)
    assert str(caught.value).startswith("LeakGame: ")


@pytest.mark.parametrize("verdicts", [[0] * 4, [5] + [0] * 4, [-2] + [0] * 4, [0.5] * 5, None])
def test_bad_verdicts_are_refused(game, assign, verdicts):
    with pytest.raises((TypeError, ValueError), match=r"^LeakGame: verdicts"):
        assign(game, "verdicts", verdicts)
    assert game.verdicts == [-1] * 5


def test_the_game_is_solved_where_all_boxes_are_named_right(game):
    assert sorted(game.layers) == sorted(LAYERS)
    right = [NAMES.index(layer) for layer in game.layers]
    for box in range(5):
        game.verdicts = [*right[:box], -1, *right[box + 1 :]]
        assert not game.is_solved
    game.verdicts = right
    assert game.is_solved


def test_what_moves_is_seen_for_each_token_alone(game):
    game.box = game.layers.index("causal mask")
    assert game.evidence == [None] * 6
    assert game.n_moved == 0
    game.numbers = [1, 2, 3, 1.5, 1, 4]
    wanted = {2: [False] * 2 + [True] * 4, 5: [False] * 5 + [True]}
    for t, moved in enumerate(game.evidence):
        assert wanted[t] == moved.tolist() if t in wanted else moved is None
    assert game.n_moved == 4


def test_the_script_computes_what_attnutils_does(run_script):
    rng = np.random.default_rng(0)
    cases = [NUMBERS, [0.0] * 6, [1, 2, 0.5, 1.5, -1, 1e6], *rng.normal(size=(5, 6)).tolist()]
    got = run_script(
        "leak_game",
        """
        console.log(JSON.stringify(input.cases.map((x) => SUSPECTS.map((name) =>
          [outputsOf(name, x), evidence(name, input.given, x)]))));
        """,
        {"cases": cases, "given": NUMBERS},
    )
    for numbers, by_layer in zip(cases, got, strict=True):
        for name, (outputs, evidence) in zip(NAMES, by_layer, strict=True):
            wanted = outputs_of(name, np.array(numbers))
            np.testing.assert_allclose(outputs, wanted, rtol=1e-12, atol=1e-12)
            game = make(layers=[name, "no mask"])
            game.numbers = numbers
            assert evidence == [None if m is None else m.tolist() for m in game.evidence]


@pytest.mark.parametrize("change", [{"box": 3}, {"numbers": [1, 2, 0.5, 1.5, -1, 9]}])
def test_the_picture_shows_the_traits(pixels, game, change):
    other = make()
    for name, value in change.items():
        setattr(other, name, value)
    assert np.abs(pixels(game) - pixels(other)).max() > 100


def test_the_text_is_one_stable_line(game):
    assert repr(game) == "LeakGame(6 words, 5 layers, box=0)"
