"""The teaser of heads: its arguments, its traits, its picture."""

import numpy as np
import pytest

from attnutils import HeadTeaser, softmax

CAT = ["the", "cat", "slept", "as", "it", "did"]
DOG = ["the", "dog", "barked", "as", "it", "did"]
SCORES = np.array([[0.0, 3, 1, 0, 0, -1], [5, 0, 0, 0, 0, 0]])
HEADS = ["first", "second"]


@pytest.fixture
def teaser():
    return HeadTeaser({"a": CAT, "b": DOG}, {"a": SCORES, "b": SCORES + 1}, 4, heads=HEADS)


def make(tokens=CAT, scores=SCORES, asks=4, heads=HEADS, **options):
    return HeadTeaser(tokens, scores, asks, heads=heads, **options)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"tokens": CAT[:5]}, ValueError, r"scores has shape \(2, 6\) but \(2, 5\)"),
        ({"tokens": ["a"] * 33}, ValueError, "tokens has 33 entries but 2 to 32"),
        ({"tokens": {"a": CAT}}, TypeError, "both be mappings"),
        ({"tokens": {}, "scores": {}}, ValueError, "the same 1 to 8 names"),
        ({"tokens": {"a": CAT}, "scores": {"b": SCORES}}, ValueError, "the same 1 to 8 names"),
        (
            {"tokens": {"a": CAT, "b": DOG[:5]}, "scores": {"a": SCORES, "b": SCORES[:, :5]}},
            ValueError,
            r"equally many tokens, got \[5, 6\]",
        ),
        ({"scores": SCORES - np.inf}, ValueError, "no infinity"),
        ({"heads": []}, ValueError, "heads has 0 entries but 1 to 4"),
        ({"heads": "ab"}, TypeError, "heads must be a list"),
        ({"heads": ["first"]}, ValueError, r"scores has shape \(2, 6\) but \(1, 6\)"),
        ({"asks": 6}, ValueError, "asks must be an integer from 0 to 5, got 6"),
        ({"guess": 6}, ValueError, "guess must be an integer from 0 to 5, or -1"),
        ({"guess": -2}, ValueError, "guess must be"),
        ({"sentence": "a"}, ValueError, "sentence must be None"),
    ],
)
def test_bad_facts(change, error, message):
    with pytest.raises(error, match=message) as caught:
        make(**change)
    assert str(caught.value).startswith("HeadTeaser: ")


def test_weights_are_those_of_the_sentence_now(teaser):
    np.testing.assert_array_equal(teaser.weights, softmax(SCORES))
    assert teaser.tokens == CAT
    teaser.score_table = np.stack([SCORES, -SCORES])
    teaser.sentence = "b"
    np.testing.assert_array_equal(teaser.weights, softmax(-SCORES))
    assert teaser.tokens == DOG


def test_a_sentence_that_is_not_there_is_refused_and_the_old_one_stays(teaser, assign):
    with pytest.raises(ValueError, match=r'^HeadTeaser: sentence must be "a" or "b", got "c"'):
        assign(teaser, "sentence", "c")
    assert teaser.sentence == "a"


def test_the_picture_shows_the_traits(pixels, teaser):
    before = pixels(teaser)
    teaser.guess = 1
    guessed = pixels(teaser)
    assert np.abs(before - guessed).max() > 100
    teaser.sentence = "b"
    assert np.abs(pixels(teaser) - guessed).max() > 100


def test_the_text_is_one_stable_line(teaser):
    assert repr(teaser) == (
        "HeadTeaser(6 tokens, heads=['first', 'second'], sentence='a', asks='it', guess=-1)"
    )
    assert repr(make(guess=2)) == (
        "HeadTeaser(6 tokens, heads=['first', 'second'], asks='it', guess=2)"
    )
