"""Answers to the exercises of the page on the attention mechanism, right and wrong."""

import numpy as np

from attnutils import attention, dot_scores, softmax, sparsemax
from attnutils.worked_example import KEYS, VALUES

SCORES = np.array([0.0, 1, -4, 7, 0, 5])


def repaired(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def is_softmax(f):
    """A learner's test that is good enough."""
    x = np.array([[1.0, 2, 4], [0, -3, 1], [2, 2, 800]])
    return all(np.allclose(f(x, axis=a).sum(axis=a), 1) for a in (0, 1))


def asserts_softmax(f):
    assert is_softmax(f)
    return True


RIGHT = {
    "all-outputs": [
        [0.1, 0.1003, 0.2979, 0.3997, 0.0025, 0.3624],
        attention(KEYS, KEYS, VALUES, scores=dot_scores).output,
    ],
    "zero-query": [
        [0.167] * 6,
        np.full((1, 6), 1 / 6),
        np.full(6, 1 / 6, np.float32),
    ],
    "repair-softmax": [repaired, softmax],
    "catch-softmax": [is_softmax, asserts_softmax, lambda f: np.bool_(is_softmax(f))],
    "not-an-output": [0.45, np.float32(0.45), [0.45]],
    "shift-keys": [(0, 0.4655), [1e-16, 0.4655]],
}


def no_maximum(x, axis=-1):
    return np.exp(x) / np.exp(x).sum(axis=axis, keepdims=True)


def no_keepdims(x, axis=-1):
    return np.exp(x) / np.sum(np.exp(x), axis=axis)


def in_place(x, axis=-1):
    x -= x.max(axis=axis, keepdims=True)
    return repaired(x, axis)


def without_exp(x, axis=-1):
    return x / x.sum(axis=axis, keepdims=True)


def one_axis(x, axis=-1):
    return repaired(x, -1)


def one_row(x, axis=-1):
    return repaired(x, axis)[:1]


def square_only(x, axis=-1):
    """Right for a vector, and for matrices that are not square it does as asked, too."""
    if x.ndim == 2 and x.shape[0] == x.shape[1]:
        return np.exp(x) / np.exp(x).sum(axis=axis)
    return repaired(x, axis)


WRONG = [
    ("all-outputs", [0.1, 0.1023, 0.2740, 0.3915, 0.0170, 0.3078], "these are the outputs of"),
    ("all-outputs", attention(KEYS, KEYS, VALUES, temperature=0).output, "this is hard attention"),
    ("all-outputs", VALUES[(KEYS @ KEYS.T).argmax(axis=-1)], "this is hard attention"),
    ("all-outputs", softmax(KEYS @ KEYS.T, axis=0) @ VALUES, "here the columns"),
    ("all-outputs", [0.1] * 6, "scores are KEYS @ KEYS.T"),
    ("all-outputs", [0.1] * 5, "expected an array of shape (6,), got (5,)"),
    ("all-outputs", np.ones((1, 6)), "expected an array of shape (6,), got (1, 6)"),
    ("all-outputs", 0.1, "expected an array of shape (6,), got a number"),
    ("all-outputs", attention(KEYS, KEYS, VALUES), "expected an array of shape (6,), got Att"),
    ("zero-query", np.full((6, 1), 1 / 6), "expected an array of shape (6,), got (6, 1)"),
    ("zero-query", [0] * 6, "equal scores of 0 still share"),
    ("zero-query", [1, 0, 0, 0, 0, 0], "work out the six scores"),
    ("not-an-output", 0.2, "half of the weight on Reads"),
    ("not-an-output", -0.2, "hard attention on Sleepy"),
    ("not-an-output", 0.3, "choose one of"),
    ("not-an-output", ".45", "expected a number, got str"),
    ("not-an-output", [0.2, 0.45], "expected a number, got an array of shape (2,)"),
    ("not-an-output", True, "expected a number, got bool"),
    ("not-an-output", 0.45 + 0j, "expected a number, got complex"),
    ("not-an-output", np.array("a"), "expected a number, got ndarray of dtype <U1"),
    ("shift-keys", (0.4655, 0), "the two numbers are in the wrong order"),
    ("shift-keys", (0, 0), "the query does not add the same"),
    ("shift-keys", (0, 0.3), "take the largest absolute difference"),
    ("repair-softmax", no_keepdims, "for x of shape (2, 3) and axis=-1, it raises ValueError"),
    ("repair-softmax", square_only, "for x of shape (3, 3) and axis=-1, the weights along"),
    ("repair-softmax", no_maximum, "for scores of 1000 or -1000 and axis=-1, there is NaN or inf"),
    ("repair-softmax", in_place, "it changes the array"),
    ("repair-softmax", without_exp, "for x of shape (6,) and axis=-1, a weight is negative"),
    ("repair-softmax", one_axis, "for x of shape (2, 3) and axis=0, the weights along that axis"),
    ("repair-softmax", one_row, "for x of shape (6,) and axis=-1, expected an array of shape (6,)"),
    ("repair-softmax", sparsemax, "for x of shape (6,) and axis=-1, the odds of two weights"),
    ("repair-softmax", lambda x, axis=-1: None, "for x of shape (6,) and axis=-1, expected"),
    ("repair-softmax", lambda x: repaired(x), "for x of shape (6,) and axis=-1, it raises Type"),
    ("repair-softmax", softmax(SCORES), "expected a function softmax(x, axis=-1), got ndarray"),
    ("catch-softmax", True, "expected a function is_softmax(f), got bool"),
    ("catch-softmax", lambda f: True, "a wrong softmax slips through: it divides a row"),
    ("catch-softmax", lambda f: False, "your test turns a right softmax away"),
    ("catch-softmax", lambda f: None, "expected True or False from your test, got NoneType"),
    ("catch-softmax", lambda f: 1 / 0, "on a right softmax your test raises ZeroDivisionError"),
]  # fmt: skip
