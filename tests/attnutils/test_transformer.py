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


def cast(params, dtype):
    if isinstance(params, tuple):
        return type(params)(*(cast(x, dtype) for x in params))
    return params.astype(dtype)


def arrays(params):
    return [a for x in params for a in (arrays(x) if isinstance(x, tuple) else [x])]


def silent(params):
    """The same parameters, but with attention and networks that return 0."""
    zero = {MultiHeadParams, FeedForwardParams}
    return type(params)(*(cast(x, float) if type(x) not in zero else nought(x) for x in params))


def nought(params):
    return type(params)(*(np.zeros_like(x) for x in params))


def rows_normalised(x, p, eps=1e-5):
    """The definition of layer norm, one row at a time."""
    result = np.zeros_like(x)
    for i in np.ndindex(x.shape[:-1]):
        mean = sum(x[i]) / len(x[i])
        variance = sum((x[i] - mean) ** 2) / len(x[i])
        result[i] = (x[i] - mean) / math.sqrt(variance + eps) * p.gain + p.bias
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


def test_layer_norm_dtypes_and_nan():
    x = np.array([[1, 2, 6], [60000, -60000, 0]])
    for dtype in ("float16", "float32", "float64"):
        y = layer_norm(x.astype(dtype), np.ones(3, dtype), np.zeros(3, dtype))
        assert y.dtype == dtype
        assert_allclose(y, rows_normalised(x.astype(float), LayerNormParams(1, 0)), rtol=1e-3)
    assert layer_norm(x, [1, 1, 1], [0, 0, 0]).dtype == np.float64
    assert layer_norm(x.astype("f4"), np.ones(3), np.ones(3, "f4")).dtype == np.float64
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
        assert f([1, 2]).dtype == np.float64
        assert f(np.ones((2, 3), "f2")).dtype == np.float16
        assert f(np.ones((2, 0, 3), "f4")).shape == (2, 0, 3)
        assert f(np.ones(3, "f4")).dtype == np.float32


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


def test_an_activation_does_not_change_the_dtype():
    p = cast(network(np.random.default_rng(0)), "f4")
    x = np.ones((2, D), "f4")
    assert feed_forward(x, p, activation=lambda z: z.astype("f8")).dtype == np.float32


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
def test_parts_that_return_0_leave_the_residual(norm):
    rng = np.random.default_rng(0)
    x, memory = rng.standard_normal((5, D)), rng.standard_normal((3, D_MEMORY))
    e, d = silent(encoder(rng)), silent(decoder(rng))
    encoded = encoder_block(x, e, n_heads=HEADS, norm=norm).output
    decoded = decoder_block(x, memory, d, n_heads=HEADS, norm=norm).output
    if norm == "pre":
        assert_array_equal(encoded, x)
        assert_array_equal(decoded, x)
    else:
        assert_allclose(encoded, rows_normalised(rows_normalised(x, e.norm_1), e.norm_2))
        y = rows_normalised(rows_normalised(x, d.norm_1), d.norm_2)
        assert_allclose(decoded, rows_normalised(y, d.norm_3))


@norms
def test_unmasked_attention_without_positions_is_equivariant_to_permutation(norm):
    rng = np.random.default_rng(0)
    x, p, order = rng.standard_normal((7, D)), encoder(rng), rng.permutation(7)
    output, weights = encoder_block(x, p, n_heads=HEADS, norm=norm)
    shuffled = encoder_block(x[order], p, n_heads=HEADS, norm=norm)
    assert_allclose(shuffled.output, output[order], atol=1e-9)
    assert_allclose(shuffled.weights, weights[:, order][..., order], atol=1e-9)


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


def test_an_unmasked_encoder_does_see_the_future_and_a_mask_hides_it():
    rng = np.random.default_rng(0)
    x, p = rng.standard_normal((4, D)), encoder(rng)
    y = x.copy()
    y[3] += 1
    for mask, hidden in ((None, False), (causal_mask(4), True)):
        before = encoder_block(x, p, n_heads=HEADS, mask=mask).output[:3]
        after = encoder_block(y, p, n_heads=HEADS, mask=mask).output[:3]
        assert np.allclose(before, after) == hidden


def test_the_decoder_sees_all_of_the_memory_that_its_mask_allows():
    rng = np.random.default_rng(0)
    x, memory, p = rng.standard_normal((4, D)), rng.standard_normal((3, D_MEMORY)), decoder(rng)
    options = {"n_heads": HEADS, "memory_mask": [True, True, False]}
    before = decoder_block(x, memory, p, **options)
    order = [1, 0, 2]
    shuffled = decoder_block(x, memory[order], p, **options)
    assert_allclose(shuffled.output, before.output, atol=1e-9)
    assert_allclose(shuffled.cross_weights, before.cross_weights[..., order], atol=1e-9)
    memory[2] = NAN
    assert_allclose(decoder_block(x, memory, p, **options).output, before.output, atol=1e-9)
    memory[0] += 1
    changed = decoder_block(x, memory, p, **options).output
    assert (np.abs(changed - before.output).max(axis=-1) > 1e-6).all()


