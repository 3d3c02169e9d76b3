"""Exercises of the page on the attention mechanism."""

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
from attnutils._checks import FloatArray
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
    hint="scores are keys @ keys.T; softmax runs along each row, then the rows weigh values",
    note="each output lies between the smallest and the largest value.",
    wrong=(
        (_six_outputs, "these are the outputs of scaled scores; do not divide them here"),
        (lambda: _six_outputs(scores=dot_scores, temperature=0), _HARD),
        (lambda: VALUES[dot_scores(KEYS, KEYS).argmax(axis=-1), 0], _HARD),
        (
            lambda: softmax(dot_scores(KEYS, KEYS), axis=0) @ VALUES[:, 0],
            "here the columns of the weights sum to 1; a query is a row",
            "rows and columns",
        ),
    ),
)
def _all_outputs() -> FloatArray:
    return _six_outputs(scores=dot_scores)


@value(
    "second-reads",
    asks="Output for Book",
    hint="two words share what Reads had; all weights are made anew, since the sum has grown",
    note="a newcomer takes the same share from every word, here .467 of each.",
    atol=2e-4,
    varies={"value": ("−0.2", "−0.4", "−0.6", "0", "0.2", "0.5", "0.8")},
    says=("and its value is {value}.",),
    way="The newcomer scores 7, as *Reads* does. The exponentials of 0, 1, −4, 7, 0, 5 and 7 "
    "sum to 2,346.4; weigh the values 0, −0.2, 0.3, 0.4, 0, 0.1 and {value} with them, and "
    "divide.",
    wrong=(
        (lambda value: _newcomer(value, share=0), "that is the output without the newcomer"),
        (
            lambda value: _newcomer("0", share=0) + _number(value) * softmax(book_scores())[READS],
            "the newcomer is in the sum too: the other weights shrink, and all sum to 1 again",
        ),
        (
            lambda value: (6 * _newcomer("0", share=0) + _number(value)) / 7,
            "the newcomer's weight is not 1/7",
        ),
    ),
)
def _second_reads(value: str) -> float:
    return _newcomer(value, share=1)


def _number(text: str) -> float:
    return float(text.replace("−", "-"))


def _newcomer(value: str, share: float) -> float:
    """The output for Book where another Reads, of this value, counts with a share."""
    exponentials = np.exp([*book_scores(), book_scores()[READS]]) * [1, 1, 1, 1, 1, 1, share]
    return float(exponentials @ [*VALUES[:, 0], _number(value)] / exponentials.sum())


@judged("book-wins", note="the direction says who wins, the length how clearly.")
def _book_wins(answer: Any) -> str | None:
    query = numbers(answer)
    if query is None or query.shape != (3,):
        return expected(np.zeros(3), answer)
    if not np.isfinite(query).all():
        return "the three numbers of a query are finite"
    weights = softmax(dot_scores(query, KEYS))
    if weights[BOOK] > 0.9:
        return None
    others = np.delete(np.arange(len(WORDS)), BOOK)
    rival = others[weights[others].argmax()]
    if weights[BOOK] > weights[rival]:
        return f"Book leads with {weights[BOOK]:.2f}; it is to have more than .9"
    return f"{WORDS[rival]} has as much weight as Book, or more"


def _without_keepdims(x: Any, axis: int = -1) -> FloatArray:
    weights = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return np.asarray(weights / np.sum(weights, axis=axis))


def _without_maximum(x: Any, axis: int = -1) -> FloatArray:
    weights = np.exp(x)
    return np.asarray(weights / np.sum(weights, axis=axis, keepdims=True))


def _along_another_axis(x: Any, axis: int = -1) -> FloatArray:
    return softmax(x, axis=-1 if axis == 0 else 0)


def _uniform(x: Any, axis: int = -1) -> FloatArray:
    return softmax(np.zeros_like(x), axis=axis)


def _warm(x: Any, axis: int = -1) -> FloatArray:
    return softmax(x, axis=axis, temperature=2)


def _without_sum(x: Any, axis: int = -1) -> FloatArray:
    return np.asarray(np.exp(x - np.max(x, axis=axis, keepdims=True)))


@judged(
    "order-softmax",
    function="my_softmax(x)",
    note="the largest score goes first, then the exponentials, then their sum along each row.",
    mixed={"the columns sum to 1, not the rows": "rows and columns"},
)
def _order_softmax(answer: Any) -> str | None:
    rng = np.random.default_rng(0)
    for shape, size in (((6,), 1.0), ((3, 3), 1.0), ((2, 3, 4), 1.0), ((3, 5), 1000.0)):
        x = size * rng.normal(size=shape)
        where = f"for scores of shape {shape}" + (" in the thousands" if size > 1 else "")
        target, result = softmax(x), attempt(answer, x.copy())
        if isinstance(result, UnboundLocalError):
            return "a line takes what only a later line makes: which one must come before it?"
        problem = not_comparable(where, result, target)
        if problem is not None:
            return problem
        given = np.asarray(result, dtype=np.float64)
        if np.isnan(given).any():
            return f"{where}, exponentials overflow: take the largest score away first"
        if not np.allclose(given, target):
            e = np.exp(x - x.max(axis=-1, keepdims=True))
            slips = [(e / e.sum(axis=0, keepdims=True), "the columns sum to 1, not the rows")]
            return f"{where}, {first_slip(given, slips, 'these are not the weights')}"
    return None


@judged(
    "catch-softmax",
    function="is_softmax(f)",
    note="your test tells a right softmax from six wrong ones.",
)
def _catch_softmax(answer: Any) -> str | None:
    verdict = attempt(answer, softmax)
    problem = no_verdict("on a right softmax", verdict)
    if problem is not None:
        return problem
    if not verdict:
        return "your test turns a right softmax away"
    for wrong, slip in (
        (_without_keepdims, "divides a row by the total of another row; try a square matrix"),
        (_without_maximum, "divides by a total that has overflowed; try large scores"),
        (
            _along_another_axis,
            "divides by a total along another axis; try a matrix along both axes",
        ),
        (_without_sum, "does not divide by a total at all; what do weights sum to?"),
        (_uniform, "gives each key the same weight; what are the odds of two weights?"),
        (_warm, "divides the scores by 2; what are the odds of two weights?"),
    ):
        verdict = attempt(answer, wrong)  # a test that raises has caught the mistake, too
        if not isinstance(verdict, BaseException) and attempt(bool, verdict) is not False:
            return f"a wrong softmax slips through: it {slip}"
    return None
