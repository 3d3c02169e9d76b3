"""Exercises of the page on attention on graphs."""

from functools import partial
from typing import Any

import numpy as np

from attnutils._shapes import FloatArray, IntArray
from attnutils.exercises._registry import attempt, compared, first_slip, judged, value
from attnutils.graph import GATParams, gat_layer, segment_softmax
from attnutils.normalize import softmax

_RECEIVERS = np.array([0, 0, 1, 1, 2])
_SCORES = np.array([1.0, 0, 2, 0, 1])
_VALUES = np.array([1.0, 3, 2, 4, 5])
_DEGREE = np.bincount(_RECEIVERS)


def _outputs(weights: FloatArray) -> FloatArray:
    """What the three receivers get with these weights of the five edges."""
    return np.bincount(_RECEIVERS, weights * _VALUES).astype(np.float64)


def _right_weights() -> FloatArray:
    return segment_softmax(_SCORES, _RECEIVERS, len(_DEGREE))


@value(
    "edge-softmax",
    asks="Output",
    each=("receiver 0", "receiver 1", "receiver 2"),
    hint="three softmaxes, one for each receiver; then the weighted mean of its values",
    note="each receiver shares out a 1 of its own.",
    wrong=(
        (
            lambda: _outputs(softmax(_SCORES)),
            "here one softmax runs over all five edges; each receiver has one of its own",
        ),
        (
            lambda: _outputs(_right_weights()) * _DEGREE,
            "these are the right outputs times the number of edges of each receiver",
        ),
        (
            lambda: _outputs(np.ones(5)),
            "this is the sum of the values: every edge has weight 1, as after a softmax of one "
            "number",
        ),
        (lambda: _outputs(np.ones(5)) / _DEGREE, "this is the mean; the scores are not used"),
    ),
)
def _edge_softmax() -> FloatArray:
    return _outputs(_right_weights())


@value(
    "hides-two-bugs",
    asks="Number of the receiver",
    atol=0.1,
    hint="which receiver's softmax, and which in-degree, is 1 in any case?",
    note="test a layer on a node that has several neighbours.",
    wrong=((lambda: 5, "that is its output; answer with its number, 0, 1 or 2"),),
)
def _hides_two_bugs() -> int:
    right = _outputs(_right_weights())
    slips = softmax(_SCORES), np.ones(5), _right_weights() * _DEGREE[_RECEIVERS]
    hidden = sum(np.isclose(_outputs(weights), right) for weights in slips)
    return int(np.argmax(hidden))


def _case(shape: tuple[int, ...], receivers: list[int], n: int) -> tuple[FloatArray, IntArray, int]:
    rng = np.random.default_rng(len(receivers) + len(shape))
    return rng.normal(size=shape), np.array(receivers), n


_CASES = {
    "edges in order of their receivers": _case((6,), [0, 0, 0, 1, 1, 2], 3),
    "edges in any order": _case((7,), [2, 0, 1, 0, 2, 0, 1], 3),
    "two heads": _case((8, 2), [1, 0, 1, 2, 0, 1, 2, 0], 3),
    "scores in the hundreds": (np.array([900.0, 901, -900, -899]), np.array([0, 0, 1, 1]), 2),
    "nodes without edges": _case((4,), [3, 1, 3, 1], 5),
}


def _segment_slip(
    scores: FloatArray, receivers: IntArray, weights: FloatArray, given: FloatArray
) -> str:
    """What wrong weights look like."""
    if np.isnan(given).any():
        return "there is NaN; before exp, subtract the largest score of the same receiver"
    in_order = np.sort(receivers)
    exponentials = np.exp(scores - scores.max())
    kept = np.zeros((receivers.max() + 1, *scores.shape[1:]))
    kept[receivers] = exponentials  # the last edge of each receiver
    degree = np.bincount(receivers)[receivers].reshape(-1, *[1] * (scores.ndim - 1))
    slips = [
        (softmax(scores, axis=0), "softmax runs over all edges, not over those of one receiver"),
        (softmax(scores.ravel()).reshape(scores.shape), "softmax runs over all edges and heads"),
        (weights * degree, "the weights are multiplied by the number of edges of the receiver"),
        (weights / degree, "the weights are divided by the number of edges of the receiver"),
        (np.ones_like(scores), "every weight is 1, as after a softmax of one number"),
        (1 / (degree + 0 * scores), "these are the weights of a mean; the scores are not used"),
        (
            segment_softmax(scores, in_order, in_order[-1] + 1),
            "the edges of one receiver need not be neighbours in the list",
        ),
        (
            exponentials / kept[receivers],
            "total[receivers] += e keeps one edge of each receiver; np.add.at adds them all",
        ),
        (
            weights[np.argsort(receivers, kind="stable")],
            "these weights are sorted by receiver; put each at its own edge",
        ),
    ]
    if scores.ndim == 2:
        together = np.repeat(receivers, scores.shape[1])
        shared = segment_softmax(scores.ravel(), together, len(scores)).reshape(scores.shape)
        slips += [
            (softmax(scores, axis=1), "softmax runs over the heads; each head is one by itself"),
            (shared, "the heads share one softmax; each head is one by itself"),
        ]
    return first_slip(given, slips, "the numbers are off; compare with attnutils.segment_softmax")


