"""Exercises of the page on the attention mechanism."""

from typing import Any

import numpy as np

from attnutils._shapes import FloatArray
from attnutils.exercises._registry import (
    BOOK,
    THE,
    attempt,
    book_scores,
    judged,
    no_verdict,
    not_comparable,
    value,
)
from attnutils.mechanism import attention
from attnutils.normalize import softmax
from attnutils.scores import dot_scores
from attnutils.worked_example import KEYS, VALUES, WORDS


def _six_outputs(**options: Any) -> FloatArray:
    return attention(KEYS, KEYS, VALUES, **options).output[:, 0]


_HARD = "this is hard attention; let every key have its share"


@value(
    "all-outputs",
    asks="Output for each query",
    each=WORDS,
    shapes=((6, 1),),
    hint="scores are KEYS @ KEYS.T; softmax runs along each row, then the rows weigh VALUES",
    note="each output lies between the smallest and the largest value.",
    wrong=(
        (_six_outputs, "these are the outputs of scaled scores; do not divide them here"),
        (lambda: _six_outputs(scores=dot_scores, temperature=0), _HARD),
        (lambda: VALUES[dot_scores(KEYS, KEYS).argmax(axis=-1), 0], _HARD),
        (
            lambda: softmax(dot_scores(KEYS, KEYS), axis=0) @ VALUES[:, 0],
            "here the columns of the weights sum to 1; a query is a row",
        ),
    ),
)
def _all_outputs() -> FloatArray:
    return _six_outputs(scores=dot_scores)


@value(
    "zero-query",
    asks="Weight of each word",
    each=WORDS,
    shapes=((1, 6),),
    hint="work out the six scores of a query of zeros first",
    note="equal scores make the output the mean of the values.",
    wrong=((lambda: np.zeros(6), "equal scores of 0 still share a weight of 1"),),
)
def _zero_query() -> FloatArray:
    return softmax(dot_scores(KEYS[THE], KEYS))


@value(
    "not-an-output",
    asks="The number that cannot be an output",
    hint="choose one of .2, -.2 and .45",
    note="an output never leaves the range of the values.",
    wrong=(
        (lambda: 0.2, "half of the weight on Reads and half on The gives .2"),
        (lambda: -0.2, "hard attention on Sleepy gives its value"),
    ),
)
def _not_an_output() -> float:
    low, high = VALUES.min(), VALUES.max()
    (outside,) = (number for number in (0.2, -0.2, 0.45) if not low <= number <= high)
    return outside


@value(
    "shift-keys",
    asks="Largest change of a weight",
    each=("keys moved", "query moved"),
    hint="take the largest absolute difference between the new weights and the old, keys first",
    note="a shift of all keys adds one constant to all scores of a query.",
    wrong=(
        (lambda: _shift_keys()[::-1], "the two numbers are in the wrong order: keys first"),
        (lambda: [_shift_keys()[0]] * 2, "the query does not add the same to each score"),
    ),
)
def _shift_keys() -> list[float]:
    shift, book = np.array([1, -2, 3]), KEYS[BOOK]
    weights = softmax(book_scores())
    moved_keys = softmax(dot_scores(book, KEYS + shift))
    moved_query = softmax(dot_scores(book + shift, KEYS))
    return [float(np.abs(moved - weights).max()) for moved in (moved_keys, moved_query)]


@judged(
    "repair-softmax",
    function="softmax(x, axis=-1)",
    note="rows, columns and large scores all pass.",
)
def _repair_softmax(answer: Any) -> str | None:
    vector = np.array([0.0, 1, -4, 7, 0, 5])
    matrix = np.array([[1.0, 2, 4], [0, -3, 1]])
    square = np.array([[0.0, 1, 2], [3, -1, 0], [5, 5, 1]])
    matrices = [(x, axis) for x in (matrix, matrix.T, square) for axis in (-1, 0)]
    large = [(np.array([1000.0, 999, 0]), -1), (np.array([-1000.0, -1001]), -1)]
    for x, axis in [(vector, -1), *matrices, *large]:
        size = "scores of 1000 or -1000" if np.abs(x[0]).max() == 1000 else f"x of shape {x.shape}"
        where, given = f"for {size} and axis={axis}", x.copy()
        result = attempt(answer, given, axis=axis)
        problem = not_comparable(where, result, x)
        if problem is not None:
            return problem
        if not np.array_equal(given, x):
            return "it changes the array that it is given"
        broken = _broken_law(np.asarray(result, dtype=np.float64), x, axis)
        if broken is not None:
            return f"{where}, {broken}"
    return None


def _broken_law(weights: FloatArray, x: FloatArray, axis: int) -> str | None:
    """The first law that the weights break as a softmax of x."""
    if not np.isfinite(weights).all():
        return "there is NaN or inf among the weights"
    if (weights < 0).any():
        return "a weight is negative"
    if not np.allclose(weights.sum(axis=axis), 1):
        return "the weights along that axis do not sum to 1"
    if not np.allclose(weights, softmax(x, axis=axis)):
        return "the odds of two weights are not e to the power of the gap between their scores"
    return None


def _without_keepdims(x: Any, axis: int = -1) -> FloatArray:
    weights = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return np.asarray(weights / np.sum(weights, axis=axis))


def _without_maximum(x: Any, axis: int = -1) -> FloatArray:
    weights = np.exp(x)
    return np.asarray(weights / np.sum(weights, axis=axis, keepdims=True))


def _along_another_axis(x: Any, axis: int = -1) -> FloatArray:
    return softmax(x, axis=-1 if axis == 0 else 0)


@judged(
    "catch-softmax",
    function="is_softmax(f)",
    note="your test tells a right softmax from three wrong ones.",
)
def _catch_softmax(answer: Any) -> str | None:
    verdict = attempt(answer, softmax)
    problem = no_verdict("on a right softmax", verdict)
    if problem is not None:
        return problem
    if not verdict:
        return "your test turns a right softmax away"
    for wrong, slip in (
        (_without_keepdims, "a row by the total of another row; try a square matrix"),
        (_without_maximum, "by a total that has overflowed; try large scores"),
        (_along_another_axis, "by a total along another axis; try a matrix along both axes"),
    ):
        verdict = attempt(answer, wrong)  # a test that raises has caught the mistake, too
        if not isinstance(verdict, BaseException) and attempt(bool, verdict) is not False:
            return f"a wrong softmax slips through: it divides {slip}"
    return None
