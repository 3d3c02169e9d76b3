"""Laws of several heads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnutils import (
    MultiHeadParams,
    alibi_bias,
    attention,
    causal_mask,
    merge_heads,
    multi_head_attention,
    padding_mask,
    split_heads,
)
from attnutils.worked_example import KEYS, VALUES

NAN, INF = np.nan, np.inf
sizes = st.sampled_from([1, 2, 3, 5, 7, 11])


def draw(rng, *shapes):
    return [rng.standard_normal(shape) for shape in shapes]


def make_params(rng, n_heads, widths, d_head=3, d_value=2, d_out=5, biased=True):
    columns = n_heads * d_head, n_heads * d_head, n_heads * d_value
    weights = draw(rng, *zip(widths, columns, strict=True), (columns[2], d_out))
    biases = draw(rng, *columns, d_out) if biased else []
    return MultiHeadParams(*weights, *biases)


def loop(query, key, value, p, n_heads, visible):
    """The definition: one head and one query at a time, then the output projection."""
    zero = np.zeros(1)
    b_q, b_k, b_v, b_o = (zero if b is None else b for b in p[4:])
    q, k, v = query @ p.w_query + b_q, key @ p.w_key + b_k, value @ p.w_value + b_v
    d_head, d_value = q.shape[1] // n_heads, v.shape[1] // n_heads
    found = np.zeros((len(q), n_heads * d_value))
    weights = np.zeros((n_heads, len(q), len(k)))
    for h in range(n_heads):
        for i in range(len(q)):
            s = [
                sum(q[i, h * d_head + c] * k[j, h * d_head + c] for c in range(d_head))
                for j in range(len(k))
            ]
            e = np.exp(np.array(s) / d_head**0.5) * visible[i]
            if e.sum() > 0:
                weights[h, i] = e / e.sum()
            for j in range(len(k)):
                columns = slice(h * d_value, (h + 1) * d_value)
                found[i, columns] += weights[h, i, j] * v[j, columns]
    return found @ p.w_output + b_o, weights


@given(
    st.sampled_from([1, 2, 3, 5]),
    sizes,
    sizes,
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.integers(0, 99),
)
def test_multi_head_attention_follows_its_definition(
    n_heads, n_q, n_k, biased, masked, is_causal, seed
):
    rng = np.random.default_rng(seed)
    x = draw(rng, (n_q, 7), (n_k, 5), (n_k, 3))
    p = make_params(rng, n_heads, (7, 5, 3), biased=biased)
    mask = rng.random((n_q, n_k)) < 0.5 if masked else None
    visible = causal_mask(n_q, n_k) if is_causal else np.ones((n_q, n_k), bool)
    output, weights = multi_head_attention(*x, p, n_heads=n_heads, mask=mask, is_causal=is_causal)
    expected = loop(*x, p, n_heads, visible if mask is None else visible & mask)
    assert_allclose(output, expected[0], atol=1e-11)
    assert_allclose(weights, expected[1], atol=1e-11)


@given(sizes, sizes, st.integers(0, 99))
def test_one_head_is_plain_attention(n_q, n_k, seed):
    rng = np.random.default_rng(seed)
    q, k, v = draw(rng, (2, n_q, 3), (2, n_k, 3), (2, n_k, 5))
    mask = rng.random((n_q, n_k)) < 0.7
    p = MultiHeadParams(np.eye(3), np.eye(3), np.eye(5), np.eye(5))
    output, weights = multi_head_attention(q, k, v, p, n_heads=1, mask=mask, is_causal=True)
    plain = attention(q, k, v, mask=mask, is_causal=True)
    assert_array_equal(output, plain.output)
    assert_array_equal(weights, plain.weights[:, None])


@given(st.sampled_from([1, 2, 3, 5]), sizes, st.integers(0, 99))
def test_heads_are_attentions_side_by_side(n_heads, n, seed):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, 7))
    p = make_params(rng, n_heads, (7, 7, 7), d_head=3, d_value=3, biased=False)
    output, weights = multi_head_attention(x, x, x, p, n_heads=n_heads)
    found = []
    for h in range(n_heads):
        columns = slice(3 * h, 3 * h + 3)
        head = attention(*(x @ w[:, columns] for w in p[:3]))
        assert_allclose(weights[h], head.weights, atol=1e-12)
        found.append(head.output)
    assert_allclose(output, np.concatenate(found, axis=1) @ p.w_output, atol=1e-11)


@given(st.sampled_from([1, 2, 3, 5]), st.integers(0, 99))
def test_a_weight_for_each_head_is_an_output_projection(n_heads, seed):
    rng = np.random.default_rng(seed)
    x, share = draw(rng, (5, 3), n_heads)
    p = make_params(rng, n_heads, (3, 3, 3), d_value=2, biased=False)
    each = multi_head_attention(x, x, x, p._replace(w_output=np.eye(2 * n_heads)), n_heads=n_heads)
    heads = split_heads(each.output, n_heads)
    for weights in (share, np.full(n_heads, 1 / n_heads)):  # a weight a head; their mean
        w_output = np.kron(weights[:, None], np.eye(2))  # (n_heads * 2, 2)
        output = multi_head_attention(
            x, x, x, p._replace(w_output=w_output), n_heads=n_heads
        ).output
        assert_allclose(output, (weights[:, None, None] * heads).sum(axis=0), atol=1e-12)


def test_an_output_projection_can_be_a_tensor_with_a_matrix_for_each_head():
    rng = np.random.default_rng(0)
    x, tensor = draw(rng, (7, 5), (3, 2, 5))
    p = make_params(rng, 3, (5, 5, 5), biased=False)._replace(w_output=tensor.reshape(6, 5))
    output = multi_head_attention(x, x, x, p, n_heads=3).output
    each = multi_head_attention(x, x, x, p._replace(w_output=np.eye(6)), n_heads=3).output
    assert_allclose(output, (split_heads(each, 3) @ tensor).sum(axis=0), atol=1e-12)


def test_split_cuts_columns_and_a_reshape_alone_does_not():
    x = np.arange(12.0).reshape(3, 4)
    assert_array_equal(split_heads(x, 2)[0], [[0, 1], [4, 5], [8, 9]])
    assert_array_equal(split_heads(x, 2)[1], [[2, 3], [6, 7], [10, 11]])
    assert not np.array_equal(x.reshape(2, 3, 2), split_heads(x, 2))
    assert_array_equal(split_heads(x, 1), x[None])
    assert_array_equal(split_heads(x, 4), x.T[..., None])


@given(st.sampled_from([1, 2, 3, 5]), sizes, sizes, st.sampled_from([(), (2,), (3, 0), (2, 1)]))
def test_merge_undoes_split(n_heads, n, d, lead):
    x = np.arange(np.prod((*lead, n, n_heads * d)), dtype=np.float32)
    x = x.reshape(*lead, n, n_heads * d)
    heads = split_heads(x, n_heads)
    assert heads.shape == (*lead, n_heads, n, d)
    assert heads.dtype == np.float32
    assert_array_equal(merge_heads(heads), x)
    assert merge_heads(heads).dtype == np.float32
    for h in range(n_heads):
        assert_array_equal(heads[..., h, :, :], x[..., h * d : (h + 1) * d])


@pytest.mark.parametrize("option", ["mask", "bias"])
@pytest.mark.parametrize("n_heads", [1, 2, 3])
def test_a_mask_for_each_example_is_not_one_for_each_head(option, n_heads):
    """Batch size equals the number of heads, so that only the number of axes can decide."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((n_heads, 5, 3))
    p = make_params(rng, n_heads, (3, 3, 3))
    extra = rng.standard_normal((n_heads, 5, 5))
    if option == "mask":
        extra = extra < 0.5
    by_example = multi_head_attention(x, x, x, p, n_heads=n_heads, **{option: extra})
    for b in range(n_heads):
        alone = multi_head_attention(*[x[b]] * 3, p, n_heads=n_heads, **{option: extra[b]})
        assert_allclose(by_example.output[b], alone.output, atol=1e-12)
        assert_allclose(by_example.weights[b], alone.weights, atol=1e-12)
    by_head = multi_head_attention(x, x, x, p, n_heads=n_heads, **{option: extra[None]})
    for h in range(n_heads):
        alone = multi_head_attention(x, x, x, p, n_heads=n_heads, **{option: extra[h]})
        assert_allclose(by_head.weights[:, h], alone.weights[:, h], atol=1e-12)


