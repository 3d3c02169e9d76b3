"""Laws of the positional encodings."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnutils import alibi_bias, rotary_embedding, sinusoidal_encoding

NAN, INF = np.nan, np.inf
even = st.sampled_from([2, 4, 6, 10, 14, 22])


@given(st.sampled_from([0, 1, 2, 3, 5, 7, 11]), even, st.sampled_from([1, 10, 10000.0, 1e300, INF]))
def test_sines_stand_in_even_columns_and_cosines_in_odd_ones(length, dim, base):
    encoding = sinusoidal_encoding(length, dim, base)
    assert encoding.shape == (length, dim)
    assert encoding.dtype == np.float64
    for i in range(length):
        for r in range(dim // 2):
            angle = i * base ** (-2 * r / dim)
            assert_allclose(encoding[i, 2 * r], math.sin(angle), atol=1e-12)
            assert_allclose(encoding[i, 2 * r + 1], math.cos(angle), atol=1e-12)


@given(even, st.integers(0, 50))
def test_a_shift_is_a_rotation(dim, shift):
    encoding = sinusoidal_encoding(60 + shift, dim)
    rotation = np.zeros((dim, dim))  # the same for all positions: it depends on the shift only
    for r in range(dim // 2):
        angle = shift * 10000 ** (-2 * r / dim)
        cos, sin = math.cos(angle), math.sin(angle)
        rotation[2 * r : 2 * r + 2, 2 * r : 2 * r + 2] = [[cos, -sin], [sin, cos]]
    assert_allclose(rotation @ rotation.T, np.eye(dim), atol=1e-12)
    assert_allclose(encoding[:60] @ rotation, encoding[shift:], atol=1e-12)


def turned(x, position, base=10000.0):
    """The definition: a pair of features is a complex number, times e^(i angle)."""
    d = len(x)
    result = np.zeros(d)
    for r in range(d // 2):
        z = complex(x[2 * r], x[2 * r + 1]) * np.exp(1j * position * base ** (-2 * r / d))
        result[2 * r : 2 * r + 2] = z.real, z.imag
    return result


@given(st.sampled_from([1, 2, 3, 5]), even, st.sampled_from([1, 100.0, 10000]), st.integers(0, 99))
def test_rotary_embedding_follows_its_definition(n, d, base, seed):
    rng = np.random.default_rng(seed)
    x, positions = rng.standard_normal((2, n, d)), rng.integers(-99, 99, (2, n))
    result = rotary_embedding(x, positions, base)
    for b, i in np.ndindex(2, n):
        assert_allclose(result[b, i], turned(x[b, i], positions[b, i], base), atol=1e-12)
    assert_allclose(rotary_embedding(x, base=base), rotary_embedding(x, np.arange(n), base))


@given(
    even, st.integers(-500, 500), st.integers(-500, 500), st.integers(-500, 500), st.integers(0, 99)
)
def test_rotary_scores_depend_on_the_offset_only(d, i, j, shift, seed):
    q, k = np.random.default_rng(seed).standard_normal((2, d))
    score = rotary_embedding(q, i) @ rotary_embedding(k, j)
    moved = rotary_embedding(q, i + shift) @ rotary_embedding(k, j + shift)
    assert_allclose(score, moved, atol=1e-11)
    assert_allclose(score, rotary_embedding(q, i - j) @ k, atol=1e-11)


def test_rotary_positions_broadcast():
    x = np.random.default_rng(0).standard_normal((2, 3, 5, 4))
    whole = rotary_embedding(x)
    assert_array_equal(rotary_embedding(x, np.arange(5)), whole)
    assert_array_equal(rotary_embedding(x, np.arange(5)[None, None]), whole)
    by_example = rotary_embedding(x, [[[7]], [[9]]])
    assert_array_equal(by_example[1], rotary_embedding(x[1], 9))
    assert_array_equal(rotary_embedding(x[0, 0, 0]), x[0, 0, 0])  # one vector stands at 0
    assert_array_equal(rotary_embedding(x[0, 0, 3], 3), whole[0, 0, 3])
    assert rotary_embedding(np.ones((0, 4))).shape == (0, 4)


def test_a_far_position_keeps_the_digits_of_its_angle_in_float32():
    x = np.array([1, 0], dtype=np.float32)
    position = 16_777_217  # 2^24 + 1, which float32 does not have
    assert_allclose(
        rotary_embedding(x, position), [math.cos(position), math.sin(position)], rtol=1e-6
    )


def test_the_longest_wave_is_that_of_base_10000():
    assert_array_equal(rotary_embedding(np.ones(4), 5), rotary_embedding(np.ones(4), 5, 10000))
    assert_array_equal(sinusoidal_encoding(7, 4), sinusoidal_encoding(7, 4, base=10000))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_no_turn_warns(dtype):
    """Overflow, underflow and the sine of infinity, whatever the caller asked of NumPy."""
    info = np.finfo(dtype)
    for number in (info.max, info.tiny, info.smallest_subnormal, INF, NAN):
        x = np.full((1, 2), number, dtype)
        for position in (1, 1e-310, 1e308, INF, NAN):
            with np.errstate(all="raise"):
                assert rotary_embedding(x, position, base=1e300).dtype == dtype


def test_alibi_slopes_of_twelve_heads():
    exponents = [1, 2, 3, 4, 5, 6, 7, 8, 0.5, 1.5, 2.5, 3.5]
    assert_allclose(-alibi_bias(12, 2)[:, 1, 0], 2.0 ** -np.array(exponents))


@pytest.mark.parametrize("n_heads", range(1, 34))
def test_alibi_has_one_slope_for_each_head_and_all_differ(n_heads):
    slopes = -alibi_bias(n_heads, 2)[:, 1, 0]
    assert len(set(slopes)) == n_heads
    below = 2 ** int(math.log2(n_heads))
    above = -alibi_bias(2 * below, 2)[:, 1, 0]
    assert_allclose(slopes[:below], -alibi_bias(below, 2)[:, 1, 0])
    assert_allclose(slopes[below:], above[::2][: n_heads - below])


@given(st.sampled_from([1, 3, 8]), st.integers(0, 7), st.integers(0, 7))
def test_alibi_falls_with_distance_and_ends_bottom_right(n_heads, n_q, n_k):
    bias = alibi_bias(n_heads, n_q, n_k)
    assert bias.shape == (n_heads, n_q, n_k)
    assert bias.dtype == np.float64
    for h, i, j in np.ndindex(*bias.shape):
        slope = -alibi_bias(n_heads, 1, 2)[h, 0, 0]
        assert_allclose(bias[h, i, j], -slope * abs((n_k - 1 - j) - (n_q - 1 - i)))
    assert not np.signbit(bias[bias == 0]).any()
    assert_array_equal(alibi_bias(n_heads, n_q), alibi_bias(n_heads, n_q, n_q))
