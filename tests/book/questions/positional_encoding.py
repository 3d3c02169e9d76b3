"""Proofs of the questions of the page on positional encoding."""

import math

import numpy as np

from attnutils import attention, load_longer_texts, sinusoidal_encoding


def predict_causal(rng):
    x, w = rng.normal(size=(6, 4)), rng.normal(size=(3, 4, 4))

    def last(x):
        q, k, v = x @ w
        return attention(q, k, v, is_causal=True).output[-1]

    shuffled = np.vstack([x[[3, 0, 4, 2, 1]], x[5]])
    changes = not np.allclose(last(x), last(shuffled), rtol=0, atol=1e-12)
    return {"Yes": changes, "No": not changes}


def predict_longest(rng):
    # The last pair at position 1 is the sine and the cosine of its frequency.
    sine, cosine = sinusoidal_encoding(2, 4)[1, -2:]
    return round(2 * math.pi / math.atan2(sine, cosine))


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
