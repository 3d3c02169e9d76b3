"""The bench: its arguments, its traits, its picture."""

import numpy as np
import pytest

from attnutils import AttentionBench
from attnutils.worked_example import KEYS, VALUES, WORDS


@pytest.fixture
def bench():
    return AttentionBench.example()


def make(words=WORDS, keys=KEYS, values=VALUES, **options):
    return AttentionBench(words, keys, values, **options)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"words": "Book"}, TypeError, "words"),
        ({"words": [1, 2]}, TypeError, "words"),
        ({"words": None}, TypeError, "words must be a list of 2 to 12 words, got NoneType"),
        ({"words": ["Book"]}, ValueError, "2 to 12"),
        ({"words": ["a"] * 13}, ValueError, "2 to 12"),
        ({"keys": KEYS[:5]}, ValueError, r"keys has shape \(5, 3\) but \(6, d\)"),
        ({"keys": KEYS[:, 0]}, ValueError, r"keys has shape \(6,\)"),
        ({"keys": [[1], [1, 2], [3], [4], [5], [6]]}, ValueError, "keys is a ragged list"),
        ({"keys": np.ones((6, 7))}, ValueError, "at most 6 columns"),
        ({"keys": np.ones((6, 0))}, ValueError, "keys"),
        ({"keys": KEYS * 1j}, TypeError, "keys has dtype complex"),
        ({"keys": np.full((6, 3), "a")}, TypeError, "keys has dtype"),
        ({"keys": np.full((6, 3), None)}, TypeError, "keys has dtype object"),
        ({"keys": np.where(KEYS > 2, np.nan, KEYS)}, ValueError, "keys .* no NaN"),
        ({"keys": KEYS * 1e7}, ValueError, "from -1000000 to 1000000"),
        ({"values": VALUES[:, 0]}, ValueError, r"values\[:, None\]"),
        ({"values": np.ones((6, 2))}, ValueError, r"\(6, 1\) is expected"),
        ({"query": 6}, ValueError, "from 0 to 5, got 6"),
        ({"query": -1}, ValueError, "from 0 to 5, got -1"),
        ({"query": "Book"}, TypeError, "query must be an integer .* index of a word"),
        ({"query": True}, TypeError, "index of a word"),
        ({"scores": ("dot", "cosine")}, ValueError, "gaussian.*cosine"),
        ({"scores": "dot"}, ValueError, "scores must be"),
        ({"scores": ()}, ValueError, "scores must be"),
        ({"scores": 3}, ValueError, "scores must be"),
        ({"scores": [["dot"]]}, ValueError, "scores must be"),
        ({"scores": ("dot",), "score": "gaussian"}, ValueError, 'must be "dot", got "gaussian"'),
        ({"score": np.array(["dot"])}, TypeError, "score must be .* got ndarray"),
        ({"temperature": -1}, ValueError, "temperature .* got -1"),
        ({"temperature": np.nan}, ValueError, "temperature .* got nan"),
        ({"temperature": "1"}, TypeError, "temperature .* got str"),
        ({"mask": [True] * 5}, ValueError, r"mask has shape \(5,\)"),
        ({"mask": [1, 1, 1, 1, 1, 0]}, TypeError, "bool is expected"),
        ({"challenge": "Book"}, TypeError, "challenge must be a list of two words"),
        ({"challenge": ("Book",)}, ValueError, "challenge must be two different words"),
        ({"challenge": ("Book", "Book")}, ValueError, "challenge must be two different words"),
        ({"challenge": ("Book", "Tree")}, ValueError, "each once in words, got .*Tree"),
        ({"words": ["A"] * 5 + ["B"], "challenge": ("A", "B")}, ValueError, "each once in words"),
    ],
)
def test_bad_facts(change, error, message):
    with pytest.raises(error, match=message) as caught:
        make(**change)
    assert str(caught.value).startswith("AttentionBench: ")


def test_arguments_are_copied():
    keys, values = KEYS.copy(), VALUES.copy()
    made = make(keys=keys, values=values)
    keys[:], values[:] = 1, 1
    assert made.key_matrix.tolist() == KEYS.tolist()
    assert made.value_matrix.tolist() == VALUES.tolist()
    np.testing.assert_array_equal(made.query_vector, KEYS[0])


def test_arrays_travel_as_little_endian_bytes(bench, floats):
    assert bench.get_state("query_vector") == {"query_vector": floats(0, 2, 1)}
    assert bench.get_state("key_matrix") == {"key_matrix": KEYS.astype("<f8").tobytes()}
    bench.set_state({"key_matrix": memoryview(floats(*range(18)))})
    assert bench.key_matrix.tolist() == np.arange(18).reshape(6, 3).tolist()


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


def test_a_challenge_is_met_where_the_word_weighs_most_for_its_query():
    bench = make(query=5, challenge=("Book", "Child"))
    assert not bench.is_met
    bench.query_vector = [0, -2, -1]
    assert bench.is_met
    bench.temperature = np.inf  # all weigh the same
    assert not bench.is_met
    bench.temperature, bench.query = 1, 2
    assert not bench.is_met  # Child attends to itself
    bench.query, bench.mask = 5, [False, False, True, False, False, False]
    assert bench.is_met
    bench.mask = [False] * 6
    assert not bench.is_met
    assert not make(query=2).is_met


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


@pytest.mark.parametrize(
    ("name", "value"),
    [("key_matrix", KEYS.T), ("query_vector", [1, 2]), ("value_matrix", [np.nan] * 6)],
)
def test_a_bad_array_is_refused_and_nothing_changes(bench, name, value):
    before = bench.get_state()
    with pytest.raises(ValueError, match=f"^AttentionBench: {name}"):
        setattr(bench, name, value)
    assert bench.get_state() == before


@pytest.mark.parametrize(
    "change",
    [{"query": 2}, {"score": "gaussian"}, {"temperature": 0}, {"mask": [True] * 5 + [False]}],
)
def test_the_picture_shows_the_traits(pixels, bench, change):
    a, b = pixels(bench), pixels(make(**{"query": 5, **change}))
    assert a.shape != b.shape or np.abs(a - b).max() > 100


def test_a_bench_where_nothing_weighs_has_a_picture(pixels):
    pixels(AttentionBench(["a", "$x^$"], [[1], [2]], [[0], [0]], mask=[False, False]))


def test_the_text_is_one_stable_line(bench):
    assert repr(bench) == "AttentionBench(6 words, query='Book', score='dot', temperature=1)"
