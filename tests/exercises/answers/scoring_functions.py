"""Answers to the exercises and the questions of the page on scoring functions."""

import math

import numpy as np

from attnutils import additive_scores, bilinear_scores, dot_scores, gaussian_scores, softmax
from attnutils.worked_example import KEYS

HALF_SQUARES = np.array([0, 2.5, 3, 7, 2, 2.5])


def hidden(q, k, w_q, w_k, axes=(1, 0)):
    return np.tanh(np.expand_dims(q @ w_q, axes[0]) + np.expand_dims(k @ w_k, axes[1]))


def scores_of_pairs(q, k, w_q, w_k, w):
    return hidden(q, k, w_q, w_k) @ w


FOURTH, MEND = "fourth-number", "mend-additive"
SQUARE = "for n_q = 3, n_k = 3 and h = 4, "

RIGHT = {
    "read-the-scale": [[11.3137, 128, 12], (11.31, 128, 12)],
    "hidden-winner": [(-0.5, 1), [[-0.5, 1]], np.array([-0.6, 1.3])],
    FOURTH: [-HALF_SQUARES, list(7 - HALF_SQUARES), -HALF_SQUARES[:, None]],
    MEND: [
        scores_of_pairs,
        lambda q, k, a, b, w: [[np.tanh(x @ a + y @ b) @ w for y in k] for x in q],
    ],
}

WRONG = [
    ("read-the-scale", [128, 128, 12], "Qwen3 has no field"),
    ("read-the-scale", [11.314, 0.0078125, 12], "the multiplier multiplies"),
    ("read-the-scale", [11.314, 11.314, 12], "Granite says it itself"),
    ("read-the-scale", [11.314, 128, 144], "of query_pre_attn_scalar"),
    ("read-the-scale", [11.314, 128, 11.314], "Gemma 2 has a field"),
    ("read-the-scale", [1, 2, 3], "no field: the root"),
    ("hidden-winner", 1, "expected an array of shape (2,), got a number"),
    ("hidden-winner", (math.nan, 1), "NaN or inf"),
    ("hidden-winner", (0.5, 1), "by the Gaussian score another key"),
    ("hidden-winner", (0, 2), "by the Gaussian score another key"),
    ("hidden-winner", (-1, 1.5), "by the dot product it wins"),
    ("hidden-winner", (-1, 1.1), "by the dot product it wins"),
    (FOURTH, np.zeros(6), "multiply out the squared distance"),
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


def predict_divisor(rng):
    def typical(d, n=20_000):
        q, other = rng.normal(size=(2, n, d))
        return np.mean(np.sum(q * (0.5 * q + 0.75**0.5 * other), axis=-1))

    ratio = typical(256) / typical(16)  # 16 times as wide
    return {
        "As large as before": ratio < 2,
        "4 times": 3 < ratio < 6,
        "16 times": 14 < ratio < 18,
    }


def predict_cosine(rng):
    cosines = np.array([1.0] + [-1.0] * 1023)
    best = softmax(cosines)[0]
    assert all(softmax(rng.uniform(-1, 1, size=1024)).max() < best for _ in range(100))
    return {
        "Less than .01": best < 0.01,
        "About .5": 0.3 < best < 0.7,
        "More than .99": best > 0.99,
    }


def predict_sink(rng):
    angle = rng.uniform(0, 2 * np.pi, size=1000)
    far = 1e4 * np.stack([np.cos(angle), np.sin(angle)], axis=-1)

    def kept(scores):
        return softmax(np.pad(scores, ((0, 0), (0, 1))))[:, :-1].sum(axis=-1)

    near, along = kept(gaussian_scores(far, PLANE)), kept(dot_scores(far, PLANE))
    none, nearly_all = np.all(near < 0.01), np.mean(along > 0.99) > 0.99
    return {
        "Almost none, by either score": none and np.all(along < 0.01),
        "Almost none by the Gaussian, almost all by the dot product": none and nearly_all,
        "Almost all, by either score": nearly_all and np.all(near > 0.99),
    }


def predict_bounded(rng):
    q, keys = rng.normal(size=(1, 4)), rng.normal(size=(5, 4))
    w_q, w_k, w, m = (rng.normal(size=shape) for shape in ((4, 8), (4, 8), (8,), (4, 4)))
    scores = {
        "Dot product": lambda q: dot_scores(q, keys),
        "Gaussian": lambda q: gaussian_scores(q, keys),
        "Bilinear": lambda q: bilinear_scores(q, keys, m),
        "Additive": lambda q: additive_scores(q, keys, w_q, w_k, w),
    }
    bound = np.abs(w).sum() + 1e-9
    return {name: np.abs(score(1e6 * q)).max() <= bound for name, score in scores.items()}


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
