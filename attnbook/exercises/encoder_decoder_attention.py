"""Exercises of the page on encoder-decoder attention."""

from functools import partial
from typing import Any

import numpy as np

from attnbook.exercises._registry import (
    attempt,
    compared,
    first_slip,
    judged,
    value,
)
from attnutils._checks import FloatArray
from attnutils.mechanism import attention
from attnutils.normalize import softmax
from attnutils.scores import additive_scores

_STATES = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 1.0]])  # of the page's encoder, by hand
_W_SCORE = np.array([2.0, 2.0])


def _zero_state_scores() -> FloatArray:
    return additive_scores(np.zeros(2), _STATES, np.eye(2), np.eye(2), _W_SCORE)


@value(
    "zero-state",
    asks="Context",
    each=("number 0", "number 1"),
    hint="the scores are 2 tanh a + 2 tanh b for each state (a, b); then softmax and the mean",
    note="a zero query leaves the keys to decide, and they differ.",
    wrong=(
        (
            lambda: _STATES.mean(axis=0),
            "equal weights are what a zero query gives with the dot product; here the key counts",
        ),
        (
            lambda: softmax(_zero_state_scores()) @ np.tanh(_STATES),
            "tanh belongs to the score alone; the values are the states themselves",
        ),
        (
            lambda: softmax(_STATES @ _W_SCORE) @ _STATES,
            "the sum goes through tanh before it is weighed",
        ),
        (
            lambda: softmax(_zero_state_scores() / 2) @ _STATES,
            "w is (2, 2); you have weighed with (1, 1)",
        ),
        (
            lambda: _zero_state_scores() @ _STATES,
            "these are scores times states; softmax is missing",
        ),
    ),
)
def _zero_state() -> FloatArray:
    context: FloatArray = softmax(_zero_state_scores()) @ _STATES
    return context


@value(
    "recurrent-steps",
    asks="Recurrent steps, one after the other",
    unit="steps",
    hint="count what must wait for something else: words of the source, then of the target",
    note="neither the minibatch nor the second direction adds a step.",
    varies={"words": ((20, 15), (12, 10), (25, 18), (30, 14), (18, 11), (40, 28))},
    says=("64 sentences of {words[0]} words", "and {words[1]} words are written for each"),
    way="Sentences do not wait for each other, nor do the two directions: {words[0]} steps to "
    "read, then {words[1]} to write.",
    wrong=(
        (lambda words: 64 * sum(words), "the sentences of a minibatch do not wait for each other"),
        (
            lambda words: 64 * (2 * words[0] + words[1]),
            "neither the sentences nor the two directions wait for each other",
        ),
        (
            lambda words: 2 * words[0] + words[1],
            "the two directions of the encoder do not wait for each other",
        ),
        (lambda words: words[0], "the decoder has steps too, and each waits for the one before"),
        (
            lambda words: words[1],
            "before the decoder starts, the encoder has read the sentence word by word",
        ),
        (
            lambda words: words[0] * words[1],
            "one step of the decoder looks at all the source words at once",
        ),
        (
            lambda words: words[0] * (words[1] + 1),
            "one step of the decoder looks at all the source words at once",
        ),
    ),
)
def _recurrent_steps(words: tuple[int, int]) -> int:
    return sum(words)


def _case(n: int, size: float = 1.0) -> tuple[FloatArray, ...]:
    """A state, n encoder states and the three parameters of the score; all sizes differ."""
    rng = np.random.default_rng(n)
    d_s, width, d_a = 4, 3, 5
    shapes = [(d_s,), (n, width), (d_s, d_a), (width, d_a)]
    return *(rng.normal(size=shape) for shape in shapes), size * rng.normal(size=d_a)


_CASES = {
    "six states": _case(6),
    "a single state": _case(1),
    "scores in the thousands": _case(2, 2000.0),
    "several large scores": _case(7, 20000.0),
}


def _context_slip(case: tuple[FloatArray, ...], given: FloatArray) -> str:
    """What is wrong with a context of the right shape."""
    state, states, w_query, w_key, w_score = case
    scores = additive_scores(state, states, w_query, w_key, w_score)
    linear = (state @ w_query + states @ w_key) @ w_score
    apart = (np.tanh(state @ w_query) + np.tanh(states @ w_key)) @ w_score
    weights = softmax(scores)
    slips = [
        (softmax(linear) @ states, "the sum is not bent by tanh before w_score weighs it"),
        (
            softmax(apart) @ states,
            "the query has no effect: add its part and the key's before tanh bends the sum",
        ),
        (scores @ states, "the scores weigh the states; softmax is missing"),
        (states.mean(axis=0), "all states count alike; the weights depend on the state"),
        (states.sum(axis=0), "this is the sum of all states; weigh each of them"),
        (
            softmax(np.clip(scores, -50, 50)) @ states,
            "large scores that are cut off count alike; take the largest one off all instead",
        ),
        (states[weights.argmax()], "this is the best state alone; take the mean of all"),
    ]
    if np.isnan(given).any():
        return "NaN comes out: take the largest score off before the exponential"
    return first_slip(
        given, slips, "some numbers are wrong; compare the scores with attnutils.additive_scores"
    )


@judged(
    "write-context",
    function="context(state, states, w_query, w_key, w_score)",
    note="many states, one state and large scores all pass.",
)
def _write_context(answer: Any) -> str | None:
    for name, case in _CASES.items():
        state, states, *parameters = case
        weights = softmax(additive_scores(state, states, *parameters))
        target = weights @ states
        result = attempt(answer, *(array.copy() for array in case))
        problem = compared(f"for {name}", result, target, partial(_context_slip, case))
        if problem is not None:
            return problem
    return None


# -- the decoder of 2017 ----------------------------------------------------------------------


def _first_to_move(*, shift: bool, causal: bool) -> int:
    """The first of five rows that changes when word 1 of the target does."""
    words = np.random.default_rng(0).normal(size=(6, 4))  # row 0 is the start sign
    changed = words.copy()
    changed[2] += 1

    def rows(target: FloatArray) -> FloatArray:
        x = target[:5] if shift else target[1:]
        return attention(x, x, x, is_causal=causal).output

    moved = np.abs(rows(changed) - rows(words)).max(axis=-1) > 1e-9
    return int(np.flatnonzero(moved)[0])


@value(
    "who-changes",
    asks="First prediction that moves",
    each=("shift and mask", "mask alone", "shift alone"),
    atol=0.1,
    hint="at which position is word 1 put in, and who may look there?",
    note="the shift moves a word's own answer away, the mask hides the later ones.",
    wrong=(
        (lambda: [3, 2, 0], "count from 0: with the shift, word 1 is the input of position 2"),
        (lambda: [1, 1, 0], "with the shift, word 1 is the input of the position after it"),
        (lambda: [2, 2, 0], "without the shift, word 1 is the input of position 1"),
        (lambda: [2, 1, 2], "without the mask, who may look at position 2?"),
        (lambda: [2, 1, 1], "without the mask, may position 0 not look at position 2?"),
        (lambda: [1, 2, 0], "the first two are exchanged: the shift moves word 1 to position 2"),
    ),
)
def _who_changes() -> list[int]:
    return [
        _first_to_move(shift=True, causal=True),
        _first_to_move(shift=False, causal=True),
        _first_to_move(shift=True, causal=False),
    ]
