"""Proofs of the questions of the page on scoring functions."""

import numpy as np

from attnutils import attention, gaussian_scores, softmax
from attnutils.worked_example import KEYS, VALUES, WORDS


def predict_mean(rng):
    def sizes(d):
        """|d weights / d query| of 2,000 draws of a query and ten keys, with raw scores."""
        found = []
        for _ in range(2000):
            q, k = rng.normal(size=d), rng.normal(size=(10, d))
            a = softmax(k @ q)
            found.append(np.linalg.norm((np.diag(a) - np.outer(a, a)) @ k))
        return np.array(found)

    narrow, wide = sizes(64), sizes(1024)
    assert np.median(wide) < 0.01 < 0.4 < np.median(narrow)
    ratio = wide.mean() / narrow.mean()
    # With √d the mean would grow fourfold.
    return {
        "It falls to almost 0 as well": ratio < 0.1,
        "It stays where it is": 0.5 < ratio < 2,
        "It grows without end": ratio > 3,
    }


def predict_gaussian(rng):
    weights = attention(KEYS[5], KEYS, VALUES, scores=gaussian_scores).weights
    others = {word: np.delete(weights, i).max() for i, word in enumerate(WORDS)}
    return {
        **{word: weights[WORDS.index(word)] > others[word] for word in ("Reads", "Book", "The")},
        "All the same": np.ptp(weights) < 1e-12,
    }
