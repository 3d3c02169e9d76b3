"""Answers to the exercises and the questions of the page on training."""

from fractions import Fraction
from itertools import permutations

import numpy as np

from attnbook.models import toy_tasks
from attnbook.models.reversal import encoding_of, load_reversal_runs, run_of
from attnbook.models.toy_tasks import (
    ClassifierParams,
    lookup_batch,
    reversal_batch,
    token_classifier,
)
from attnutils import attention, attention_backward
from tools.experiments import reversal_runs


def backward(weights, d_weights):
    return weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True))


def by_jacobian(weights, d_weights):
    jacobian = weights[..., None] * (np.eye(weights.shape[-1]) - weights[..., None, :])
    return (jacobian @ d_weights[..., None])[..., 0]


def mixing(how, axis=-1, weighted=True):
    """A backward with another mixture: the sum or the mean of the derivatives, along an axis."""
    return lambda a, d: a * (d - getattr(a * d if weighted else d, how)(axis, keepdims=True))


def in_place(weights, d_weights):
    d_weights -= (weights * d_weights).sum(axis=-1, keepdims=True)
    return weights * d_weights


BACK, GAP = "write-softmax-backward", "saturated-gap"
ADAM, ELEVEN = "first-adam-step", "eleven-letters"

RIGHT = {
    BACK: [backward, by_jacobian],
    GAP: [5.9864, np.log((1 + 0.99**0.5) / (1 - 0.99**0.5))],
    ADAM: [[-0.01, 0.01, -0.01], [-0.01, 0.01, -0.00999990]],
    ELEVEN: [(10, 1 / 11), (10, 0.091)],
}

WRONG = [
    (BACK, lambda a, d: a * d, "the mixture of the row is not"),
    (BACK, lambda a, d: a * (1 - a) * d, "a score moves the other"),
    (BACK, lambda a, d: d - (a * d).sum(axis=-1, keepdims=True), "the factor of the weight"),
    (BACK, lambda a, d: -backward(a, d), "the sign is turned round"),
    (BACK, mixing("sum", weighted=False), "the mixture is taken without weights"),
    (BACK, mixing("mean", weighted=False), "the mixture takes each derivative"),
    (BACK, mixing("mean"), "the weights sum to 1 already"),
    (BACK, mixing("sum", -2), "the sum runs down the columns"),
    (BACK, lambda a, d: a * (d - (a * d).sum(2)[:, None]), "a row is given the mixture of another"),
    (BACK, mixing("sum", None), "the sum runs over the whole array"),
    (BACK, mixing("sum", (-2, -1)), "the sum runs over all rows"),
    (BACK, in_place, "your function changes its arguments"),
    (BACK, lambda a, d: a, "the numbers are off"),
    (BACK, lambda a, d: a[0], "for weights of shape (2, 4, 4), expected"),
    (GAP, 3, "solve alpha"),
    (ADAM, [0, 0, 0], "write down m and u"),
    (ELEVEN, (3, 0.5), "where does each place look"),
]  # fmt: skip


def accuracy(params, tokens, targets):
    asked = targets >= 0
    predicted = token_classifier(tokens, params).logits.argmax(axis=-1)
    return (predicted == targets)[asked].mean()


def predict_equal_keys(rng):
    q, key, values = rng.normal(size=4), rng.normal(size=4), rng.normal(size=(6, 1))
    keys = np.tile(key, (6, 1))

    def move(values):
        before, after = (attention(x, keys, values).output for x in (q, q + rng.normal(size=4)))
        return np.abs(after - before).max()

    weights = attention(q, keys, values).weights
    by_query = attention_backward(q[None], keys, values, weights[None], [[1.0]]).query[0]
    return {
        "Nothing": move(values) < 1e-12,
        "It moves, more so if the values differ more": move(10 * values) > move(values) > 1e-9,
        r"It moves by the key, divided by $\sqrt{d_k}$": np.allclose(by_query, key / 2),
    }


def predict_d_value(rng):
    q, k, v, d_y = rng.normal(size=(4, 6, 3))
    weights = attention(q, k, v).weights
    found = attention_backward(q, k, v, weights, d_y).value
    right = {
        "`weights @ d_y`": np.allclose(found, weights @ d_y),
        "`weights.T @ d_y`": np.allclose(found, weights.T @ d_y),
    }
    return {**right, "Either": all(right.values())}


def predict_one_hot(rng):
    q, k, v, d_y = rng.normal(size=(4, 5, 3))
    one_hot = np.eye(5)[rng.integers(5, size=5)]
    gradients = attention_backward(q, k, v, one_hot, d_y)
    zero = {name for name, g in zip("QKV", gradients, strict=True) if np.all(g == 0)}
    return {
        r"$\mathrm dQ$ and $\mathrm dK$": zero == {"Q", "K"},
        r"$\mathrm dV$": zero == {"V"},
        "All of them": zero == {"Q", "K", "V"},
        "None": zero == set(),
    }


