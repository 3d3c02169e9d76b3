"""Attention over the edges of a graph. Taught on the page *graph attention*.

Edge e runs from node ``senders[e]`` to node ``receivers[e]``. The receiver is the query, its
senders are the keys, and softmax runs over the edges that share a receiver. Edges may come in any
order, and an edge that is given twice counts twice. A node that no edge reaches gets output 0.
"""

import math
from typing import Annotated, NamedTuple

import numpy as np

from attnutils._checked import checked
from attnutils._checks import ArrayLike, Choice, Flag, FloatArray, Int, IntArray, Number, fail
from attnutils._shapes import Array, Broadcast, Index
from attnutils.masks import add_bias
from attnutils.mechanism import AttentionOutput
from attnutils.normalize import total, wide

__all__ = [
    "GATParams",
    "GATv2Params",
    "gat_layer",
    "gatv2_layer",
    "graph_attention",
    "segment_softmax",
]

_FEW_NUMBERS = 2**16

Nodes = Annotated[ArrayLike, Array("n_nodes F", "one row for each node")]
Ends = Annotated[
    ArrayLike, Index("E", "edge e runs from senders[e] to receivers[e]", below="n_nodes")
]
Combine = Annotated[str, Choice("concat", "mean", hint='"concat" puts the heads side by side')]
Slope = Annotated[float, Number(0, "0 gives ReLU, 1 no bend at all", 1)]
SelfLoops = Annotated[bool, Flag("True adds an edge from each node to itself")]


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


