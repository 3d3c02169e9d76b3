"""Laws of softmax, hardmax, sparsemax and entropy."""

import math

import numpy as np
import pytest
import scipy.special
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.testing import assert_allclose, assert_array_equal

from attnutils import entropy, hardmax, masked_softmax, softmax, sparsemax

INF, NAN = np.inf, np.nan

shapes = array_shapes(min_dims=1, max_dims=3, max_side=7)
tame = arrays(np.float64, shapes, elements=st.floats(-30, 30))
whole = arrays(np.int64, shapes, elements=st.integers(-9, 9))  # sums of these are exact
wild = arrays(
    np.float64,
    shapes,
    elements=st.one_of(
        st.floats(allow_nan=False),
        st.sampled_from([INF, -INF, 0.0, 1e300, -1e300, 1.7e308, -1.7e308, 5e-324]),
    ),
)
temperatures = st.one_of(st.sampled_from([0.0, 5e-324, 1.0, 1e308, INF]), st.floats(1e-3, 1e3))
normalizers = st.sampled_from(
    [
        softmax,
        sparsemax,
        masked_softmax,
        lambda x, axis, temperature: hardmax(x, axis),
    ]
)


def axes_of(data, x):
    return data.draw(st.integers(-x.ndim, x.ndim - 1), label="axis")


@given(normalizers, wild, temperatures, st.sampled_from([np.float32, np.float64]), st.data())
def test_rows_sum_to_one_or_nothing_is_allowed(normalize, x, temperature, dtype, data):
    axis = axes_of(data, x)
    with np.errstate(over="ignore"):
        x = x.astype(dtype)
    before = x.copy()
    weights = normalize(x, axis=axis, temperature=temperature)
    assert weights.dtype == dtype
    assert weights.shape == x.shape
    assert (weights >= 0).all()
    assert (weights[x == -INF] == 0).all()
    some = (x > -INF).any(axis=axis)
    assert_allclose(weights.sum(axis=axis), some, rtol=0, atol=1e-5)
    assert_array_equal(x, before)


@given(normalizers, wild, temperatures, st.data())
def test_a_larger_score_never_has_a_smaller_weight(normalize, x, temperature, data):
    axis = axes_of(data, x)
    order = np.argsort(x, axis=axis)
    weights = normalize(x, axis=axis, temperature=temperature)
    steps = np.diff(np.take_along_axis(weights, order, axis=axis), axis=axis)
    assert (steps >= -1e-12).all()


@given(normalizers, whole, st.integers(-1000, 1000), temperatures, st.data())
def test_a_constant_added_to_all_scores_changes_nothing(normalize, x, constant, temperature, data):
    axis = axes_of(data, x)
    shifted = normalize(x + constant, axis=axis, temperature=temperature)
    assert_array_equal(shifted, normalize(x, axis=axis, temperature=temperature))


@given(tame, st.floats(0.1, 100), st.data())
def test_softmax_agrees_with_scipy(x, temperature, data):
    axis = axes_of(data, x)
    expected = scipy.special.softmax(x / temperature, axis=axis)
    assert_allclose(softmax(x, axis, temperature), expected, rtol=1e-9, atol=1e-300)


@given(whole, st.data())
def test_hardmax_is_the_limit_of_softmax_and_sparsemax(x, data):
    axis = axes_of(data, x)
    hard = hardmax(x, axis)
    largest = x == x.max(axis=axis, keepdims=True)
    assert_array_equal(hard, largest / largest.sum(axis=axis, keepdims=True))
    for normalize in (softmax, sparsemax, masked_softmax):
        assert_array_equal(normalize(x, axis=axis, temperature=0), hard)
        assert_allclose(normalize(x, axis=axis, temperature=1e-3), hard, atol=1e-12)


@given(wild, st.data())
def test_infinite_temperature_is_uniform_over_all_but_minus_infinity(x, data):
    axis = axes_of(data, x)
    allowed = x > -INF
    expected = allowed / np.maximum(1, allowed.sum(axis=axis, keepdims=True))
    for normalize in (softmax, sparsemax, masked_softmax):
        assert_allclose(normalize(x, axis=axis, temperature=INF), expected, rtol=1e-14)


@given(arrays(np.float64, 7, elements=st.floats(-30, 30)), arrays(np.bool_, 7), temperatures)
def test_a_mask_is_the_same_as_leaving_entries_out(x, mask, temperature):
    weights = masked_softmax(x, mask, temperature=temperature)
    assert (weights[~mask] == 0).all()
    if mask.any():
        assert_allclose(weights[mask], softmax(x[mask], temperature=temperature), rtol=1e-12)
    hidden = np.where(mask, x, -INF)
    assert_array_equal(weights, softmax(hidden, temperature=temperature))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_a_mask_broadcasts_and_an_empty_row_gets_zeros(axis):
    x = np.arange(15.0).reshape(3, 5)
    mask = np.array([True, False, True])[:, None]
    weights = masked_softmax(x, mask, axis=axis)
    assert_array_equal(weights[1], np.zeros(5))
    assert_array_equal(masked_softmax(x, False, axis=axis), np.zeros((3, 5)))
    assert_array_equal(masked_softmax(x, True, axis=axis), softmax(x, axis=axis))


