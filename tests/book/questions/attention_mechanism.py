"""Proofs of the questions of the page on the attention mechanism."""

import numpy as np

from attnutils import attention, dot_scores, entropy, softmax
from attnutils.worked_example import KEYS, VALUES, WORDS


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


def predict_winner(rng):
    queries = np.vstack([rng.normal(scale=5, size=(20_000, 3)), -KEYS, 3 * KEYS])
    weights = attention(queries, KEYS, VALUES, scores=dot_scores).weights
    most = weights.max(axis=1, keepdims=True)
    alone = (weights == most) & ((weights == most).sum(axis=1, keepdims=True) == 1)
    never = {word: not alone[:, i].any() for i, word in enumerate(WORDS)}
    # Not by chance: the zero key is a mean of others, so its score never leads.
    assert np.abs(np.array([0, 3, 2, 0, 4, 1]) @ KEYS).max() == 0
    return {
        **{word: never[word] for word in ("Book", "A", "The", "Child")},
        "Each can win": not any(never.values()),
    }


def predict_broken(rng):
    def is_wrong_in_silence(n_queries):
        """Whether the broken softmax returns weights of these queries that are wrong."""
        wrong = []
        for _ in range(20):
            scores = rng.normal(size=(*n_queries, 6))
            e = np.exp(scores - scores.max(axis=-1, keepdims=True))
            try:
                wrong.append(not np.allclose(e / e.sum(axis=-1), softmax(scores)))
            except ValueError:
                return False
        return all(wrong)

    one, five, six = (is_wrong_in_silence(n) for n in [(), (5,), (6,)])
    return {
        "For one query": one,
        "For five queries": five,
        "For six queries": six,
        "For any number": one and five and six,
    }