def test_without_a_batch_a_third_axis_is_that_of_the_heads():
    rng = np.random.default_rng(0)
    x, p = rng.standard_normal((5, 3)), make_params(rng, 2, (3, 3, 3))
    mask = np.stack([np.eye(5, dtype=bool), np.ones((5, 5), bool)])
    weights = multi_head_attention(x, x, x, p, n_heads=2, mask=mask).weights
    assert_array_equal(weights[0], np.eye(5))
    assert (weights[1] > 0).all()
    bias = alibi_bias(2, 5, 5)
    near = multi_head_attention(x, x, x, p, n_heads=2, bias=bias).weights
    batch = multi_head_attention(x[None], x, x, p, n_heads=2, bias=bias[None]).weights
    assert_array_equal(near, batch[0])


def test_padding_and_causal_masks_go_together():
    rng = np.random.default_rng(0)
    x, p = rng.standard_normal((2, 5, 3)), make_params(rng, 2, (3, 3, 3))
    mask = padding_mask([5, 3], 5)
    weights = multi_head_attention(x, x, x, p, n_heads=2, mask=mask, is_causal=True).weights
    visible = (mask & causal_mask(5))[:, None]
    assert_array_equal(weights > 0, np.broadcast_to(visible, weights.shape))


def test_leading_axes_broadcast():
    rng = np.random.default_rng(0)
    q, k, v = draw(rng, (2, 1, 3, 5), (7, 11, 5), (11, 5))
    p = make_params(rng, 3, (5, 5, 5))
    output, weights = multi_head_attention(q, k, v, p, n_heads=3)
    assert output.shape == (2, 7, 3, 5)
    assert weights.shape == (2, 7, 3, 3, 11)
    for a, b in np.ndindex(2, 7):
        alone = multi_head_attention(q[a, 0], k[b], v, p, n_heads=3)
        assert_allclose(output[a, b], alone.output, atol=1e-12)


