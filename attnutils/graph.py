"""Attention over the edges of a graph. Taught on the page *graph attention*.

Edge e runs from node ``senders[e]`` to node ``receivers[e]``. The receiver is the query, its
senders are the keys, and softmax runs over the edges that share a receiver. Edges may come in any
order, and an edge that is given twice counts twice. A node that no edge reaches gets output 0.

Inside, edges are sorted by receiver once. Then the edges of a receiver are neighbours in memory,
and for each head the weights are a sparse matrix (receivers x senders) that multiplies the values.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attnutils import _shapes
from attnutils._shapes import FloatArray
from attnutils.mechanism import Attention

__all__ = [
    "GATParams",
    "GATv2Params",
    "gat_layer",
    "gatv2_layer",
    "graph_attention",
    "segment_softmax",
]

# Scores are computed for this many edges at a time, so that what their features take in memory
# stays small.
_BLOCK_EDGES = 512

_COMBINE_HINT = '"concat" puts the heads side by side'

IntArray = NDArray[np.intp]
EdgeScores = Callable[[IntArray, IntArray], FloatArray]


class GATParams(NamedTuple):
    """`w` (F, n_heads, F'), `a_receiver` (n_heads, F') and `a_sender` (n_heads, F')."""

    w: FloatArray
    a_receiver: FloatArray
    a_sender: FloatArray


class GATv2Params(NamedTuple):
    """`w_receiver` (F, n_heads, F'), `w_sender` (F, n_heads, F') and `a` (n_heads, F')."""

    w_receiver: FloatArray
    w_sender: FloatArray
    a: FloatArray


def segment_softmax(scores: ArrayLike, segments: ArrayLike, n_segments: int) -> FloatArray:
    """Softmax over the rows that share a segment, such as the edges of one receiver.

    Parameters
    ----------
    scores : array_like of shape (E, ...)
        Scores; each column is a softmax by itself.
    segments : array_like of int of shape (E,)
        The segment of each row, from 0 to n_segments - 1, in any order.
    n_segments : int
        Number of segments. Some may have no row.

    Returns
    -------
    ndarray of shape (E, ...)
        Weights that sum to 1 in each segment. As in `softmax`, a score of -inf gets weight 0, also
        if there is no other in its segment, scores of +inf share, and NaN makes the weights of
        its segment NaN.

    Raises
    ------
    TypeError
        If `scores` does not hold real numbers, or `segments` or `n_segments` integers.
    ValueError
        If the shapes do not fit each other, or a segment does not exist.

    References
    ----------
    velickovic2018

    Examples
    --------
    >>> weights = segment_softmax([1, 0, 2, 0, 1], [0, 0, 1, 1, 2], 3)
    >>> weights.round(4)
    array([0.7311, 0.2689, 0.8808, 0.1192, 1.    ])
    >>> np.bincount([0, 0, 1, 1, 2], weights * [1, 3, 2, 4, 5]).round(4)
    array([1.5379, 2.2384, 5.    ])
    """
    name = "segment_softmax"
    array = _shapes.real_array(name, "scores", scores, shape="(E, ...)", rank=1)
    n = _shapes.count(name, "n_segments", n_segments, "it counts the segments")
    segment = _shapes.segments(name, segments, len(array), n)
    columns = math.prod(array.shape[1:])
    flat = _shapes.widen(array).reshape(len(array), columns)
    weights = _softmax(flat, segment, _incidence(segment, n))
    return _shapes.narrow(weights.reshape(array.shape), array.dtype)


def graph_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    senders: ArrayLike,
    receivers: ArrayLike,
    *,
    edge_bias: ArrayLike | None = None,
) -> Attention:
    r"""Scaled dot-product attention in which a node sees its neighbours only.

    .. math:: s_{ij} = q_i \cdot k_j / \sqrt{d_k} + b_{ij} \quad \text{for each edge } j \to i

    On a complete graph this is `attention`.

    Parameters
    ----------
    query : array_like of shape (n_receivers, n_heads, d_k)
        A query for each receiving node and head.
    key : array_like of shape (n_senders, n_heads, d_k)
        A key for each sending node and head. Mostly senders and receivers are the same nodes.
    value : array_like of shape (n_senders, n_heads, d_v)
        A value for each sending node and head.
    senders, receivers : array_like of int of shape (E,)
        Edge e runs from node ``senders[e]`` to node ``receivers[e]``. No self loops are added.
    edge_bias : array_like of shape (E, n_heads) or (E, 1), optional
        Numbers to add to the scores: what is known about an edge, such as its length. -inf hides
        an edge.

    Returns
    -------
    output : ndarray of shape (n_receivers, n_heads, d_v)
        Weighted means of the values; 0 for a node without edges.
    weights : ndarray of shape (E, n_heads)
        Weights of the edges, in the order of the caller.

    Raises
    ------
    TypeError
        If an array does not hold real numbers, or the ends of the edges are not integers.
    ValueError
        If the shapes do not fit each other, or an edge has an end that is not a node.

    References
    ----------
    vaswani2017
    dwivedi2021 : transformers on graphs.

    Examples
    --------
    Node 0 hears from nodes 1 and 2, node 1 from node 0, node 2 from none.

    >>> x = np.array([[[1.0]], [[0.0]], [[2.0]]])
    >>> output, weights = graph_attention(x, x, x, senders=[1, 2, 0], receivers=[0, 0, 1])
    >>> output[:, 0, 0].round(4)
    array([1.7616, 1.    , 0.    ])
    >>> weights[:, 0].round(4)
    array([0.1192, 0.8808, 1.    ])
    """
    name = "graph_attention"
    hint = "one vector for each node and head"
    q = _shapes.of_rank(name, "query", query, "(n_receivers, n_heads, d_k)", 3, hint)
    n_heads, d_k = q.shape[1:]
    shape = "(n_senders, n_heads, d_k)"
    k = _shapes.sized(name, "key", key, shape, (None, n_heads, d_k), hint)
    shape = "(n_senders, n_heads, d_v)"
    v = _shapes.sized(name, "value", value, shape, (len(k), n_heads, None), hint)
    edges = _shapes.edges(name, senders, receivers, len(k), len(q), ("n_senders", "n_receivers"))
    bias = None
    if edge_bias is not None:
        bias = _shapes.edge_bias_for(name, edge_bias, (len(edges[0]), n_heads))

    dtype = np.result_type(q, k, v)
    with np.errstate(all="ignore"):
        q, k = _shapes.widen(q) / math.sqrt(d_k), _shapes.widen(k)

        def scores(senders: IntArray, receivers: IntArray) -> FloatArray:
            return _dot(q.take(receivers, axis=0), k.take(senders, axis=0))

        output, weights = _attend(scores, _shapes.widen(v), *edges, len(q), bias)
    return Attention(_shapes.narrow(output, dtype), _shapes.narrow(weights, dtype))


