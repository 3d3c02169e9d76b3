"""Exercises of the page on pitfalls."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from attnbook.exercises._registry import (
    BOOK,
    READS,
    attempt,
    chosen,
    compared,
    first_slip,
    judged,
    no_verdict,
    value,
)
from attnutils._checks import BoolArray, FloatArray
from attnutils.mechanism import attention
from attnutils.normalize import masked_softmax, softmax
from attnutils.scores import dot_scores, scaled_dot_scores
from attnutils.worked_example import KEYS, VALUES


def _book(weights: FloatArray) -> float:
    return float((weights @ VALUES)[BOOK, 0])


_FIRST_TWO = "the first two are the other way round: dividing more makes the weights more even"
_LAST_TWO = "the last two are the other way round: a scale of 2.45 lies between 1.73 (.3078) and 3"


@value(
    "name-the-mistake",
    asks="Number of the mistake",
    each=(".2312", ".3624", ".0215", ".2601"),
    atol=0.1,
    hint="run the four versions, or ask which of them makes Reads win most clearly",
    note="each mistake leaves a number of its own.",
    wrong=(
        (lambda: [0, 1, 3, 2], _FIRST_TWO),
        (lambda: [1, 0, 2, 3], _LAST_TWO),
        (lambda: [2, 0, 3, 1], "dividing by 3 is more than dividing by the root of 6"),
    ),
)
def _name_the_mistake() -> FloatArray:
    raw = dot_scores(KEYS, KEYS)
    root = np.sqrt(KEYS.shape[1])
    unnoticed = np.exp(raw / root) / np.exp(raw / root).sum(axis=-1)  # the maximum stays on
    versions = softmax(raw), softmax(raw / 3), softmax(raw / np.sqrt(6)), unnoticed
    outputs = np.array([_book(weights) for weights in versions])
    reported = np.array([0.2312, 0.3624, 0.0215, 0.2601])
    return np.asarray(np.abs(reported[:, None] - outputs).argmin(axis=1), dtype=np.float64)


_CORNERS = np.array([[0.0, 0], [4, 0], [0, 4]])
_RETURNED = np.array([[1.0, 1], [3, 3], [2, 2], [-1, 2], [0, 4]])


@chosen(
    "not-a-mean",
    asks="Not a weighted mean",
    each=[f"({x:.0f}, {y:.0f})".replace("-", "−") for x, y in _RETURNED],
    slips=(
        (2, "(2, 2) is halfway between two of the values"),
        (4, "(0, 4) is one of the values: give it all the weight"),
        (0, "(1, 1) is inside the triangle"),
        (3, "−1 lies below the smallest first number"),
        (1, "each number in its range is not enough: draw the three values"),
    ),
    note="a mean lies in the triangle of its values, not only in each range.",
)
def _not_a_mean() -> set[int]:
    """Which of the returned points need a negative weight."""
    equations = np.vstack([_CORNERS.T, np.ones(3)])
    weights = np.linalg.solve(equations, np.vstack([_RETURNED.T, np.ones(len(_RETURNED))]))
    return set(np.flatnonzero((weights < -1e-9).any(axis=0)).tolist())


def _after(runs: int) -> FloatArray:
    weights = softmax(scaled_dot_scores(KEYS, KEYS))
    return np.asarray(np.linalg.matrix_power(weights, runs) @ VALUES[:, 0])


@value(
    "run-it-again",
    asks="Output after a thousand runs",
    shapes=((6,), (6, 1)),
    hint="each run replaces V by A @ V; a thousand runs are a power of A",
    note="where all weights are above 0, means of means of means end at one number.",
    wrong=(
        (lambda: _after(1)[BOOK], "this is Book after one run"),
        (lambda: _after(1), "these are the outputs after one run"),
        (lambda: _after(2)[BOOK], "this is Book after two runs"),
        (lambda: VALUES.mean(), "the words do not count the same: Reads is looked at most"),
        (lambda: VALUES[READS, 0], "Reads does not keep its value, and the scores are scaled"),
    ),
)
def _run_it_again() -> float:
    return float(_after(1000)[BOOK])


Attend = Callable[[FloatArray, FloatArray, FloatArray, BoolArray], FloatArray]


def _right(q: FloatArray, k: FloatArray, v: FloatArray, mask: BoolArray) -> FloatArray:
    return attention(q, k, v, mask=mask).output


def _with_divisor(divisor: Callable[[FloatArray], float]) -> Attend:
    def attend(q: FloatArray, k: FloatArray, v: FloatArray, mask: BoolArray) -> FloatArray:
        return np.asarray(masked_softmax(q @ k.T / divisor(q), mask) @ v)

    return attend


def _one_by_one(q: FloatArray, k: FloatArray, v: FloatArray, mask: BoolArray) -> FloatArray:
    rows = [attention(query, k, v, mask=row).output for query, row in zip(q, mask, strict=True)]
    return np.stack(rows)


def _shared(e: FloatArray, v: FloatArray, *, keepdims: bool = True) -> FloatArray:
    """Outputs for exponentials (n_q, n_k) that are still to be divided by their totals."""
    total = e.sum(axis=-1, keepdims=keepdims)
    return np.asarray(e / np.where(total > 0, total, 1) @ v)


def _keepdims(q: FloatArray, k: FloatArray, v: FloatArray, mask: BoolArray) -> FloatArray:
    return _shared(np.where(mask, np.exp(scaled_dot_scores(q, k)), 0), v, keepdims=False)


def _stable_without_keepdims(
    q: FloatArray, k: FloatArray, v: FloatArray, mask: BoolArray
) -> FloatArray:
    open_scores = np.where(mask, scaled_dot_scores(q, k), -np.inf)
    e = np.exp(open_scores - open_scores.max(axis=-1, keepdims=True))
    return _shared(e, v, keepdims=False)


def _maximum_of_all(q: FloatArray, k: FloatArray, v: FloatArray, mask: BoolArray) -> FloatArray:
    scores = scaled_dot_scores(q, k)
    return _shared(np.where(mask, np.exp(scores - scores.max(axis=-1, keepdims=True)), 0), v)


def _overflow(q: FloatArray, k: FloatArray, v: FloatArray, mask: BoolArray) -> FloatArray:
    return _shared(np.where(mask, np.exp(scaled_dot_scores(q, k)), 0), v)


def _zeroed(q: FloatArray, k: FloatArray, v: FloatArray, mask: BoolArray) -> FloatArray:
    return np.asarray((softmax(scaled_dot_scores(q, k)) * mask) @ v)


def _uniform(q: FloatArray, k: FloatArray, v: FloatArray, mask: BoolArray) -> FloatArray:
    return np.asarray(softmax(np.where(mask, scaled_dot_scores(q, k), -1e6)) @ v)


def _flipped(q: FloatArray, k: FloatArray, v: FloatArray, mask: BoolArray) -> FloatArray:
    return np.asarray(masked_softmax(scaled_dot_scores(q, k), mask).T @ v)


_BROKEN: dict[str, Attend] = {
    "softmax without keepdims": _keepdims,
    "exponentials that overflow": _overflow,
    "the root of the number of words as the scale": _with_divisor(lambda q: len(q) ** 0.5),
    "scores divided by d": _with_divisor(lambda q: q.shape[-1]),
    "scores divided by twice the root of d": _with_divisor(lambda q: 2 * q.shape[-1] ** 0.5),
    "weights that are set to 0 after softmax": _zeroed,
    "−1e6 in an empty row": _uniform,
    "weights whose indices have changed places": _flipped,
}


def _case(
    n_q: int, n_k: int, scale: float = 1
) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray]:
    rng = np.random.default_rng(n_q + n_k)
    q, k, v = (rng.normal(size=size) for size in [(n_q, 3), (n_k, 3), (n_k, 2)])
    mask = (rng.random((n_q, n_k)) < 0.5) | (np.arange(n_k) == 0)
    return scale * q, k, v, mask


def _with_empty_row() -> tuple[FloatArray, FloatArray, FloatArray, BoolArray]:
    q, k, v, mask = _case(4, 5)
    return q, k, v, mask & (np.arange(4) != 1)[:, None]


_CASES = {
    "as many queries as keys": _case(5, 5),
    "fewer queries than keys": _case(2, 6),
    "scores in the thousands": _case(4, 6, scale=2000),
    "an empty row": _with_empty_row(),
}


def _hidden_at_0(q: FloatArray, k: FloatArray, v: FloatArray, mask: BoolArray) -> FloatArray:
    return np.asarray(softmax(np.where(mask, scaled_dot_scores(q, k), 0)) @ v)


def _added(q: FloatArray, k: FloatArray, v: FloatArray, mask: BoolArray) -> FloatArray:
    return np.asarray(softmax(scaled_dot_scores(q, k) + np.where(mask, 0, -1e6)) @ v)


def _slip(case: tuple[FloatArray, FloatArray, FloatArray, BoolArray], given: FloatArray) -> str:
    """What a wrong output looks like."""
    if np.isnan(given).any():
        return "there is NaN in the output"
    q, k, v, mask = case
    others: list[tuple[str, Attend]] = [
        *_BROKEN.items(),
        ("softmax without keepdims", _stable_without_keepdims),
        ("scores that are not scaled", _with_divisor(lambda q: 1)),
        ("a maximum that hidden keys take part in", _maximum_of_all),
        ("hidden keys with a score of 0", _hidden_at_0),
        ("−1e6 added to all scores of an empty row", _added),
        ("no use of the mask", lambda q, k, v, mask: _right(q, k, v, np.ones_like(mask))),
        ("a mask the wrong way round", lambda q, k, v, mask: _right(q, k, v, ~mask)),
    ]
    slips = [
        (attempt(broken, q, k, v, mask), f"the output is that of {name}") for name, broken in others
    ]
    return first_slip(given, slips, "the numbers are off; compare with attnutils.attention")


@judged("catch-attention", note="your layer is right, and your test catches all eight mistakes.")
def _catch_attention(answer: Any) -> str | None:
    if not isinstance(answer, tuple | list) or len(answer) != 2 or not all(map(callable, answer)):
        return "expected two functions, attend(q, k, v, mask) and is_attention(f)"
    attend, is_attention = answer
    for name, case in _CASES.items():
        target = _right(*case)
        result = attempt(attend, *(array.copy() for array in case))
        problem = compared(f"for {name}", result, target, partial(_slip, case))
        if problem is not None:
            return problem
    for right in (_right, _one_by_one):
        verdict = attempt(is_attention, right)
        problem = no_verdict("on right attention", verdict)
        if problem is not None:
            return problem
        if not verdict:
            return "your test turns right attention away"
    for name, broken in _BROKEN.items():
        verdict = attempt(is_attention, broken)  # a test that raises has caught the mistake, too
        if not isinstance(verdict, BaseException) and attempt(bool, verdict) is not False:
            return f"a mistake slips through your test: {name}"
    return None
