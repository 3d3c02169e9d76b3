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
    graph,
    graph_attention,
    segment_softmax,
    softmax,
)
from attnutils.worked_example import KEYS, VALUES

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


def cast(params, dtype):
    return type(params)(*(a.astype(dtype) for a in params))


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


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32"])
def test_segment_softmax_dtypes(dtype):
    scores = np.array([1, 2, 30000], dtype=dtype)
    weights = segment_softmax(scores, np.array([0, 0, 1], np.uint8), 2)
    assert weights.dtype == ("float64" if dtype == "int32" else dtype)
    assert_allclose(weights, [0.2689, 0.7311, 1], atol=5e-4)


def test_the_third_receiver_tells_two_mistakes_apart():
    scores, values, to = np.array([1, 0, 2, 0, 1]), np.array([1, 3, 2, 4, 5]), [0, 0, 1, 1, 2]
    weights = segment_softmax(scores, to, 3)
    assert_allclose(np.bincount(to, weights * values), [1.5379, 2.2384, 5], atol=5e-5)
    assert_allclose(np.bincount(to, softmax(scores) * values), [0.3857, 1.2666, 0.9168], atol=5e-5)
    x = values[:, None, None].astype(float)
    output = graph_attention(
        np.zeros((3, 1, 1)), x, x, range(5), to, edge_bias=scores[:, None]
    ).output
    assert_allclose(output[:, 0, 0], [1.5379, 2.2384, 5], atol=5e-5)


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


def test_worked_example_as_a_graph():
    receivers, senders = np.divmod(np.arange(36), 6)
    x = KEYS[:, None]
    output, weights = graph_attention(x, x, VALUES[:, None], senders, receivers)
    expected = [0.1, 0.1023, 0.2740, 0.3915, 0.0170, 0.3078]
    assert_allclose(output[:, 0, 0], expected, atol=5e-5)
    assert_allclose(weights[33, 0], 0.7229, atol=5e-5)  # from Reads to Book
    twice = np.append(senders, 3), np.append(receivers, 5)
    unscaled = math.sqrt(3) * x
    output, weights = graph_attention(unscaled, x, VALUES[:, None], *twice)
    assert_allclose(output[5, 0], [0.3800], atol=5e-5)
    assert_allclose(weights[[33, 36], 0], [0.4674, 0.4674], atol=5e-5)


def test_an_edge_bias_may_hide_an_edge_and_may_be_one_for_all_heads():
    rng = np.random.default_rng(0)
    q, k, v = rng.standard_normal((3, 4, 2, 3))
    senders, receivers = np.array([0, 1, 2, 3, 1]), np.array([1, 0, 1, 1, 2])
    bias = np.array([0, 0, -INF, 0.5, -INF])
    output, weights = graph_attention(q, k, v, senders, receivers, edge_bias=bias[:, None])
    keep = np.isfinite(bias)
    edges = senders[keep], receivers[keep]
    fewer = graph_attention(q, k, v, *edges, edge_bias=np.tile(bias[keep, None], 2))
    assert_allclose(output, fewer.output, atol=1e-12)
    assert_allclose(weights[keep], fewer.weights, atol=1e-12)
    assert_array_equal(weights[~keep], np.zeros((2, 2)))
    assert_array_equal(output[2:], np.zeros((2, 2, 3)))  # hidden edge, and no edge


def test_senders_and_receivers_may_be_different_nodes():
    q, k, v = np.ones((2, 1, 3)), np.ones((5, 1, 3)), np.arange(10.0).reshape(5, 1, 2)
    output, _ = graph_attention(q, k, v, [0, 4, 3], [1, 1, 0])
    assert_allclose(output[:, 0], [[6, 7], [4, 5]])


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


