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
    p = sinusoidal_encoding(15, 32)
    after, before = p[10] @ p[14], p[10] @ p[6]
    equal = math.isclose(after, before)
    return {
        "They are equal": equal,
        "The one after": not equal and after > before,
        "The one before": not equal and after < before,
    }


def predict_steady(rng):
    steady = []
    for d in (2, 4, 32, 128):
        p = sinusoidal_encoding(200, d)
        similarity = p @ p[0]
        assert similarity.argmax() == 0
        steady.append(np.all(np.diff(similarity) < 0))
    return {"Yes": all(steady), "No": not any(steady)}


def predict_longer(rng):
    # Of all 20 seeds, and of the model that the page tests.
    by_seed = load_longer_texts().accuracy["three back", "rotary"][:, 40:].mean(axis=1)
    return {
        "Below a quarter": (by_seed < 0.25).sum() >= 19 and by_seed[0] < 0.25,
        "About half": bool(((by_seed > 0.35) & (by_seed < 0.65)).any()),
        "Nearly always": bool((by_seed > 0.9).any()),
    }
