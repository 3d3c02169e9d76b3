"""Laws of the score functions."""

import functools
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnutils import (
    additive_scores,
    attention,
    bilinear_scores,
    dot_scores,
    gaussian_scores,
    scaled_dot_scores,
    softmax,
)
from attnutils.worked_example import KEYS

NAN, INF = np.nan, np.inf
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
        ("float32", "float16", "float32"),
        ("float64", "float32", "float64"),
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


trained = pytest.mark.parametrize("function", [bilinear_scores, additive_scores])


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


@trained
def test_trained_scores_are_functions_of_rows(function):
    rng = np.random.default_rng(0)
    query, key = rng.standard_normal((7, 2)), rng.standard_normal((5, 3))
    params, _ = parameters(rng, function, 2, 3)
    whole = function(query, key, *params)
    assert_allclose(function(query[2:5], key[:4], *params), whole[2:5, :4], atol=1e-12)
    names = ("w",) if len(params) == 1 else ("w_query", "w_key", "w_score")
    scores = functools.partial(function, **dict(zip(names, params, strict=True)))
    assert_allclose(attention(query, key, key, scores=scores).weights, softmax(whole), atol=1e-12)


def test_a_bilinear_score_with_the_identity_is_the_dot_product():
    assert_array_equal(bilinear_scores(KEYS, KEYS, np.eye(3)), dot_scores(KEYS, KEYS))
    rng = np.random.default_rng(0)
    w_q, w_k = rng.standard_normal((2, 3, 7))
    expected = dot_scores(KEYS @ w_q, KEYS @ w_k)
    assert_allclose(bilinear_scores(KEYS, KEYS, w_q @ w_k.T), expected, atol=1e-11)


def test_additive_scores_stay_within_the_sum_of_their_weights():
    w = np.full((3, 2), 1e300)
    with np.errstate(all="raise"):
        table = additive_scores(KEYS, -KEYS, w, w, [2, 3])
    assert (np.abs(table[np.isfinite(table)]) <= 5).all()
    assert_array_equal(np.diag(table), np.zeros(6))
    assert_array_equal(additive_scores([1e300], [[1e300], [-1e300]], [[1]], [[1]], [2]), [2, 0])


@trained
@pytest.mark.parametrize(
    ("x_dtype", "p_dtype", "expected"),
    [
        ("float32", "float32", "float32"),
        ("float64", "float64", "float64"),
        ("float16", "float16", "float16"),
        ("float32", "float64", "float64"),
        ("int64", "float32", "float64"),
    ],
)
def test_trained_dtypes(function, x_dtype, p_dtype, expected):
    params, _ = parameters(np.random.default_rng(0), function, 3, 3)
    x, params = np.ones((2, 3), x_dtype), [p.astype(p_dtype) for p in params]
    for array in (x, *params):
        array.flags.writeable = False
    table = function(x, x, *params)
    assert table.dtype == expected
    assert table.flags.writeable
    wide = function(*[x.astype(float)] * 2, *(p.astype(float) for p in params))
    assert_allclose(table, wide, rtol=2e-3, atol=2e-3)


@trained
def test_trained_scores_of_huge_numbers_do_not_warn(function):
    params, _ = parameters(np.random.default_rng(0), function, 1, 1)
    with np.errstate(all="raise"):
        table = function([[1e300], [-1e300]], [[1e300], [0.0]], *params)
    assert not np.isnan(table).any()


@trained
@pytest.mark.parametrize("wide", range(5))
def test_one_wider_argument_makes_the_result_wide(function, wide):
    params, _ = parameters(np.random.default_rng(0), function, 3, 3)
    arguments = [np.ones((2, 3)), np.ones((5, 3)), *params]
    narrow = [x.astype(np.float16) for x in arguments]
    assert function(*narrow).dtype == np.float16
    if wide < len(narrow):
        narrow[wide] = narrow[wide].astype(np.float32)
        assert function(*narrow).dtype == np.float32
        narrow[wide] = narrow[wide].astype(np.float64)
        assert function(*narrow).dtype == np.float64


@pytest.mark.parametrize("lead", [(), (2,), (2, 1), (5, 1, 2)])
def test_additive_scores_of_any_number_of_leading_axes(lead):
    rng = np.random.default_rng(0)
    query, key = rng.standard_normal((*lead, 3, 2)), rng.standard_normal((2, 7, 3))
    params, pair = parameters(rng, additive_scores, 2, 3)
    table = additive_scores(query, key, *params)
    size = np.broadcast_shapes(lead, (2,))
    assert table.shape == (*size, 3, 7)
    queries, keys = np.broadcast_to(query, (*size, 3, 2)), np.broadcast_to(key, (*size, 7, 3))
    for *index, i, j in np.ndindex(table.shape):
        at = tuple(index)
        assert_allclose(table[(*at, i, j)], pair(queries[at][i], keys[at][j]), atol=1e-12)


@pytest.mark.parametrize("scores", ALL)
def test_too_small_for_float16_is_0_and_does_not_warn(scores):
    tiny = np.full((1, 3), 6e-8, np.float16)
    with np.errstate(all="raise"):
        table = scores(tiny, tiny)
    assert_array_equal(table, [[0]])
    assert table.dtype == np.float16


@trained
def test_no_hard_sum_warns_in_trained_scores(function):
    """Overflow, underflow and inf - inf inside, whatever the caller asked of NumPy."""
    params, _ = parameters(np.random.default_rng(0), function, 2, 2)
    with np.errstate(all="raise"):
        for x in (1e-300, 1e300, INF, NAN):
            function([[x, -x]], [[x, x], [-x, x]], *params)
            function([[1.0, 1.0]], [[1.0, 1.0]], *[p * x for p in params])


def test_additive_scores_check_every_size():
    w, ones = np.ones((3, 2)), np.ones(2)
    query, key = np.ones((2, 3)), np.ones((5, 4))
    with pytest.raises(ValueError, match=r"^additive_scores: w_key has shape \(3, 2\) but "):
        additive_scores(query, key, w, w, ones)
