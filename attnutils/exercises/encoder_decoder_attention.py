"""Exercises of the page on encoder-decoder attention."""

from functools import partial
from typing import Any

import numpy as np

from attnutils._shapes import FloatArray
from attnutils.exercises._registry import (
    attempt,
    compared,
    first_slip,
    judged,
    value,
)
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
    "read-alignment",
    asks="Place of the source word",
    each=("le", "loup", "gris", "regarde", "un", "chat", "."),
    hint="go through the translation word by word and count to its source word, from 0",
    note="the column of 'is' stays empty: a column need not sum to 1.",
    wrong=(
        (lambda: np.arange(7), "French puts the adjective second, and has no word for is"),
        (lambda: [0, 2, 1, 3, 5, 6, 7], "3 is the place of is; which word becomes regarde?"),
        (lambda: [0, 1, 2, 4, 5, 6, 7], "loup comes before gris, but wolf comes after grey"),
        (lambda: [1, 3, 2, 5, 6, 7, 8], "places are counted from 0"),
        (lambda: [0, 2, 1, 3, 4, 5, 6], "from regarde on, these are the places in the translation"),
    ),
)
def _read_alignment() -> list[int]:
    return [0, 2, 1, 4, 5, 6, 7]


@value(
    "decoder-shapes",
    asks="Shape of",
    each=("W_q", "W_k", "weights", "contexts"),
    hint="W_q takes a state of the decoder, W_k one of the encoder; both lead to 6 numbers. At "
    "one step there is no axis for target words, and the minibatch keeps its axis",
    note="the context is as wide as a state of the encoder, however long the sentence is.",
    wrong=(
        (
            lambda: [(8, 6), (5, 6), (3, 7), (3, 5)],
            "h_t joins the states of two directions, 5 numbers each",
        ),
        (
            lambda: [(8, 6), (10, 6), (7, 3), (3, 10)],
            "the weights have a row for each sentence and a column for each source word",
        ),
        (
            lambda: [(8, 6), (10, 6), (3, 7), (3, 7)],
            "the mean runs over the words: their axis is used up, the width stays",
        ),
        (
            lambda: [(8, 6), (10, 6), (3, 7), (3, 8)],
            "the context is a mean of states of the encoder, so it is as wide as they are",
        ),
        (
            lambda: [(6, 8), (6, 10), (3, 7), (3, 10)],
            "rows multiply from the left: the first axis of a matrix is the width it takes",
        ),
        (
            lambda: [(10, 6), (8, 6), (3, 7), (3, 10)],
            "queries come from the decoder, keys from the encoder",
        ),
    ),
)
def _decoder_shapes() -> list[tuple[int, int]]:
    return [(8, 6), (10, 6), (3, 7), (3, 10)]


@value(
    "recurrent-steps",
    asks="Recurrent steps, one after the other",
    unit="steps",
    hint="count what must wait for something else: words of the source, then of the target",
    note="neither the minibatch nor the second direction adds a step.",
    wrong=(
        (lambda: 64 * 35, "the sentences of a minibatch do not wait for each other"),
        (lambda: 64 * 55, "neither the sentences nor the two directions wait for each other"),
        (lambda: 55, "the two directions of the encoder do not wait for each other"),
        (lambda: 20, "the decoder has steps too, and each waits for the one before"),
        (lambda: 15, "before the decoder starts, the encoder has read the sentence word by word"),
        (lambda: 300, "one step of the decoder looks at all the source words at once"),
        (lambda: 320, "one step of the decoder looks at all the source words at once"),
    ),
)
def _recurrent_steps() -> int:
    return 20 + 15


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
