"""Exercises of the page on pitfalls."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from attnbook.exercises._registry import (
    attempt,
    chosen,
    compared,
    first_slip,
    judged,
    no_verdict,
    not_comparable,
)
from attnutils._checks import BoolArray, FloatArray
from attnutils.mechanism import attention
from attnutils.normalize import masked_softmax, softmax
from attnutils.scores import scaled_dot_scores

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


def _packed(lengths: list[int]) -> BoolArray:
    text = np.repeat(np.arange(len(lengths)), lengths)
    return np.asarray(np.tri(len(text), dtype=bool) & (text[:, None] == text))


@judged(
    "packed-mask",
    function="packed_mask(lengths)",
    note="each text has a triangle of its own, and no text sees another.",
)
def _packed_mask(answer: Any) -> str | None:
    for lengths in ([2, 3], [4], [1, 3, 2]):
        where = f"for the lengths {lengths}"
        mask = _packed(lengths)
        n = len(mask)
        result = attempt(answer, [*lengths])
        if result is ... or isinstance(result, BaseException):
            return not_comparable(where, result, mask)
        given = np.asarray(result)
        if given.shape != mask.shape:
            return f"{where}, expected a mask of shape {mask.shape}, got {given.shape}"
        if given.dtype != bool:
            return f"{where}, expected True and False, got numbers of dtype {given.dtype}"
        if not (given == mask).all():
            both = mask | mask.T
            causal = np.tri(n, dtype=bool)
            slips = [
                (causal, "the second text sees the first"),
                (both, "words see what comes after them"),
                (mask.T, "words see what comes after them, and nothing before: rows ask"),
                (mask & ~np.eye(n, dtype=bool), "no word sees itself"),
                (~mask, "True means may look; here it hides"),
                (causal & ~mask, "each text sees the texts before it, and not itself"),
            ]
            return f"{where}, {first_slip(given, slips, 'other words are hidden than should be')}"
    return None


#: What the two designs do to each law, by its number.
_DESIGNS = {
    1: (True, "the sink takes a part of each row: do the other weights sum to 1?"),
    2: (True, "a shift of the keys moves their scores. Does it move the sink?"),
    3: (True, "the window goes by place: in another order a query sees other keys"),
    4: (False, "the last query stands at the last key, alone as in company"),
    5: (True, "the window has three places, and the sink comes once: what do copies do?"),
    6: (False, "the doubled width leaves all scores as they were"),
    7: (False, "what the mask hides is hidden, also inside a window"),
    8: (False, "a query that sees no key gives all its weight to the sink, which has no value"),
}


@judged("which-laws", note="window and sink break four laws by design, and keep the other four.")
def _which_laws(answer: Any) -> str | None:
    try:
        given = {int(number) for number in answer}
    except (TypeError, ValueError):
        return "expected the numbers of laws, as in [4, 6]"
    if not given or not given <= set(_DESIGNS):
        return "expected numbers of laws from 1 to 8"
    wrong = [at for at, (is_broken, _) in _DESIGNS.items() if (at in given) != is_broken]
    return f"look at law {wrong[0]}: {_DESIGNS[wrong[0]][1]}" if wrong else None


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
