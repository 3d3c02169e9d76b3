"""Exercises of the page on the heads of a trained model."""

from functools import cache
from itertools import permutations
from typing import Any

import numpy as np

from attnbook.exercises._registry import attempt, chosen, judged, not_comparable, value
from attnbook.models.trained_heads import load_trained_heads
from attnutils._checks import FloatArray
from attnutils.normalize import softmax


@cache
def _weights() -> tuple[FloatArray, ...]:
    """The weights (6, 12, n, n) of each sentence."""
    return tuple(softmax(heads.scores) for heads in load_trained_heads().values())


def _previous(weights: FloatArray) -> FloatArray:
    """Mean weight of a word on the word before it."""
    words = weights[..., 1:-1, 1:-1]
    mean: FloatArray = np.diagonal(words, -1, -2, -1).mean(axis=-1)
    return mean


def _without_cls(weights: FloatArray) -> FloatArray:
    rest = weights.copy()
    rest[..., 0] = 0
    rest /= rest.sum(axis=-1, keepdims=True)
    return rest


def _passing(maps: tuple[FloatArray, ...], threshold: float = 0.5) -> int:
    return int((np.mean([_previous(a) for a in maps], axis=0) > threshold).sum())


def _hidden() -> tuple[FloatArray, ...]:
    return tuple(_without_cls(a) for a in _weights())


@value(
    "behind-the-sink",
    asks="Heads that pass",
    unit="heads",
    atol=0.1,
    hint="set a[..., 0] = 0 in a copy of each map, divide each row by its sum, then count the "
    "heads whose mean over the five sentences is above .5",
    note="the sink hid them from the rule.",
    wrong=(
        (
            lambda: _passing(_weights()),
            "so many pass without hiding, and also if rows are not divided by what is left",
        ),
        (
            lambda: _passing(_hidden()) - _passing(_weights()),
            "so many are new; count the one that passed before as well",
        ),
        (
            lambda: _passing(_hidden(), 0.3),
            "so many pass a threshold of .3; that of this rule is .5",
        ),
    ),
)
def _behind_the_sink() -> int:
    return _passing(_hidden())


_WEIGHTS = np.array([0.8, 0.15, 0.05])


def _shares(parts: FloatArray) -> FloatArray:
    shares: FloatArray = parts / parts.sum()
    return shares


@value(
    "handed-on",
    asks="Share of the total length",
    each=("token 0", "token 1", "token 2"),
    hint="multiply each weight by its length, then divide by the sum of the products",
    note="the largest weight hands on the least.",
    varies={"lengths": ((0.1, 4, 8), (0.2, 4, 6), (0.1, 2, 9), (0.3, 5, 8), (0.2, 6, 10))},
    says=("has the lengths {lengths[0]}, {lengths[1]} and {lengths[2]}.",),
    way="Multiply .8, .15 and .05 by {lengths[0]}, {lengths[1]} and {lengths[2]}; divide each "
    "product by the sum of the three.",
    wrong=(
        (
            lambda lengths: _WEIGHTS * lengths,
            "these are the products; divide them by their sum",
        ),
        (lambda lengths: _WEIGHTS, "these are the weights; the lengths count too"),
        (
            lambda lengths: _shares(np.array(lengths)),
            "these are the shares of the lengths; the weights count too",
        ),
        (
            lambda lengths: 100 * _shares(_WEIGHTS * lengths),
            "give shares of 1, not percentages",
        ),
        (
            lambda lengths: _shares(_WEIGHTS / lengths),
            "here weights are divided by lengths; multiply",
        ),
        (
            lambda lengths: _shares(_WEIGHTS * np.square(lengths)),
            "a weight scales a vector, and its length by the same factor; nothing is squared",
        ),
    ),
)
def _handed_on(lengths: tuple[float, ...]) -> FloatArray:
    return _shares(_WEIGHTS * lengths)


def _orders(before: FloatArray, after: FloatArray) -> FloatArray:
    """The column that each entry is from; the entries of a row are all different."""
    rank = after.argsort(axis=-1).argsort(axis=-1)
    column = before.argsort(axis=-1).astype(float)
    orders: FloatArray = np.take_along_axis(column, rank, axis=-1)
    return orders


def _shuffle_slip(before: FloatArray, after: FloatArray) -> str | None:
    """What is wrong with shuffled weights of the right shape."""
    if (after == before).all():
        return "nothing has moved"
    if not (np.sort(after) == np.sort(before)).all():
        if (np.sort(after, axis=None) == np.sort(before, axis=None)).all():
            return "entries have moved to other rows; each row keeps its own"
        return "a row does not hold the entries it had"
    orders = _orders(before, after)
    if (orders == orders.reshape(-1, orders.shape[-1])[0]).all():
        return "all rows moved in the same way; give each row an order of its own"
    if orders.ndim > 2 and (orders == orders[:1]).all():
        return "all heads moved in the same way; a row of one head has another order than in others"
    if orders.ndim > 2 and (orders == orders[:, :1]).all():
        return "the rows of a head moved in the same way; give each row an order of its own"
    return None


@judged(
    "write-shuffle",
    function="shuffle(weights, rng)",
    note="each row of each head has an order of its own, and the weights stay as they were.",
)
def _write_shuffle(answer: Any) -> str | None:
    make = np.random.default_rng
    for shape in ((4, 9), (2, 3, 8)):
        where = f"for weights of shape {shape}"
        weights = softmax(make(1).normal(size=shape))
        given = weights.copy()
        result = attempt(answer, given, make(2))
        problem = not_comparable(where, result, weights)
        if problem is not None:
            return problem
        if not (given == weights).all():
            return f"{where}, `weights` itself was changed; work on a copy"
        result = np.array(result, dtype=np.float64)
        slip = _shuffle_slip(weights, result)
        if slip is not None:
            return f"{where}, {slip}"
        again = attempt(answer, weights.copy(), make(2))
        if not np.array_equal(result, again):
            return "two generators with the same seed give different orders; draw from `rng`"
    row = np.array([[0.5, 0.3, 0.2]])
    seen = set()
    for seed in range(100):
        result = attempt(answer, row.copy(), make(seed))
        problem = not_comparable("for weights of shape (1, 3)", result, row)
        if problem is not None:
            return problem
        seen.add(tuple(np.ravel(result).tolist()))
    if seen != set(permutations(row[0].tolist())):
        return "not every order of a row comes up; draw the order from `rng` in each call"
    return None


@chosen(
    "read-a-control",
    asks="The copy matters for head",
    each=("0", "1", "2", "3", "4"),
    slips=(
        (0, ".68 with the copy, .01 without: what else could it be?"),
        (1, "head 1 gives that place .54 without any copy"),
        (2, "head 2 has a small weight; compare it with its own control"),
        (3, "from .02 to .03 is next to nothing"),
        (4, ".45 with the copy, .03 without"),
    ),
    note="a weight says something only beside its control.",
)
def _read_a_control() -> set[int]:
    return {0, 2, 4}
