"""Answers to the exercises and the questions of the page on self-attention."""

from functools import partial

import numpy as np

from attnutils import attention, softmax
from attnutils.worked_example import KEYS, POINTS

# Rows of queries that point at Child, for Reads, and at Reads, for Book.
SOLVED = np.array([[-1.2, -1], [0.4, 0]])


def moved(layer, t):
    """Which outputs of random rows move when row t does."""
    rng = np.random.default_rng(7)
    x = rng.normal(size=(6, 4))
    changed = x.copy()
    changed[t] += rng.normal(size=4)
    return ~np.isclose(layer(changed), layer(x), rtol=0, atol=1e-12).all(axis=-1)


def leaks(layer):
    return any(moved(layer, t)[:t].any() for t in range(6))


def causal(x, w_query, w_key, w_value, scale=np.shape, mask=np.tri, after=False):
    q, k, v = x @ w_query, x @ w_key, x @ w_value
    raised = np.exp(q @ k.T / (np.sqrt(scale(q)[-1]) if scale else 1))
    seen = raised * mask(len(x))
    return seen / (raised if after else seen).sum(axis=1, keepdims=True) @ v


def divided_twice(*given):
    return causal(*given, scale=lambda q: [q.shape[1] ** 2])


def zeros_for_hidden(x, w_query, w_key, w_value):
    q, k, v = x @ w_query, x @ w_key, x @ w_value
    return softmax(q @ k.T / np.sqrt(q.shape[1]) * np.tri(len(x))) @ v


def sees_not_itself(x, w_query, w_key, w_value):
    q, k, v = x @ w_query, x @ w_key, x @ w_value
    return attention(q, k, v, mask=np.tri(len(x), k=-1, dtype=bool)).output


VERB, WRITE, LEAK = "subject-verb", "write-causal", "find-leak"
LAST = "a leak from the last token to the first"
FIRST = "for x of shape (5, 3) and d_k = 2, "

RIGHT = {
    VERB: [SOLVED, 3 * SOLVED],
    "hide-reads": [(0.0954, 0.0114, 0.0934)],
    WRITE: [causal, lambda *given: causal(*given).tolist()],
    "fill-causal": [causal],
    LEAK: [leaks, lambda layer: np.bool_(leaks(layer))],
}

WRONG = [
    (VERB, np.eye(2), "Reads gives Child 0.000"),
    (VERB, -np.eye(2), "Reads finds Child, but Book gives Reads 0.022"),
    (VERB, SOLVED.T, "this is the transpose"),
    (VERB, np.full((2, 2), np.nan), "NaN or inf"),
    (VERB, np.eye(3), "expected an array of shape (2, 2), got (3, 3)"),
    (VERB, "W_q", "expected an array of shape (2, 2)"),
    ("hide-reads", (0, 0, 0), "three outputs"),
    (WRITE, partial(causal, mask=lambda n: np.ones((n, n))), f"{FIRST}there is no mask"),
    (WRITE, partial(causal, scale=False), f"{FIRST}there is no scale"),
    (WRITE, partial(causal, after=True), f"{FIRST}the mask comes after softmax"),
    (WRITE, partial(causal, mask=lambda n: np.tri(n).T), f"{FIRST}the mask is transposed"),
    (WRITE, partial(causal, mask=lambda n: np.tri(n, k=1)), f"{FIRST}each word sees one"),
    (WRITE, partial(causal, scale=lambda q: [len(q)]), f"{FIRST}the scores are divided by"),
    (WRITE, divided_twice, f"{FIRST}the scores are divided by d_k, not by its root"),
    (WRITE, zeros_for_hidden, f"{FIRST}a score that is multiplied by 0 is a score of 0"),
    (WRITE, sees_not_itself, f"{FIRST}no word sees itself"),
    (WRITE, lambda *given: causal(*given) + 1, f"{FIRST}these are not the outputs"),
    (WRITE, lambda x, *_: x, FIRST),
    ("fill-causal", lambda *given: causal(*given, scale=None), f"{FIRST}there is no scale"),
    ("fill-causal", lambda *a: causal(*a, mask=lambda n: np.tri(n).T), f"{FIRST}the mask is tr"),
    ("fill-causal", divided_twice, f"{FIRST}the scores are divided by d_k, not by its root"),
    (LEAK, lambda layer: True, "causal attention does not leak, but your test says that it"),
    (LEAK, lambda layer: False, "attention without a mask leaks, and your test says that"),
    (LEAK, lambda layer: layer(np.ones((2, 3, 4)))[9], "on causal attention your test rai"),
    (LEAK, lambda layer: moved(layer, 2).any(), "causal attention does not leak"),
    (LEAK, lambda layer: moved(layer, 1)[0], LAST),
    # It changes the last token alone.
    (LEAK, lambda layer: any(moved(layer, t)[:t].any() for t in (5,)), "a leak from the second"),
    # It looks at the output just before the changed token, and at no other.
    (LEAK, lambda layer: any(moved(layer, t)[t - 1] for t in range(1, 6)), LAST),
]  # fmt: skip


def predict_rows(rng):
    changed = np.eye(2)
    changed[1, 1] += rng.uniform(0.5, 1.5)
    before, after = (attention(POINTS @ w, POINTS, POINTS).weights for w in (np.eye(2), changed))
    return (~np.isclose(before, after, rtol=0, atol=1e-9)).any(axis=-1).sum()


def predict_columns(rng):
    w_query, w_key, w_value = (rng.normal(size=(3, width)) for width in (2, 2, 4))
    return attention(KEYS @ w_query, KEYS @ w_key, KEYS @ w_value).output.shape[-1]


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