def predict_no_positions(rng):
    # Without positions the answer at a letter depends on it and on which others are there.
    params = toy_tasks.init_classifier(rng, 12, 12)
    row = reversal_batch(rng, 1)[0][0]
    order = rng.permutation(10)
    before, after = (token_classifier(tokens, params).logits for tokens in (row, row[order]))
    np.testing.assert_allclose(before[order], after, rtol=0, atol=1e-12)
    # Given ten letters, each pair of the own letter and the one to say is equally likely. The best
    # guess for an own letter is the commonest of the letters to say.
    pairs = list(permutations(range(10), 2))
    to_say = [[said for own, said in pairs if own == letter] for letter in range(10)]
    best = Fraction(sum(max(map(said.count, said)) for said in to_say), len(pairs))
    # A layer that gets there: it hides its own letter and names the last in the alphabet of the
    # others. A share of 1/10 would be 15 standard errors away.
    one, last = np.eye(12), np.diag(np.arange(1.0, 13))
    layer = ClassifierParams(one, -1000 * one, one, one, last, np.zeros(12))
    assert abs(accuracy(layer, *reversal_batch(rng, 2000)) - best) < 0.005
    return {
        **{text: Fraction(text) == best for text in ("1/12", "1/10", "1/9")},
        "None": best == 0,
        "All": best == 1,
    }


def predict_nine(rng):
    # Trained anew from starts that are drawn, until one has ten letters right, and asked for nine.
    # Of 1,500 starts 27 did not learn in these 150 batches.
    def right(params, length):
        tokens, targets = reversal_batch(rng, 500, length=length)
        result = token_classifier(tokens, params, encoding=encoding_of(length, True))
        return (result.logits.argmax(axis=-1) == targets).mean(axis=0)

    starts = rng.integers(1, 10_000, size=6)
    runs = (run_of(int(start), [[0, 0.01, 0]], True, 150)[-1].params for start in starts)
    by_place = next(right(params, 9) for params in runs if right(params, 10).min() > 0.98)
    assert np.all((by_place < 0.1) | (by_place > 0.9))
    n_right = np.count_nonzero(by_place > 0.9)
    return {
        "None": n_right == 0,
        "One": n_right == 1,
        "The middle one and some more": by_place[4] > 0.9 and n_right > 1,
        "Eight": n_right == 8,
        "Nine": n_right == 9,
    }


def predict_rescue(rng):
    runs = load_reversal_runs()
    assert all(run["stuck_right"] < 0.2 and run["stuck_largest_weight"] > 0.98 for run in runs)
    named = {
        "The lower rate alone": "nothing",
        r"All but $W_q$ and $W_k$ drawn anew": "all but W_q and W_k drawn anew",
        r"$W_q$ and $W_k$ divided by 3": "W_q and W_k divided by 3",
        r"$W_q$ and $W_k$ divided by 30": "W_q and W_k divided by 30",
    }
    return {
        text: all(run["right_after"][remedy] > 0.9 for run in runs)
        for text, remedy in named.items()
    }


def predict_lookup(rng):
    # A layer that looks up every value: queries and keys hold the key alone, values the value.
    # That training finds one is what the page's next cell shows and asserts.
    key, value = np.eye(8)[np.arange(64) // 8], np.eye(8)[np.arange(64) % 8]
    pairs = np.hstack([key, value, np.zeros((64, 1))])
    questions = np.hstack([np.eye(8), np.zeros((8, 8)), np.ones((8, 1))])

    def reads_key(question):
        """A projection to the key, and to a ninth number that says whether it is a question."""
        return np.vstack([np.eye(8, 9), np.zeros((8, 9)), question * np.eye(9)[8:]])

    layer = ClassifierParams(
        np.vstack([pairs, questions]), 1000 * reads_key(2), reads_key(-1),
        np.eye(17)[:, 8:16], np.eye(8), np.zeros(8),
    )  # fmt: skip
    tokens, targets = lookup_batch(rng, 1000)
    can = accuracy(layer, tokens, targets) == 1
    # The answer is that of the pairs in another order, so no position is needed.
    turned = np.hstack([tokens[:, 5::-1], tokens[:, 6:]])
    needs_order = accuracy(layer, turned, targets) < 1
    return {
        "No, as with reversal": not can and needs_order,
        "No, it could not tell the question from the pairs": not can,
        "Yes": can and not needs_order,
    }


def predict_clip(rng):
    right = []
    for start in rng.choice(np.arange(21, 1000), 3, replace=False):
        rows = reversal_runs.right_by_place(reversal_runs.clipped(int(start))[0], 10)
        right.append(np.mean(rows) > 0.9)
    share = np.mean(right)
    return {
        "None: the rate is still far too high": share == 0,
        "About half": 0.2 < share < 0.8,
        "All twenty": share == 1,
    }