@given(tame, st.floats(0.05, 100))
def test_sparsemax_is_the_nearest_point_that_sums_to_one(x, temperature):
    z, weights = x / temperature, sparsemax(x, temperature=temperature)
    # z - weights is one threshold wherever there is weight, and is not above it elsewhere.
    excess = z - weights
    threshold = np.where(weights > 0, excess, -INF).max(axis=-1, keepdims=True)
    assert_allclose(np.where(weights > 0, excess, threshold), threshold + 0 * z, atol=1e-10)
    assert (excess <= threshold + 1e-10).all()


@pytest.mark.parametrize("normalize", [softmax, sparsemax, masked_softmax])
@pytest.mark.parametrize("temperature", [0, 5e-324, 1e-300, 1, 1e300, 1e308])
def test_scores_of_plus_infinity_share(normalize, temperature):
    weights = normalize([INF, 3, INF, -INF, 1e300], temperature=temperature)
    assert_array_equal(weights, [0.5, 0, 0.5, 0, 0])
    assert_array_equal(hardmax([INF, 3, INF, -INF]), [0.5, 0, 0.5, 0])


@pytest.mark.parametrize("temperature", [0, 5e-324, 1, 1e308, INF])
def test_nan_stays_in_its_row_and_out_of_hidden_entries(temperature):
    x = np.array([[1, NAN, -INF, 2], [1, 0, -INF, 2]])
    mask = np.array([True, True, True, False])
    for normalize in (softmax, sparsemax):
        weights = normalize(x, temperature=temperature)
        assert_array_equal(np.isnan(weights), [[True, True, False, True], [False] * 4])
        assert_array_equal(weights[0, 2], 0)
        assert_allclose(weights[1].sum(), 1)
    weights = masked_softmax(x, mask, temperature=temperature)
    assert_array_equal(np.isnan(weights), [[True, True, False, False], [False] * 4])
    unseen = masked_softmax([1, NAN, 2], [True, False, True], temperature=temperature)
    assert_array_equal(unseen, masked_softmax([1, 0, 2], [True, False, True], -1, temperature))


def test_gaps_as_wide_as_the_numbers_allow():
    for largest in (1e300, 1.7e308):
        weights = softmax([largest, -largest], temperature=largest)
        assert_allclose(weights[1] / weights[0], math.exp(-2))
    assert_array_equal(softmax([1e300, -1e300], temperature=5e-324), [1, 0])
    assert_array_equal(softmax([1e300, 1e300, 0]), [0.5, 0.5, 0])
    assert_array_equal(softmax([-1e300, -1e300]), [0.5, 0.5])
    assert_array_equal(softmax([5e-324, 0], temperature=0), [1, 0])
    single = np.array([3e38, -3e38, -INF], dtype=np.float32)
    assert_array_equal(softmax(single, temperature=5e-324), [1, 0, 0])
    assert_array_equal(softmax(single, temperature=1e308), [0.5, 0.5, 0])


@pytest.mark.parametrize("temperature", [0, 5e-324, 0.5, 1, 1.5, 1e303, 1e304, 1e308, INF])
def test_each_row_has_its_own_weights_whatever_the_others_hold(temperature):
    rows = np.array(
        [[3, 1, 1.5], [INF, 1, 2], [NAN, 1, 2], [-INF] * 3, [1.7e308, -1.7e308, 0], [2, -INF, 1]]
    )
    for normalize in (softmax, sparsemax, masked_softmax):
        together = normalize(rows, temperature=temperature)
        alone = [normalize(row, temperature=temperature) for row in rows]
        assert_allclose(together, alone, rtol=1e-14)


@given(tame, st.sampled_from([2, math.e, 10]), st.data())
def test_entropy_agrees_with_scipy(x, base, data):
    axis = axes_of(data, x)
    weights = softmax(x, axis)
    expected = scipy.stats.entropy(weights, base=base, axis=axis)
    assert_allclose(entropy(weights, axis, base), expected, atol=1e-12)


def test_entropy_at_its_ends():
    assert_allclose(entropy(np.full((3, 8), 1 / 8)), [3, 3, 3])
    assert str(entropy([0, 1, 0])) == "0.0"  # and not -0.0
    assert entropy([0.0, 0.0]) == 0
    assert_allclose(entropy([5e-324, 1]), 0, atol=1e-300)
    assert np.isnan(entropy([NAN, 0.5]))


@pytest.mark.parametrize("below", [-1e-17, -9.9e-7])
def test_entropy_takes_what_rounding_left_below_zero(below):
    assert entropy([1, below]) == 0


@pytest.mark.parametrize("below", [-1.1e-6, -0.0005])
def test_entropy_refuses_what_rounding_cannot_have_left(below):
    with pytest.raises(ValueError, match=f"weights must be at least 0, got {below:.4g}"):
        entropy([1, below])


@pytest.mark.parametrize("is_column", [True, False])
@pytest.mark.parametrize("normalize", [softmax, sparsemax])
def test_long_sums_of_float32_keep_their_digits_along_any_axis(normalize, is_column):
    """NumPy adds one by one what does not lie side by side in memory."""
    n = 10**6
    scores = np.full((n, 2), math.log(0.1) if normalize is softmax else -1 / n, np.float32)
    scores[0] = 0
    weights = normalize(scores, axis=0) if is_column else normalize(scores.T).T
    assert_allclose(weights.sum(axis=0, dtype=np.float64), 1, rtol=0, atol=1e-6)
    equal = np.full((n, 2), 1 / n, np.float32)
    bits = entropy(equal, axis=0) if is_column else entropy(equal.T)
    assert_allclose(bits, math.log2(n), rtol=1e-6)