def test_masks_may_differ_by_example_or_by_head():
    rng = np.random.default_rng(0)
    x, memory = rng.standard_normal((HEADS, 4, D)), rng.standard_normal((HEADS, 3, D_MEMORY))
    p = decoder(rng)
    mask, memory_mask = rng.random((HEADS, 4, 4)) < 0.6, rng.random((HEADS, 4, 3)) < 0.6
    options = {"mask": mask, "memory_mask": memory_mask}
    batch = decoder_block(x, memory, p, n_heads=HEADS, **options)
    for b in range(HEADS):
        options = {"mask": mask[b], "memory_mask": memory_mask[b]}
        alone = decoder_block(x[b], memory[b], p, n_heads=HEADS, **options)
        for whole, part in zip(batch, alone, strict=True):
            assert_allclose(whole[b], part, atol=1e-9)
    options = {"mask": mask[None], "memory_mask": memory_mask[None]}
    by_head = decoder_block(x, memory, p, n_heads=HEADS, **options)
    visible = np.broadcast_to(mask & causal_mask(4), (HEADS, HEADS, 4, 4))
    assert_array_equal(by_head.self_weights > 0, visible)
    visible = np.broadcast_to(memory_mask, (HEADS, HEADS, 4, 3))
    assert_array_equal(by_head.cross_weights > 0, visible)


@norms
def test_a_row_that_sees_nothing_is_not_nan(norm):
    rng = np.random.default_rng(0)
    x, memory = rng.standard_normal((4, D)), rng.standard_normal((3, D_MEMORY))
    options = {"n_heads": HEADS, "norm": norm, "mask": False}
    encoded = encoder_block(x, encoder(rng), **options)
    decoded = decoder_block(x, memory, decoder(rng), memory_mask=False, **options)
    for array in (*encoded, *decoded):
        assert np.isfinite(array).all()
    for weights in (encoded.weights, *decoded[1:]):
        assert not weights.any()


def test_leading_axes_of_memory_broadcast():
    rng = np.random.default_rng(0)
    x, memory, p = rng.standard_normal((4, D)), rng.standard_normal((7, 3, D_MEMORY)), decoder(rng)
    result = decoder_block(x, memory, p, n_heads=HEADS)
    assert [a.shape for a in result] == [(7, 4, D), (HEADS, 4, 4), (7, HEADS, 4, 3)]
    alone = decoder_block(x, memory[5], p, n_heads=HEADS)
    assert_allclose(result.output[5], alone.output, atol=1e-9)


@norms
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
def test_dtypes(norm, x_dtype, p_dtype, expected):
    rng = np.random.default_rng(0)
    x, memory = np.arange(4 * D).reshape(4, D).astype(x_dtype), np.ones((3, D_MEMORY), x_dtype)
    e, d = cast(encoder(rng), p_dtype), cast(decoder(rng), p_dtype)
    encoded = encoder_block(x, e, n_heads=HEADS, norm=norm, activation=gelu)
    decoded = decoder_block(x, memory, d, n_heads=HEADS, norm=norm)
    assert {a.dtype for a in (*encoded, *decoded)} == {np.dtype(expected)}
    wide = encoder_block(x.astype(float), cast(e, "f8"), n_heads=HEADS, norm=norm, activation=gelu)
    assert_allclose(encoded.output, wide.output, rtol=2e-2, atol=2e-2)


@norms
def test_input_is_not_modified_and_may_be_read_only(norm):
    rng = np.random.default_rng(0)
    x, memory = rng.standard_normal((4, D)), rng.standard_normal((3, D_MEMORY))
    e, d = encoder(rng), decoder(rng)
    for array in (x, memory, *arrays(e), *arrays(d)):
        array.flags.writeable = False
    results = (
        *encoder_block(x, e, n_heads=HEADS, norm=norm),
        *decoder_block(x, memory, d, n_heads=HEADS, norm=norm),
    )
    assert all(array.flags.writeable for array in results)


def test_huge_inputs_neither_warn_nor_give_nan():
    rng = np.random.default_rng(0)
    x = np.array([[1e300] * 3 + [-1e300] * 3, [1.0] * 6])
    e = encoder(rng)
    with np.errstate(all="raise"):
        for norm in ("post", "pre"):
            assert np.isfinite(encoder_block(x, e, n_heads=HEADS, norm=norm).output).all()


def test_one_position_and_one_head():
    rng = np.random.default_rng(0)
    x, memory = rng.standard_normal((1, D)), rng.standard_normal((1, D_MEMORY))
    result = decoder_block(x, memory, decoder(rng), n_heads=1)
    assert_array_equal(result.self_weights, [[[1]]])
    assert_array_equal(result.cross_weights, [[[1]]])


