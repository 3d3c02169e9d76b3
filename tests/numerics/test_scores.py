"""Laws of the score functions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnutils import (
    additive_scores,
    bilinear_scores,
    dot_scores,
    gaussian_scores,
    scaled_dot_scores,
    softmax,
)
from attnutils.worked_example import KEYS

NAN, INF = np.nan, np.inf
ALL = [dot_scores, scaled_dot_scores, gaussian_scores]


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


@pytest.mark.parametrize("temperature", [1e-3, 0.5, 1, 4, 1e3])
def test_a_squared_bandwidth_is_a_temperature(temperature):
    wide = softmax(gaussian_scores(KEYS, KEYS, bandwidth=temperature**0.5))
    hot = softmax(gaussian_scores(KEYS, KEYS), temperature=temperature)
    assert_allclose(wide, hot, rtol=1e-9, atol=1e-300)


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


# --- scores with parameters ---------------------------------------------------------------------

sizes = st.sampled_from([1, 2, 3, 5, 7])


def parameters(rng, function, d_q, d_k, h=3):
    """The function with parameters filled in, and its definition for one pair."""
    if function is bilinear_scores:
        w = rng.standard_normal((d_q, d_k))
        return (w,), lambda q, k: sum(q[a] * w[a, b] * k[b] for a in range(d_q) for b in range(d_k))
    w_q, w_k, w_s = (rng.standard_normal(shape) for shape in ((d_q, h), (d_k, h), h))
    stacked = np.concatenate([w_q, w_k])  # the first layer of a network on [q; k]
    return (w_q, w_k, w_s), lambda q, k: np.tanh(np.concatenate([q, k]) @ stacked) @ w_s


@given(
    st.sampled_from([bilinear_scores, additive_scores]),
    *(sizes for _ in range(4)),
    st.integers(0, 99),
)
def test_trained_scores_follow_their_definition(function, n_q, n_k, d_q, d_k, seed):
    rng = np.random.default_rng(seed)
    query, key = rng.standard_normal((2, n_q, d_q)), rng.standard_normal((n_k, d_k))
    params, pair = parameters(rng, function, d_q, d_k)
    table = function(query, key, *params)
    assert table.shape == (2, n_q, n_k)
    for b, i, j in np.ndindex(table.shape):
        assert_allclose(table[b, i, j], pair(query[b, i], key[j]), atol=1e-11)
    assert_allclose(function(query[0, 0], key, *params), table[0, 0], atol=1e-12)
    keys = np.stack([key, key + 1])
    assert_allclose(function(query[0, 0], keys, *params)[0], table[0, 0], atol=1e-12)
    assert function(query[:, None], keys, *params).shape == (2, 2, n_q, n_k)


def test_additive_scores_stay_within_the_sum_of_their_weights():
    w = np.full((3, 2), 1e300)
    with np.errstate(all="raise"):
        table = additive_scores(KEYS, -KEYS, w, w, [2, 3])
    assert (np.abs(table[np.isfinite(table)]) <= 5).all()
    assert_array_equal(np.diag(table), np.zeros(6))
    assert_array_equal(additive_scores([1e300], [[1e300], [-1e300]], [[1]], [[1]], [2]), [2, 0])