def test_one_query_is_a_stack_of_one():
    rng = np.random.default_rng(0)
    q, k, v = draw(rng, 3, (2, 5, 3), (2, 5, 3))
    p = make_params(rng, 2, (3, 3, 3))
    mask, bias = rng.random((2, 5)) < 0.7, rng.standard_normal((2, 5))
    one = multi_head_attention(q, k, v, p, n_heads=2, mask=mask, bias=bias, is_causal=True)
    options = {"mask": mask[:, None], "bias": bias[:, None], "is_causal": True}
    stack = multi_head_attention(q[None], k, v, p, n_heads=2, **options)
    assert_array_equal(one.output, stack.output[:, 0])
    assert_array_equal(one.weights, stack.weights[:, :, 0])
    assert multi_head_attention(q, k[0], v[0], p, n_heads=2).weights.shape == (2, 5)
    heads = rng.random((2, 2, 5)) < 0.7  # example, head, key
    one = multi_head_attention(q, k, v, p, n_heads=2, mask=heads)
    stack = multi_head_attention(q[None], k, v, p, n_heads=2, mask=heads[:, :, None])
    assert_array_equal(one.weights, stack.weights[:, :, 0])


def test_what_a_query_cannot_see_cannot_reach_it():
    rng = np.random.default_rng(0)
    x, p = rng.standard_normal((5, 3)), make_params(rng, 2, (3, 3, 3))
    mask = np.ones((5, 5), bool)
    mask[:, 2], mask[3] = False, False
    before = multi_head_attention(x, x, x, p, n_heads=2, mask=mask)
    assert_array_equal(before.output[3], p.b_output)  # it sees nothing
    assert_array_equal(before.weights[:, 3], np.zeros((2, 5)))
    for poison in (NAN, INF, 1e300):
        y = x.copy()
        y[2] = poison
        after = multi_head_attention(x, y, y, p, n_heads=2, mask=mask)
        assert_allclose(after.output, before.output, atol=1e-12)
        assert_allclose(after.weights, before.weights, atol=1e-12)