@given(sizes, st.integers(0, 99))
def test_graph_attention_is_equivariant_and_indifferent_to_edge_order(n, seed):
    rng = np.random.default_rng(seed)
    q, k, v = rng.standard_normal((3, n, 2, 3))
    senders, receivers = make_edges(rng, n, 17)
    output, weights = graph_attention(q, k, v, senders, receivers)
    order, old = rng.permutation(17), rng.permutation(n)
    new = np.argsort(old)
    ends = new[senders][order], new[receivers][order]
    moved = graph_attention(q[old], k[old], v[old], *ends)
    assert_allclose(moved.output, output[old], atol=1e-11)
    assert_allclose(moved.weights, weights[order], atol=1e-11)


@layers
def test_weights_of_a_receiver_sum_to_1(layer):
    rng = np.random.default_rng(0)
    nodes, p = rng.standard_normal((11, 5)), make_params(layer, rng, n_heads=3)
    senders, receivers = make_edges(rng, 10, 40, self_edges=False)
    weights = layer(nodes, senders, receivers, p).weights
    everywhere = np.append(receivers, np.arange(11))
    for h in range(3):
        assert_allclose(np.bincount(everywhere, weights[:, h]), np.ones(11))
    without = layer(nodes, senders, receivers, p, self_loops=False)
    totals = np.bincount(receivers, without.weights[:, 0], minlength=11)
    assert_allclose(totals, np.bincount(receivers, minlength=11) > 0)
    assert_array_equal(without.output[10], np.zeros(9))  # no edge reaches node 10


@layers
def test_an_edge_that_is_given_twice_counts_twice(layer):
    rng = np.random.default_rng(0)
    nodes, p = rng.standard_normal((3, 5)), make_params(layer, rng)
    once = layer(nodes, [1, 2], [0, 0], p, self_loops=False)
    twice = layer(nodes, [1, 2, 1], [0, 0, 0], p, self_loops=False)
    share = once.weights[0] * 2 / (1 + once.weights[0])
    assert_allclose(twice.weights[0], share / 2)
    assert_allclose(twice.weights[2], share / 2)
    every = layer(nodes, [1, 2, 1, 2], [0, 0, 0, 0], p, self_loops=False)
    assert_allclose(every.output, once.output)  # proportions, not counts


@layers
def test_a_self_loop_tells_two_neighbours_from_four(layer):
    nodes, p = (
        np.array([[1.0], [2], [2], [2], [2]]),
        make_params(layer, np.random.default_rng(0), f_in=1),
    )
    outputs = {
        (m, loops): layer(nodes, range(1, m + 1), [0] * m, p, self_loops=loops).output[0]
        for m in (2, 4)
        for loops in (False, True)
    }
    assert_allclose(outputs[2, False], outputs[4, False])
    assert not np.allclose(outputs[2, True], outputs[4, True])


def test_a_self_edge_is_fine_without_self_loops():
    rng = np.random.default_rng(0)
    nodes, p = rng.standard_normal((3, 5)), make_params(gat_layer, rng)
    given_by_hand = gat_layer(nodes, [1, 0, 1, 2], [0, 0, 1, 2], p, self_loops=False)
    added = gat_layer(nodes, [1], [0], p)
    assert_allclose(given_by_hand.output, added.output)
    assert_allclose(given_by_hand.weights, added.weights)


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


@pytest.mark.parametrize("k", [2, 3, 5, 10])
def test_gatv2_and_dot_products_look_words_up_in_a_dictionary_and_gat_cannot(k):
    """Receiver i needs key i. All receivers have the same senders: nodes k .. 2k - 1."""
    nodes = np.tile(np.eye(k), (2, 1))
    receivers, senders = np.repeat(np.arange(k), k), np.tile(np.arange(k, 2 * k), k)
    options = {"self_loops": False}

    def right(weights):
        return (weights[:, 0].reshape(k, k).argmax(axis=1) == np.arange(k)).mean()

    same = np.eye(k)[:, None]
    apart = GATv2Params(-9 * same, 9 * same, -np.ones((1, k)))
    assert right(gatv2_layer(nodes, senders, receivers, apart, **options).weights) == 1
    x = nodes[:, None]
    assert right(graph_attention(9 * x, x, x, senders, receivers).weights) == 1
    for seed in range(20):
        p = make_params(gat_layer, np.random.default_rng(seed), 1, k)
        weights = gat_layer(nodes, senders, receivers, p, **options).weights
        assert right(weights) == pytest.approx(1 / k)


