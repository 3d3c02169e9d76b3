"""Proofs of the questions of the page on temperature."""

import numpy as np

from attnutils import hardmax, softmax, sparsemax
from attnutils.worked_example import KEYS, VALUES

SCORES = KEYS @ KEYS[5]


def predict_odds(rng):
    def odds(temperature):
        weights = softmax(SCORES, temperature=temperature)
        return weights[3] / weights[5]

    assert abs(odds(1) - 7.389) < 0.0005
    return {
        "Half of that, 3.69": abs(odds(2) - odds(1) / 2) < 0.01,
        "$e = 2.718$": abs(odds(2) - 2.718) < 0.0005,
        "The same": abs(odds(2) - odds(1)) < 0.01,
        "$e^4 = 54.6$": abs(odds(2) - 54.6) < 0.05,
    }


def predict_hard(rng):
    assert SCORES.tolist() == [0, 1, -4, 7, 0, 5]
    assert VALUES[:, 0].tolist() == [0, -0.2, 0.3, 0.4, 0, 0.1]
    return hardmax(SCORES) @ VALUES[:, 0]


def predict_tie(rng):
    tied = np.where(np.arange(6) == 5, SCORES[3], SCORES)
    on_the_way = np.array([softmax(tied, temperature=t) for t in (0.1, 0.01, 0.001, 1e-6)])
    limit = on_the_way[-1]
    return {
        "All to the first of the two": np.allclose(limit, np.eye(6)[3]),
        "Half to each": np.allclose(limit, (np.eye(6)[3] + np.eye(6)[5]) / 2),
        "It is undefined": not np.allclose(on_the_way, limit),
    }


def predict_sparsemax(rng):
    temperatures = np.arange(1, 1001) / 100
    counts = [np.count_nonzero(sparsemax(SCORES, temperature=t)) for t in temperatures]
    alone = temperatures[np.array(counts) == 1]

    def until(t):
        """Whether one word alone has weight up to T = t, and no longer."""
        return alone.size > 0 and np.array_equal(alone, temperatures[temperatures <= t])

    return {
        "At once": alone.size == 0,
        "Just above $T = 2$": until(2),
        "Just above $T = 5$": until(5),
        "Never": alone.size == temperatures.size,
    }
