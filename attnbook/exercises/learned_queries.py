"""Exercises of the page on learned queries."""

import itertools
from typing import Any

import numpy as np

from attnbook.exercises._registry import chosen, expected, judged, numbers, value
from attnbook.models.number_sets import SetReaderParams, number_sets, read_sets
from attnutils._checks import FloatArray
from attnutils.normalize import softmax

_NEAR_AND_FAR = np.array([0.4, 0.5])


def _returned(slope: float) -> float:
    return float(softmax(slope * _NEAR_AND_FAR) @ _NEAR_AND_FAR)


@value(
    "steep-query",
    asks="What the query returns",
    hint="scores are slope times 10 x; softmax makes weights of them; the weights average 0.4 and "
    "0.5 themselves",
    note="the numbers are a tenth apart, so the scores are as far apart as the slope is large.",
    varies={"slope": (2, 3, 4, 1.5, 2.5, 3.5)},
    says=("has the slope {slope}.",),
    way="The scores differ by $10 \\cdot 0.1 \\cdot {slope} = {slope}$. So $0.5$ gets "
    "$1 / (1 + e^{{-{slope}}})$ of the weight, and $0.4$ the rest.",
    wrong=(
        (lambda slope: _returned(slope), "each key is ten times its number, so the scores are too"),
        (lambda slope: _returned(-10 * slope), "a rising line: the larger number gets more"),
        (
            lambda slope: 10 * _returned(10 * slope),
            "the keys are ten times the numbers, the values are the numbers themselves",
        ),
        (
            lambda slope: float(softmax(10 * slope * _NEAR_AND_FAR)[1]),
            "that is the weight of 0.5; the query returns a weighted mean of both numbers",
        ),
    ),
)
def _steep_query(slope: float) -> float:
    return _returned(10 * slope)


@chosen(
    "same-logits",
    asks="The logits stay exactly the same",
    each=(
        "learned positions; the 16 patches in another order",
        "learned positions; patches and rows of positions in the same new order",
        "no positions; the 16 patches in another order",
        "no positions, but a causal mask in the block; the patches in another order",
        "no positions; each patch is given twice",
    ),
    slips=(
        (0, "a patch at another place has another position added to it"),
        (1, "each patch meets the position that it had: the same rows, in another order"),
        (2, "the block gives the same rows in another order, and the query averages over them"),
        (3, "a causal mask lets a patch read those before it: which are these now?"),
        (4, "every exponential comes twice above the line and twice below it"),
    ),
    note="an order counts only where something tells of it: a position, or a mask.",
)
def _same_logits() -> set[int]:
    return {1, 2, 4}


#: Squared distances from what each query names (rows) to each thing (columns).
_COSTS = np.array([[1.0, 2.0, 9.0], [6.0, 3.0, 4.0], [2.0, 5.0, 9.0]])


def _in_turn(costs: FloatArray) -> list[int]:
    """Each query takes the nearest thing that is left."""
    taken: list[int] = []
    for row in costs:
        taken.append(min(set(range(len(row))) - {*taken}, key=lambda j: float(row[j])))
    return taken


def _matched() -> tuple[int, ...]:
    orders = itertools.permutations(range(len(_COSTS)))
    return min(orders, key=lambda order: float(_COSTS[np.arange(len(_COSTS)), list(order)].sum()))


@value(
    "match-them",
    asks="Thing",
    each=("of query 0", "of query 1", "of query 2"),
    hint="there are six ways to give each query a thing of its own: add up the three numbers of "
    "each way, and take the smallest sum",
    note="query 0 and query 1 take their second best, so that all together are nearest.",
    wrong=(
        (lambda: np.argmin(_COSTS, axis=1), "two queries share a thing, and one thing has nobody"),
        (
            lambda: np.argmin(_COSTS, axis=0),
            "that is the nearest query of each thing, and one query has two",
        ),
        (
            lambda: np.array(_in_turn(_COSTS)),
            "whoever comes first takes what is nearest, and the sum is 13: there is a smaller one",
        ),
        (lambda: np.argsort(_matched()), "for each query its thing, not the other way round"),
    ),
)
def _match_them() -> FloatArray:
    return np.array(_matched(), float)


@judged("write-queries", note="three temperatures, one for each job, and nothing to add.")
def _write_queries(answer: Any) -> str | None:
    if not isinstance(answer, list | tuple) or len(answer) != 2:
        return "expected two arrays: slopes (n,) and W (n, 3)"
    slopes, w = (numbers(each) for each in answer)
    if slopes is None or slopes.ndim != 1 or not slopes.size:
        return f"slopes: {expected(np.zeros(3), answer[0])}"
    if w is None or w.shape != (len(slopes), 3):
        return f"W: {expected(np.zeros((len(slopes), 3)), answer[1])}"
    if not (np.isfinite(slopes).all() and np.isfinite(w).all()):
        return "all numbers must be finite"
    sets = number_sets(np.random.default_rng(0), 1000)
    params = SetReaderParams(slopes[:, None], w, np.zeros(3))
    said, _ = read_sets(sets.numbers, sets.is_there, params)
    errors = np.sqrt(((said - sets.answers) ** 2).mean(axis=0))
    if (errors < 0.01).all():
        return None
    low, mean, high = said.T
    if np.allclose(low, said[:, 2]) and np.allclose(low, mean):
        return "all three answers are the same: which query is read for which answer?"
    if np.sqrt(((said[:, ::-1] - sets.answers) ** 2).mean(axis=0)).max() < 0.01:
        return "smallest and largest have changed places: a falling line finds the smallest"
    is_inside = (low > sets.answers[:, 0]).all() and (high < sets.answers[:, 2]).all()
    if errors[1] < 0.01 and is_inside:
        return "smallest and largest are drawn towards the middle: make the slopes steeper"
    name = ("smallest", "mean", "largest")[errors.argmax()]
    return f"the {name} is off by {errors.max():.2f} on average: look at its column of W"
