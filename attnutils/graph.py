"""Attention over the edges of a graph. Taught on the page *graph attention*.

Edge e runs from node ``senders[e]`` to node ``receivers[e]``. The receiver is the query, its
senders are the keys, and softmax runs over the edges that share a receiver. Edges may come in any
order, and an edge that is given twice counts twice. A node that no edge reaches gets output 0.

Inside, edges are sorted by receiver once. Then the edges of a receiver are neighbours in memory,
and for each head the weights are a sparse matrix (receivers x senders) that multiplies the values.
"""

import math
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attnutils._door import arrays, door
from attnutils._shapes import FloatArray, IntArray
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

EdgeScores = Callable[[IntArray, IntArray], FloatArray]

Nodes = Annotated[ArrayLike, "n_nodes F; one row for each node"]
Ends = Annotated[ArrayLike, "int E below n_nodes; edge e runs from senders[e] to receivers[e]"]
Combine = Annotated[str, '"concat" or "mean"; "concat" puts the heads side by side']
Slope = Annotated[float, "a number from 0 to 1; 0 gives ReLU, 1 no bend at all"]
SelfLoops = Annotated[bool, "True or False; True adds an edge from each node to itself"]


class GATParams(NamedTuple):
    """What a GAT layer learns."""

    w: Annotated[FloatArray, "F n_heads+ F'"]
    a_receiver: Annotated[FloatArray, "n_heads F'"]
    a_sender: Annotated[FloatArray, "n_heads F'"]


class GATv2Params(NamedTuple):
    """What a GATv2 layer learns."""

    w_receiver: Annotated[FloatArray, "F n_heads+ F'"]
    w_sender: Annotated[FloatArray, "F n_heads F'"]
    a: Annotated[FloatArray, "n_heads F'"]


@door
def segment_softmax(
    scores: Annotated[ArrayLike, "E ..."],
    segments: Annotated[ArrayLike, "int E below n_segments"],
    n_segments: Annotated[int, "an integer of at least 0; it counts the segments"],
) -> Annotated[FloatArray, "E ..."]:
    """Softmax over the rows that share a segment, such as the edges of one receiver.

    Parameters
    ----------
    scores
        Scores; each column is a softmax by itself.
    segments
        The segment of each row, from 0 to n_segments - 1, in any order.
    n_segments
        Number of segments. Some may have no row.

    Returns
    -------
    ndarray
        Weights that sum to 1 in each segment. As in `softmax`, a score of -inf gets weight 0, also
        if there is no other in its segment, scores of +inf share, and NaN makes the weights of
        its segment NaN.

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
    s, segment = arrays(scores), np.asarray(segments)
    columns = s.reshape(len(s), math.prod(s.shape[1:]))
    return softmax_of_rows(columns, segment, _incidence(segment, n_segments)).reshape(s.shape)


@door
def graph_attention(
    query: Annotated[ArrayLike, "n_receivers n_heads d_k; one vector for each node and head"],
    key: Annotated[ArrayLike, "n_senders n_heads d_k; one vector for each node and head"],
    value: Annotated[ArrayLike, "n_senders n_heads d_v; one vector for each node and head"],
    senders: Annotated[ArrayLike, "int E below n_senders"],
    receivers: Annotated[ArrayLike, "int E below n_receivers"],
    *,
    edge_bias: Annotated[
        ArrayLike | None,
        "broadcasts to E n_heads; one number an edge is a column, edge_bias[:, None]",
    ] = None,
) -> Annotated[Attention, "n_receivers n_heads d_v", "E n_heads"]:
    r"""Scaled dot-product attention in which a node sees its neighbours only.

    .. math:: s_{ij} = q_i \cdot k_j / \sqrt{d_k} + b_{ij} \quad \text{for each edge } j \to i

    On a complete graph this is `attention`.

    Parameters
    ----------
    query
        A query for each receiving node and head.
    key
        A key for each sending node and head. Mostly senders and receivers are the same nodes.
    value
        A value for each sending node and head.
    senders, receivers
        Edge e runs from node ``senders[e]`` to node ``receivers[e]``. No self loops are added.
    edge_bias
        Numbers to add to the scores: what is known about an edge, such as its length. -inf hides
        an edge.

    Returns
    -------
    output
        Weighted means of the values; 0 for a node without edges.
    weights
        Weights of the edges, in the order of the caller.

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
    q, k, v = arrays(query, key, value)
    q = q / math.sqrt(q.shape[-1])

    def scores(senders: IntArray, receivers: IntArray) -> FloatArray:
        return _dot(q.take(receivers, axis=0), k.take(senders, axis=0))

    bias = None if edge_bias is None else arrays(edge_bias)
    return attention_over_edges(scores, v, senders, receivers, len(q), bias)