def test_the_parameters_of_a_block_of_width_512():
    d, d_ff = 512, 2048
    zero = np.zeros
    attend = MultiHeadParams(*[zero((d, d))] * 4, *[zero(d)] * 4)
    net = FeedForwardParams(zero((d, d_ff)), zero(d_ff), zero((d_ff, d)), zero(d))
    norm = LayerNormParams(np.ones(d), zero(d))
    params = EncoderParams(attend, net, norm, norm)
    assert net.w_in.size + net.w_out.size == 2_097_152
    assert sum(a.size for a in arrays(params)) == 3_152_384
    assert encoder_block(np.ones((2, d)), params, n_heads=8).output.shape == (2, d)


def leaves(params):
    """The arrays inside nested parameters, from left to right."""
    return [x for p in params for x in (leaves(p) if isinstance(p, tuple) else [p])]


def rebuilt(params, arrays):
    """The same parameters with arrays taken from an iterator."""
    parts = (rebuilt(p, arrays) if isinstance(p, tuple) else next(arrays) for p in params)
    return type(params)(*parts)


@norms
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_one_wider_argument_makes_every_result_wide(norm, dtype):
    rng = np.random.default_rng(0)
    e, d = cast(encoder(rng), np.float16), cast(decoder(rng), np.float16)
    x, memory = np.ones((4, D), np.float16), np.ones((3, D_MEMORY), np.float16)

    def widened(arrays, at):
        return iter([a.astype(dtype) if i == at else a for i, a in enumerate(arrays)])

    for at in range(1 + len(leaves(e))):
        y, *arrays = widened([x, *leaves(e)], at)
        result = encoder_block(y, rebuilt(e, iter(arrays)), n_heads=HEADS, norm=norm)
        assert {a.dtype for a in result} == {np.dtype(dtype)}
    for at in range(2 + len(leaves(d))):
        y, m, *arrays = widened([x, memory, *leaves(d)], at)
        result = decoder_block(y, m, rebuilt(d, iter(arrays)), n_heads=HEADS, norm=norm)
        assert {a.dtype for a in result} == {np.dtype(dtype)}


def test_no_hard_sum_warns_in_a_block():
    """Overflow, underflow and inf - inf inside, whatever the caller asked of NumPy."""
    rng = np.random.default_rng(0)
    e, d = cast(encoder(rng), np.float16), cast(decoder(rng), np.float16)
    signs = np.sign(rng.standard_normal((4, D)))
    for scale in (6e-8, 60000, INF, NAN):
        x = (scale * signs).astype(np.float16)
        memory = np.abs(x[:3, :D_MEMORY])
        with np.errstate(all="raise"):
            encoder_block(x, e, n_heads=HEADS)
            decoder_block(x, memory, d, n_heads=HEADS, norm="pre", activation=gelu)
            layer_norm(x, x[0], x[1], eps=1e-300)


def paths(params, at):
    """The name of each array inside nested parameters, from left to right."""
    for field, p in zip(params._fields, params, strict=True):
        yield from paths(p, f"{at}.{field}") if isinstance(p, tuple) else [f"{at}.{field}"]


def test_a_parameter_that_does_not_fit_is_called_by_its_whole_name():
    rng = np.random.default_rng(0)
    x, memory = np.ones((4, D)), np.ones((3, D_MEMORY))
    calls = [
        (encoder(rng), lambda p: encoder_block(x, p, n_heads=HEADS)),
        (decoder(rng), lambda p: decoder_block(x, memory, p, n_heads=HEADS)),
        (network(rng), lambda p: feed_forward(x, p)),
    ]
    for (params, call), function in zip(
        calls, ["encoder_block", "decoder_block", "feed_forward"], strict=True
    ):
        for at, path in enumerate(paths(params, "params")):
            arrays = leaves(params)
            arrays[at] = np.ones((1, 1, 1))
            wrong = rebuilt(params, iter(arrays))
            with pytest.raises(
                ValueError, match=rf"^{function}: {path} has shape \(1, 1, 1\) but "
            ):
                call(wrong)
            right, group = leaves(params)[at], path.rpartition(".")[0]
            for axis in range(right.ndim):  # one row or one column too many
                arrays[at] = np.repeat(right, [2] + [1] * (right.shape[axis] - 1), axis)
                wrong = rebuilt(params, iter(arrays))
                with pytest.raises(ValueError, match=rf"^{function}: {group}\.\w+ has "):
                    call(wrong)


def test_wide_features_and_narrow_parameters_give_a_wide_result():
    rng = np.random.default_rng(0)
    x, p, norm = np.ones((4, D)), cast(network(rng), "f4"), cast(norm_params(rng), "f4")
    assert feed_forward(x, p).dtype == layer_norm(x, *norm).dtype == np.float64
    assert feed_forward(x.astype("f2"), p._replace(b_out=np.ones(D))).dtype == np.float64
    assert feed_forward(x.astype("f2"), p).dtype == np.float32
    half = cast(network(rng), "f2")
    assert feed_forward(x.astype("f4"), half).dtype == np.float32
    with pytest.raises(ValueError, match=r"^feed_forward: x has d=0 \(x \(2, 0\)\); "):
        feed_forward(np.ones((2, 0)), p)