def test_blocks_of_edges_do_not_show(monkeypatch):
    rng = np.random.default_rng(0)
    nodes, (senders, receivers) = rng.standard_normal((7, 5)), make_edges(rng, 7, 60, False)
    q, k, v = rng.standard_normal((3, 7, 2, 3))
    bias = rng.standard_normal((len(senders), 2))
    params = {layer: make_params(layer, rng) for layer in (gat_layer, gatv2_layer)}

    def results():
        yield graph_attention(q, k, v, senders, receivers, edge_bias=bias)
        for layer, p in params.items():
            yield layer(nodes, senders, receivers, p)

    whole = list(results())
    for size in (1, 7, len(senders), 1000):
        monkeypatch.setattr(graph, "_BLOCK_EDGES", size)
        for block, one in zip(results(), whole, strict=True):
            assert_allclose(block.output, one.output, atol=1e-12)
            assert_allclose(block.weights, one.weights, atol=1e-12)


@layers
def test_more_edges_than_one_block_as_shipped(layer):
    rng = np.random.default_rng(0)
    nodes, p = rng.standard_normal((40, 5)), make_params(layer, rng)
    receivers, senders = np.divmod(np.arange(1600), 40)
    assert len(senders) > graph._BLOCK_EDGES
    output, weights = layer(nodes, senders, receivers, p, self_loops=False)
    expected = layer_loop(layer, nodes, senders, receivers, p, 0.2)
    assert_allclose(output, expected[0].reshape(40, -1), atol=1e-10)
    assert_allclose(weights, expected[1], atol=1e-10)


# --- dtypes and extremes ------------------------------------------------------------------------


@layers
@pytest.mark.parametrize("combine", ["concat", "mean"])
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
def test_dtypes(layer, combine, x_dtype, p_dtype, expected):
    rng = np.random.default_rng(0)
    nodes = np.arange(15).reshape(3, 5).astype(x_dtype)
    p = cast(make_params(layer, rng), p_dtype)
    edges = np.array([0, 1], np.int8), np.array([1, 2], np.uint64)
    output, weights = layer(nodes, *edges, p, combine=combine)
    assert output.dtype == weights.dtype == expected
    wide = layer(nodes.astype(float), *edges, cast(p, float), combine=combine)
    assert_allclose(output, wide.output, rtol=2e-2, atol=2e-2)


@layers
@pytest.mark.parametrize("wide", range(4))
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_one_wider_argument_makes_the_result_wide(layer, wide, dtype):
    p = make_params(layer, np.random.default_rng(0))
    arguments = [a.astype(np.float16) for a in (np.ones((3, 5)), *p)]
    arguments[wide] = arguments[wide].astype(dtype)
    nodes, *params = arguments
    output, weights = layer(nodes, [0, 1], [1, 2], type(p)(*params))
    assert output.dtype == weights.dtype == dtype


@pytest.mark.parametrize("wide", range(3))
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_one_wider_argument_makes_graph_attention_wide(wide, dtype):
    x = [np.ones((3, 2, 5), np.float16)] * 3
    x[wide] = x[wide].astype(dtype)
    output, weights = graph_attention(*x, [0, 1], [1, 2], edge_bias=np.ones((2, 1)))
    assert output.dtype == weights.dtype == dtype


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int64"])
def test_graph_attention_dtypes(dtype):
    x = np.arange(12).reshape(3, 2, 2).astype(dtype)
    output, weights = graph_attention(x, x, x, [0, 1], [1, 1], edge_bias=np.zeros((2, 1)))
    assert output.dtype == weights.dtype == ("float64" if dtype == "int64" else dtype)