@checked
def segment_softmax(
    scores: Annotated[ArrayLike, "E ..."],
    segments: Annotated[ArrayLike, Index("E", below="n_segments")],
    n_segments: Annotated[int, Int(0, "it counts the segments")],
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
    top = by_segment(np.maximum, scores, segments, n_segments, np.finfo(scores.dtype).min)[segments]
    gap = scores - top
    np.copyto(gap, 0, where=scores == top)  # inf - inf has no answer
    np.copyto(gap, scores, where=scores == -np.inf)  # what is hidden stays so
    e = np.exp(gap, out=gap)
    e /= np.fmax(by_segment(np.add, e, segments, n_segments), 1)[segments]
    return e


@checked
def graph_attention(
    query: Annotated[
        ArrayLike, Array("n_receivers n_heads d_k", "one vector for each node and head")
    ],
    key: Annotated[ArrayLike, Array("n_senders n_heads d_k", "one vector for each node and head")],
    value: Annotated[
        ArrayLike, Array("n_senders n_heads d_v", "one vector for each node and head")
    ],
    senders: Annotated[ArrayLike, Index("E", below="n_senders")],
    receivers: Annotated[ArrayLike, Index("E", below="n_receivers")],
    *,
    edge_bias: Annotated[
        ArrayLike | None,
        Broadcast("E n_heads", "one number an edge is a column, edge_bias[:, None]"),
    ] = None,
) -> Annotated[AttentionOutput, "n_receivers n_heads d_v", "E n_heads"]:
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
    s = dot(query[receivers], key[senders]) / math.sqrt(query.shape[-1])  # (E, n_heads)
    if edge_bias is not None:
        s = add_bias(s, edge_bias)
    return attention_over_edges(s, value, senders, receivers, len(query))


@checked
def gat_layer(
    nodes: Nodes,
    senders: Ends,
    receivers: Ends,
    params: GATParams,
    *,
    combine: Combine = "concat",
    negative_slope: Slope = 0.2,
    self_loops: SelfLoops = True,
) -> Annotated[AttentionOutput, "n_nodes n_heads*F'", "E n_heads"]:
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
    if self_loops:
        senders, receivers = with_self_loops("gat_layer", senders, receivers, len(nodes))
    z = project(nodes, params.w)  # (n_nodes, n_heads, F')
    from_receiver = dot(z, params.a_receiver)  # (n_nodes, n_heads)
    from_sender = dot(z, params.a_sender)
    s = leaky_relu(from_receiver[receivers] + from_sender[senders], negative_slope)
    output, weights = attention_over_edges(s, z, senders, receivers, len(z))
    return AttentionOutput(combined(output, combine), weights)


@checked
def gatv2_layer(
    nodes: Nodes,
    senders: Ends,
    receivers: Ends,
    params: GATv2Params,
    *,
    combine: Combine = "concat",
    negative_slope: Slope = 0.2,
    self_loops: SelfLoops = True,
) -> Annotated[AttentionOutput, "n_nodes n_heads*F'", "E n_heads"]:
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
    if self_loops:
        senders, receivers = with_self_loops("gatv2_layer", senders, receivers, len(nodes))
    z_receiver = project(nodes, params.w_receiver)  # (n_nodes, n_heads, F')
    z_sender = project(nodes, params.w_sender)
    s = dot(leaky_relu(z_receiver[receivers] + z_sender[senders], negative_slope), params.a)
    output, weights = attention_over_edges(s, z_sender, senders, receivers, len(nodes))
    return AttentionOutput(combined(output, combine), weights)


def attention_over_edges(
    scores: FloatArray, value: FloatArray, senders: IntArray, receivers: IntArray, n_receivers: int
) -> AttentionOutput:
    """Softmax of the scores (E, n_heads) at each receiver, and the weighted sums of the values."""
    weights = segment_softmax(scores, receivers, n_receivers)
    a = weights[..., None]
    passed = a * value[senders]
    np.copyto(passed, 0, where=a == 0)  # a weight of 0 passes on no NaN either
    return AttentionOutput(by_segment(np.add, passed, receivers, n_receivers), weights)


def with_self_loops(
    function: str, senders: IntArray, receivers: IntArray, n: int
) -> tuple[IntArray, IntArray]:
    """The ends of the edges, then those of the self loops of n nodes."""
    (found,) = np.nonzero(senders == receivers)
    if found.size:
        text = f"edge {found[0]} runs from node {senders[found[0]]} to itself but self_loops=True"
        hint = "leave it out or set self_loops=False"
        fail(ValueError, function, f"{text} adds such an edge to every node", hint)
    loops = np.arange(n)
    return np.concatenate([senders, loops]), np.concatenate([receivers, loops])


def dot(z: FloatArray, a: FloatArray) -> FloatArray:
    """Dot products over the last axis, for each row and head; `a` may be one for all rows."""
    products: FloatArray = np.einsum("...hd,...hd->...h", z, a)
    return products


def project(x: FloatArray, w: FloatArray) -> FloatArray:
    """Features (n, F) times weights (F, n_heads, F'), of shape (n, n_heads, F')."""
    return (x @ w.reshape(len(w), math.prod(w.shape[1:]))).reshape(len(x), *w.shape[1:])


def leaky_relu(x: FloatArray, slope: float) -> FloatArray:
    """x above 0, slope * x below, where 0 <= slope <= 1."""
    return np.maximum(x, slope * x if slope else 0)  # 0 * -inf is NaN


def combined(output: FloatArray, combine: str) -> FloatArray:
    """(n, n_heads, F') to (n, n_heads * F') or (n, F')."""
    side_by_side = len(output), math.prod(output.shape[1:])
    return (
        total(output, 1)[:, 0] / output.shape[1]
        if combine == "mean"
        else output.reshape(side_by_side)
    )


def by_segment(
    function: np.ufunc, x: FloatArray, segments: IntArray, n: int, start: float = 0
) -> FloatArray:
    """The sum, or the maximum, of the rows of each segment; `start` for one without rows."""
    width = math.prod(x.shape[1:])
    dtype = wide(x) if function is np.add else x.dtype
    found = np.full(n * width, start, dtype)
    # Number by number, in one dtype, and few at a time: that is when `at` is fast.
    rows = max(1, _FEW_NUMBERS // max(1, width))
    for start in range(0, len(x), rows):
        some = slice(start, start + rows)
        places = segments[some, None] * width + np.arange(width)
        function.at(found, places.ravel(), x[some].ravel().astype(dtype, copy=False))
    return found.reshape(n, *x.shape[1:]).astype(x.dtype, copy=False)
