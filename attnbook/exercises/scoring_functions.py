"""Exercises of the page on scoring functions."""

from typing import Any

import numpy as np

from attnbook.exercises._registry import (
    BOOK,
    attempt,
    book_scores,
    expected,
    first_slip,
    judged,
    not_comparable,
    numbers,
    value,
)
from attnutils._checks import FloatArray
from attnutils.scores import additive_scores, dot_scores, gaussian_scores
from attnutils.worked_example import KEYS, WORDS

_PLANE = KEYS[:, :2]
_QUERY = np.array([-1, 1.5])


@judged("hidden-winner", note="near the query, and inside the hull of the other keys.")
def _hidden_winner(answer: Any) -> str | None:
    key = numbers(answer)
    if key is None or key.shape not in ((2,), (1, 2)):
        return expected(_QUERY, answer)
    if not np.isfinite(key).all():
        return "NaN or inf is among your numbers"
    key = key.reshape(2)
    near = gaussian_scores(_QUERY, np.vstack([_PLANE, key]))
    if near[-1] <= near[:-1].max():
        return "by the Gaussian score another key is as near to the query, or nearer"
    # It wins nowhere if all around the origin another key scores more.
    angle = np.linspace(0, 2 * np.pi, 3600, endpoint=False)
    around = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    ahead = dot_scores(around, key[None])[:, 0] - dot_scores(around, _PLANE).max(axis=-1)
    if ahead.max() > 1e-9:
        return "by the dot product it wins for some query: it is a corner of the hull"
    return None


def _half_squares() -> FloatArray:
    return np.asarray((KEYS**2).sum(axis=1) / 2)


@value(
    "fourth-number",
    asks="Fourth component of the key",
    each=WORDS,
    shapes=((6, 1),),
    shift=True,
    hint="multiply out the squared distance: which term depends on the key and is not a product?",
    note="minus half the squared length of each key, up to a constant.",
    wrong=(
        (_half_squares, "the sign is wrong: long keys have to lose, not to gain"),
        (
            lambda: -2 * _half_squares(),
            "half of that: look at the factor in front of the squared length",
        ),
        (lambda: 2 * _half_squares(), "long keys have to lose, and half of that is enough"),
        (
            lambda: np.sqrt(2 * _half_squares()),
            "this is the length; its square stands in the formula",
        ),
        (
            lambda: -np.sqrt(2 * _half_squares()),
            "this is the length; its square stands in the formula",
        ),
    ),
)
def _fourth_number() -> FloatArray:
    return np.asarray(gaussian_scores(KEYS[BOOK], KEYS) - book_scores())


def _pairs(q: FloatArray, k: FloatArray, w_q: FloatArray, w_k: FloatArray) -> FloatArray:
    return np.asarray(np.tanh((q @ w_q)[:, None, :] + (k @ w_k)[None, :, :]))


@judged(
    "mend-additive",
    function="scores_of_pairs(q, k, W_q, W_k, w)",
    note="more keys than queries, as many, and one hidden unit all pass.",
)
def _mend_additive(answer: Any) -> str | None:
    rng = np.random.default_rng(0)
    for n_q, n_k, d_q, d_k, h in ((3, 3, 2, 2, 4), (2, 5, 4, 3, 6), (4, 1, 3, 2, 1)):
        shapes = (n_q, d_q), (n_k, d_k), (d_q, h), (d_k, h), (h,)
        q, k, w_q, w_k, w = (rng.normal(size=shape) for shape in shapes)
        where = f"for n_q = {n_q}, n_k = {n_k} and h = {h}"
        hidden = _pairs(q, k, w_q, w_k)
        slips = [
            ((hidden @ w).T, "query i and key j belong at row i, column j: yours is turned"),
            (hidden.sum(axis=-1).T, "the axes are turned, and w weighs nothing"),
            (hidden.sum(axis=-1), "w weighs the hidden units; here they are only summed"),
        ]
        target = additive_scores(q, k, w_q, w_k, w)
        result = attempt(answer, q.copy(), k.copy(), w_q.copy(), w_k.copy(), w.copy())
        problem = not_comparable(where, result, target)
        if problem is not None:
            return problem
        given = np.asarray(result, dtype=np.float64)
        if not np.allclose(given, target):
            return f"{where}, {first_slip(given, slips, 'these are not the scores of all pairs')}"
    return None


@value(
    "read-the-scale",
    asks="q · k is divided by",
    each=("Qwen3 32B", "Granite 3", "Gemma 2 27B"),
    atol=6e-3,
    hint="no field: the root of the width of a head; a multiplier is 1 over the divisor; of the "
    "scalar the root is taken",
    note="the root of 128, 128 itself, and 12.",
    wrong=(
        (lambda: [128, 128, 12], "Qwen3 has no field for it: the root of the width of a head"),
        (lambda: [128**0.5, 1 / 128, 12], "the multiplier multiplies: the divisor is 1 over it"),
        (lambda: [128**0.5, 128**0.5, 12], "Granite says it itself: 1 over its multiplier"),
        (lambda: [128**0.5, 128, 144], "of query_pre_attn_scalar the root is taken"),
        (lambda: [128**0.5, 128, 128**0.5], "Gemma 2 has a field for it, and it is not 128"),
    ),
)
def _read_the_scale() -> list[float]:
    return [128**0.5, 1 / 0.0078125, 144**0.5]
