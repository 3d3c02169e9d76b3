"""Traits: what Python sets arrives, what the page sends arrives, and the facts follow."""

import json
import math

import numpy as np
import pytest

from attnutils import AttentionBench, Question, TemperatureExplorer
from attnutils.worked_example import KEYS, VALUES, WORDS

SCORES = KEYS @ KEYS[5]


@pytest.fixture
def bench():
    return AttentionBench(WORDS, KEYS, VALUES, query=5)


@pytest.fixture
def explorer():
    return TemperatureExplorer(WORDS, SCORES, VALUES)


@pytest.mark.parametrize("t", [0.0, 0.25, 1.0, math.inf])
def test_temperature_travels_both_ways(bench, explorer, t):
    for widget in (bench, explorer):
        widget.temperature = t
        sent = json.loads(json.dumps(widget.get_state("temperature"), allow_nan=False))
        assert sent == {"temperature": "inf" if t == math.inf else t}
        widget.temperature = 3
        widget.set_state(sent)
        assert widget.temperature == t
        assert type(widget.temperature) is float


def test_arrays_travel_as_little_endian_bytes(bench, floats):
    assert bench.get_state("query_vector") == {"query_vector": floats(0, 2, 1)}
    assert bench.get_state("key_matrix") == {"key_matrix": KEYS.astype("<f8").tobytes()}
    bench.set_state({"key_matrix": memoryview(floats(*range(18)))})
    assert bench.key_matrix.tolist() == np.arange(18).reshape(6, 3).tolist()


def test_the_whole_state_is_json(bench, explorer):
    bench.temperature = explorer.temperature = np.inf
    for widget in (bench, explorer, Question("Is it?", answer=1)):
        state = {k: v for k, v in widget.get_state().items() if not isinstance(v, bytes)}
        state.pop("layout")  # a widget of its own
        json.dumps(state, allow_nan=False)


def test_the_bench_computes_with_attnutils(bench):
    assert bench.weights.round(4).tolist() == [0.0008, 0.0022, 0, 0.8775, 0.0008, 0.1188]
    assert bench.output.round(4).tolist() == [0.3624]
    bench.score = "scaled_dot"
    assert bench.output.round(4).tolist() == [0.3078]
    bench.score, bench.mask = "dot", [True, True, True, False, True, True]
    assert bench.output.round(4).tolist() == [0.0934]
    bench.mask = [False] * 6
    assert bench.output.tolist() == [0]
    assert bench.weights.tolist() == [0] * 6


def test_the_query_is_the_key_of_its_word_until_it_is_edited(bench):
    bench.query = 3
    assert bench.query_vector.tolist() == [2, 3, 1]
    keys = KEYS.copy()
    keys[3] = 1
    bench.key_matrix = keys
    assert bench.query_vector.tolist() == [1, 1, 1]
    bench.query_vector = [1, 2, 3]
    keys[3] = 2
    bench.key_matrix = keys
    assert bench.query_vector.tolist() == [1, 2, 3]
    bench.query = 5
    assert bench.query_vector.tolist() == [0, 2, 1]


def test_what_the_page_sends_at_once_stays_together(bench, floats):
    bench.set_state({"query": 2, "query_vector": floats(1, -1, -2)})
    assert (bench.query, bench.query_vector.tolist()) == (2, [1, -1, -2])
    keys = KEYS.copy()
    keys[2] = 9
    bench.set_state({"key_matrix": keys.tobytes(), "query_vector": floats(9, 9, 9)})
    assert bench.query_vector.tolist() == [9, 9, 9]


def test_the_explorer_computes_with_attnutils(explorer):
    assert explorer.weights[3].round(4) == 0.8775
    assert round(explorer.entropy, 4) == 0.5665
    assert explorer.output.round(4).tolist() == [0.3624]
    explorer.normalizer, explorer.temperature = "sparsemax", 5
    assert explorer.weights.round(4).tolist() == [0, 0, 0, 0.7, 0, 0.3]
    explorer.normalizer, explorer.tie = "hardmax", True
    assert explorer.weights.tolist() == [0, 0, 0, 0.5, 0, 0.5]
    assert explorer.scores.tolist() == SCORES.tolist()
    assert explorer.entropy == 1
    assert TemperatureExplorer(WORDS, SCORES).output is None


BAD = [-1, -math.inf, math.nan, "1", None, True]


@pytest.mark.parametrize("t", BAD)
def test_a_bad_temperature_is_refused_and_the_old_one_stays(bench, explorer, t):
    for widget in (bench, explorer):
        with pytest.raises((TypeError, ValueError), match=f"{type(widget).__name__}: temperature"):
            widget.temperature = t
        assert widget.temperature == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("score", "cosine"),
        ("query", 6),
        ("query", "Book"),
        ("mask", [True] * 5),
        ("mask", "all"),
        ("mask", None),
    ],
)
def test_a_bad_assignment_is_refused_and_nothing_changes(bench, assign, name, value):
    before = bench.get_state()
    with pytest.raises((TypeError, ValueError), match=f"^AttentionBench: {name}"):
        assign(bench, name, value)
    assert bench.get_state() == before


def test_a_bad_normalizer_is_refused_and_the_old_one_stays(explorer, assign):
    with pytest.raises(ValueError, match=r"^TemperatureExplorer: normalizer"):
        assign(explorer, "normalizer", "argmax")
    assert explorer.normalizer == "softmax"


@pytest.mark.parametrize(
    ("name", "value"),
    [("key_matrix", KEYS.T), ("query_vector", [1, 2]), ("value_matrix", [np.nan] * 6)],
)
def test_a_bad_array_is_refused_and_nothing_changes(bench, name, value):
    before = bench.get_state()
    with pytest.raises(ValueError, match=f"^AttentionBench: {name}"):
        setattr(bench, name, value)
    assert bench.get_state() == before


def test_what_the_page_is_drawn_from_stays(bench, explorer, assign):
    question = Question("Is it?", answer=1)
    for widget, name in ((bench, "words"), (bench, "scores"), (explorer, "words")):
        before = getattr(widget, name)
        with pytest.raises(AttributeError, match=f"{name} cannot be changed; make a new"):
            assign(widget, name, list("abcdef"))
        assert getattr(widget, name) is before
    with pytest.raises(AttributeError, match=r"^Question: answer cannot be changed"):
        assign(question, "answer", 2.0)
    assert question.answer == 1


def test_arrays_cannot_be_changed_in_place(bench, explorer):
    # A change that no trait notices would not reach the page.
    for array in (bench.key_matrix, bench.value_matrix, explorer.scores, bench.query_vector):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_observers_hear_of_changes(explorer):
    heard = []
    explorer.observe(lambda change: heard.append(change.new), names="temperature")
    explorer.set_state({"temperature": "inf"})
    explorer.temperature = 0.2
    assert heard == [math.inf, 0.2]
