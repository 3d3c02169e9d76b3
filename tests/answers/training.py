"""Answers to the exercises and the questions of the page on training."""

from fractions import Fraction
from itertools import permutations

import numpy as np

from attnutils import (
    ClassifierParams,
    attention,
    attention_backward,
    init_classifier,
    token_classifier,
)
from attnutils.toy_tasks import load_reversal_runs, lookup_batch, reversal_batch
from attnutils.widgets.training_explorer import encoding_of, run_of


def backward(weights, d_weights):
    return weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True))


def by_jacobian(weights, d_weights):
    jacobian = weights[..., None] * (np.eye(weights.shape[-1]) - weights[..., None, :])
    return (jacobian @ d_weights[..., None])[..., 0]


def minus(mixture):
    """A backward with another mixture."""
    return lambda a, d: a * (d - mixture(a, d))


def in_place(weights, d_weights):
    d_weights -= (weights * d_weights).sum(axis=-1, keepdims=True)
    return weights * d_weights


COVARIANCE = [[0.5094, 0.2820, 0.0372], [0.2820, 0.3107, 0.0464], [0.0372, 0.0464, 0.0207]]
ROOT = 3**0.5

RIGHT = {
    "query-covariance": [COVARIANCE, np.round(COVARIANCE, 3)],
    "write-softmax-backward": [backward, by_jacobian],
    "saturated-gap": [5.9864, 5.99, np.log((1 + 0.99**0.5) / (1 - 0.99**0.5))],
    "first-adam-step": [[-0.01, 0.01, -0.01], np.array([-0.01, 0.01, -0.00999990])],
    "odd-length": [(1 / 9, np.log(9)), (0.111, 2.197), [0.1111, 2.1972]],
    "eleven-letters": [(10, 1 / 11), [10, 0.0909], (10, 0.091)],
}

