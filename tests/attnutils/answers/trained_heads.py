"""Answers to the exercises of the page on the heads of a trained model, right and wrong."""

import math

import numpy as np


def by_permuted(weights, rng):
    return rng.permuted(weights, axis=-1)


def by_sorting(weights, rng):
    order = rng.random(weights.shape).argsort(axis=-1)
    return np.take_along_axis(weights, order, axis=-1)


def by_loop(weights, rng):
    rows = [rng.permutation(row) for row in weights.reshape(-1, weights.shape[-1])]
    return np.array(rows).reshape(weights.shape).tolist()


RIGHT = {
    "two-cars": [(0, 8), [0, 8], np.array([0, 8]), (np.int64(0), np.int64(8))],
    "behind-the-sink": [4, 4.0, np.int64(4)],
    "sink-entropy": [0.7497, 0.75, np.float64(0.74973)],
    "handed-on": [[0.0741, 0.5556, 0.3704], (0.08 / 1.08, 0.6 / 1.08, 0.4 / 1.08)],
    "reads-and-sleepy": [
        [0, 0.063, 0, 0.937, 0, 0],
        np.array([[0], [0.0626], [0], [0.9374], [0], [0]]),
    ],
    "write-shuffle": [by_permuted, by_sorting, by_loop],
}


def as_it_is(weights, rng):
    return weights


def by_places(weights, rng):
    order = rng.random(weights.shape[-2:]).argsort(axis=-1)
    return np.take_along_axis(weights, np.broadcast_to(order, weights.shape), axis=-1)


def by_heads(weights, rng):
    if weights.ndim == 2:
        return rng.permuted(weights, axis=-1)
    return np.stack([rng.permutation(head, axis=-1) for head in weights])


def in_place(weights, rng):
    return rng.permuted(weights, axis=-1, out=weights)


def by_columns(weights, rng):
    return rng.permutation(weights, axis=-1)


def by_rows(weights, rng):
    return rng.permutation(weights, axis=0)


def everything(weights, rng):
    return rng.permuted(weights)


def with_repeats(weights, rng):
    at = rng.integers(weights.shape[-1], size=weights.shape)
    return np.take_along_axis(weights, at, axis=-1)


def own_generator(weights, rng):
    return np.random.default_rng().permuted(weights, axis=-1)


def fixed(weights, rng):
    return np.random.default_rng(0).permuted(weights, axis=-1)


def odd_for_a_single_row(weights, rng):
    return weights[[1]] if weights.shape == (1, 3) else by_permuted(weights, rng)


def rolled(weights, rng):
    rows = weights.reshape(-1, weights.shape[-1])
    turned = [np.roll(row, rng.integers(row.size)) for row in rows]
    return np.reshape(turned, weights.shape)


def two_axes_alone(weights, rng):
    n_q, n_k = weights.shape
    order = rng.random((n_q, n_k)).argsort(axis=1)
    return np.take_along_axis(weights, order, axis=1)


def forgets_to_return(weights, rng):
    rng.permuted(weights, axis=-1)


WRONG = [
    ("two-cars", (8, 0), "the layer comes first"),
    ("two-cars", (1, 9), "layers and heads count from 0"),
    ("two-cars", (2, 9), "this head links the tokens 3 and 7"),
    ("two-cars", (0, 1), "average cars[:, :, i, j]"),
    ("two-cars", 33, "expected an array of shape (2,), got a number"),
    ("behind-the-sink", 1, "so many pass without hiding"),
    ("behind-the-sink", 3, "so many are new"),
    ("behind-the-sink", 7, "so many pass a threshold of .3"),
    ("behind-the-sink", 43, "set a[..., 0] = 0"),
    ("sink-entropy", 0.5197, "this is in nats"),
    ("sink-entropy", 0.2257, "this is with log10"),
    ("sink-entropy", 0.469, "here the .1 lies on one token"),
    ("sink-entropy", 0.1368, "this is the part of [CLS]"),
    ("sink-entropy", 2.4622, "here each of the seven has .1"),
    ("sink-entropy", -0.7497, "entropy is not negative"),
    ("sink-entropy", 3, "this is the entropy of uniform weights"),
    ("sink-entropy", 2, "minus the sum of w * log2(w)"),
    ("handed-on", [0.08, 0.6, 0.4], "these are the products"),
    ("handed-on", [0.8, 0.15, 0.05], "these are the weights"),
    ("handed-on", [0.0083, 0.3306, 0.6612], "these are the shares of the lengths"),
    ("handed-on", [7.4074, 55.5556, 37.0370], "give shares of 1, not percentages"),
    ("handed-on", [0.9947, 0.0047, 0.0008], "here weights are divided by lengths"),
    ("handed-on", [0.0014, 0.4279, 0.5706], "a weight scales a vector"),
    ("handed-on", [0.3, 0.3, 0.4], "multiply each weight by its length"),
    ("handed-on", 0.0741, "expected an array of shape (3,), got a number"),
    ("reads-and-sleepy", [0, 0.9374, 0, 0.0626, 0, 0], "the two shares have changed places"),
    ("reads-and-sleepy", [0, 0.1878, 0, 0.8122, 0, 0], "the value of Sleepy is negative"),
    ("reads-and-sleepy", [0, 0.0939, 0, 0.9061, 0, 0], "Sleepy takes something away"),
    ("reads-and-sleepy", [0.0939, 0, 0, 0.9061, 0, 0], "these weights lie on Reads and The"),
    ("reads-and-sleepy", [0, 0, 0, 0.9061, 0, 0], "the output is right, but these weights do"),
    (
        "reads-and-sleepy",
        [0.0008, 0.0022, 0, 0.8775, 0.0008, 0.1188],
        "these are the weights of the worked example",
    ),
    ("reads-and-sleepy", [0, 0.5, 0, 0.5, 0, 0], "with w on Reads and 1 - w on Sleepy"),
    ("reads-and-sleepy", [0, math.nan, 0, 0.9, 0, 0], "NaN is among your numbers"),
    ("write-shuffle", as_it_is, "for weights of shape (4, 9), nothing has moved"),
    ("write-shuffle", in_place, "for weights of shape (4, 9), `weights` itself was changed"),
    ("write-shuffle", by_columns, "for weights of shape (4, 9), all rows moved in the same way"),
    ("write-shuffle", by_places, "for weights of shape (2, 3, 8), all heads moved in the same way"),
    ("write-shuffle", by_heads, "for weights of shape (2, 3, 8), the rows of a head moved in the"),
    ("write-shuffle", by_rows, "for weights of shape (4, 9), entries have moved to other rows"),
    ("write-shuffle", everything, "for weights of shape (4, 9), entries have moved to other"),
    ("write-shuffle", with_repeats, "for weights of shape (4, 9), a row does not hold the"),
    ("write-shuffle", own_generator, "two generators with the same seed give different orders"),
    ("write-shuffle", fixed, "not every order of a row comes up"),
    ("write-shuffle", odd_for_a_single_row, "for weights of shape (1, 3), it raises IndexError"),
    ("write-shuffle", rolled, "not every order of a row comes up"),
    ("write-shuffle", two_axes_alone, "for weights of shape (2, 3, 8), it raises ValueError"),
    ("write-shuffle", forgets_to_return, "for weights of shape (4, 9), expected an array"),
    ("write-shuffle", 7, "expected a function shuffle(weights, rng), got int"),
]
