"""Laws of several heads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnutils import MultiHeadParams, causal_mask, merge_heads, multi_head_attention, split_heads

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
    """Batch size equals the number of heads, so that only the number of axes can decide.

    A mask of three axes is one for each example, as `padding_mask` makes them; a bias of three
    axes is one for each head, as `alibi_bias` makes them.
    """
    rng = np.random.default_rng(0)
    x = rng.standard_normal((n_heads, 5, 3))
    p = make_params(rng, n_heads, (3, 3, 3))
    extra = rng.standard_normal((n_heads, 5, 5))
    if option == "mask":
        extra = extra < 0.5
    examples, heads = (extra, extra[None]) if option == "mask" else (extra[:, None], extra)
    by_example = multi_head_attention(x, x, x, p, n_heads=n_heads, **{option: examples})
    for b in range(n_heads):
        alone = multi_head_attention(*[x[b]] * 3, p, n_heads=n_heads, **{option: extra[b]})
        assert_allclose(by_example.output[b], alone.output, atol=1e-12)
        assert_allclose(by_example.weights[b], alone.weights, atol=1e-12)
    by_head = multi_head_attention(x, x, x, p, n_heads=n_heads, **{option: heads})
    for h in range(n_heads):
        alone = multi_head_attention(x, x, x, p, n_heads=n_heads, **{option: extra[h]})
        assert_allclose(by_head.weights[:, h], alone.weights[:, h], atol=1e-12)


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
