"""Exercises of the page on self-attention."""

from collections.abc import Callable
from typing import Any

import numpy as np

from attnbook.exercises._registry import (
    BOOK,
    READS,
    attempt,
    book_scores,
    expected,
    first_slip,
    judged,
    no_verdict,
    not_comparable,
    numbers,
    value,
)
from attnutils._checks import BoolArray, FloatArray
from attnutils.masks import causal_mask, window_mask
from attnutils.mechanism import attention
from attnutils.normalize import masked_softmax, softmax
from attnutils.scores import dot_scores, scaled_dot_scores
from attnutils.worked_example import KEYS, POINTS, VALUES

CHILD = 2
LEAST_TO_CHILD, LEAST_TO_READS = 0.9, 0.5


@judged(
    "subject-verb",
    note="one matrix changes both rows, because it makes all queries.",
    mixed={"this is the transpose": "rows and columns"},
)
def _subject_verb(answer: Any) -> str | None:
    given = numbers(answer)
    if given is None or given.shape != (2, 2):
        return expected(np.eye(2), answer)
    if not np.isfinite(given).all():
        return "NaN or inf is among your numbers"
    weights = attention(POINTS @ given, POINTS, POINTS).weights
    assert weights is not None
    child, back = weights[READS, CHILD], weights[BOOK, READS]
    if child < LEAST_TO_CHILD:
        turned = attention(POINTS @ given.T, POINTS, POINTS).weights
        assert turned is not None
        if turned[READS, CHILD] >= LEAST_TO_CHILD and turned[BOOK, READS] >= LEAST_TO_READS:
            return "this is the transpose: tokens are rows, and W_q stands at their right"
        return f"Reads gives Child {child:.3f}; its query must point at (2, 2)"
    if back < LEAST_TO_READS:
        text = f"Reads finds Child, but Book gives Reads {back:.3f}"
        return f"{text}; the query of Book is (1, -2) W_q"
    return None


def _without_reads() -> BoolArray:
    shown = np.ones(len(KEYS), dtype=bool)
    shown[READS] = False
    return shown


@value(
    "hide-reads",
    asks="Output",
    each=("score 0", "weight 0", "masked"),
    hint="three outputs: score 0, weight 0 after softmax, score minus infinity; unscaled scores",
    note="a hidden score of 0 does little harm here, because the score of Book itself is large.",
    varies={"last": (".1", ".2", ".3", "−.1", "−.2", "−.3")},
    says=("The values are 0, −.2, .3, .4, 0, {last}.",),
    way="The exponentials of 0, 1, −4, 7, 0 and 5 weigh the values. First: $e^0$ in place of "
    "$e^7$, divided by the new sum. Second: 0 in place of $e^7$, divided by the old sum, "
    "with $e^7$ in it. Third: 0 in place of $e^7$, divided by the new sum.",
    wrong=(
        (
            lambda last: _hide_reads(last)[[0, 2, 2]],
            "in the second way the rest is not shared out again",
            "before and after softmax",
        ),
        (lambda last: _hide_reads(last)[::-1], "the order is the other way round"),
    ),
)
def _hide_reads(last: str) -> FloatArray:
    scores, shown = book_scores(), _without_reads()
    values = [*VALUES[:-1, 0], float(last.replace("−", "-"))]
    weights = (
        softmax(np.where(shown, scores, 0)),
        np.where(shown, softmax(scores), 0),
        masked_softmax(scores, shown),
    )
    return np.array([w @ values for w in weights])


def _causal_attention(
    x: FloatArray, w_query: FloatArray, w_key: FloatArray, w_value: FloatArray, **options: Any
) -> FloatArray:
    options = {"is_causal": True, **options}
    return attention(x @ w_query, x @ w_key, x @ w_value, **options).output


def _masked(q: FloatArray, k: FloatArray, v: FloatArray, mask: BoolArray) -> FloatArray:
    return attention(q, k, v, mask=mask).output


_MIXED = {
    "the mask comes after softmax": "before and after softmax",
    "the scores are divided by d_k": "d and its root",
    "the mask is transposed": "earlier and later",
}


