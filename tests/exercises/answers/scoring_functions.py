"""Answers to the exercises and the questions of the page on scoring functions."""

import math

import numpy as np

from attnutils import dot_scores, gaussian_scores, softmax
from attnutils.worked_example import KEYS

HALF_SQUARES = np.array([0, 2.5, 3, 7, 2, 2.5])


def hidden(q, k, w_q, w_k, axes=(1, 0)):
    return np.tanh(np.expand_dims(q @ w_q, axes[0]) + np.expand_dims(k @ w_k, axes[1]))


def scores_of_pairs(q, k, w_q, w_k, w):
    return hidden(q, k, w_q, w_k) @ w


FOURTH, MEND = "fourth-number", "mend-additive"
SQUARE = "for n_q = 3, n_k = 3 and h = 4, "

RIGHT = {
    "far-odds": [2.298, math.log(99) / 2],
    "hidden-winner": [(-0.5, 1), [[-0.5, 1]], np.array([-0.6, 1.3])],
    FOURTH: [-HALF_SQUARES, list(7 - HALF_SQUARES), -HALF_SQUARES[:, None]],
    MEND: [
        scores_of_pairs,
        lambda q, k, a, b, w: [[np.tanh(x @ a + y @ b) @ w for y in k] for x in q],
    ],
}

WRONG = [
    ("far-odds", 4.595, "the keys are 2 apart"),
    ("far-odds", 1.1488, "the squares are halved"),
    ("far-odds", 2.3026, "odds are .99 to the rest, not 1"),
    ("far-odds", 3.2976, "count from the point midway"),
    ("far-odds", 0.005, "odds are .99 to the rest; this is one"),
    ("far-odds", 1, "half the difference"),
    ("hidden-winner", 1, "expected an array of shape (2,), got a number"),
    ("hidden-winner", (math.nan, 1), "NaN or inf"),
    ("hidden-winner", (0.5, 1), "by the Gaussian score another key"),
    ("hidden-winner", (0, 2), "by the Gaussian score another key"),
    ("hidden-winner", (-1, 1.5), "by the dot product it wins"),
    ("hidden-winner", (-1, 1.1), "by the dot product it wins"),
    (FOURTH, HALF_SQUARES, "the sign is wrong"),
    (FOURTH, -2 * HALF_SQUARES, "half of that"),
    (FOURTH, 2 * HALF_SQUARES, "long keys have to lose, and half of that"),
    (FOURTH, np.sqrt(2 * HALF_SQUARES), "this is the length"),
    (FOURTH, np.zeros(6), "multiply out the squared distance"),
    (FOURTH, np.full(6, math.inf), "multiply out the squared distance"),
    (MEND, lambda *a: hidden(*a[:4], (0, 1)) @ a[4], f"{SQUARE}query i and key j"),
    (MEND, lambda *a: hidden(*a[:4]).sum(axis=-1), f"{SQUARE}w weighs the hidden units"),
    (MEND, lambda *a: hidden(*a[:4], (0, 1)).sum(axis=-1), f"{SQUARE}the axes are turned, and w"),
    (MEND, lambda q, k, *_: q @ k.T, f"{SQUARE}these are not"),
    (MEND, lambda q, k, *w: scores_of_pairs(q, k[: len(q)], *w),
     "for n_q = 2, n_k = 5 and h = 6, expected an array of shape (2, 5)"),
]  # fmt: skip


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
    start = softmax(gaussian_scores(np.array([-0.4, 0.7]), PLANE)).max()
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
