"""Laws of the score functions."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnutils import dot_scores, gaussian_scores, scaled_dot_scores, softmax
from attnutils.worked_example import KEYS

ALL = [dot_scores, scaled_dot_scores, gaussian_scores]
every_score = pytest.mark.parametrize("scores", ALL)


def loop(scores, query, key):
    """The definition, one pair at a time."""
    table = np.zeros((len(query), len(key)))
    for i, q in enumerate(query):
        for j, k in enumerate(key):
            table[i, j] = {
                dot_scores: lambda q, k: (q * k).sum(),
                scaled_dot_scores: lambda q, k: (q * k).sum() / np.sqrt(len(q)),
                gaussian_scores: lambda q, k: -((q - k) ** 2).sum() / 2,
            }[scores](q, k)
    return table


@given(
    st.sampled_from(ALL),
    *(st.sampled_from([1, 2, 3, 5, 7, 11]) for _ in range(3)),
    st.integers(0, 99),
)
def test_scores_follow_their_definition(scores, n_q, n_k, d, seed):
    rng = np.random.default_rng(seed)
    query, key = rng.standard_normal((n_q, d)), rng.standard_normal((n_k, d))
    assert_allclose(scores(query, key), loop(scores, query, key), rtol=1e-11, atol=1e-13)


@every_score
@pytest.mark.parametrize(
    ("q_lead", "k_lead", "lead"),
    [((), (), ()), ((7,), (), (7,)), ((), (7,), (7,)), ((2, 1), (5,), (2, 5)), ((0,), (1,), (0,))],
)
def test_leading_axes_broadcast(scores, q_lead, k_lead, lead):
    rng = np.random.default_rng(0)
    query, key = rng.standard_normal((*q_lead, 3, 11)), rng.standard_normal((*k_lead, 2, 11))
    table = scores(query, key)
    assert table.shape == (*lead, 3, 2)
    query, key = np.broadcast_to(query, (*lead, 3, 11)), np.broadcast_to(key, (*lead, 2, 11))
    for index in np.ndindex(lead):
        assert_allclose(table[index], loop(scores, query[index], key[index]), atol=1e-12)


@every_score
def test_one_query_gives_one_row(scores):
    rng = np.random.default_rng(0)
    query, key = rng.standard_normal(3), rng.standard_normal((2, 5, 3))
    assert_allclose(scores(query, key), scores(query[None], key)[:, 0], rtol=1e-12)
    assert scores(query, key[0]).shape == (5,)


@every_score
@pytest.mark.parametrize(
    ("q_dtype", "k_dtype", "expected"),
    [
        ("float32", "float32", "float32"),
        ("float64", "float64", "float64"),
        ("float16", "float16", "float16"),
        ("float16", "float32", "float32"),
        ("float32", "float64", "float64"),
        ("int64", "int8", "float64"),
    ],
)
def test_dtypes(scores, q_dtype, k_dtype, expected):
    table = scores(np.ones((2, 3), q_dtype), np.ones((5, 3), k_dtype))
    assert table.dtype == expected


@every_score
def test_float16_is_computed_in_float32(scores):
    query, key = np.random.default_rng(0).standard_normal((2, 5, 7)).astype(np.float16)
    wide = scores(query.astype(np.float32), key.astype(np.float32))
    assert_array_equal(scores(query, key), wide.astype(np.float16))


def test_float16_may_overflow_quietly():
    big = np.array([[300, 300, 300, 300]], dtype=np.float16)
    some = np.full((1, 4), 160, dtype=np.float16)
    assert_array_equal(scaled_dot_scores(some, some), [[51200]])  # 102400 before the root
    assert_array_equal(dot_scores(big, big), [[np.inf]])
    assert_array_equal(gaussian_scores(big, -big), [[-np.inf]])
    assert_array_equal(dot_scores([1e300], [[1e300], [-1e300]]), [np.inf, -np.inf])


@every_score
def test_input_is_not_modified_and_may_be_read_only(scores):
    query, key = np.eye(3), np.arange(15.0).reshape(5, 3)
    query.flags.writeable = key.flags.writeable = False
    assert_array_equal(scores(query, key), scores(query.tolist(), key.tolist()))
    assert scores(query, key).flags.writeable


@every_score
def test_infinite_features_do_not_raise(scores):
    assert scores([np.inf, 0.0], [[np.inf, 1], [0, 1]]).shape == (2,)
    assert np.isnan(scores([np.nan, 0.0], [[1, 1]])).all()


@pytest.mark.parametrize("temperature", [1e-3, 0.5, 1, 4, 1e3])
def test_a_squared_bandwidth_is_a_temperature(temperature):
    wide = softmax(gaussian_scores(KEYS, KEYS, bandwidth=temperature**0.5))
    hot = softmax(gaussian_scores(KEYS, KEYS), temperature=temperature)
    assert_allclose(wide, hot, rtol=1e-9, atol=1e-300)


def test_gaussian_and_dot_weights_agree_when_all_keys_have_one_norm():
    rng = np.random.default_rng(0)
    key = rng.standard_normal((7, 5))
    key /= np.linalg.norm(key, axis=-1, keepdims=True)
    query = rng.standard_normal((3, 5))
    assert_allclose(softmax(gaussian_scores(query, key)), softmax(dot_scores(query, key)))


def test_gaussian_scores_of_far_away_neighbours_keep_their_digits():
    assert_array_equal(gaussian_scores([1e8 + 0.5], [[1e8], [1e8 + 1]]), [-0.125, -0.125])
    query = np.array([4096.5], dtype=np.float32)
    assert_array_equal(gaussian_scores(query, [[4096], [4098]]), [-0.125, -1.125])


def test_gaussian_scores_at_the_ends_of_the_bandwidth():
    assert_array_equal(gaussian_scores([1, 2], [[1, 2], [5, 5]], np.inf), [0, 0])
    assert_array_equal(gaussian_scores([1, 2], [[1, 2], [5, 5]], 1e308), [0, 0])
    assert_array_equal(gaussian_scores([1, 2], [[1, 2], [5, 5]], 5e-324), [0, -np.inf])
    single = np.array([[1, 2], [5, 5]], dtype=np.float32)
    assert_array_equal(gaussian_scores(single[0], single, 1e-300), [0, -np.inf])


def test_gaussian_scores_need_no_array_larger_than_the_scores():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((300, 50))
    tracemalloc.start()
    size = gaussian_scores(x, x).nbytes
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6 * size


def test_worked_example():
    assert_array_equal(dot_scores(KEYS[5], KEYS), [0, 1, -4, 7, 0, 5])
    assert_allclose(scaled_dot_scores(KEYS[5], KEYS)[3], 7 / np.sqrt(3))
    weights = softmax(gaussian_scores(KEYS[5], KEYS))
    assert_allclose(weights, [0.069, 0.015, 0.0001, 0.069, 0.009, 0.838], atol=5e-4)
