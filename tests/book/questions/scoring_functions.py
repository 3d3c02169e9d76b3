"""Proofs of the questions of the page on scoring functions."""

import numpy as np

from attnutils import dot_scores, gaussian_scores, softmax
from attnutils.worked_example import KEYS

PLANE = KEYS[:, :2]


def around(n=3600):
    angle = np.linspace(0, 2 * np.pi, n, endpoint=False)
    return np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def predict_long(rng):
    def share(keys, i):
        """How much of all directions a key wins by the dot product."""
        return np.mean(dot_scores(around(), keys).argmax(axis=-1) == i)

    # The page's keys, and any with one of zeros. A thinner sliver may grow between two directions.
    cases = [(PLANE, 2)]
    for _ in range(20):
        keys = np.vstack([np.zeros(2), rng.normal(size=(5, 2))])
        cases += [(keys, i) for i in range(1, 6) if 0.005 < share(keys, i) < 1]
    changes = []
    for keys, i in cases:
        longer = keys.copy()
        longer[i] *= 2
        changes.append(share(longer, i) - share(keys, i))
    return {
        "It stays as it is": all(abs(change) < 1e-12 for change in changes),
        "It grows": all(change > 0 for change in changes),
        "It shrinks": all(change < 0 for change in changes),
    }


def predict_far(rng):
    start = softmax(gaussian_scores(np.array([0.3, 0.4]), PLANE)).max()
    angle = rng.uniform(0, 2 * np.pi, size=1000)
    far = 1e4 * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    largest = softmax(gaussian_scores(far, PLANE)).max(axis=-1)
    return {
        "About 1/6": np.mean(largest < 0.2) > 0.99,
        "As large as at the start": np.mean(abs(largest - start) < 0.1) > 0.99,
        "Nearly 1": np.mean(largest > 0.99) > 0.99,
    }


def predict_sigma(rng):
    x = np.sort(rng.uniform(0, 10, size=24))
    y = np.sin(x) + x / 4 + rng.normal(scale=0.3, size=24)
    errors = []
    for sigma in np.geomspace(1e-5, 100, 40):
        weights = softmax(gaussian_scores(x[:, None], x[:, None], sigma))
        errors.append(np.mean((weights @ y - y) ** 2))
    best = np.argmin(errors)
    return {
        "The narrowest": best == 0,
        "One in between": 0 < best < 39,
        "The widest": best == 39,
    }


def predict_cost(rng):
    n, d = 1000, 64
    dot = n * n * d
    split = 2 * n * d * d + n * n * d
    ratio = split / dot
    return {
        "About a tenth": ratio < 0.2,
        "About as many": 0.5 < ratio < 2,
        "A hundred times": ratio > 50,
    }
