"""Exercises of the page on self-attention."""

from collections.abc import Callable
from typing import Any

import numpy as np

from attnutils._shapes import BoolArray, FloatArray
from attnutils.exercises._registry import (
    READS,
    attempt,
    book_scores,
    judged,
    no_verdict,
    value,
)
from attnutils.masks import causal_mask, window_mask
from attnutils.mechanism import attention
from attnutils.normalize import masked_softmax, softmax
from attnutils.scores import dot_scores, scaled_dot_scores
from attnutils.worked_example import KEYS, VALUES, WORDS


def _outputs(**options: Any) -> FloatArray:
    return attention(KEYS, KEYS, VALUES, **options).output[:, 0]


@value(
    "causal-outputs",
    asks="Causal output for each query",
    each=WORDS,
    shapes=((6, 1),),
    hint="divide by the root of 3, hide the entries above the diagonal, then softmax along rows",
    note="the last word sees every word with or without the mask.",
    wrong=(
        (_outputs, "these are the outputs without a mask"),
        (lambda: _outputs(is_causal=True, scores=dot_scores), "divide the scores by the root of 3"),
        (
            lambda: _outputs(mask=causal_mask(6).T),
            "here each word sees those after it; hide the entries above the diagonal",
        ),
        (
            lambda: (softmax(scaled_dot_scores(KEYS, KEYS)) * causal_mask(6)) @ VALUES[:, 0],
            "the rows no longer sum to 1; hide the scores, not the weights",
        ),
    ),
)
def _causal_outputs() -> FloatArray:
    return _outputs(is_causal=True)


def _without_reads() -> BoolArray:
    shown = np.ones(len(KEYS), dtype=bool)
    shown[READS] = False
    return shown


@value(
    "hide-reads",
    asks="Output",
    each=("score 0", "weight 0", "masked"),
    hint="three outputs: score 0, weight 0 after softmax, score minus infinity; unscaled scores",
    note="a hidden score of 0 does little harm only because another score is large.",
    wrong=(
        (lambda: _hide_reads()[[0, 2, 2]], "in the second way the rest is not shared out again"),
        (lambda: _hide_reads()[::-1], "the order is the other way round"),
    ),
)
def _hide_reads() -> FloatArray:
    scores, shown, values = book_scores(), _without_reads(), VALUES[:, 0]
    weights = (
        softmax(np.where(shown, scores, 0)),
        np.where(shown, softmax(scores), 0),
        masked_softmax(scores, shown),
    )
    return np.array([w @ values for w in weights])


@value(
    "mask-table",
    asks="Weight of Reads",
    each=("−1e6 assigned", "−1e6 added", "attnutils"),
    hint="six equal scores; then six scores that are all shifted alike; then a row with nothing",
    note="only the last of the three says that there was nothing to see.",
    wrong=(
        (lambda: _mask_table()[[1, 0, 2]], "assigning and adding are the other way round"),
        (lambda: [0, 0, 0], "a large negative number is not minus infinity: what is the largest?"),
        (
            lambda: [_mask_table()[0]] * 2 + [0],
            "adding the same number to all six scores leaves their differences as they were",
        ),
    ),
)
def _mask_table() -> FloatArray:
    scores = scaled_dot_scores(KEYS[READS], KEYS)
    hidden = np.zeros(len(KEYS), dtype=bool)
    rows = softmax(np.full_like(scores, -1e6)), softmax(scores - 1e6)
    return np.array([row[READS] for row in (*rows, masked_softmax(scores, hidden))])


@value(
    "count-blanks",
    asks="Number of blanks",
    unit="blanks",
    atol=0.1,
    hint="every blank adds 1 to the total; Reads holds e to the power of 7",
    note="a score of 0 is not nothing.",
    wrong=(
        (lambda: _count_blanks() - 1, "one more: at this number Reads still has over a half"),
        (
            lambda: np.ceil(np.exp(book_scores()[READS])),
            "the five other words are part of the rest, too",
        ),
    ),
)
def _count_blanks() -> int:
    raised = np.exp(book_scores())
    return int(np.floor(2 * raised[READS] - raised.sum())) + 1


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
}


@judged(
    "find-leak",
    function="leaks(layer)",
    note="it tells four layers that leak from three that do not.",
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
