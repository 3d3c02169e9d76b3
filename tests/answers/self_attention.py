"""Answers to the exercises and the questions of the page on self-attention."""

import numpy as np

from attnutils import attention, softmax
from attnutils.worked_example import KEYS

# Rows of queries that point at Child, for Reads, and at Reads, for Book.
SOLVED = np.array([[1, -2, -2.5], [0, 0, 0], [0, 2, 1]])


def leaks(layer):
    rng = np.random.default_rng(7)
    x = rng.normal(size=(6, 4))
    before = layer(x)
    for t in range(6):
        changed = x.copy()
        changed[t] += rng.normal(size=4)
        if not np.allclose(layer(changed)[:t], before[:t], rtol=0, atol=1e-12):
            return True
    return False


def causal(x, w_query, w_key, w_value, scale=True, mask=np.tri, after=False):
    q, k, v = x @ w_query, x @ w_key, x @ w_value
    raised = np.exp(q @ k.T / (np.sqrt(q.shape[1]) if scale else 1))
    seen = raised * mask(len(x))
    return seen / (raised if after else seen).sum(axis=1, keepdims=True) @ v


RIGHT = {
    "subject-verb": [
        [[1, -2, -2.5], [0, 0, 0], [0, 2, 1]],
        SOLVED,
        3 * SOLVED,
    ],
    "hide-reads": [(0.0954, 0.0114, 0.0934)],
    "count-blanks": [944, np.int64(944), [944]],
    "write-causal": [causal, lambda *given: causal(*given).tolist()],
    "find-leak": [leaks, lambda layer: np.bool_(leaks(layer))],
}


def first_pair_alone(layer):
    x = np.random.default_rng(1).normal(size=(6, 4))
    changed = x.copy()
    changed[1] += 1
    return bool(np.any(layer(changed)[0] != layer(x)[0]))


def any_change(layer):
    x = np.random.default_rng(1).normal(size=(6, 4))
    changed = x.copy()
    changed[2] += 1
    return bool(np.any(layer(changed) != layer(x)))


def nearest_alone(layer):
    """Looks at the output just before the changed token, and at no other."""
    x = np.random.default_rng(1).normal(size=(6, 4))
    for t in range(1, 6):
        changed = x.copy()
        changed[t] += 1
        if not np.allclose(layer(changed)[t - 1], layer(x)[t - 1], rtol=0, atol=1e-12):
            return True
    return False


WRONG = [
    ("subject-verb", np.eye(3), "Reads gives Child 0.000"),
    ("subject-verb", -np.eye(3), "Reads gives Child 0.337"),
    ("subject-verb", SOLVED.T, "this is the transpose"),
    ("subject-verb", [[2, -2, -4], [0, 0, 0], [0, 0, 0]], "Reads finds Child, but Book gives"),
    ("subject-verb", np.full((3, 3), np.nan), "NaN or inf"),
    ("subject-verb", np.eye(2), "expected an array of shape (3, 3), got (2, 2)"),
    ("subject-verb", "W_q", "expected an array of shape (3, 3)"),
    ("hide-reads", (0.0954, 0.0934, 0.0934), "in the second way"),
    ("hide-reads", (0.0934, 0.0114, 0.0954), "the order is"),
    ("hide-reads", (0, 0, 0), "three outputs"),
    ("hide-reads", (0, 0), "expected an array of shape (3,), got (2,)"),
    ("count-blanks", 943, "one more"),
    ("count-blanks", 1097, "the five other words"),
    ("count-blanks", 500, "every blank adds 1"),
    ("write-causal", 3, "expected a function causal_attention(x, w_query,"),
    ("write-causal", lambda *given: causal(*given, mask=lambda n: np.ones((n, n))),
     "for x of shape (5, 3) and d_k = 2, there is no mask"),
    ("write-causal", lambda *given: causal(*given, scale=False),
     "for x of shape (5, 3) and d_k = 2, there is no scale"),
    ("write-causal", lambda *given: causal(*given, after=True),
     "for x of shape (5, 3) and d_k = 2, the mask comes after softmax"),
    ("write-causal", lambda *given: causal(*given, mask=lambda n: np.tri(n).T),
     "for x of shape (5, 3) and d_k = 2, the mask is transposed"),
    ("write-causal", lambda *given: causal(*given) + 1,
     "for x of shape (5, 3) and d_k = 2, these are not the outputs"),
    ("write-causal", lambda x, *_: x, "for x of shape (5, 3) and d_k = 2, "),
    ("find-leak", False, "expected a function leaks(layer), got bool"),
    ("find-leak", lambda layer: True, "causal attention does not leak, but your test says that it"),
    ("find-leak", lambda layer: False, "attention without a mask leaks, and your test says that"),
    ("find-leak", lambda layer: None, "expected True or False from your test, got NoneType"),
    ("find-leak", lambda layer: 1 / 0, "on causal attention your test raises ZeroDivisionError"),
    ("find-leak", lambda layer: layer(np.ones((2, 3, 4)))[9], "on causal attention your test rai"),
    ("find-leak", any_change, "causal attention does not leak"),
    ("find-leak", first_pair_alone, "a leak from the last token to the first"),
    ("find-leak", nearest_alone, "a leak from the last token to the first"),
]  # fmt: skip


def predict_shuffle(rng):
    q, k, v = rng.normal(size=4), rng.normal(size=(6, 4)), rng.normal(size=(6, 3))
    order = rng.permutation(6)
    before, after = attention(q, k, v).output, attention(q, k[order], v[order]).output
    same = np.allclose(before, after, rtol=0, atol=1e-12)
    shuffled = not same and np.allclose(np.sort(before), np.sort(after))
    return {
        "It changes": not same and not shuffled,
        "Nothing": same,
        "Its entries are shuffled": shuffled,
    }


def predict_causal(rng):
    changed = KEYS.copy()
    changed[2] += rng.uniform(0.5, 1, size=3)
    before, after = (attention(x, x, x, is_causal=True).output for x in (KEYS, changed))
    moved = np.flatnonzero(~np.isclose(before, after).all(axis=-1)).tolist()
    return {
        "Only 2": moved == [2],
        "0 to 5": moved == [0, 1, 2, 3, 4, 5],
        "2 to 5": moved == [2, 3, 4, 5],
        "0 to 2": moved == [0, 1, 2],
    }


def predict_leak(rng):
    def layer(x):
        return (softmax(x @ x.T) * np.tri(6)) @ x

    x = rng.uniform(-1, 1, size=(6, 3))  # so that no weight is too small to be seen moving
    changed = x.copy()
    changed[5] += rng.uniform(0.5, 1, size=3)
    moved = np.flatnonzero(~np.isclose(layer(x), layer(changed), rtol=0, atol=1e-12).all(axis=-1))
    earlier = [int(i) for i in moved if i < 5]
    return {
        "None, its weight in them is 0": earlier == [],
        "All five": earlier == [0, 1, 2, 3, 4],
        "Only the one just before it": earlier == [4],
    }
