"""Exercises of the page on attention on graphs."""

from collections.abc import Callable
from typing import Any

import numpy as np

from attnbook.exercises._registry import (
    attempt,
    expected,
    judged,
    no_verdict,
    numbers,
    value,
)
from attnutils._checks import FloatArray
from attnutils.graph import segment_softmax
from attnutils.normalize import softmax

Score = Callable[[FloatArray, FloatArray], float]

_RECEIVERS = np.array([0, 0, 1, 1, 2])
_SCORES = np.array([1.0, 0, 2, 0, 1])
_VALUES = np.array([1.0, 3, 2, 4, 5])
_DEGREE = np.bincount(_RECEIVERS)


def _outputs(weights: FloatArray, values: FloatArray = _VALUES) -> FloatArray:
    """What the three receivers get with these weights of the five edges."""
    return np.bincount(_RECEIVERS, weights * values).astype(np.float64)


def _right_weights(scores: FloatArray = _SCORES) -> FloatArray:
    return segment_softmax(scores, _RECEIVERS, len(_DEGREE))


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
    hint="work out the three right outputs; which number stays what it is, whatever multiplies it?",
    note="test a layer on several nodes, whose values do not cancel.",
    wrong=(
        (lambda: 2, "two slips leave it as it is; what weight has its edge among all five?"),
        (lambda: 5, "that is its output; answer with its number, 0, 1 or 2"),
    ),
)
def _hides_two_bugs() -> int:
    scores, values = np.array([1.0, 0, 2, 2, 1]), np.array([1.0, 3, 4, -4, 5])
    weights = _right_weights(scores)
    right = _outputs(weights, values)
    slips = softmax(scores), np.ones(5), weights * _DEGREE[_RECEIVERS]
    hidden = sum(np.isclose(_outputs(slip, values), right) for slip in slips)
    return int(np.argmax(hidden))


def _dot(q: FloatArray, k: FloatArray) -> float:
    return float(q @ k)


def _bent(t: FloatArray, slope: float = 0.2) -> FloatArray:
    return np.where(t > 0, t, slope * t)


def _gatv2(q: FloatArray, k: FloatArray) -> float:
    return float(_bent(2 * q - k) @ np.array([1.0, -2, 1]))


_MIX = np.array([1.0, -2, 0.5])
_STATIC: dict[str, Score] = {
    "a head of GAT": lambda q, k: float(_bent(q @ _MIX[::-1] + k @ _MIX)),
    "a sum of two numbers": lambda q, k: float(q[0] - k[1]),
    "a product with a receiver's number that is never negative": lambda q, k: float(
        np.exp(q[0]) * k[2]
    ),
    "a score that does not look at the sender": lambda q, k: float(q.sum()),
    "a score that does not look at the receiver": lambda q, k: float(np.tanh(k @ _MIX)),
}


def _nearly_static(axes: tuple[int, int, int], sign: int, few: str) -> Score:
    """One order for all, but for few senders or but for few receivers: those far out on an axis."""
    a, b, c = axes

    def score(q: FloatArray, k: FloatArray) -> float:
        far_out = sign * {"senders": k, "receivers": q}[few][c] > 1
        return float(k[a] + (q[b] * k[b] if far_out else 0))

    return score


_DYNAMIC: dict[str, Score] = {
    "the dot product": _dot,
    "a head of GATv2": _gatv2,
    "the distance": lambda q, k: -float(((q - k) ** 2).sum()),
    "GAT with a slope of −.2 in place of .2": lambda q, k: float(_bent(q[0] + k @ _MIX, -0.2)),
    "a product with a receiver's number that may be negative": lambda q, k: float(q[1] * k[2]),
}
# A test with too few of either may be lucky once, but hardly with all of these.
_NEARLY_STATIC = [
    (f"a score that is static but for few {few}", _nearly_static(axes, sign, few))
    for few in ("senders", "receivers")
    for axes in ((0, 1, 2), (1, 2, 0), (2, 0, 1))
    for sign in (1, -1)
]


@judged(
    "static-test",
    function="is_static(score)",
    note="orders count, not scores, and it takes many of both to see who is ranked otherwise.",
)
def _static_test(answer: Any) -> str | None:
    dynamic = [*_DYNAMIC.items(), *_NEARLY_STATIC]
    for is_static, scores in ((True, _STATIC.items()), (False, dynamic)):
        for name, score in scores:
            verdict = attempt(answer, score)
            problem = no_verdict(f"for {name}", verdict)
            if problem is not None:
                return problem
            if verdict != is_static:
                if is_static:
                    return (
                        f"{name} is static, and your test says no; the scores of two receivers "
                        "may differ, only the order of the senders counts"
                    )
                return (
                    f"{name} is dynamic, and your test says static; look at more receivers and "
                    "senders, and at all of the order"
                )
    return None


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