def test_invariance_and_equivariance():
    rng = np.random.default_rng(0)
    q, k, v = draw(rng, (5, 3), (7, 3), (7, 3))
    p = make_params(rng, 2, (3, 3, 3))
    rows, columns = rng.permutation(5), rng.permutation(7)
    output, weights = multi_head_attention(q, k, v, p, n_heads=2)
    shuffled = multi_head_attention(q[rows], k[columns], v[columns], p, n_heads=2)
    assert_allclose(shuffled.output, output[rows], atol=1e-12)
    assert_allclose(shuffled.weights, weights[:, rows][..., columns], atol=1e-12)


def test_half_of_the_biases_are_redundant():
    rng = np.random.default_rng(0)
    x, p = rng.standard_normal((5, 3)), make_params(rng, 2, (3, 3, 3))
    folded = p._replace(b_key=None, b_value=None, b_output=p.b_output + p.b_value @ p.w_output)
    output, weights = multi_head_attention(x, x, x, p, n_heads=2)
    fewer = multi_head_attention(x, x, x, folded, n_heads=2)
    assert_allclose(fewer.output, output, atol=1e-12)
    assert_allclose(fewer.weights, weights, atol=1e-12)


def test_one_head_is_a_mean_and_two_can_tell_left_from_right():
    """Half of the weight left and half right: one head mixes, two heads keep both."""
    x = np.array([[0.0], [1.0], [2.0]])
    left_right = np.array([[True, False, False], [False, False, True]])
    p = MultiHeadParams(*[np.ones((1, 2))] * 3, np.eye(2))
    result = multi_head_attention(x[1], x, x, p, n_heads=2, mask=left_right)
    assert_array_equal(result.output, [0, 2])


@pytest.mark.parametrize(
    ("x_dtype", "p_dtype", "expected"),
    [
        ("float32", "float32", "float32"),
        ("float64", "float64", "float64"),
        ("float16", "float16", "float16"),
        ("float32", "float64", "float64"),
        ("float16", "float32", "float32"),
        ("int64", "float32", "float64"),
    ],
)
def test_dtypes(x_dtype, p_dtype, expected):
    x = np.arange(6).reshape(2, 3).astype(x_dtype)
    params = make_params(np.random.default_rng(0), 2, (3, 3, 3))
    p = MultiHeadParams(*(a.astype(p_dtype) for a in params))
    output, weights = multi_head_attention(x, x, x, p, n_heads=2, bias=np.zeros(2))
    assert output.dtype == weights.dtype == expected


@pytest.mark.parametrize("wide", range(11))
def test_one_wider_argument_makes_the_result_wide(wide):
    p = make_params(np.random.default_rng(0), 2, (3, 3, 3))
    arguments = [np.ones((5, 3))] * 3 + [*p]
    narrow = [a.astype(np.float16) for a in arguments]
    for dtype in (np.float16, np.float32, np.float64):
        narrow[wide] = narrow[wide].astype(dtype)
        q, k, v, *params = narrow
        output, weights = multi_head_attention(q, k, v, MultiHeadParams(*params), n_heads=2)
        assert output.dtype == weights.dtype == dtype


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("heads", [False, True])
def test_a_bias_is_added_to_the_scores_of_every_head(single, heads):
    rng = np.random.default_rng(0)
    n_heads, n_q, n_k = 3, 5, 7
    q, k, v = draw(rng, (n_q, 3), (n_k, 3), (n_k, 3))
    p = make_params(rng, n_heads, (3, 3, 3))
    bias = 3 * rng.standard_normal((n_heads, n_q, n_k) if heads else (n_q, n_k))
    if single:
        q, bias = q[2], bias[..., 2, :]
    result = multi_head_attention(q, k, v, p, n_heads=n_heads, bias=bias)
    queries = split_heads(np.atleast_2d(q @ p.w_query + p.b_query), n_heads)
    keys = split_heads(k @ p.w_key + p.b_key, n_heads)
    scores = (queries @ keys.swapaxes(-1, -2)) / np.sqrt(3)
    scores = (scores[:, 0] if single else scores) + bias
    weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    assert_allclose(result.weights, weights, atol=1e-12)
    plain = multi_head_attention(q, k, v, p, n_heads=n_heads)
    assert not np.allclose(result.output, plain.output)
    assert not np.allclose(result.weights, plain.weights)