def gat_layer(
    nodes: ArrayLike,
    senders: ArrayLike,
    receivers: ArrayLike,
    params: GATParams,
    *,
    combine: str = "concat",
    negative_slope: float = 0.2,
    self_loops: bool = True,
) -> Attention:
    r"""A layer of a graph attention network (GAT).

    .. math:: s_{ij} = \mathrm{LeakyReLU}(a_r \cdot z_i + a_s \cdot z_j), \qquad z = x W, \qquad
        o_i = \sum_{j \to i} \alpha_{ij} z_j

    Its attention is static: since LeakyReLU only rises, the order of a head's scores for several
    senders is the same for every receiver. See `gatv2_layer`.

    Parameters
    ----------
    nodes : array_like of shape (n_nodes, F)
        Features x of the nodes.
    senders, receivers : array_like of int of shape (E,)
        Edge e runs from node ``senders[e]`` to node ``receivers[e]``.
    params : GATParams
        W, and the halves of a that belong to receiver and sender. Each head has its own.
    combine : {"concat", "mean"}
        Heads side by side, or their mean, as in the last layer of a network.
    negative_slope : float
        Slope of LeakyReLU below 0, from 0 to 1.
    self_loops : bool
        Whether each node also hears from itself. Such edges must then not be given.

    Returns
    -------
    output : ndarray of shape (n_nodes, n_heads * F') or (n_nodes, F')
        Without bias and without a final nonlinearity. 0 for a node without edges.
    weights : ndarray of shape (E, n_heads) or (E + n_nodes, n_heads)
        Weights of the edges, in the order of the caller; then, with self loops, that of node i
        at E + i.

    Raises
    ------
    TypeError
        If an array does not hold real numbers, the ends of the edges are not integers, or
        `params` or an option is of the wrong type.
    ValueError
        If the shapes do not fit each other, an edge has an end that is not a node, an edge from a
        node to itself is given together with self loops, or an option has a value that it cannot
        have.

    References
    ----------
    velickovic2018

    Examples
    --------
    >>> params = GATParams(w=np.eye(2)[:, None], a_receiver=np.zeros((1, 2)), a_sender=[[0, 1]])
    >>> nodes = [[1, 0], [2, 0], [3, 1]]
    >>> output, weights = gat_layer(nodes, [1, 2], [0, 0], params)
    >>> weights[:, 0].round(4)
    array([0.2119, 0.5761, 0.2119, 1.    , 1.    ])
    >>> output[0].round(4)
    array([2.3642, 0.5761])
    """
    name = "gat_layer"
    x = _shapes.of_rank(name, "nodes", nodes, "(n_nodes, F)", 2, "one row for each node")
    edges = _edges(name, x, senders, receivers, self_loops)
    _shapes.fields_of(name, "params", params, GATParams)
    w = _weight(name, "w", params.w, (x.shape[1], None, None))
    a_receiver = _vector(name, "a_receiver", params.a_receiver, w)
    a_sender = _vector(name, "a_sender", params.a_sender, w)
    combine = _shapes.choice(name, "combine", combine, ("concat", "mean"), _COMBINE_HINT)
    slope = _shapes.negative_slope(name, negative_slope)

    with np.errstate(all="ignore"):
        z = _project(x, w)
        from_receiver, from_sender = _dot(z, a_receiver), _dot(z, a_sender)  # (n_nodes, n_heads)

        def scores(senders: IntArray, receivers: IntArray) -> FloatArray:
            total = from_receiver.take(receivers, axis=0) + from_sender.take(senders, axis=0)
            return _leaky_relu(total, slope)

        output, weights = _attend(scores, z, *edges, len(x))
        output = _combine(output, combine)
    dtype = np.result_type(x, w, a_receiver, a_sender)
    return Attention(_shapes.narrow(output, dtype), _shapes.narrow(weights, dtype))


