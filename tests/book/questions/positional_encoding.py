"""Proofs of the questions of the page on positional encoding."""

import math

import numpy as np

from attnutils import attention, sinusoidal_encoding


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
    p = sinusoidal_encoding(8, 32)
    forward, back = p[3] @ p[7], p[7] @ p[3]
    equal = math.isclose(forward, back)
    opposite = math.isclose(forward, -back)
    return {
        "Equal": equal,
        "They differ": not equal and not opposite,
        "One is minus the other": opposite,
    }


def predict_steady(rng):
    steady = []
    for d in (2, 4, 32, 128):
        p = sinusoidal_encoding(200, d)
        similarity = p @ p[0]
        assert similarity.argmax() == 0
        steady.append(np.all(np.diff(similarity) < 0))
    return {"Yes": all(steady), "No": not any(steady)}