@judged(
    "write-causal",
    function="causal_attention(x, w_query, w_key, w_value)",
    note="this is the attention of a language model with one head.",
    mixed=_MIXED,
)
def _write_causal(answer: Any) -> str | None:
    rng = np.random.default_rng(0)
    for n, d, d_k, d_v in ((5, 3, 2, 4), (1, 2, 3, 2), (7, 4, 4, 1)):
        x, *projections = (
            rng.normal(size=shape) for shape in ((n, d), (d, d_k), (d, d_k), (d, d_v))
        )
        where = f"for x of shape {x.shape} and d_k = {d_k}"
        target = _causal_attention(x, *projections)
        result = attempt(answer, x.copy(), *projections)
        problem = not_comparable(where, result, target)
        if problem is not None:
            return problem
        given = np.asarray(result, dtype=np.float64)
        if not np.allclose(given, target):
            q, k, v = (x @ w for w in projections)
            after = softmax(scaled_dot_scores(q, k)) * causal_mask(n)
            slips = [
                (_causal_attention(x, *projections, is_causal=False), "there is no mask"),
                (_causal_attention(x, *projections, scores=dot_scores), "there is no scale"),
                (
                    attention(q, k, v, is_causal=True, temperature=np.sqrt(d_k)).output,
                    "the scores are divided by d_k, not by its root",
                ),
                (after @ v, "the mask comes after softmax, and the future leaks"),
                (attention(q, k, v, mask=causal_mask(n).T).output, "the mask is transposed"),
                (_masked(q, k, v, np.tri(n, k=1, dtype=bool)), "each word sees one word too many"),
                (
                    _masked(q, k, v, np.tri(n, k=-1, dtype=bool)),
                    "no word sees itself: the mask hides one word too many",
                ),
                (
                    softmax(scaled_dot_scores(q, k) * causal_mask(n)) @ v,
                    "a score that is multiplied by 0 is a score of 0, not a hidden one: put -inf",
                ),
                (
                    attention(q, k, v, is_causal=True, temperature=np.sqrt(n / d_k)).output,
                    "the scores are divided by the root of n, the number of words; take d_k",
                ),
            ]
            otherwise = "these are not the outputs: projections, scale, mask, softmax, mean?"
            return f"{where}, {first_slip(given, slips, otherwise)}"
    return None


judged(
    "fill-causal",
    function="causal_attention(x, w_query, w_key, w_value)",
    note="the root of the width of a key, and a mask with its diagonal.",
    mixed=_MIXED,
)(_write_causal)

Layer = Callable[[FloatArray], FloatArray]


def _attend(x: FloatArray, mask: BoolArray | None = None) -> FloatArray:
    return attention(x, x, x, mask=mask).output


def _off_by_one(x: FloatArray) -> FloatArray:
    return _attend(x, np.tri(len(x), k=1, dtype=bool))


def _weights_zeroed(x: FloatArray) -> FloatArray:
    return (softmax(scaled_dot_scores(x, x)) * causal_mask(len(x))) @ x


def _last_to_first(x: FloatArray) -> FloatArray:
    output = _attend(x, causal_mask(len(x)))
    output[0] += 1e-3 * x[-1]
    return output


def _second_to_first(x: FloatArray) -> FloatArray:
    output = _attend(x, causal_mask(len(x)))
    output[0] += 1e-3 * x[1]
    return output


_TIGHT: dict[str, Layer] = {
    "causal attention": lambda x: _attend(x, causal_mask(len(x))),
    "a causal window": lambda x: _attend(x, causal_mask(len(x)) & window_mask(len(x), 3)),
    "a layer that treats each token by itself": lambda x: 2 * x + 1,
}
_LEAKY: dict[str, Layer] = {
    "attention without a mask": _attend,
    "a mask that lets one key too many through": _off_by_one,
    "weights that are set to 0 after softmax": _weights_zeroed,
    "a leak from the last token to the first output alone": _last_to_first,
    "a leak from the second token to the first output alone": _second_to_first,
}


@judged(
    "find-leak",
    function="leaks(layer)",
    note="it finds the five layers that leak, and clears the three that do not.",
)
def _find_leak(answer: Any) -> str | None:
    for layers, truth in ((_TIGHT, False), (_LEAKY, True)):
        for name, layer in layers.items():
            verdict = attempt(answer, layer)
            problem = no_verdict(f"on {name}", verdict)
            if problem is not None:
                return problem
            if verdict and not truth:
                return f"{name} does not leak, but your test says that it does"
            if truth and not verdict:
                return f"{name} leaks, and your test says that it does not"
    return None