def gatv2_layer(
    nodes: ArrayLike,
    senders: ArrayLike,
    receivers: ArrayLike,
    params: GATv2Params,
    *,
    combine: str = "concat",
    negative_slope: float = 0.2,
    self_loops: bool = True,
) -> Attention:
    r"""A layer of a graph attention network with dynamic attention (GATv2).

    .. math:: s_{ij} = a \cdot \mathrm{LeakyReLU}(x_i W_r + x_j W_s), \qquad
        o_i = \sum_{j \to i} \alpha_{ij} x_j W_s

    The bend comes before a, so that each receiver can rank its senders in an order of its own.

    Parameters
    ----------
    nodes : array_like of shape (n_nodes, F)
        Features x of the nodes.
    senders, receivers : array_like of int of shape (E,)
        Edge e runs from node ``senders[e]`` to node ``receivers[e]``.
    params : GATv2Params
        W for receivers and for senders, and a. Each head has its own.
    combine : {"concat", "mean"}
        Heads side by side, or their mean, as in the last layer of a network.
    negative_slope : float
        Slope of LeakyReLU below 0, from 0 to 1.
    self_loops : bool
        Whether each node also hears from itself. Such edges must then not be given.

    Returns
    -------
    output : ndarray of shape (n_nodes, n_heads * F') or (n_nodes, F')
        Without bias and without a final nonlinearity. 0 for a node without edges.
    weights : ndarray of shape (E, n_heads) or (E + n_nodes, n_heads)
        Weights of the edges, in the order of the caller; then, with self loops, that of node i
        at E + i.

    Raises
    ------
    TypeError
        If an array does not hold real numbers, the ends of the edges are not integers, or
        `params` or an option is of the wrong type.
    ValueError
        If the shapes do not fit each other, an edge has an end that is not a node, an edge from a
        node to itself is given together with self loops, or an option has a value that it cannot
        have.

    References
    ----------
    brody2022

    Examples
    --------
    Nodes 0 and 1 hear from both 2 and 3, and each prefers another one.

    >>> same = np.eye(2)[:, None]
    >>> params = GATv2Params(w_receiver=-9 * same, w_sender=9 * same, a=[[-1, -1]])
    >>> nodes = [[1, 0], [0, 1], [1, 0], [0, 1]]
    >>> _, weights = gatv2_layer(nodes, [2, 3, 2, 3], [0, 0, 1, 1], params, self_loops=False)
    >>> weights[:, 0].round(3)
    array([0.999, 0.001, 0.001, 0.999])
    """
    name = "gatv2_layer"
    x = _shapes.of_rank(name, "nodes", nodes, "(n_nodes, F)", 2, "one row for each node")
    edges = _edges(name, x, senders, receivers, self_loops)
    _shapes.fields_of(name, "params", params, GATv2Params)
    w_receiver = _weight(name, "w_receiver", params.w_receiver, (x.shape[1], None, None))
    w_sender = _weight(name, "w_sender", params.w_sender, w_receiver.shape)
    a = _vector(name, "a", params.a, w_receiver)
    combine = _shapes.choice(name, "combine", combine, ("concat", "mean"), _COMBINE_HINT)
    slope = _shapes.negative_slope(name, negative_slope)

    with np.errstate(all="ignore"):
        z_receiver, z_sender = _project(x, w_receiver), _project(x, w_sender)

        def scores(senders: IntArray, receivers: IntArray) -> FloatArray:
            total = z_receiver.take(receivers, axis=0) + z_sender.take(senders, axis=0)
            return _dot(_leaky_relu(total, slope), a)

        output, weights = _attend(scores, z_sender, *edges, len(x))
        output = _combine(output, combine)
    dtype = np.result_type(x, w_receiver, w_sender, a)
    return Attention(_shapes.narrow(output, dtype), _shapes.narrow(weights, dtype))


