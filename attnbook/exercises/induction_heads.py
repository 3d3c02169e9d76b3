"""Exercises of the page on induction heads."""

from functools import cache
from typing import Any

import numpy as np

from attnbook.exercises._registry import chosen, expected, judged, numbers
from attnbook.models.induction import (
    LENGTH,
    LETTERS,
    InductionRuns,
    attention_only,
    load_induction_runs,
    repeated_batch,
)
from attnutils._checks import FloatArray, IntArray
from attnutils.mechanism import attention

N = len(LETTERS)


@cache
def _runs() -> InductionRuns:
    return load_induction_runs()


@chosen(
    "one-layer",
    asks="One head of one layer can do it",
    each=(
        "name the letter at the place before",
        "look at an earlier place with the same letter as here",
        "name the letter that came after it there",
        "name the letter that came before it there",
        "name the first letter of the text",
    ),
    slips=(
        (0, "the place before is a matter of places alone"),
        (1, "query and key both hold a letter: can they be compared?"),
        (2, "the key of the place that is wanted knows its own letter, not the one before it"),
        (3, "whose value would have to hold that letter? A value knows only its own place's"),
        (4, "place 0 has a code of its own, which a query can seek"),
    ),
    note="letters and places of its own a key does know; those of its neighbours it does not.",
)
def _one_layer() -> set[int]:
    return {0, 1, 4}


@judged("fool-it", note="the letter has come before, and the model goes on with another one.")
def _fool_it(answer: Any) -> str | None:
    if not isinstance(answer, str):
        return f"expected a text in quotes, got {type(answer).__name__}"
    if not set(answer) <= set(LETTERS) or not 3 <= len(answer) <= LENGTH:
        return f"the text has 3 to {LENGTH} letters, from {LETTERS[0]} to {LETTERS[-1]}"
    last = answer[-1]
    earlier = answer.count(last) - 1
    if earlier != 1:
        return f"the last letter, {last}, is to come exactly once before; it does {earlier} times"
    at = answer.index(last)
    if at == len(answer) - 2:
        return f"the two {last} stand side by side: put something between them"
    tokens = [LETTERS.index(letter) for letter in answer]
    guess = LETTERS[attention_only(tokens, _runs().params).logits[-1].argmax()]
    if guess == answer[at + 1]:
        return (
            f"it guesses {guess}, and {guess} came after the first {last}, at place {at + 1}: "
            "a note is read there. At which places has layer 0 learned to write none?"
        )
    return None


def _noted(tokens: IntArray) -> FloatArray:
    """The letter in columns 0 to 19, the one before it in columns 20 to 39."""
    letters = np.eye(N)[tokens]
    notes = np.zeros_like(letters)
    notes[..., 1:, :] = letters[..., :-1, :]
    return np.concatenate([letters, notes], axis=-1)


@judged(
    "write-layer",
    note="letters ask, notes answer, letters are handed on.",
)
def _write_layer(answer: Any) -> str | None:
    if not isinstance(answer, list | tuple) or len(answer) != 3:
        return "expected three matrices, W_q, W_k and W_v"
    arrays = [numbers(each) for each in answer]
    for given, array in zip(answer, arrays, strict=True):
        if array is None or array.ndim != 2 or len(array) != 2 * N:
            return expected(np.zeros((2 * N, N)), given)
    w_query, w_key, w_value = (np.asarray(array, np.float64) for array in arrays)
    if w_query.shape != w_key.shape:
        return "queries and keys are compared, so W_q and W_k have the same shape"
    if w_value.shape[1] != N:
        return f"W_v has {N} columns, one for each letter that may come next"
    if not all(np.isfinite(w).all() for w in (w_query, w_key, w_value)):
        return "all numbers must be finite"
    tokens, targets, _ = repeated_batch(np.random.default_rng(0), 20)
    stream = _noted(tokens)
    found = attention(stream @ w_query, stream @ w_key, stream @ w_value, is_causal=True).output
    asked, guess = targets >= 0, found.argmax(axis=-1)
    right = guess[asked] == targets[asked]
    if right.all():
        wanted = np.take_along_axis(found, targets.clip(0)[..., None], axis=-1)[..., 0]
        if (wanted > 0.9 * np.abs(found).sum(axis=-1))[asked].all():
            return None
        return "the right letter leads, but too little weight is on it: make the scores larger"
    before = np.roll(tokens, 1, axis=1)
    if (guess == before)[asked].mean() > 0.9:
        return "it names the letter before: it is the note that asks, and letters that answer"
    if (guess == tokens)[asked].mean() > 0.9:
        return "it names the letter that asks: what is handed on, and by which place?"
    return f"{right.mean():.0%} are right: what asks, what answers, and what is handed on?"