WRONG = [
    ("query-covariance", ROOT * np.array(COVARIANCE), "this is the covariance"),
    ("query-covariance", np.array(COVARIANCE) / ROOT, "divide by the root of d_k"),
    (
        "query-covariance",
        [[0.4323, 0.2204, 0.0044], [0.2204, 0.1360, 0.0048], [0.0044, 0.0048, 0.0017]],
        "these are the unscaled scores",
    ),
    (
        "query-covariance",
        [[0.2496, 0.1273, 0.0026], [0.1273, 0.0785, 0.0027], [0.0026, 0.0027, 0.0010]],
        "the weights are those of unscaled",
    ),
    (
        "query-covariance",
        [[0.4620, 0.2626, 0.0753], [0.2626, 0.4478, 0.1171], [0.0753, 0.1171, 0.0687]],
        "scores are divided by the root",
    ),
    (
        "query-covariance",
        [[1.7518, 2.5034, 0.8594], [2.5034, 4.2831, 1.5166], [0.8594, 1.5166, 0.5649]],
        "the mean key is not subtracted",
    ),
    (
        "query-covariance",
        [[1.1066, 0.2887, 0.1443], [0.2887, 1.0906, 0.6094], [0.1443, 0.6094, 0.6575]],
        "here all six words count alike",
    ),
    ("query-covariance", np.round(COVARIANCE, 2), "right to two digits; give four"),
    ("query-covariance", 2.35462226 * np.array(COVARIANCE), "np.cov corrects"),
    ("query-covariance", np.eye(3), "take the weights of the scaled scores"),
    ("query-covariance", [0.5, 0.3, 0.02], "expected an array of shape (3, 3), got (3,)"),
    ("write-softmax-backward", 3, "expected a function backward(weights, d_weights)"),
    ("write-softmax-backward", lambda a, d: a * d, "the mixture of the row is not"),
    ("write-softmax-backward", lambda a, d: a * (1 - a) * d, "a score moves the other"),
    (
        "write-softmax-backward",
        lambda a, d: d - (a * d).sum(axis=-1, keepdims=True),
        "the factor of the weight",
    ),
    ("write-softmax-backward", lambda a, d: -backward(a, d), "the sign is turned round"),
    (
        "write-softmax-backward",
        minus(lambda a, d: d.sum(axis=-1, keepdims=True)),
        "the mixture is taken without weights",
    ),
    (
        "write-softmax-backward",
        minus(lambda a, d: d.mean(axis=-1, keepdims=True)),
        "the mixture takes each derivative",
    ),
    (
        "write-softmax-backward",
        minus(lambda a, d: (a * d).mean(axis=-1, keepdims=True)),
        "the weights sum to 1 already",
    ),
    (
        "write-softmax-backward",
        minus(lambda a, d: (a * d).sum(axis=-2, keepdims=True)),
        "the sum runs down the columns",
    ),
    (
        "write-softmax-backward",
        minus(lambda a, d: (a * d).sum(axis=-1)[:, None, :]),
        "a row is given the mixture of another",
    ),
    (
        "write-softmax-backward",
        minus(lambda a, d: (a * d).sum()),
        "the sum runs over the whole array",
    ),
    (
        "write-softmax-backward",
        minus(lambda a, d: (a * d).sum(axis=(-2, -1), keepdims=True)),
        "the sum runs over all rows",
    ),
    ("write-softmax-backward", in_place, "your function changes its arguments"),
    ("write-softmax-backward", lambda a, d: a, "the numbers are off"),
    ("write-softmax-backward", lambda a, d: a[0], "for weights of shape (2, 4, 4), expected"),
    ("write-softmax-backward", lambda a: a, "for weights of shape (2, 4, 4), it raises"),
    ("saturated-gap", -5.9864, "the size of the gap"),
    ("saturated-gap", 4.5848, "the largest value of the factor is 1/4"),
    ("saturated-gap", 4.6052, "the factor is not e to minus the gap"),
    ("saturated-gap", 4.5951, "here the rest of the weight is one hundredth"),
    ("saturated-gap", 8.6366, "take the natural logarithm"),
    ("saturated-gap", 2.5999, "take the natural logarithm"),
    ("saturated-gap", 0.9975, "this is the weight"),
    ("saturated-gap", 0.0025, "this is the weight"),
    ("saturated-gap", 3, "solve alpha"),
    ("first-adam-step", [-0.003, 0.2, -0.00001], "this is plain gradient descent"),
    ("first-adam-step", [0.01, -0.01, 0.01], "a step goes against"),
    ("first-adam-step", [-1, 1, -1], "the learning rate is missing"),
    ("first-adam-step", [-0.0316228, 0.0316228, -0.0316228], "m and u are not corrected"),
    ("first-adam-step", [-0.001, 0.001, -0.001], "is the rate .01"),
    ("first-adam-step", [-0.316228, 0.316228, -0.316228], "u is not corrected"),
    ("first-adam-step", [-0.0333333, 0.0005, -10], "divide by the root of u"),
    ("first-adam-step", [-0.01, -0.01, -0.01], "a negative derivative"),
    ("first-adam-step", [0, 0, 0], "write down m and u"),
    ("odd-length", (0.11, 2.2), "right to two digits; give four"),
    ("odd-length", (0.1, 2.3026), "nine letters are there"),
    ("odd-length", (0.125, 2.0794), "the answer may be the letter itself"),
    ("odd-length", (0.1111, 3.1699), "the loss is in bits"),
    ("odd-length", (0.1111, 2.0794), "all nine are equally likely"),
    ("odd-length", (0.0833, 2.4849), "it knows which nine"),
    ("odd-length", (0.1111, 2.4849), "it knows which nine"),
    ("odd-length", (0.2222, 2.1972), "it cannot tell that its letter"),
    ("odd-length", (0.2222, 1.8484), "it cannot tell that its letter"),
    ("odd-length", (1, 0), "that takes positions"),
    ("odd-length", (2.1972, 0.1111), "the two are exchanged"),
    ("odd-length", (11.1111, 2.1972), "give the accuracy as a share"),
    ("odd-length", (0.5, 0.5), "how likely is it"),
    ("odd-length", 0.1111, "expected an array of shape (2,), got a number"),
    ("eleven-letters", (0, 1 / 11), "place 0 looks at position 9"),
    ("eleven-letters", (11, 1 / 11), "places are counted from 0"),
    ("eleven-letters", (9, 1 / 11), "place 9 looks at position 0"),
    ("eleven-letters", (5, 1 / 11), "the middle should look at itself"),
    ("eleven-letters", (10, 0.1), "it is one letter of eleven"),
    ("eleven-letters", (10, 10 / 11), "how many of the eleven"),
    ("eleven-letters", (1 / 11, 10), "the two are exchanged"),
    ("eleven-letters", (10, 9.0909), "give the share as a share of 1"),
    ("eleven-letters", (3, 0.5), "where does each place look"),
    ("eleven-letters", 10, "expected an array of shape (2,), got a number"),
]


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
    params = init_classifier(rng, 12, 12)
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
    layer = ClassifierParams(
        embedding=np.eye(12),
        w_query=-1000 * np.eye(12),
        w_key=np.eye(12),
        w_value=np.eye(12),
        w_output=np.diag(np.arange(1.0, 13)),
        b_output=np.zeros(12),
    )
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
    key, value, question = np.eye(8), np.eye(8), 8
    embedding = np.zeros((72, 17))
    for symbol in range(64):
        embedding[symbol] = [*key[symbol // 8], *value[symbol % 8], 0]
    embedding[64:, :8], embedding[64:, 16] = key, 1
    only_key = np.eye(17)[:, :8]
    hide_question = np.zeros((17, 9))
    hide_question[:, :8] = only_key
    hide_question[16, question] = -1
    ask = np.zeros((17, 9))
    ask[:, :8] = only_key
    ask[16, question] = 2
    layer = ClassifierParams(
        embedding, 1000 * ask, hide_question, np.eye(17)[:, 8:16], np.eye(8), np.zeros(8)
    )
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
