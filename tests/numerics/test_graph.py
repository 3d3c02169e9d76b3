"""Laws of attention over graphs."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnutils import (
    GATParams,
    GATv2Params,
    attention,
    gat_layer,
    gatv2_layer,
    graph_attention,
    segment_softmax,
    softmax,
)

NAN, INF = np.nan, np.inf
sizes = st.sampled_from([1, 2, 3, 5, 7])
layers = pytest.mark.parametrize("layer", [gat_layer, gatv2_layer])


def leaky_relu(x, slope=0.2):
    return np.where(x > 0, x, slope * x)


def make_params(layer, rng, n_heads=2, f_in=5, f_out=3):
    shape = f_in, n_heads, f_out
    if layer is gat_layer:
        return GATParams(rng.standard_normal(shape), *rng.standard_normal((2, n_heads, f_out)))
    return GATv2Params(*rng.standard_normal((2, *shape)), rng.standard_normal((n_heads, f_out)))


def make_edges(rng, n, n_edges, self_edges=True):
    senders, receivers = rng.integers(0, n, (2, n_edges))
    keep = (senders != receivers) | self_edges
    return senders[keep], receivers[keep]


def layer_loop(layer, nodes, senders, receivers, p, slope):
    """The definition: one head, one node and one of its edges at a time."""
    n_heads, width = p[0].shape[1:]
    weights = np.zeros((len(senders), n_heads))
    output = np.zeros((len(nodes), n_heads, width))
    for h in range(n_heads):
        for i in range(len(nodes)):
            edges = [e for e in range(len(senders)) if receivers[e] == i]
            scores, values = [], []
            for e in edges:
                here, there = nodes[i], nodes[senders[e]]
                if layer is gat_layer:
                    a = np.concatenate([p.a_receiver[h], p.a_sender[h]])
                    pair = np.concatenate([here @ p.w[:, h], there @ p.w[:, h]])
                    scores.append(leaky_relu(a @ pair, slope))
                    values.append(there @ p.w[:, h])
                else:
                    hidden = here @ p.w_receiver[:, h] + there @ p.w_sender[:, h]
                    scores.append(p.a[h] @ leaky_relu(hidden, slope))
                    values.append(there @ p.w_sender[:, h])
            total = sum(math.exp(s) for s in scores)
            for e, s, v in zip(edges, scores, values, strict=True):
                weights[e, h] = math.exp(s) / total
                output[i, h] += weights[e, h] * v
    return output, weights


# --- softmax over segments ----------------------------------------------------------------------


@given(sizes, st.sampled_from([0, 1, 2, 11, 31]), st.sampled_from([1, 30, 1e3]), st.integers(0, 99))
def test_segment_softmax_is_softmax_in_each_segment(n, n_entries, spread, seed):
    rng = np.random.default_rng(seed)
    segments = rng.integers(0, n, n_entries)
    scores = spread * rng.standard_normal((n_entries, 3))
    scores[rng.random(scores.shape) < 0.1] = -INF
    weights = segment_softmax(scores, segments, n)
    for i in set(segments):
        assert_allclose(weights[segments == i], softmax(scores[segments == i], axis=0), atol=1e-12)
    assert_allclose(segment_softmax(scores[:, 0], segments, n + 5), weights[:, 0], atol=1e-12)
    cube = scores.reshape(n_entries, 3, 1)
    assert_array_equal(segment_softmax(cube, segments, n), weights[..., None])


@pytest.mark.parametrize(
    ("scores", "weights"),
    [
        ([1e300, -1e300, -1e300, -1e300], [1, 0, 0.5, 0.5]),
        ([1.7e308, -1.7e308, 0, 1e-300], [1, 0, 0.5, 0.5]),
        ([INF, INF, INF, 3], [0.5, 0.5, 1, 0]),
        ([INF, -INF, -INF, -INF], [1, 0, 0, 0]),
        ([-INF, -1e300, 0, -INF], [0, 1, 1, 0]),
        ([NAN, 1, 2, 2], [NAN, NAN, 0.5, 0.5]),
        ([NAN, -INF, 2, 2], [NAN, 0, 0.5, 0.5]),
        ([NAN, INF, 1, 1], [NAN, NAN, 0.5, 0.5]),
        ([800, 0, -800, 0], [1, 0, 0, 1]),
        ([5, 5, 900, 900], [0.5, 0.5, 0.5, 0.5]),
    ],
)
@pytest.mark.parametrize("order", [[0, 1, 2, 3], [2, 0, 3, 1]])
def test_segment_softmax_of_any_numbers(scores, weights, order):
    segments = np.array([1, 1, 3, 3])[order]
    with np.errstate(all="raise"):
        result = segment_softmax(np.array(scores)[order], segments, 5)
    assert_allclose(result, np.array(weights, dtype=float)[order], atol=1e-300)


def test_a_hub_with_many_edges_keeps_all_digits_of_float32():
    n = 10**6
    scores, hub = np.full(n, math.log(0.1), np.float32), np.zeros(n, int)
    scores[0] = 0
    weights = segment_softmax(scores, hub, 1)
    assert_allclose(weights.sum(dtype=np.float64), 1, rtol=0, atol=1e-6)
    x, values = np.zeros((1, 1, 1), np.float32), np.full((n, 1, 1), 0.1, np.float32)
    output, _ = graph_attention(x, np.broadcast_to(x, values.shape), values, np.arange(n), hub)
    assert_allclose(output, [[[0.1]]], rtol=1e-6)


# --- dot products over edges --------------------------------------------------------------------


@given(sizes, sizes, st.sampled_from([1, 2, 3]), st.integers(0, 99))
def test_a_complete_graph_is_plain_attention(n_receivers, n_senders, n_heads, seed):
    rng = np.random.default_rng(seed)
    q = rng.standard_normal((n_receivers, n_heads, 5))
    k, v = (
        rng.standard_normal((n_senders, n_heads, 5)),
        rng.standard_normal((n_senders, n_heads, 2)),
    )
    mask = rng.random((n_receivers, n_senders)) < 0.7
    bias = rng.standard_normal((n_heads, n_receivers, n_senders))
    for visible in (np.ones_like(mask), mask):
        receivers, senders = np.nonzero(visible)
        edge_bias = bias[:, receivers, senders].T
        output, weights = graph_attention(q, k, v, senders, receivers, edge_bias=edge_bias)
        heads = (x.swapaxes(0, 1) for x in (q, k, v))
        plain = attention(*heads, mask=visible, bias=bias)
        assert_allclose(output, plain.output.swapaxes(0, 1), atol=1e-12)
        assert_allclose(weights, plain.weights[:, receivers, senders].T, atol=1e-12)


# --- layers -------------------------------------------------------------------------------------


@given(
    st.sampled_from([gat_layer, gatv2_layer]),
    sizes,
    st.sampled_from([0, 1, 5, 23]),
    st.sampled_from([1, 2, 3]),
    st.booleans(),
    st.sampled_from([0, 0.2, 1]),
    st.integers(0, 99),
)
def test_layers_follow_their_definition(layer, n, n_edges, n_heads, self_loops, slope, seed):
    rng = np.random.default_rng(seed)
    nodes, p = rng.standard_normal((n, 5)), make_params(layer, rng, n_heads)
    senders, receivers = make_edges(rng, n, n_edges, self_edges=not self_loops)
    options = {"negative_slope": slope, "self_loops": self_loops}
    output, weights = layer(nodes, senders, receivers, p, **options)
    if self_loops:  # node i's loop is the edge E + i
        senders, receivers = (np.append(x, np.arange(n)) for x in (senders, receivers))
    expected = layer_loop(layer, nodes, senders, receivers, p, slope)
    assert_allclose(output, expected[0].reshape(n, -1), atol=1e-10)
    assert_allclose(weights, expected[1], atol=1e-10)
    mean = layer(
        nodes, senders, receivers, p, combine="mean", negative_slope=slope, self_loops=False
    )
    assert_allclose(mean.output, expected[0].mean(axis=1), atol=1e-10)
    assert_array_equal(mean.weights, weights)


@given(st.sampled_from([gat_layer, gatv2_layer]), sizes, st.integers(0, 99))
def test_layers_are_equivariant_to_relabelling_and_indifferent_to_edge_order(layer, n, seed):
    rng = np.random.default_rng(seed)
    nodes, p = rng.standard_normal((n, 5)), make_params(layer, rng)
    senders, receivers = make_edges(rng, n, 17, self_edges=False)
    n_edges = len(senders)
    output, weights = layer(nodes, senders, receivers, p)

    order = rng.permutation(n_edges)
    shuffled = layer(nodes, senders[order], receivers[order], p)
    assert_allclose(shuffled.output, output, atol=1e-11)
    assert_allclose(shuffled.weights[:n_edges], weights[:n_edges][order], atol=1e-11)
    assert_allclose(shuffled.weights[n_edges:], weights[n_edges:], atol=1e-11)

    old = rng.permutation(n)  # node old[i] becomes node i
    new = np.argsort(old)
    relabelled = layer(nodes[old], new[senders], new[receivers], p)
    assert_allclose(relabelled.output, output[old], atol=1e-11)
    assert_allclose(relabelled.weights[:n_edges], weights[:n_edges], atol=1e-11)
    assert_allclose(relabelled.weights[n_edges:], weights[n_edges:][old], atol=1e-11)


@pytest.mark.parametrize("slope", [0.01, 0.2, 1])
def test_gat_ranks_senders_the_same_for_every_receiver_and_gatv2_does_not(slope):
    rng = np.random.default_rng(0)
    n, n_heads = 7, 3
    nodes = rng.standard_normal((n, 5))
    receivers, senders = np.divmod(np.arange(n * n), n)
    options = {"negative_slope": slope, "self_loops": False}
    for layer, static in ((gat_layer, True), (gatv2_layer, slope == 1)):
        weights = layer(
            nodes, senders, receivers, make_params(layer, rng, n_heads), **options
        ).weights
        rankings = weights.reshape(n, n, n_heads).argsort(axis=1)
        same = (rankings == rankings[:1]).all()
        assert same == static


# --- dtypes and extremes ------------------------------------------------------------------------


@layers
def test_no_node_at_all(layer):
    p = make_params(layer, np.random.default_rng(0))
    for combine, width in (("concat", 6), ("mean", 3)):
        output, weights = layer(np.ones((0, 5)), [], [], p, combine=combine)
        assert output.shape == (0, width)
        assert weights.shape == (0, 2)
    nothing = graph_attention(np.ones((0, 2, 3)), np.ones((4, 2, 3)), np.ones((4, 2, 5)), [], [])
    assert nothing.output.shape == (0, 2, 5)


@layers
@pytest.mark.parametrize("slope", [0, 0.2])
def test_infinite_scores(layer, slope):
    """Scores of +inf share, scores of -inf hide the edge (with slope 0 they are 0)."""
    nodes = np.array([[1.0], [1e200], [-1e200], [2], [1e200]])
    big = np.full((1, 1), 1e200)
    one = np.ones((1, 1, 1))
    p = GATParams(one, 0 * big, big) if layer is gat_layer else GATv2Params(0 * one, one, big)
    with np.errstate(all="raise"):
        result = layer(nodes, [1, 3, 4], [0, 0, 0], p, self_loops=False, negative_slope=slope)
        hidden = layer(nodes, [2], [0], p, self_loops=False, negative_slope=slope)
    assert_array_equal(result.weights[:, 0], [0.5, 0, 0.5])
    assert_allclose(result.output[0], [1e200])
    assert_array_equal(hidden.weights, [[0 if slope else 1]])
    assert_array_equal(hidden.output[0], [0 if slope else -1e200])


def test_infinities_and_nan_reach_only_where_there_is_weight():
    zero = np.zeros((4, 1, 1))
    value = np.array([1, NAN, INF, 3])[:, None, None]
    bias = np.array([0, -INF, -INF, 0, 0, 0])[:, None]
    senders, receivers = [0, 1, 2, 3, 2, 1], [0, 0, 0, 0, 1, 2]
    output, _ = graph_attention(zero, zero, value, senders, receivers, edge_bias=bias)
    assert_array_equal(output[:, 0, 0], [2, INF, NAN, 0])
    key = np.array([0, NAN, 0, 0])[:, None, None]
    output, weights = graph_attention(zero + 1, key, zero + 1, [0, 1, 2], [0, 0, 1])
    assert_array_equal(output[:, 0, 0], [NAN, 1, 0, 0])
    assert_array_equal(weights[:, 0], [NAN, NAN, 1])


def test_scores_keep_the_digits_of_queries_and_keys():
    """Values that are narrower take none away: the graph is as `attention`."""
    q, k = np.array([[1e6, 1]]), np.array([[1, 0], [1, 0.5], [1, 1]])
    v = np.ones((3, 1), np.float32)
    edges = [0, 1, 2], [0, 0, 0]
    weights = graph_attention(q[:, None], k[:, None], v[:, None], *edges).weights
    assert_allclose(weights[:, 0], [0.2246, 0.3199, 0.4555], atol=1e-4)
    for bias in (None, np.zeros((3, 1))):
        found = graph_attention(q[:, None] * 1e30, k[:, None], v[:, None], *edges, edge_bias=bias)
        assert_allclose(found.weights[:, 0], attention(q * 1e30, k, v).weights[0])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_an_edge_bias_of_minus_infinity_hides(bad):
    x = np.ones((3, 1, 2))
    key = x.copy()
    key[2] = bad
    bias = np.array([[0], [-np.inf]])
    found = graph_attention(x, key, x, [1, 2], [0, 0], edge_bias=bias)
    assert_allclose(found.weights, [[1], [0]])
    assert_allclose(found.output[:, 0], [[1, 1], [0, 0], [0, 0]])