@layers
def test_one_node(layer):
    rng = np.random.default_rng(0)
    nodes, p = rng.standard_normal((1, 5)), make_params(layer, rng)
    output, weights = layer(nodes, [], [], p)
    assert_array_equal(weights, [[1, 1]])
    assert_allclose(
        output, np.tensordot(nodes, p[1] if layer is gatv2_layer else p.w, 1).reshape(1, 6)
    )
    output, weights = layer(nodes, [], [], p, self_loops=False)
    assert_array_equal(output, np.zeros((1, 6)))
    assert weights.shape == (0, 2)


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
@pytest.mark.parametrize("scale", [1e30, 1e150, 1e300])
def test_huge_scores_neither_warn_nor_give_nan(layer, scale):
    nodes = scale * np.array([[1.0], [-1], [2], [0]])
    ones = np.ones((1, 1))
    p = (
        GATParams(ones[None], 0 * ones, ones)
        if layer is gat_layer
        else GATv2Params(0 * ones[None], ones[None], ones)
    )
    with np.errstate(all="raise"):
        output, weights = layer(nodes, [1, 2, 3], [0, 0, 0], p)
    assert_array_equal(weights[:, 0], [0, 1, 0, 0, 1, 1, 1])
    assert_array_equal(output, nodes[[2, 1, 2, 3]])


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


@layers
def test_input_is_not_modified_and_may_be_read_only(layer):
    rng = np.random.default_rng(0)
    nodes, p = rng.standard_normal((4, 5)), make_params(layer, rng)
    edges, bias = np.array([[0, 1, 2], [1, 2, 3]]), np.zeros((3, 2))
    scores = rng.standard_normal((3, 2))
    for array in (nodes, edges, bias, scores, *p):
        array.flags.writeable = False
    x = nodes[:, None].repeat(2, axis=1)
    results = (
        *layer(nodes, *edges, p),
        *layer(nodes, *edges, p, combine="mean", self_loops=False),
        *graph_attention(x, x, x, *edges, edge_bias=bias),
        segment_softmax(scores, edges[0], 3),
    )
    assert all(array.flags.writeable for array in results)


@layers
def test_concatenated_heads_are_side_by_side(layer):
    rng = np.random.default_rng(0)
    nodes, p = rng.standard_normal((5, 5)), make_params(layer, rng, n_heads=8, f_out=8)
    edges = make_edges(rng, 5, 9, self_edges=False)
    output, weights = layer(nodes, *edges, p)
    assert output.shape == (5, 64)
    assert layer(nodes, *edges, p, combine="mean").output.shape == (5, 8)
    for h in range(8):
        one = type(p)(*(a[..., h : h + 1, :] for a in p))
        alone = layer(nodes, *edges, one)
        assert_allclose(output[:, 8 * h : 8 * h + 8], alone.output, atol=1e-12)
        assert_allclose(weights[:, h : h + 1], alone.weights, atol=1e-12)


@layers
def test_a_parameter_that_does_not_fit_is_called_by_its_name(layer):
    p, name = make_params(layer, np.random.default_rng(0)), layer.__name__
    for field in p._fields:
        wrong = p._replace(**{field: np.ones((1, 1, 1, 1))})
        message = rf"^{name}: params\.{field} has shape \(1, 1, 1, 1\) but "
        with pytest.raises(ValueError, match=message):
            layer(np.ones((3, 5)), [0], [1], wrong)
    with pytest.raises(ValueError, match=f"^{name}: nodes has shape ") as caught:
        layer(np.ones(5), [0], [1], p)
    assert str(caught.value) == (
        f"{name}: nodes has shape (5,) but (n_nodes, F) is expected; one row for each node."
    )


def test_ends_of_edges_are_called_by_their_kind():
    q, k = np.ones((2, 1, 3)), np.ones((4, 1, 3))
    with pytest.raises(ValueError, match=r"from 0 to n_receivers - 1 = 1, got 3; "):
        graph_attention(q, k, k, [0], [3])
    with pytest.raises(ValueError, match=r"from 0 to n_senders - 1 = 3, got 4; "):
        graph_attention(q, k, k, [4], [0])
