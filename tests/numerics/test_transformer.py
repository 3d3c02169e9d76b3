"""Laws of the parts of a transformer, and of its blocks."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnutils import (
    DecoderParams,
    EncoderParams,
    FeedForwardParams,
    LayerNormParams,
    MultiHeadParams,
    causal_mask,
    decoder_block,
    encoder_block,
    feed_forward,
    gelu,
    layer_norm,
    multi_head_attention,
    relu,
)

NAN, INF = np.nan, np.inf
D, D_MEMORY, HEADS = 6, 5, 2
sizes = st.sampled_from([1, 2, 3, 5, 7])
norms = pytest.mark.parametrize("norm", ["post", "pre"])


def heads(rng, d_in=D):
    shapes = (D, 4), (d_in, 4), (d_in, 6), (6, D), 4, 4, 6, D
    return MultiHeadParams(*(rng.standard_normal(shape) for shape in shapes))


def network(rng):
    return FeedForwardParams(*(rng.standard_normal(shape) for shape in ((D, 7), 7, (7, D), D)))


def norm_params(rng):
    return LayerNormParams(*rng.standard_normal((2, D)))


def encoder(rng):
    return EncoderParams(heads(rng), network(rng), norm_params(rng), norm_params(rng))


def decoder(rng):
    three = (norm_params(rng) for _ in range(3))
    return DecoderParams(heads(rng), heads(rng, D_MEMORY), network(rng), *three)


def rows_normalised(x, p, eps=1e-5):
    """The definition of layer norm, one row at a time."""
    result = np.zeros_like(x)
    for i in np.ndindex(x.shape[:-1]):
        mean = sum(x[i]) / len(x[i])
        variance = sum((x[i] - mean) ** 2) / len(x[i])
        result[i] = (x[i] - mean) / math.sqrt(variance + eps) * p.scale + p.bias
    return result


def plain_network(x, p):
    return np.maximum(x @ p.w_in + p.b_in, 0) @ p.w_out + p.b_out


# --- the parts ----------------------------------------------------------------------------------


@given(st.sampled_from([1, 2, 3, 5, 11]), st.sampled_from([0, 1e-12, 1e-5, 1]), st.integers(0, 99))
def test_layer_norm_follows_its_definition(d, eps, seed):
    rng = np.random.default_rng(seed)
    x = 3 * rng.standard_normal((2, 3, d)) + 7
    p = LayerNormParams(*rng.standard_normal((2, d)))
    if d > 1 or eps:
        assert_allclose(layer_norm(x, *p, eps), rows_normalised(x, p, eps), atol=1e-9)


@given(st.sampled_from([2, 3, 5, 11]), st.floats(-99, 99), st.floats(0.1, 99), st.integers(0, 99))
def test_layer_norm_gives_mean_0_and_variance_1_and_sees_neither_shift_nor_scale(d, a, b, seed):
    x = np.random.default_rng(seed).standard_normal((3, d))
    one, zero = np.ones(d), np.zeros(d)
    normal = layer_norm(x, one, zero, eps=0)
    assert_allclose(normal.mean(axis=-1), [0, 0, 0], atol=1e-9)
    assert_allclose(normal.var(axis=-1), [1, 1, 1])
    assert_allclose(layer_norm(a + b * x, one, zero, eps=0), normal, atol=1e-6)


@pytest.mark.parametrize("scale", [5e-324, 1e-300, 1e-3, 1, 1e19, 1e200, 1.7e308])
@pytest.mark.parametrize("eps", [0, 1e-12, 1e-5])
def test_layer_norm_of_any_size_of_numbers(scale, eps):
    with np.errstate(all="raise"):
        row = layer_norm([[scale, -scale, scale, -scale]], np.ones(4), np.zeros(4), eps)
        same = layer_norm([[scale] * 4], np.ones(4), np.arange(4), eps)
    size = 1.0 if scale > 1 or eps == 0 else scale / math.sqrt(scale**2 + eps)
    assert_allclose(row, [[size, -size, size, -size]], rtol=1e-9, atol=1e-290)
    assert_array_equal(same, [[0, 1, 2, 3]])


def test_layer_norm_of_large_float16_and_of_nan():
    x = np.array([[1, 2, 6], [60000, -60000, 0]], "f2")
    y = layer_norm(x, np.ones(3, "f2"), np.zeros(3, "f2"))
    assert_allclose(y, rows_normalised(x.astype(float), LayerNormParams(1, 0)), rtol=1e-3)
    mixed = layer_norm([[1, NAN, 2], [1, 2, 3]], np.ones(3), np.zeros(3))
    assert np.isnan(mixed[0]).all()
    assert np.isfinite(mixed[1]).all()
    assert layer_norm([[3.0]], [1], [7]).tolist() == [[7]]
    assert layer_norm(np.ones((0, 3)), np.ones(3), np.ones(3)).shape == (0, 3)


def test_relu_and_gelu():
    x = np.array([-INF, -1e300, -50, -1, -0.0, 0, 1, 3, 1e300, INF])
    with np.errstate(all="raise"):
        assert_array_equal(relu(x), np.where(x > 0, x, 0))
        smooth = gelu(x)
    assert_allclose(smooth[[0, 1, 2]], [0, 0, 0], atol=1e-300)
    exact = [v * (1 + math.erf(v / math.sqrt(2))) / 2 for v in (-1, 0, 0, 1, 3)]
    assert_allclose(smooth[3:8], exact, atol=1e-15)
    assert_array_equal(smooth[8:], x[8:])
    assert_allclose(
        gelu(np.linspace(-9, 9, 99)) - gelu(-np.linspace(-9, 9, 99)), np.linspace(-9, 9, 99)
    )
    for f in (relu, gelu):
        assert np.isnan(f(NAN))
        assert f(np.ones((2, 0, 3), "f4")).shape == (2, 0, 3)


@given(sizes, st.integers(0, 99))
def test_feed_forward_works_on_each_position_by_itself(n, seed):
    rng = np.random.default_rng(seed)
    x, p, order = rng.standard_normal((2, n, D)), network(rng), rng.permutation(n)
    result = feed_forward(x, p)
    assert_allclose(result, plain_network(x, p), atol=1e-11)
    assert_allclose(feed_forward(x[:, order], p), result[:, order], atol=1e-11)
    assert_allclose(feed_forward(x[0, 0], p), result[0, 0], atol=1e-11)
    assert_allclose(feed_forward(x, p, activation=gelu), gelu(x @ p[0] + p[1]) @ p[2] + p[3])
    linear = feed_forward(x, p, activation=lambda z: z)
    assert_allclose(linear, x @ (p.w_in @ p.w_out) + p.b_in @ p.w_out + p.b_out, atol=1e-11)


# --- the blocks ---------------------------------------------------------------------------------


@given(sizes, st.booleans(), st.integers(0, 99))
def test_the_encoder_block_is_the_chain_of_its_parts(n, masked, seed):
    rng = np.random.default_rng(seed)
    x, p = rng.standard_normal((2, n, D)), encoder(rng)
    mask = rng.random((n, n)) < 0.6 if masked else None

    def attend(z):
        return multi_head_attention(z, z, z, p.attention, n_heads=HEADS, mask=mask)

    output, weights = encoder_block(x, p, n_heads=HEADS, mask=mask)
    y = rows_normalised(x + attend(x).output, p.norm_1)
    y = rows_normalised(y + plain_network(y, p.feed_forward), p.norm_2)
    assert_allclose(output, y, atol=1e-9)
    assert_allclose(weights, attend(x).weights, atol=1e-12)

    output, weights = encoder_block(x, p, n_heads=HEADS, mask=mask, norm="pre")
    z = rows_normalised(x, p.norm_1)
    y = x + attend(z).output
    y = y + plain_network(rows_normalised(y, p.norm_2), p.feed_forward)
    assert_allclose(output, y, atol=1e-9)
    assert_allclose(weights, attend(z).weights, atol=1e-9)


@given(sizes, sizes, st.booleans(), st.integers(0, 99))
def test_the_decoder_block_is_the_chain_of_its_parts(n, m, masked, seed):
    rng = np.random.default_rng(seed)
    x, memory, p = rng.standard_normal((2, n, D)), rng.standard_normal((m, D_MEMORY)), decoder(rng)
    mask = rng.random((n, n)) < 0.6 if masked else np.ones((n, n), bool)
    memory_mask = rng.random((2, 1, m)) < 0.6 if masked else None

    def own(z):
        visible = mask & causal_mask(n)
        return multi_head_attention(z, z, z, p.self_attention, n_heads=HEADS, mask=visible)

    def cross(z):
        return multi_head_attention(
            z, memory, memory, p.cross_attention, n_heads=HEADS, mask=memory_mask
        )

    options = {"n_heads": HEADS, "mask": mask, "memory_mask": memory_mask}
    result = decoder_block(x, memory, p, **options)
    y = rows_normalised(x + own(x).output, p.norm_1)
    z = rows_normalised(y + cross(y).output, p.norm_2)
    last = rows_normalised(z + plain_network(z, p.feed_forward), p.norm_3)
    assert_allclose(result.output, last, atol=1e-9)
    assert_allclose(result.self_weights, own(x).weights, atol=1e-9)
    assert_allclose(result.cross_weights, cross(y).weights, atol=1e-9)

    result = decoder_block(x, memory, p, norm="pre", **options)
    y = x + own(rows_normalised(x, p.norm_1)).output
    found = cross(rows_normalised(y, p.norm_2))
    z = y + found.output
    last = z + plain_network(rows_normalised(z, p.norm_3), p.feed_forward)
    assert_allclose(result.output, last, atol=1e-9)
    assert_allclose(result.self_weights, own(rows_normalised(x, p.norm_1)).weights, atol=1e-9)
    assert_allclose(result.cross_weights, found.weights, atol=1e-9)


@norms
@pytest.mark.parametrize("poison", [1e3, NAN, INF])
@pytest.mark.parametrize("t", [0, 2, 3])
def test_the_decoder_ignores_the_future(norm, poison, t):
    rng = np.random.default_rng(0)
    x, memory, p = rng.standard_normal((4, D)), rng.standard_normal((3, D_MEMORY)), decoder(rng)
    y = x.copy()
    y[t + 1 :] = poison
    before = decoder_block(x, memory, p, n_heads=HEADS, norm=norm)
    after = decoder_block(y, memory, p, n_heads=HEADS, norm=norm)
    assert_allclose(after.output[: t + 1], before.output[: t + 1], atol=1e-9)
    assert_allclose(after.self_weights[:, : t + 1], before.self_weights[:, : t + 1], atol=1e-9)
    assert_allclose(after.cross_weights[:, : t + 1], before.cross_weights[:, : t + 1], atol=1e-9)
    assert_array_equal(np.triu(before.self_weights, 1), np.zeros((HEADS, 4, 4)))


def test_masks_may_differ_by_example_or_by_head():
    rng = np.random.default_rng(0)
    x, memory = rng.standard_normal((HEADS, 4, D)), rng.standard_normal((HEADS, 3, D_MEMORY))
    p = decoder(rng)
    mask, memory_mask = rng.random((HEADS, 4, 4)) < 0.6, rng.random((HEADS, 4, 3)) < 0.6
    for axis in (1, 0):
        own, cross = np.expand_dims(mask, axis), np.expand_dims(memory_mask, axis)
        found = decoder_block(x, memory, p, n_heads=HEADS, mask=own, memory_mask=cross)
        own = own & causal_mask(4)
        for weights, seen in ((found.self_weights, own), (found.cross_weights, cross)):
            assert_array_equal(weights > 0, np.broadcast_to(seen, weights.shape))


def test_equal_numbers_become_the_bias_whatever_eps_is():
    for number in (0.1, 0.7, 1e300, 5e-324):
        for eps in (0, 1e-40, 1e-5):
            assert_array_equal(layer_norm([[number] * 3], [1] * 3, [5] * 3, eps), [[5, 5, 5]])
    assert_allclose(layer_norm([[5e-324, 0]], [1, 1], [0, 0], eps=0), [[1, -1]])


def test_long_rows_of_float32_are_normalised_however_they_lie_in_memory():
    n = 10**6
    rows = np.full((2, n), 0.1, np.float32)
    rows[:, 0] = 0  # one that is as far away as the root of all
    scale, bias = np.ones(n, np.float32), np.zeros(n, np.float32)
    for x in (rows, np.asfortranarray(rows)):
        assert_allclose(layer_norm(x, scale, bias, eps=0)[:, 0], -(n**0.5), rtol=1e-3)
