"""Answers to the exercises and the questions of the page on the attention mechanism."""

import numpy as np

from attnutils import attention, dot_scores, entropy, softmax
from attnutils.worked_example import KEYS, VALUES, WORDS

X = np.array([[1.0, 2, 4], [0, -3, 1], [2, 2, 800]])


def sums_alone(f):
    return all(np.allclose(f(X, axis=a).sum(axis=a), 1) for a in (0, 1))


def is_softmax(f):
    """A learner's test that is good enough."""
    return sums_alone(f) and np.allclose(f(X)[:2, 1] / f(X)[:2, 0], np.exp(X[:2, 1] - X[:2, 0]))


def odds_alone(f):
    x = np.array([[1000.0, 1001, 999], [-1000, -1002, -1001]])
    weights = f(x, axis=-1)
    return np.allclose(weights[:, 1] / weights[:, 0], np.exp(x[:, 1] - x[:, 0]))


def order_alone(f):
    """Takes a softmax at another temperature for one."""
    return sums_alone(f) and bool((f(X)[0] != f(X)[0, 0]).any())


def rows_of(x):
    return lambda f: bool(np.allclose(f(np.array(x), axis=-1).sum(axis=-1), 1))


def shape_alone(f):
    return f(np.ones((2, 3)), axis=-1).shape == (2, 3) and bool(np.isfinite(f([800, 0])).all())


def asserts_softmax(f):
    assert is_softmax(f)
    return True


CATCH, PASSES = "catch-softmax", "a wrong softmax slips through: it"

ORDER = "order-softmax"


def softmax_in_order(x, axis=-1, top=True):
    """As the lines say; along another axis or without the largest score, as the wrong ones."""
    e = np.exp(x - x.max(axis=-1, keepdims=True) if top else x)
    return e / e.sum(axis=axis, keepdims=True)


def used_too_early(x):
    e = np.exp(x - top)  # noqa: F821
    top = x.max(axis=-1, keepdims=True)
    return e, top


RIGHT = {
    "all-outputs": [[0.1, 0.1003, 0.2979, 0.3997, 0.0025, 0.3624]],
    CATCH: [is_softmax, asserts_softmax, lambda f: np.bool_(is_softmax(f))],
    # By hand: e^7 (.4 - .2) + e^5 .1 + e^-4 .3 - e .2, over 2 e^7 + e^5 + 2 + e + e^-4.
    "second-reads": [0.0996],
    ORDER: [softmax_in_order, softmax],
    "book-wins": [[-3, 3, 3], (-4, 4.5, 4)],
}

WRONG = [
    (ORDER, lambda x: softmax_in_order(x, axis=0), "for scores of shape (3, 3), the col"),
    (ORDER, lambda x: softmax_in_order(x, top=False), "for scores of shape (3, 5) in the t"),
    (ORDER, used_too_early, "a line takes what only a later line makes"),
    (ORDER, lambda x: np.exp(x), "for scores of shape (6,), these are not"),
    ("all-outputs", [0.1] * 6, "scores are keys @ keys.T"),
    ("all-outputs", [0.1] * 5, "expected an array of shape (6,), got (5,)"),
    ("all-outputs", np.ones((1, 6)), "expected an array of shape (6,), got (1, 6)"),
    ("all-outputs", 0.1, "expected an array of shape (6,), got a number"),
    ("all-outputs", attention(KEYS, KEYS, VALUES), "expected an array of shape (6,), got Att"),
    ("second-reads", 0.3, "two words share what Reads had"),
    ("second-reads", ".45", "expected a number, got str"),
    ("second-reads", [0.2, 0.45], "expected a number, got an array of shape (2,)"),
    ("second-reads", True, "expected a number, got bool"),
    ("second-reads", 0.45 + 0j, "expected a number, got complex"),
    ("second-reads", np.array("a"), "expected a number, got ndarray of dtype <U1"),
    ("book-wins", [-1, 1, 1], "Book leads with 0.55; it is to have more"),
    ("book-wins", KEYS[5], "Reads has as much weight as Book"),
    ("book-wins", [0, 0, 0], "The has as much weight as Book"),
    ("book-wins", [-9, 1, 1], "A has as much weight as Book"),
    ("book-wins", [-3, np.inf, 3], "the three numbers of a query are finite"),
    ("book-wins", [-3, 3], "expected an array of shape (3,), got (2,)"),
    (CATCH, lambda f: True, f"{PASSES} divides a row by the total of another"),
    (CATCH, odds_alone, f"{PASSES} does not divide by a total"),
    (CATCH, sums_alone, f"{PASSES} gives each key the same"),
    (CATCH, order_alone, f"{PASSES} divides the scores by 2"),
    (CATCH, rows_of([1, 2, 800]), f"{PASSES} divides a row by the total of another"),
    (CATCH, rows_of([[1, 2], [0, 5]]), f"{PASSES} divides by a total that has overflowed"),
    (CATCH, shape_alone, f"{PASSES} divides by a total along another axis"),
    (CATCH, lambda f: False, "your test turns a right softmax away"),
]  # fmt: skip


def predict_values(rng):
    assert VALUES[3] == 0.4
    before, after = (
        attention(KEYS[5], KEYS, values, scores=dot_scores)
        for values in (VALUES, np.where(VALUES == 0.4, 4, VALUES))
    )
    assert round(before.output.item(), 2) == 0.36
    assert round(after.output.item(), 1) == 3.5
    moved = before.weights != after.weights
    return {
        "Only the output": not moved.any(),
        "The output and the weight of Reads": moved[3] and moved.sum() == 1,
        "The output and all six weights": moved.all(),
    }


def predict_score(rng):
    assert KEYS[1].tolist() == [2, 0, 1]
    assert KEYS[1] @ KEYS[1] == KEYS[1] @ KEYS[3]  # as the answer says
    return KEYS[1] @ KEYS[3]


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
        **{word: never[word] for word in ("Book", "A", "The", "Sleepy")},
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
