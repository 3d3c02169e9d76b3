"""Answers to the exercises of the page on training, right and wrong."""

import numpy as np


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
