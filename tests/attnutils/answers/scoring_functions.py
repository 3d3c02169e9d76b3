"""Answers to the exercises of the page on scoring functions, right and wrong."""

import math

import numpy as np

HALF_SQUARES = np.array([0, 2.5, 3, 7, 2, 2.5])


def scores_of_pairs(q, k, w_q, w_k, w):
    return np.tanh((q @ w_q)[:, None, :] + (k @ w_k)[None, :, :]) @ w


def turned(q, k, w_q, w_k, w):
    return np.tanh((q @ w_q)[None, :, :] + (k @ w_k)[:, None, :]) @ w


def summed(q, k, w_q, w_k, w):
    return np.tanh((q @ w_q)[:, None, :] + (k @ w_k)[None, :, :]).sum(axis=-1)


def as_handed_in(q, k, w_q, w_k, w):
    return np.tanh((q @ w_q)[None, :, :] + (k @ w_k)[:, None, :]).sum(axis=-1)


RIGHT = {
    "far-odds": [2.298, math.log(99) / 2],
    "hidden-winner": [(-0.5, 1), [[-0.5, 1]], np.array([-0.6, 1.3])],
    "fourth-number": [-HALF_SQUARES, list(7 - HALF_SQUARES), -HALF_SQUARES[:, None]],
    "mend-additive": [
        scores_of_pairs,
        lambda q, k, a, b, w: [[np.tanh(x @ a + y @ b) @ w for y in k] for x in q],
    ],
}

WRONG = [
    ("far-odds", 4.595, "the keys are 2 apart"),
    ("far-odds", 1.1488, "the squares are halved"),
    ("far-odds", 2.3026, "odds are .99 to the rest, not 1"),
    ("far-odds", 3.2976, "count from the point midway"),
    ("far-odds", 0.005, "odds are .99 to the rest; this is one"),
    ("far-odds", 1, "half the difference"),
    ("hidden-winner", 1, "expected an array of shape (2,), got a number"),
    ("hidden-winner", (math.nan, 1), "NaN or inf"),
    ("hidden-winner", (0.5, 1), "by the Gaussian score another key"),
    ("hidden-winner", (0, 2), "by the Gaussian score another key"),
    ("hidden-winner", (-1, 1.5), "by the dot product it wins"),
    ("hidden-winner", (-1, 1.1), "by the dot product it wins"),
    ("fourth-number", HALF_SQUARES, "the sign is wrong"),
    ("fourth-number", -2 * HALF_SQUARES, "half of that"),
    ("fourth-number", 2 * HALF_SQUARES, "long keys have to lose, and half of that"),
    ("fourth-number", np.sqrt(2 * HALF_SQUARES), "this is the length"),
    ("fourth-number", np.zeros(6), "multiply out the squared distance"),
    ("fourth-number", np.zeros(3), "expected an array of shape (6,), got (3,)"),
    ("fourth-number", [1, 2, 3, 4, 5, math.nan], "NaN is among your numbers"),
    ("fourth-number", np.full(6, math.inf), "multiply out the squared distance"),
    ("mend-additive", 4.0, "expected a function scores_of_pairs(q, k, W_q, W_k, w), got float"),
    ("mend-additive", turned, "for n_q = 3, n_k = 3 and h = 4, query i and key j"),
    ("mend-additive", summed, "for n_q = 3, n_k = 3 and h = 4, w weighs the hidden units"),
    ("mend-additive", as_handed_in, "for n_q = 3, n_k = 3 and h = 4, the axes are turned, and w"),
    ("mend-additive", lambda q, k, *_: q @ k.T, "for n_q = 3, n_k = 3 and h = 4, these are not"),
    ("mend-additive", lambda q, k, a, b, w: scores_of_pairs(q, k[: len(q)], a, b, w),
     "for n_q = 2, n_k = 5 and h = 6, expected an array of shape (2, 5)"),
]  # fmt: skip
