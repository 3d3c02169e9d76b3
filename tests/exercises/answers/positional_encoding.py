"""Answers to the exercises and the questions of the page on positional encoding."""

import math
from functools import partial

import numpy as np

from attnbook.models.longer_texts import load_longer_texts
from attnutils import attention, sinusoidal_encoding


def encoding(length, dim, base=10000.0):
    """Element by element, as the formula has it."""
    rows = [[0.0] * dim for _ in range(length)]
    for i in range(length):
        for r in range(dim // 2):
            angle = i / base ** (2 * r / dim)
            rows[i][2 * r], rows[i][2 * r + 1] = math.sin(angle), math.cos(angle)
    return rows


def arranged(length, dim, base=10000.0, axis=-1, order=(0, 1)):
    """The waves of each pair, in this order, along another axis: sines first, or cosines."""
    pairs = np.array(encoding(length, dim, base)).reshape(length, dim // 2, 2)[..., order]
    return np.moveaxis(pairs, -1, axis).reshape(length, dim)


def own_frequency(length, dim, base=10000.0, step=1):
    angles = np.outer(np.arange(length), base ** (-step * np.arange(dim) / dim))
    angles[:, 1::2] += math.pi / 2  # the cosine
    return np.sin(angles)


def other_default(length, dim, base=1000.0):
    return encoding(length, dim, base)


WRITE, ROTARY, ALIBI = "write-encoding", "rotary-scores", "alibi-fading"
FIRST = "for encoding(5, 8, 100.0), "

RIGHT = {
    WRITE: [encoding, sinusoidal_encoding],
    "long-wave": [16],
    ROTARY: [[0.7568, 0.7568, 0.9589], np.array([0.757, 0.757, 0.959])],
    ALIBI: [(0.0291, 0.8017), [[math.exp(-5 / 2**0.5)], [math.exp(-5 / 2**4.5)]]],
}

WRONG = [
    (WRITE, partial(arranged, axis=1), f"{FIRST}all sines stand first"),
    (WRITE, partial(arranged, order=(1, 0)), f"{FIRST}the cosines stand"),
    (WRITE, own_frequency, f"{FIRST}each column has"),
    (WRITE, partial(own_frequency, step=2), f"{FIRST}the exponent is 2r/d for pair r"),
    (WRITE, lambda n, d, b=1e4: encoding(n, d, b**0.5), f"{FIRST}the exponent is 2r/d, not r/d"),
    (WRITE, lambda n, d, b=1e4: encoding(n + 1, d, b)[1:], f"{FIRST}positions are counted from 1"),
    (WRITE, lambda n, d, b=1e4: encoding(n, d), f"{FIRST}the base that was given"),
    (WRITE, lambda n, d, b=1e4: np.zeros((n, d)), f"{FIRST}some"),
    (WRITE, lambda *a: np.transpose(encoding(*a)), f"{FIRST}expected an array of shape (5, 8)"),
    (WRITE, lambda n, d, base: encoding(n, d, base), "for encoding(3, 2), it raises TypeError"),
    (WRITE, other_default, "for encoding(40, 6), some numbers are wrong"),
    ("long-wave", 15.29, "find the smallest r"),
    (ROTARY, [0.7568, 0, 0.9589], "turn q to"),
    (ALIBI, [0.5, 0.5], "take 5 slopes off"),
]  # fmt: skip


def predict_causal(rng):
    x, w = rng.normal(size=(6, 4)), rng.normal(size=(3, 4, 4))

    def last(x):
        q, k, v = x @ w
        return attention(q, k, v, is_causal=True).output[-1]

    shuffled = np.vstack([x[[3, 0, 4, 2, 1]], x[5]])
    changes = not np.allclose(last(x), last(shuffled), rtol=0, atol=1e-12)
    return {"Yes": changes, "No": not changes}


def predict_nearest(rng):
    p = sinusoidal_encoding(7, 4)
    best = max((1, 3, 6), key=lambda row: p[row] @ p[0])
    return {f"Row {row}": row == best for row in (1, 3, 6)}


def predict_direction(rng):
    # The matrix that takes each encoding one back, found from many of them.
    p = sinusoidal_encoding(200, 32)
    back = np.linalg.lstsq(p[1:], p[:-1], rcond=None)[0]
    query = p[10] @ back
    after, before = query @ p[14], query @ p[6]
    return {
        "They are equal": math.isclose(after, before),
        "The one with $p_{14}$": after > before,
        "The one with $p_6$": after < before,
    }


def predict_longer(rng):
    # Of all 20 seeds, and of the model that the page tests.
    by_seed = load_longer_texts().accuracy["three back", "rotary"][:, 40:].mean(axis=1)
    return {
        "Below a quarter": (by_seed < 0.25).sum() >= 19 and by_seed[0] < 0.25,
        "About half": bool(((by_seed > 0.35) & (by_seed < 0.65)).any()),
        "Nearly always": bool((by_seed > 0.9).any()),
    }
