"""Laws of attention."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnutils import (
    MultiHeadParams,
    attention,
    attention_backward,
    dot_scores,
    gaussian_scores,
    multi_head_attention,
    scaled_dot_scores,
    softmax,
)
from attnutils.worked_example import KEYS, VALUES

NAN, INF = np.nan, np.inf
sizes = st.sampled_from([1, 2, 3, 5, 7, 11])


def draw(rng, *shapes):
    return [rng.standard_normal(shape) for shape in shapes]


def plain(query, key, value, visible=True, bias=0, temperature=1.0):
    """Scaled attention written down at once, for finite temperatures above 0."""
    s = np.einsum("...id,...jd->...ij", query, key) / np.sqrt(query.shape[-1]) + bias
    e = np.where(visible, np.exp(s / temperature), 0)
    total = e.sum(axis=-1, keepdims=True)
    weights = e / np.where(total == 0, 1, total)
    return np.einsum("...ij,...jd->...id", weights, value), weights


def causal(n_q, n_k):
    return np.array([[j <= i + n_k - n_q for j in range(n_k)] for i in range(n_q)])


@given(
    *(sizes for _ in range(4)),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from([0.5, 1, 3]),
    st.integers(0, 99),
)
def test_attention_follows_its_definition(
    n_q, n_k, d_k, d_v, masked, biased, is_causal, temperature, seed
):
    rng = np.random.default_rng(seed)
    q, k, v = draw(rng, (3, 1, n_q, d_k), (2, n_k, d_k), (n_k, d_v))
    mask = rng.random((n_q, n_k)) < 0.5 if masked else None
    bias = rng.standard_normal((2, 1, n_k)) if biased else None
    visible = causal(n_q, n_k) if is_causal else np.ones((n_q, n_k), bool)
    output, weights = attention(
        q, k, v, mask=mask, bias=bias, is_causal=is_causal, temperature=temperature
    )
    visible = visible if mask is None else visible & mask
    expected = plain(q, k, v, visible, 0 if bias is None else bias, temperature)
    assert output.shape == (3, 2, n_q, d_v)
    assert weights.shape == (3, 2, n_q, n_k)
    assert_allclose(output, expected[0], atol=1e-12)
    assert_allclose(weights, expected[1], atol=1e-12)
    assert_allclose(weights.sum(axis=-1), visible.any(axis=-1) * np.ones((3, 2, n_q)))


@given(sizes, st.integers(0, 99), st.data())
def test_causal_attention_ignores_the_future(n, seed, data):
    rng = np.random.default_rng(seed)
    q, k, v = draw(rng, (n, 3), (n, 3), (n, 2))
    t = data.draw(st.integers(0, n - 1))
    before = attention(q, k, v, is_causal=True)
    for poison in (1e3, NAN, INF):
        q[t + 1 :], k[t + 1 :], v[t + 1 :] = poison, poison, poison
        after = attention(q, k, v, is_causal=True)
        assert_allclose(after.output[: t + 1], before.output[: t + 1], atol=1e-12)
        assert_allclose(after.weights[: t + 1], before.weights[: t + 1], atol=1e-12)


@given(sizes, sizes, st.integers(0, 99))
def test_the_ends_of_the_temperature(n_q, n_k, seed):
    rng = np.random.default_rng(seed)
    q, k, v = draw(rng, (n_q, 3), (n_k, 3), (n_k, 2))
    mask = rng.random((n_q, n_k)) < 0.5
    best = (q @ k.T).argmax(axis=-1)
    assert_array_equal(attention(q, k, v, temperature=0).output, v[best])
    uniform = attention(q, k, v, mask=mask, temperature=INF)
    assert_allclose(uniform.weights, mask / np.maximum(1, mask.sum(axis=-1, keepdims=True)))


def test_causal_masks_of_unequal_lengths_align_bottom_right():
    zeros, values = np.zeros((5, 2)), np.eye(5)
    few_queries = attention(zeros[:2], zeros, values, is_causal=True).weights
    assert_allclose(few_queries, [[1 / 4] * 4 + [0], [1 / 5] * 5])
    few_keys = attention(zeros, zeros[:2], values[:2], is_causal=True).weights
    assert_allclose(few_keys, [[0, 0]] * 3 + [[1, 0], [0.5, 0.5]])


@given(st.sampled_from([dot_scores, scaled_dot_scores, gaussian_scores]), st.integers(0, 99))
def test_one_query_is_a_stack_of_one(scores, seed):
    rng = np.random.default_rng(seed)
    q, k, v = draw(rng, 3, (2, 5, 3), (2, 5, 7))
    mask, bias = rng.random((2, 5)) < 0.7, rng.standard_normal((2, 5))
    for is_causal in (False, True):
        options = {"is_causal": is_causal, "scores": scores}
        output, weights = attention(q, k, v, mask=mask, bias=bias, **options)
        stack = attention(q[None], k, v, mask=mask[:, None], bias=bias[:, None], **options)
        assert_array_equal(output, stack.output[:, 0])
        assert_array_equal(weights, stack.weights[:, 0])
    output, weights = attention(q, k[0], v[0], mask=True, need_weights=False)
    assert output.shape == (7,)
    assert weights is None


@pytest.mark.parametrize("scores", [dot_scores, scaled_dot_scores, gaussian_scores])
@pytest.mark.parametrize("size", [1, 1000])
def test_float16_computes_safely(scores, size):
    x = (np.random.default_rng(0).standard_normal((3, 5, 7)) * size).astype(np.float16)
    result = attention(*x, scores=scores)  # at size 1000 scores are beyond the range of float16
    wide = attention(*x.astype(np.float32), scores=scores)
    assert result.output.dtype == result.weights.dtype == np.float16
    assert_array_equal(result.output, wide.output.astype(np.float16))
    assert_array_equal(result.weights, wide.weights.astype(np.float16))


def test_scores_may_be_any_function_of_rows():
    rng = np.random.default_rng(0)
    q, k, v, w = draw(rng, (5, 2), (7, 3), (7, 2), (2, 3))
    output, _ = attention(q, k, v, scores=lambda query, key: query @ w @ key.T)
    assert_allclose(output, softmax(q @ w @ k.T) @ v)
    whole = attention(q, k, v, scores=lambda q, k: np.ones((len(q), len(k)), int)).output
    assert_allclose(whole, np.tile(v.mean(axis=0), (5, 1)))


def test_infinities_and_nan_reach_only_where_there_is_weight():
    q, k = np.zeros((2, 1)), np.zeros((4, 1))
    mask = np.array([[True, True, False, False], [True, False, True, True]])
    v = np.array([[1, NAN, 2], [3, 4, 4], [INF, 0, INF], [0, 0, -INF]])
    output = attention(q, k, v, mask=mask).output
    assert_array_equal(output, [[2, NAN, 3], [INF, NAN, NAN]])
    assert_array_equal(
        attention(q, [[NAN], [0], [0], [0]], v[:, :1], mask=mask).output, [[NAN]] * 2
    )
    assert_array_equal(attention([0], [[INF], [1]], [[1], [2]]).output, [NAN])  # 0 * inf
    assert_array_equal(attention([1], [[INF], [1]], [[1], [2]]).output, [1])


def test_values_too_large_to_add_up_have_a_mean():
    v = np.array([[1.7e308, -1.7e308], [1.7e308, 1.7e308], [1.6e308, -1.7e308]])
    assert_allclose(attention([0.0], [[0], [0], [0]], v).output, [5 / 3 * 1e308, -1.7e308 / 3])
    single = np.full((100, 1), 3e38, np.float32)
    assert_allclose(attention(single * 0, single, single).output, single, rtol=1e-5)
    v[2] = NAN  # and what is hidden stays hidden
    output = attention([0.0], [[0], [0], [0]], v, mask=[True, True, False]).output
    assert_allclose(output, [1.7e308, 0])


def test_a_weight_that_is_too_small_to_hold_passes_on_nothing():
    output, weights = attention([1.0], [[0], [0], [-745]], [[1], [1], [INF]], scores=dot_scores)
    assert_array_equal(weights, [0.5, 0.5, 0])
    assert_array_equal(output, [1])


def test_shapes_without_anything_in_them():
    assert attention(np.ones((0, 3)), np.ones((2, 3)), np.ones((2, 5))).output.shape == (0, 5)
    assert attention(np.ones((4, 3)), np.ones((2, 3)), np.ones((2, 0))).output.shape == (4, 0)
    nothing = attention(np.ones((0, 4, 3)), np.ones((2, 3)), np.ones((2, 5)))
    assert nothing.output.shape == (0, 4, 5)
    assert nothing.weights.shape == (0, 4, 2)


def test_values_may_have_more_leading_axes_than_the_weights():
    q, k, v = draw(np.random.default_rng(0), (3, 2), (5, 2), (7, 5, 2))
    output, weights = attention(q, k, v)
    assert weights.shape == (3, 5)
    assert_allclose(output, weights @ v)


def test_worked_example():
    output, weights = attention(KEYS[5], KEYS, VALUES, scores=dot_scores)
    assert_allclose(weights, [0.0008, 0.0022, 0.0000147, 0.8775, 0.0008, 0.1188], atol=5e-5)
    assert_allclose(output, [0.3624], atol=5e-5)
    twice = [0, 1, 2, 3, 3, 4, 5]  # attention sees proportions, not counts
    output, weights = attention(KEYS[5], KEYS[twice], VALUES[twice], scores=dot_scores)
    assert_allclose(weights[3:5], [0.4674, 0.4674], atol=5e-5)
    assert_allclose(output, [0.3800], atol=5e-5)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e308])
@pytest.mark.parametrize("n_q", [2, 600])  # at once, and in blocks
def test_a_bias_of_minus_infinity_hides_as_a_mask_does(bad, n_q):
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((n, 3)) for n in (n_q, 600, 600))
    q[:, 0], k[2], v[2] = 1e3, bad, bad
    mask = np.arange(600) != 2
    expected = attention(q, k, v, mask=mask)
    found = attention(q, k, v, bias=np.where(mask, 0, -np.inf))
    for x, y in zip(found, expected, strict=True):
        assert_array_equal(x, y)
    heads = MultiHeadParams(*[np.eye(3)] * 4)
    found = multi_head_attention(q, k, v, heads, n_heads=1, bias=np.where(mask, 0, -np.inf))
    assert_array_equal(found.output, attention(q, k, v, mask=mask).output)


def test_one_query_with_many_keys_keeps_the_digits_of_float32():
    """BLAS adds one by one in the product of a vector and a matrix."""
    n = 10**6
    key = np.zeros((n, 1), np.float32)
    for d_v in (1, 2, 3):
        values = np.full((n, d_v), 0.1, np.float32)
        output = attention(key[0], key, values).output
        assert_allclose(output, [0.1] * d_v, rtol=1e-5)
    way_back = attention_backward(key, key[:1], values[:1], np.ones((n, 1), np.float32), values)
    assert_allclose(way_back.value, [[n * 0.1] * d_v], rtol=1e-5)