@judged(
    "write-segment-softmax",
    function="my_segment_softmax(scores, receivers, n)",
    note="any order, several heads, large scores and nodes without edges all pass.",
)
def _write_segment_softmax(answer: Any) -> str | None:
    for name, (scores, receivers, n) in _CASES.items():
        target = segment_softmax(scores, receivers, n)
        result = attempt(answer, scores.copy(), receivers.copy(), n)
        slip = partial(_segment_slip, scores, receivers, target)
        problem = compared(f"for {name}", result, target, slip)
        if problem is not None:
            return problem
    return None


def _means(own: tuple[float, ...]) -> FloatArray:
    """Attention with equal scores over two neighbours and over four, and these others."""
    two = [2.0, 6.0]
    return np.array([np.mean([*two, *own]), np.mean([*two, *two, *own])])


@value(
    "two-or-four",
    asks="Output",
    each=("P", "Q", "P, self loop", "Q, self loop"),
    hint="equal scores give equal weights; with a self loop there are 3 and 5 values to share out",
    note="only the self loop tells two neighbours from four.",
    wrong=(
        (
            lambda: [8, 16, 9, 17],
            "these are sums; the weights of attention sum to 1",
        ),
        (
            lambda: [*_means(()), *(_means(()) + 1)],
            "the node itself takes part in the mean, its value is not added after it",
        ),
        (
            lambda: np.stack([_means(()), _means((1.0,))], axis=1).ravel(),
            "the order is P and Q without self loops, then P and Q with them",
        ),
    ),
)
def _two_or_four() -> FloatArray:
    return np.concatenate([_means(()), _means((1.0,))])


def _bent(t: FloatArray) -> FloatArray:
    return np.where(t > 0, t, 0.2 * t)


_BEFORE = np.array([2.0, -1.0, 1.0])  # of receiver P, before LeakyReLU


@value(
    "gat-ranking",
    asks="Scores that Q gives",
    each=("sender 0", "sender 1", "sender 2"),
    hint="undo LeakyReLU, take 3 away, bend again",
    note="one head of GAT ranks the same senders alike for every receiver.",
    wrong=(
        (lambda: _BEFORE - 3, "LeakyReLU is still to come"),
        (lambda: _bent(_BEFORE) - 3, "3 is taken away before LeakyReLU, not after it"),
        (
            lambda: _bent(_bent(_BEFORE) - 3),
            "−.2 is a score after LeakyReLU; before it, it was −1",
        ),
    ),
)
def _gat_ranking() -> FloatArray:
    return _bent(_BEFORE - 3)


@value(
    "gat-sizes",
    asks="Sizes",
    each=("features after layer 0", "features after layer 1", "parameters of layer 1"),
    shapes=((1, 3),),
    atol=0.1,
    hint="heads side by side keep their columns; each head has its own W and its own a",
    note="each head has a W and an a of its own.",
    wrong=(
        (lambda: [8, 5, 200], "in layer 0 the heads stand side by side"),
        (lambda: [64, 20, 1320], "in layer 1 the heads are averaged"),
        (lambda: [64, 5, 1290], "each head has an a of its own"),
        (lambda: [64, 5, 1300], "a has an entry for each feature of receiver and sender: 2 F'"),
        (lambda: [64, 5, 1280], "the vectors a are missing"),
        (lambda: [64, 5, 330], "that is one head; there are four"),
        (lambda: [64, 5, 200], "layer 1 sees all 64 features that layer 0 returns"),
        (lambda: [8, 5, 1320], "in layer 0 the heads stand side by side"),
        (lambda: [64, 5, 1040], "layer 1 sees what layer 0 returns, not the 50 features"),
    ),
)
def _gat_sizes() -> FloatArray:
    def layer(n_features: int, n_heads: int, width: int, combine: str) -> tuple[int, int]:
        shapes = (n_features, n_heads, width), (n_heads, width), (n_heads, width)
        params = GATParams(*(np.zeros(shape) for shape in shapes))
        output = gat_layer(np.zeros((1, n_features)), [], [], params, combine=combine).output
        return output.shape[1], sum(array.size for array in params)

    after_0, _ = layer(50, 8, 8, "concat")
    after_1, n_params = layer(after_0, 4, 5, "mean")
    return np.array([after_0, after_1, n_params], dtype=np.float64)