@door
def gat_layer(
    nodes: Nodes,
    senders: Ends,
    receivers: Ends,
    params: GATParams,
    *,
    combine: Combine = "concat",
    negative_slope: Slope = 0.2,
    self_loops: SelfLoops = True,
) -> Annotated[Attention, "n_nodes n_heads*F'", "E n_heads"]:
    r"""A layer of a graph attention network (GAT).

    .. math:: s_{ij} = \mathrm{LeakyReLU}(a_r \cdot z_i + a_s \cdot z_j), \qquad z = x W, \qquad
        o_i = \sum_{j \to i} \alpha_{ij} z_j

    Its attention is static: since LeakyReLU only rises, the order of a head's scores for several
    senders is the same for every receiver. See `gatv2_layer`.

    Parameters
    ----------
    nodes
        Features x of the nodes.
    senders, receivers
        Edge e runs from node ``senders[e]`` to node ``receivers[e]``.
    params
        W, and the halves of a that belong to receiver and sender. Each head has its own.
    combine
        Heads side by side, or their mean, as in the last layer of a network.
    negative_slope
        Slope of LeakyReLU below 0, from 0 to 1.
    self_loops
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
    ValueError
        If an edge from a node to itself is given together with self loops.

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
    z = _project(arrays(nodes), params.w)
    from_receiver = _dot(z, params.a_receiver)  # (n_nodes, n_heads)
    from_sender = _dot(z, params.a_sender)

    def scores(senders: IntArray, receivers: IntArray) -> FloatArray:
        total = from_receiver.take(receivers, axis=0) + from_sender.take(senders, axis=0)
        return _leaky_relu(total, negative_slope)

    if self_loops:
        senders, receivers = _with_self_loops("gat_layer", senders, receivers, len(z))
    output, weights = attention_over_edges(scores, z, senders, receivers, len(z))
    return Attention(_combined(output, combine), weights)


@door
def gatv2_layer(
    nodes: Nodes,
    senders: Ends,
    receivers: Ends,
    params: GATv2Params,
    *,
    combine: Combine = "concat",
    negative_slope: Slope = 0.2,
    self_loops: SelfLoops = True,
) -> Annotated[Attention, "n_nodes n_heads*F'", "E n_heads"]:
    r"""A layer of a graph attention network with dynamic attention (GATv2).

    .. math:: s_{ij} = a \cdot \mathrm{LeakyReLU}(x_i W_r + x_j W_s), \qquad
        o_i = \sum_{j \to i} \alpha_{ij} x_j W_s

    The bend comes before a, so that each receiver can rank its senders in an order of its own.

    Parameters
    ----------
    nodes
        Features x of the nodes.
    senders, receivers
        Edge e runs from node ``senders[e]`` to node ``receivers[e]``.
    params
        W for receivers and for senders, and a. Each head has its own.
    combine
        Heads side by side, or their mean, as in the last layer of a network.
    negative_slope
        Slope of LeakyReLU below 0, from 0 to 1.
    self_loops
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
    ValueError
        If an edge from a node to itself is given together with self loops.

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
    x = arrays(nodes)
    z_receiver, z_sender = _project(x, params.w_receiver), _project(x, params.w_sender)

    def scores(senders: IntArray, receivers: IntArray) -> FloatArray:
        total = z_receiver.take(receivers, axis=0) + z_sender.take(senders, axis=0)
        return _dot(_leaky_relu(total, negative_slope), params.a)

    if self_loops:
        senders, receivers = _with_self_loops("gatv2_layer", senders, receivers, len(x))
    output, weights = attention_over_edges(scores, z_sender, senders, receivers, len(x))
    return Attention(_combined(output, combine), weights)


