"""Proofs of the questions of the page on self-attention."""

import numpy as np

from attnutils import attention, softmax
from attnutils.worked_example import KEYS


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

    x = rng.normal(size=(6, 3))
    changed = x.copy()
    changed[5] += rng.uniform(0.5, 1, size=3)
    moved = np.flatnonzero(~np.isclose(layer(x), layer(changed), rtol=0, atol=1e-9).all(axis=-1))
    earlier = [int(i) for i in moved if i < 5]
    return {
        "None, its weight in them is 0": earlier == [],
        "All five": earlier == [0, 1, 2, 3, 4],
        "Only the one just before it": earlier == [4],
    }
