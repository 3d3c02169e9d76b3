"""Exercises of the page on attention on graphs."""

from typing import Any

import numpy as np

from attnbook.exercises._registry import (
    attempt,
    compared,
    expected,
    first_slip,
    judged,
    numbers,
    value,
)
from attnutils._checks import FloatArray, IntArray
from attnutils.graph import segment_softmax
from attnutils.normalize import softmax

_RECEIVERS = np.array([0, 0, 1, 1, 2])
_SCORES = np.array([1.0, 0, 2, 0, 1])
_VALUES = np.array([1.0, 3, 2, 4, 5])
_DEGREE = np.bincount(_RECEIVERS)


def _outputs(weights: FloatArray, first: float) -> FloatArray:
    """What the three receivers get with these weights of the five edges, of which one varies."""
    return np.bincount(_RECEIVERS, weights * [first, *_VALUES[1:]]).astype(np.float64)


def _right_weights(scores: FloatArray = _SCORES) -> FloatArray:
    return segment_softmax(scores, _RECEIVERS, len(_DEGREE))


@value(
    "edge-softmax",
    asks="Output",
    each=("receiver 0", "receiver 1", "receiver 2"),
    hint="three softmaxes, one for each receiver; then the weighted mean of its values",
    note="each receiver shares out a 1 of its own.",
    varies={"first": (1, 2, 4, 5, 6, 7)},
    says=("gets the scores 1 and 0 with the values {first} and 3;",),
    way="Softmax within each receiver. Receiver 0: $({first} e + 3) / (e + 1)$; receiver 1: $(2"
    " e^2 + 4) / (e^2 + 1)$; receiver 2: its only value, 5.",
    wrong=(
        (
            lambda first: _outputs(softmax(_SCORES), first),
            "here one softmax runs over all five edges; each receiver has one of its own",
        ),
        (
            lambda first: _outputs(_right_weights(), first) * _DEGREE,
            "these are the right outputs times the number of edges of each receiver",
        ),
        (
            lambda first: _outputs(np.ones(5), first),
            "this is the sum of the values: every edge has weight 1, as after a softmax of one "
            "number",
        ),
        (
            lambda first: _outputs(np.ones(5), first) / _DEGREE,
            "this is the mean; the scores are not used",
        ),
    ),
)
def _edge_softmax(first: float) -> FloatArray:
    return _outputs(_right_weights(), first)


# Each node sends; nodes hear from one, two or three.
_EDGES = np.array([3, 0, 4, 1, 2, 0, 3, 1, 4]), np.array([0, 0, 1, 2, 2, 2, 3, 4, 3])
_QUERY, _KEY, _VALUE = np.random.default_rng(1).normal(size=(3, 5, 3))


def _brought(weights: FloatArray, senders: IntArray, receivers: IntArray) -> FloatArray:
    """What the nodes get with these weights of the edges."""
    total: FloatArray = np.zeros_like(_VALUE)
    np.add.at(total, receivers, weights[:, None] * _VALUE[senders])
    return total


def _attended(
    query: FloatArray, senders: IntArray, receivers: IntArray, scale: float = 3**-0.5
) -> FloatArray:
    """What the nodes get by attention."""
    scores = scale * (query[receivers] * _KEY[senders]).sum(axis=1)
    return _brought(segment_softmax(scores, receivers, len(query)), senders, receivers)


@judged(
    "write-edges",
    function="edge_attention(q, k, v, senders, receivers)",
    note="each receiver has a softmax of its own.",
    mixed={"the scores are divided by d_k": "d and its root"},
)
def _write_edges(answer: Any) -> str | None:
    senders, receivers = _EDGES
    right = _attended(_QUERY, *_EDGES)
    scores, swapped = (
        (_QUERY[asks] * _KEY[tells]).sum(axis=1) / 3**0.5 for asks, tells in (_EDGES[::-1], _EDGES)
    )
    slips = [
        (_attended(_QUERY, *_EDGES, 1), "the scores are not divided by the root of d_k"),
        (_attended(_QUERY, *_EDGES, 1 / 3), "the scores are divided by d_k, not by its root"),
        (
            _brought(softmax(scores), *_EDGES),
            "one softmax runs over all edges; each receiver has one of its own",
        ),
        (_brought(np.ones(9), *_EDGES), "this is the sum of the values; the weights are missing"),
        (
            right * np.bincount(receivers)[:, None],
            "this is the mean times the number of edges; each edge brings it once more",
        ),
        (
            _brought(segment_softmax(swapped, receivers, 5), *_EDGES),
            "the query is that of the receiver, the key that of the sender",
        ),
        (_attended(_QUERY, receivers, senders), "senders and receivers have changed places"),
    ]

    def hint(given: FloatArray) -> str:
        if np.isnan(given).any():
            return "NaN is among the outputs: each receiver subtracts its largest score before exp"
        return first_slip(given, slips, "some outputs are wrong; work out one node by hand")

    for where, query in (("for nine edges", _QUERY), ("with large scores", 1e4 * _QUERY)):
        result = attempt(answer, *(x.copy() for x in (query, _KEY, _VALUE, *_EDGES)))
        problem = compared(where, result, _attended(query, *_EDGES), hint)
        if problem is not None:
            return problem
    return None


def _bent(t: FloatArray, slope: float = 0.2) -> FloatArray:
    return np.where(t > 0, t, slope * t)


@judged("gatv2-alike", note="one number of the receiver cannot do that, two components can.")
def _gatv2_alike(answer: Any) -> str | None:
    rows = numbers(answer)
    if rows is None or rows.shape != (3, 2):
        return expected(np.zeros((3, 2)), answer)
    if not np.isfinite(rows).all():
        return "NaN or inf is among your numbers"
    nodes = np.array([[-1.0], [1.0]])
    sums = (nodes @ rows[:1])[:, None] + nodes @ rows[1:2]  # receiver, sender, component
    weights = softmax(_bent(sums) @ rows[2])
    alike = np.diagonal(weights)
    if (alike >= 0.9).all():
        return None
    if (alike > 0.5).all():
        return f"each prefers its like, but one with {alike.min():.2f} only; .9 is asked"
    if (alike < 0.5).all():
        return "each prefers the other kind; what must become of the two components if they fit?"
    return "one order for both, or a tie: so it is in GAT; see what each component bends, and when"