def test_a_mask_or_bias_that_does_not_fit_is_called_by_its_name():
    x, p = np.ones((5, 3)), make_params(np.random.default_rng(0), 2, (3, 3, 3))
    for name, wrong in (("mask", np.ones((4, 5), bool)), ("bias", np.ones((4, 5)))):
        for shape, target in (
            ((4, 5), "(..., n_q, n_k) = (5, 5)"),
            ((2, 4, 5), "(..., n_heads, n_q, n_k) = (2, 5, 5)"),
        ):
            with pytest.raises(ValueError, match=r"^multi_head_attention: ") as caught:
                multi_head_attention(x, x, x, p, n_heads=2, **{name: np.broadcast_to(wrong, shape)})
            assert str(caught.value) == (
                f"multi_head_attention: {name} has shape {shape} but {target} is expected; "
                f"{name} must broadcast to that shape and not enlarge it."
            )


def test_float16_is_computed_in_float32():
    rng = np.random.default_rng(0)
    x = (300 * rng.standard_normal((5, 3))).astype(np.float16)
    p = MultiHeadParams(*(a.astype(np.float16) for a in make_params(rng, 2, (3, 3, 3))))
    wide = MultiHeadParams(*(a.astype(np.float32) for a in p))
    y = x.astype(np.float32)
    output, weights = multi_head_attention(x, x, x, p, n_heads=2)
    expected = multi_head_attention(y, y, y, wide, n_heads=2)
    assert_array_equal(output, expected.output.astype(np.float16))
    assert_array_equal(weights, expected.weights.astype(np.float16))


def test_input_is_not_modified_and_may_be_read_only():
    rng = np.random.default_rng(0)
    x, p = rng.standard_normal((2, 5, 3)), make_params(rng, 2, (3, 3, 3))
    mask, bias = rng.random((2, 5, 5)) < 0.5, rng.standard_normal((2, 5, 5))
    for array in (x, mask, bias, *p):
        array.flags.writeable = False
    result = multi_head_attention(x, x, x, p, n_heads=2, mask=mask, bias=bias)
    assert result.output.flags.writeable
    assert result.weights.flags.writeable


def test_huge_inputs_neither_warn_nor_give_nan():
    x = np.array([[1e300], [-1e300], [0]])
    p = MultiHeadParams(*[np.eye(1)] * 4)
    with np.errstate(all="raise"):
        output, weights = multi_head_attention(x, x, x, p, n_heads=1)
    assert_allclose(weights[0], [[1, 0, 0], [0, 1, 0], [1 / 3] * 3])
    assert_allclose(output, [[1e300], [-1e300], [0]], atol=1e285)


def test_smallest_and_empty_shapes():
    p = MultiHeadParams(*[np.eye(1)] * 4)
    output, weights = multi_head_attention([[2]], [[3]], [[5]], p, n_heads=1)
    assert_array_equal(output, [[5]])
    assert_array_equal(weights, [[[1]]])
    nothing = multi_head_attention(np.ones((0, 1)), [[3]], [[5]], p, n_heads=np.int64(1))
    assert nothing.output.shape == (0, 1)
    assert nothing.weights.shape == (1, 0, 1)


@pytest.mark.parametrize("n_heads", [1, 8, 16])
def test_the_number_of_parameters_does_not_depend_on_the_number_of_heads(n_heads):
    d, d_head = 512, 512 // n_heads
    p = make_params(np.random.default_rng(0), n_heads, (d, d, d), d_head, d_head, d)
    assert sum(a.size for a in p[:4]) == 1_048_576
    assert sum(a.size for a in p[4:]) == 2_048
    assert multi_head_attention(np.ones((1, d)), *[np.ones((2, d))] * 2, p, n_heads=n_heads)


def test_worked_example():
    p = MultiHeadParams(np.eye(3), np.eye(3), np.eye(1), np.eye(1))
    output = multi_head_attention(KEYS, KEYS, VALUES, p, n_heads=1).output
    assert_allclose(output[:, 0], [0.1, 0.1023, 0.2740, 0.3915, 0.0170, 0.3078], atol=5e-5)