def _attend(
    scores: EdgeScores,
    values: FloatArray,
    senders: IntArray,
    receivers: IntArray,
    n_receivers: int,
    bias: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Weighted means of the values, and the weights (E, n_heads) of edges with these scores."""
    from scipy.sparse import csr_array  # here, so that importing attnutils does not load SciPy

    n_senders, n_heads, _ = values.shape
    s = np.empty((len(senders), n_heads), values.dtype)
    for start in range(0, len(senders), _BLOCK_EDGES):
        block = slice(start, start + _BLOCK_EDGES)
        s[block] = scores(senders[block], receivers[block])
    if bias is not None:
        s += bias
    edges_of = _incidence(receivers, n_receivers)
    weights = _softmax(s, receivers, edges_of)

    # For each head the weights are a sparse matrix (receivers x senders) times the values.
    order, first = edges_of.indices, edges_of.indptr
    sorted_senders, sorted_weights = senders.take(order), weights.take(order, axis=0)
    matrix = csr_array((sorted_weights[:, 0], sorted_senders, first), (n_receivers, n_senders))
    output = np.empty((n_receivers, *values.shape[1:]), values.dtype)
    finite = np.isfinite(values).all()
    for h in range(n_heads):
        matrix.data = np.ascontiguousarray(sorted_weights[:, h])
        a = matrix
        if not finite:  # a weight of 0 passes on nothing, but 0 * inf is NaN
            a = matrix.copy()
            a.eliminate_zeros()
        output[:, h] = a @ values[:, h]
    return output, weights


def _softmax(scores: FloatArray, segments: IntArray, rows_of: Any) -> FloatArray:
    """Softmax down the columns of scores (E, n), over the rows of each segment."""
    low, high = scores.min(initial=np.inf), scores.max(initial=-np.inf)
    with np.errstate(all="ignore"):
        # Only differences matter. Where no score is far from another, one shift is enough.
        near = high - low < 20
        gap = scores - high if near else _gap_to_largest(scores, segments, rows_of)
        weights: FloatArray = np.exp(gap, out=gap)
        total: FloatArray = (rows_of @ weights).take(segments, axis=0)
        # A weight of 0 stays 0, also where all are 0, or the segment holds a NaN.
        np.divide(weights, total, out=weights, where=weights != 0)
    return weights


def _gap_to_largest(scores: FloatArray, segments: IntArray, rows_of: Any) -> FloatArray:
    """Each score minus the largest of its segment, so that exp of it cannot overflow."""
    some = np.diff(rows_of.indptr) > 0  # reduceat cannot do an empty segment
    largest = np.zeros((len(some), scores.shape[1]), scores.dtype)
    in_order = scores.take(rows_of.indices, axis=0)
    largest[some] = np.maximum.reduceat(in_order, rows_of.indptr[:-1][some], axis=0)
    top = largest.take(segments, axis=0)
    gap: FloatArray = scores - top
    if not np.isfinite(largest).all():  # inf - inf has no answer: equals have gap 0
        gap = np.where(scores == top, 0, gap)
        gap = np.where(np.isneginf(scores), -np.inf, gap)
    return gap


def _incidence(segments: IntArray, n: int) -> Any:
    """A sparse matrix (n, E) that is 1 where entry e belongs to segment i.

    Its product with a table of E rows sums over the rows of each segment. Its indices list the
    entries of segment 0, then those of segment 1, and so on.
    """
    from scipy.sparse import csc_array  # here, so that importing attnutils does not load SciPy

    # A column has one entry, which is simple to write down. Going from columns to rows is a sort
    # by counting, several times as fast as argsort.
    n_entries = len(segments)
    ones, one_a_column = np.ones(n_entries, np.float32), np.arange(n_entries + 1)
    return csc_array((ones, segments, one_a_column), shape=(n, n_entries)).tocsr()


def _dot(x: FloatArray, y: FloatArray) -> FloatArray:
    """Dot products over the last axis, for each row and head; `y` may be one for all rows."""
    products: FloatArray = np.einsum("...hd,...hd->...h", x, y)
    return products


def _project(x: FloatArray, w: FloatArray) -> FloatArray:
    """Features (n, F) times weights (F, n_heads, F'), of shape (n, n_heads, F')."""
    f_in, n_heads, f_out = w.shape
    projected = _shapes.widen(x) @ _shapes.widen(w).reshape(f_in, n_heads * f_out)
    return projected.reshape(len(x), n_heads, f_out)


def _leaky_relu(x: FloatArray, slope: float) -> FloatArray:
    """x above 0, slope * x below, where 0 <= slope <= 1."""
    return np.maximum(x, slope * x if slope else 0)  # 0 * -inf is NaN


def _combine(output: FloatArray, combine: str) -> FloatArray:
    """(n, n_heads, F') to (n, n_heads * F') or (n, F')."""
    if combine == "mean":
        mean: FloatArray = output.mean(axis=1)
        return mean
    n, n_heads, width = output.shape
    return output.reshape(n, n_heads * width)


def _edges(
    function: str, nodes: FloatArray, senders: ArrayLike, receivers: ArrayLike, self_loops: bool
) -> tuple[IntArray, IntArray]:
    """Checked senders and receivers, followed by the self loops."""
    n = len(nodes)
    ends = _shapes.edges(function, senders, receivers, n, n)
    hint = "True adds an edge from each node to itself"
    if not _shapes.flag(function, "self_loops", self_loops, hint):
        return ends
    _shapes.no_self_edges(function, *ends)
    loops = np.arange(n)
    return np.concatenate([ends[0], loops]), np.concatenate([ends[1], loops])


def _weight(function: str, field: str, w: ArrayLike, size: tuple[int | None, ...]) -> FloatArray:
    """`w` as projections of F features for at least one head."""
    hint = "a row for each feature of nodes; every head has its own columns"
    array = _shapes.sized(function, f"params.{field}", w, "(F, n_heads, F')", size, hint)
    _shapes.some_head(function, f"params.{field}", array)
    return array


def _vector(function: str, field: str, a: ArrayLike, w: FloatArray) -> FloatArray:
    """`a` as one vector for each head of `w`."""
    hint = "one vector for each head, as wide as what it is projected to"
    return _shapes.sized(function, f"params.{field}", a, "(n_heads, F')", w.shape[1:], hint)
