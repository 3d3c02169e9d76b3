"""Proofs of the questions of the page on the attention mechanism."""

import numpy as np

from attnutils import attention, dot_scores, entropy, softmax
from attnutils.worked_example import KEYS, VALUES, WORDS


def predict_largest(rng):
    assert KEYS[5].tolist() == [0, 2, 1]
    weights = attention(KEYS[5], KEYS, VALUES, scores=dot_scores).weights
    others = {word: np.delete(weights, i).max() for i, word in enumerate(WORDS)}
    return {
        **{word: weights[WORDS.index(word)] > others[word] for word in ("Book", "Reads", "Child")},
        "All the same": np.ptp(weights) < 1e-12,
    }


def predict_the(rng):
    assert KEYS[0].tolist() == [0, 0, 0]
    return attention(KEYS[0], KEYS, VALUES, scores=dot_scores).output[0]


def predict_shift(rng):
    scores = np.vstack([KEYS @ KEYS[5], rng.normal(scale=3, size=(20, 6))])
    before, after = entropy(softmax(scores)), entropy(softmax(scores + 100))
    return {
        "They get sharper": np.all(after < before - 1e-9),
        "They get more even": np.all(after > before + 1e-9),
        "Nothing": np.allclose(softmax(scores + 100), softmax(scores), rtol=0, atol=1e-12),
    }
