"""Answers to the exercises of the page on scoring functions, right and wrong."""

import math

import numpy as np

HALF_SQUARES = np.array([0, 2.5, 3, 7, 2, 2.5])


def regression(x, y, places, sigma, *, factor=2, power=2, axis=-1, shift=True):
    scores = -((places[:, None] - x) ** 2) / (factor * sigma**power)
    kernels = np.exp(scores - scores.max(axis=axis, keepdims=True) * shift)
    return kernels / kernels.sum(axis=axis, keepdims=True) @ y


def slipped(**slip):
    return lambda *data: regression(*data, **slip)


RIGHT = {
    "score-divisor": [32, 32.0, np.array([32])],
    "one-hot-keys": [(0.352, 0.231), [math.e / (math.e + 5), 0.2313]],
    "additive-by-hand": [(-1.928, -0.559), [[-1.9281, -0.5592]]],
    "additive-memory": [2, 2.0],
    "fourth-number": [-HALF_SQUARES, list(7 - HALF_SQUARES), -HALF_SQUARES[:, None]],
    "one-bandwidth": [4.243, 3 * math.sqrt(2)],
    "write-regression": [regression, lambda *data: list(regression(*data))],
}

WRONG = [
    ("score-divisor", 8, "this is right for standard deviation 1"),
    ("score-divisor", 16, "both factors of a product"),
    ("score-divisor", 1024, "this is the variance"),
    ("score-divisor", 128, "standard deviations do not add up"),
    ("score-divisor", 64, "this is the width"),
    ("score-divisor", 31, "a product of two components has variance"),
    ("one-hot-keys", (0.2313, 0.3522), "the two numbers are in the wrong order"),
    ("one-hot-keys", (1, 1), "softmax gives a score of 0 some weight"),
    ("one-hot-keys", (0.3522, 0.1911), "divide by the root of the width"),
    ("one-hot-keys", (0.3522, 0.2627), "one-hot keys of six words are 6 wide"),
    ("one-hot-keys", (1 / 6, 1 / 6), "the score is 1 with the word itself"),
    ("one-hot-keys", 0.3522, "expected an array of shape (2,), got a number"),
    ("additive-by-hand", (-0.5592, -1.9281), "these are the scores in the wrong order"),
    ("additive-by-hand", (-4, 0), "the hidden layer is not bent"),
    ("additive-by-hand", (-0.9993, 0), "tanh bends the hidden layer, before"),
    ("additive-by-hand", (0.964, 1.7256), "weigh the two hidden units with w"),
    ("additive-by-hand", (0, 0), "for each key add q W_q and k W_k"),
    ("additive-memory", 0.5, "these are 2^29 numbers"),
    ("additive-memory", 4, "a float32 takes 4 bytes"),
    ("additive-memory", 1 / 64, "these are the scores alone"),
    ("additive-memory", 2.147, "a GiB is 2^30 bytes"),
    ("additive-memory", 2147483648, "these are bytes; divide"),
    ("additive-memory", 1 / 512, "every query meets every key"),
    ("additive-memory", 3, "count the numbers"),
    ("fourth-number", HALF_SQUARES, "the sign is wrong"),
    ("fourth-number", -2 * HALF_SQUARES, "half of that"),
    ("fourth-number", 2 * HALF_SQUARES, "long keys have to lose, and half of that"),
    ("fourth-number", np.sqrt(2 * HALF_SQUARES), "this is the length"),
    ("fourth-number", np.zeros(6), "multiply out the squared distance"),
    ("fourth-number", np.zeros(3), "expected an array of shape (6,), got (3,)"),
    ("fourth-number", [1, 2, 3, 4, 5, math.nan], "NaN is among your numbers"),
    ("fourth-number", np.full(6, math.inf), "multiply out the squared distance"),
    ("one-bandwidth", 18, "this is the temperature of both"),
    ("one-bandwidth", 6, "a bandwidth counts with its square"),
    ("one-bandwidth", math.sqrt(11), "temperatures multiply; they do not add"),
    ("one-bandwidth", 3 / math.sqrt(2), "a temperature above 1 widens"),
    ("one-bandwidth", 5, "turn the bandwidth into a temperature"),
    ("write-regression", 4.0, "expected a function regression(x, y, places, sigma), got float"),
    ("write-regression", slipped(factor=1), "for places [0.5 2.  5. ] and sigma=1, halve the"),
    ("write-regression", slipped(power=1), "for places [0.5 2.  5. ] and sigma=3, square sigma"),
    ("write-regression", slipped(axis=0), "for places [0.5 2.  5. ] and sigma=1, the weights of"),
    ("write-regression", slipped(factor=-2), "for places [0.5 2.  5. ] and sigma=1, these are not"),
    ("write-regression", slipped(shift=False), "for places [-500.  500.] and sigma=0.5, there is"),
    ("write-regression", lambda x, y: y, "for places [0.5 2.  5. ] and sigma=1, it"),
    ("write-regression", lambda x, y, *_: y, "for places [0.5 2.  5. ] and sigma=1, expected an"),
]  # fmt: skip