def attention_over_edges(
    scores: EdgeScores,
    value: FloatArray,
    senders: ArrayLike,
    receivers: ArrayLike,
    n_receivers: int,
    bias: FloatArray | None = None,
) -> Attention:
    """Weighted means of the values, and the weights (E, n_heads) of edges with these scores."""
    from scipy.sparse import csr_array  # here, so that importing attnutils does not load SciPy

    senders, receivers = np.asarray(senders), np.asarray(receivers)
    n_senders, n_heads, _ = value.shape
    s = np.empty((len(senders), n_heads), value.dtype)
    for start in range(0, len(senders), _BLOCK_EDGES):
        block = slice(start, start + _BLOCK_EDGES)
        s[block] = scores(senders[block], receivers[block])
    if bias is not None:
        s += bias
    edges_of = _incidence(receivers, n_receivers)
    weights = softmax_of_rows(s, receivers, edges_of)

    # For each head the weights are a sparse matrix (receivers x senders) times the values.
    order, first = edges_of.indices, edges_of.indptr
    sorted_senders, sorted_weights = senders.take(order), weights.take(order, axis=0)
    matrix = csr_array((sorted_weights[:, 0], sorted_senders, first), (n_receivers, n_senders))
    output = np.empty((n_receivers, *value.shape[1:]), value.dtype)
    finite = np.isfinite(value).all()
    for h in range(n_heads):
        matrix.data = np.ascontiguousarray(sorted_weights[:, h])
        a = matrix
        if not finite:  # a weight of 0 passes on nothing, but 0 * inf is NaN
            a = matrix.copy()
            a.eliminate_zeros()
        output[:, h] = a @ value[:, h]
    return Attention(output, weights)


def softmax_of_rows(scores: FloatArray, segments: IntArray, rows_of: Any) -> FloatArray:
    """Softmax down the columns of scores (E, n), over the rows of each segment."""
    low, high = scores.min(initial=np.inf), scores.max(initial=-np.inf)
    # Only differences matter. Where no score is far from another, one shift is enough.
    near = high - low < 20
    gap = scores - high if near else _gap_to_largest(scores, segments, rows_of)
    weights: FloatArray = np.exp(gap, out=gap)
    total: FloatArray = (rows_of @ weights).take(segments, axis=0)
    # A weight of 0 stays 0, also where all are 0, or the segment holds a NaN.
    return np.divide(weights, total, out=weights, where=weights != 0)


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


def _dot(z: FloatArray, a: FloatArray) -> FloatArray:
    """Dot products over the last axis, for each row and head; `a` may be one for all rows."""
    products: FloatArray = np.einsum("...hd,...hd->...h", z, a)
    return products


def _project(x: FloatArray, w: FloatArray) -> FloatArray:
    """Features (n, F) times weights (F, n_heads, F'), of shape (n, n_heads, F')."""
    f_in, n_heads, f_out = w.shape
    return (x @ w.reshape(f_in, n_heads * f_out)).reshape(len(x), n_heads, f_out)


def _leaky_relu(x: FloatArray, slope: float) -> FloatArray:
    """x above 0, slope * x below, where 0 <= slope <= 1."""
    return np.maximum(x, slope * x if slope else 0)  # 0 * -inf is NaN


def _combined(output: FloatArray, combine: str) -> FloatArray:
    """(n, n_heads, F') to (n, n_heads * F') or (n, F')."""
    if combine == "mean":
        mean: FloatArray = output.mean(axis=1)
        return mean
    n, n_heads, width = output.shape
    return output.reshape(n, n_heads * width)


def _with_self_loops(
    function: str, senders: ArrayLike, receivers: ArrayLike, n: int
) -> tuple[IntArray, IntArray]:
    """The ends of the edges, then those of the self loops of n nodes."""
    start, stop = np.asarray(senders), np.asarray(receivers)
    (found,) = np.nonzero(start == stop)
    if found.size:
        raise ValueError(
            f"{function}: edge {found[0]} runs from node {start[found[0]]} to itself but "
            "self_loops=True adds such an edge to every node; leave it out or set "
            "self_loops=False."
        )
    loops = np.arange(n)
    return np.concatenate([start, loops]), np.concatenate([stop, loops])
