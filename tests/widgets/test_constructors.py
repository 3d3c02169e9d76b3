"""Bad arguments are refused before a widget exists, with an error that teaches."""

import numpy as np
import pytest

from attnutils import AttentionBench, Question, TemperatureExplorer
from attnutils.worked_example import KEYS, VALUES, WORDS

SCORES = KEYS @ KEYS[5]


def bench(words=WORDS, keys=KEYS, values=VALUES, **options):
    return AttentionBench(words, keys, values, **options)


def explorer(words=WORDS, scores=SCORES, values=VALUES, **options):
    return TemperatureExplorer(words, scores, values, **options)


CASES = [
    (bench, {"words": "Book"}, TypeError, "words"),
    (bench, {"words": [1, 2]}, TypeError, "words"),
    (bench, {"words": None}, TypeError, "words must be a list of 2 to 12 words, got NoneType"),
    (bench, {"words": ["Book"]}, ValueError, "2 to 12"),
    (bench, {"words": ["a"] * 13}, ValueError, "2 to 12"),
    (bench, {"keys": KEYS[:5]}, ValueError, r"keys has shape \(5, 3\) but \(6, d\)"),
    (bench, {"keys": KEYS[:, 0]}, ValueError, r"keys has shape \(6,\)"),
    (bench, {"keys": [[1], [1, 2], [3], [4], [5], [6]]}, ValueError, "keys is a ragged list"),
    (bench, {"keys": np.ones((6, 7))}, ValueError, "at most 6 columns"),
    (bench, {"keys": np.ones((6, 0))}, ValueError, "keys"),
    (bench, {"keys": KEYS * 1j}, TypeError, "keys has dtype complex"),
    (bench, {"keys": np.full((6, 3), "a")}, TypeError, "keys has dtype"),
    (bench, {"keys": np.full((6, 3), None)}, TypeError, "keys has dtype object"),
    (bench, {"keys": np.where(KEYS > 2, np.nan, KEYS)}, ValueError, "keys .* no NaN"),
    (bench, {"keys": KEYS * 1e7}, ValueError, "from -1000000 to 1000000"),
    (bench, {"values": VALUES[:, 0]}, ValueError, r"values\[:, None\]"),
    (bench, {"values": np.ones((6, 2))}, ValueError, r"\(6, 1\) is expected"),
    (bench, {"query": 6}, ValueError, "from 0 to 5, got 6"),
    (bench, {"query": -1}, ValueError, "from 0 to 5, got -1"),
    (bench, {"query": "Book"}, TypeError, "query must be an integer .* index of a word"),
    (bench, {"query": True}, TypeError, "index of a word"),
    (bench, {"scores": ("dot", "cosine")}, ValueError, "gaussian.*cosine"),
    (bench, {"scores": "dot"}, ValueError, "scores must be"),
    (bench, {"scores": ()}, ValueError, "scores must be"),
    (bench, {"scores": 3}, ValueError, "scores must be"),
    (bench, {"scores": [["dot"]]}, ValueError, "scores must be"),
    (bench, {"scores": ("dot",), "score": "gaussian"}, ValueError, 'must be "dot", got "gaussian"'),
    (bench, {"score": np.array(["dot"])}, TypeError, "score must be .* got ndarray"),
    (bench, {"temperature": -1}, ValueError, "temperature .* got -1"),
    (bench, {"temperature": np.nan}, ValueError, "temperature .* got nan"),
    (bench, {"temperature": "1"}, TypeError, "temperature .* got str"),
    (bench, {"mask": [True] * 5}, ValueError, r"mask has shape \(5,\)"),
    (bench, {"mask": [1, 1, 1, 1, 1, 0]}, TypeError, "bool is expected"),
    (explorer, {"words": WORDS[:5]}, ValueError, r"scores has shape \(6,\) but \(5,\)"),
    (explorer, {"scores": KEYS}, ValueError, r"scores has shape \(6, 3\)"),
    (explorer, {"scores": ["a"] * 6}, TypeError, "scores has dtype"),
    (explorer, {"scores": SCORES - np.inf}, ValueError, "no infinity"),
    (explorer, {"values": VALUES.T}, ValueError, r"values has shape \(1, 6\)"),
    (explorer, {"temperature": None}, TypeError, "temperature"),
    (explorer, {"normalizer": "argmax"}, ValueError, 'or "hardmax", got "argmax"'),
    (explorer, {"normalizer": np.array(["softmax"])}, TypeError, "normalizer .* got ndarray"),
]


@pytest.mark.parametrize(("make", "change", "error", "message"), CASES)
def test_bad_facts(make, change, error, message):
    name = {bench: "AttentionBench", explorer: "TemperatureExplorer"}[make]
    with pytest.raises(error, match=message) as caught:
        make(**change)
    assert str(caught.value).startswith(f"{name}: ")


TWO = {"yes": "Look again.", "no": "It is not."}


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"prompt": 1, "choices": TWO, "answer": "no"}, TypeError, "prompt"),
        ({"choices": ["yes", "no"], "answer": "no"}, TypeError, "mapping"),
        ({"choices": {"no": "."}, "answer": "no"}, ValueError, "1 entries"),
        ({"choices": {1: ".", "no": "."}, "answer": "no"}, TypeError, "each choice must be text"),
        ({"choices": {"yes": None, "no": "."}, "answer": "no"}, TypeError, "feedback for 'yes'"),
        ({"choices": TWO, "answer": "maybe"}, ValueError, "one of the choices, got 'maybe'"),
        ({"choices": TWO}, ValueError, "one of the choices, got None"),
        ({"choices": TWO, "answer": "no", "right": "Yes."}, ValueError, "belong to a number"),
        ({"choices": TWO, "answer": "no", "quantity": "q"}, ValueError, "belong to a number"),
        ({"answer": 1, "quantity": 2}, TypeError, "quantity must be text"),
        ({"choices": TWO, "answer": "no", "hints": {1: "."}}, ValueError, "belong to a number"),
        ({}, TypeError, "answer must be a number, got None; or give choices"),
        ({"answer": "0.1"}, TypeError, "answer must be a number"),
        ({"answer": np.inf}, ValueError, "answer must be finite"),
        ({"answer": 1, "tolerance": -1}, ValueError, "tolerance must be at least 0"),
        ({"answer": 1, "hints": {"2": "."}}, TypeError, "each key of hints must be a number"),
        ({"answer": 1, "hints": {2: None}}, TypeError, "the hint for 2 must be text"),
        ({"answer": 1, "hints": {1.0: "."}}, ValueError, "which is right"),
        ({"answer": 1, "right": None}, TypeError, "right must be text"),
        ({"choices": TWO, "answer": "no", "tolerance": "1"}, TypeError, "tolerance must be a num"),
    ],
)
def test_bad_questions(arguments, error, message):
    with pytest.raises(error, match=message) as caught:
        Question(**{"prompt": "Is it?", **arguments})
    assert str(caught.value).startswith("Question: ")


def test_arguments_are_copied():
    keys, values = KEYS.copy(), VALUES.copy()
    made = bench(keys=keys, values=values)
    keys[:], values[:] = 1, 1
    assert made.key_matrix.tolist() == KEYS.tolist()
    assert made.value_matrix.tolist() == VALUES.tolist()
    np.testing.assert_array_equal(made.query_vector, KEYS[0])
