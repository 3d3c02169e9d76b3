"""The temperature explorer: its arguments, its traits, its picture."""

import numpy as np
import pytest

from attnutils import TemperatureExplorer
from attnutils.worked_example import KEYS, VALUES, WORDS

SCORES = KEYS @ KEYS[5]


@pytest.fixture
def explorer():
    return TemperatureExplorer.example()


def make(words=WORDS, scores=SCORES, values=VALUES, **options):
    return TemperatureExplorer(words, scores, values, **options)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"words": WORDS[:5]}, ValueError, r"scores has shape \(6,\) but \(5,\)"),
        ({"scores": KEYS}, ValueError, r"scores has shape \(6, 3\)"),
        ({"scores": ["a"] * 6}, TypeError, "scores has dtype"),
        ({"scores": SCORES - np.inf}, ValueError, "no infinity"),
        ({"values": VALUES.T}, ValueError, r"values has shape \(1, 6\)"),
        ({"temperature": None}, TypeError, "temperature"),
        ({"normalizer": "argmax"}, ValueError, 'or "hardmax", got "argmax"'),
        ({"normalizer": np.array(["softmax"])}, TypeError, "normalizer .* got ndarray"),
    ],
)
def test_bad_facts(change, error, message):
    with pytest.raises(error, match=message) as caught:
        make(**change)
    assert str(caught.value).startswith("TemperatureExplorer: ")


def test_the_explorer_computes_with_attnutils(explorer):
    assert explorer.weights[3].round(4) == 0.8775
    assert round(explorer.mean_score, 4) == 6.7381
    assert round(explorer.entropy, 4) == 0.5665
    assert explorer.output.round(4).tolist() == [0.3624]
    explorer.normalizer, explorer.temperature = "sparsemax", 5
    assert explorer.weights.round(4).tolist() == [0, 0, 0, 0.7, 0, 0.3]
    explorer.normalizer, explorer.tie = "hardmax", True
    assert explorer.weights.tolist() == [0, 0, 0, 0.5, 0, 0.5]
    assert explorer.scores.tolist() == SCORES.tolist()
    assert explorer.entropy == 1
    assert explorer.mean_score == 7
    assert TemperatureExplorer(WORDS, SCORES).output is None


def test_a_bad_normalizer_is_refused_and_the_old_one_stays(explorer, assign):
    with pytest.raises(ValueError, match=r"^TemperatureExplorer: normalizer"):
        assign(explorer, "normalizer", "argmax")
    assert explorer.normalizer == "softmax"


def test_observers_hear_of_changes(explorer):
    heard = []
    explorer.observe(lambda change: heard.append(change.new), names="temperature")
    explorer.set_state({"temperature": "inf"})
    explorer.temperature = 0.2
    assert heard == [np.inf, 0.2]


@pytest.mark.parametrize(
    "change",
    [{"temperature": np.inf}, {"normalizer": "sparsemax", "temperature": 5}, {"tie": True}],
)
def test_the_picture_shows_the_traits(pixels, explorer, change):
    a, b = pixels(explorer), pixels(make(**change))
    assert a.shape != b.shape or np.abs(a - b).max() > 100


def test_scores_that_are_equal_have_a_picture(pixels):
    pixels(TemperatureExplorer(["a", "$x^$"], [1, 1], [[0], [0]], temperature=0))


def test_the_text_is_one_stable_line():
    assert repr(make(temperature=np.inf)) == (
        "TemperatureExplorer(6 words, temperature=inf, normalizer='softmax', tie=False)"
    )
