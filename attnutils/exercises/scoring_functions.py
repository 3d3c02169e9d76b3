"""Exercises of the page on scoring functions."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from attnutils._shapes import FloatArray
from attnutils.exercises._registry import (
    BOOK,
    attempt,
    book_scores,
    first_slip,
    judged,
    not_comparable,
    value,
)
from attnutils.normalize import softmax
from attnutils.scores import additive_scores, dot_scores, gaussian_scores, scaled_dot_scores
from attnutils.worked_example import KEYS, WORDS


@value(
    "score-divisor",
    asks="Divisor of q · k",
    atol=6e-3,
    hint="a product of two components has variance 4 times 4; variances of 64 of them add up",
    note="a component of size s comes in twice, so the divisor is s squared times the root of d.",
    wrong=(
        (lambda: 8.0, "this is right for standard deviation 1; here each product is larger"),
        (lambda: 16.0, "both factors of a product have standard deviation 2, not one of them"),
        (lambda: 1024.0, "this is the variance of the scores; divide by their standard deviation"),
        (lambda: 128.0, "standard deviations do not add up, variances do"),
        (lambda: 64.0, "this is the width; the scores do not grow in proportion to it"),
    ),
)
def _score_divisor() -> float:
    deviation, width = 2, 64
    return deviation**2 * math.sqrt(width)


def _one_hot_weights(scores: Callable[..., FloatArray]) -> float:
    """The weight that one of six one-hot words gives itself."""
    return float(softmax(scores(np.eye(6)[0], np.eye(6)))[0])


@value(
    "one-hot-keys",
    asks="Weight of the word itself",
    each=("dot product", "scaled"),
    hint="the score is 1 with the word itself and 0 with each of the five others; take softmax",
    note="the five others share the rest equally: they are all alike to it.",
    wrong=(
        (lambda: _one_hot_keys()[::-1], "the two numbers are in the wrong order: unscaled first"),
        (lambda: [1, 1], "softmax gives a score of 0 some weight, too"),
        (
            lambda: [_one_hot_keys()[0], softmax([1 / 6, 0, 0, 0, 0, 0])[0]],
            "divide by the root of the width, not by the width",
        ),
        (
            lambda: [_one_hot_keys()[0], softmax([1 / math.sqrt(3), 0, 0, 0, 0, 0])[0]],
            "one-hot keys of six words are 6 wide, not 3",
        ),
    ),
)
def _one_hot_keys() -> list[float]:
    return [_one_hot_weights(dot_scores), _one_hot_weights(scaled_dot_scores)]


_SUMS = np.array([[0.0, 2.0], [2.0, 1.0]])  # before tanh: a row for each of the two keys
_OUTER = np.array([1.0, -2.0])


@value(
    "additive-by-hand",
    asks="Score",
    each=("key 1", "key 0"),
    shapes=((1, 2),),
    hint="for each key add q W_q and k W_k, two numbers; then tanh of both; then their sum with w",
    note="the first layer adds, tanh bends, w weighs.",
    wrong=(
        (lambda: _additive_by_hand()[::-1], "these are the scores in the wrong order: key 1 first"),
        (lambda: _SUMS @ _OUTER, "the hidden layer is not bent: tanh is left out"),
        (lambda: np.tanh(_SUMS @ _OUTER), "tanh bends the hidden layer, before w weighs it"),
        (lambda: np.tanh(_SUMS).sum(axis=-1), "weigh the two hidden units with w"),
    ),
)
def _additive_by_hand() -> FloatArray:
    return additive_scores([2], [[1], [0]], [[1, 0.5]], [[-2, 1]], _OUTER)


@value(
    "additive-memory",
    asks="Hidden layer of all pairs",
    unit="GiB",
    hint="count the numbers, one for each query, key and hidden unit, then 4 bytes for each",
    note="the scores alone take a 128th of that.",
    wrong=(
        (lambda: 0.5, "these are 2^29 numbers; each of them takes 4 bytes"),
        (lambda: 4.0, "a float32 takes 4 bytes, not 8"),
        (lambda: 2**4 / 2**10, "these are the scores alone; each pair has 128 hidden units"),
        (lambda: 2**31 / 1e9, "a GiB is 2^30 bytes, not 10^9"),
        (lambda: float(2**31), "these are bytes; divide by 2^30"),
        (lambda: 2 * 2048 * 128 * 4 / 2**30, "every query meets every key: a layer for each pair"),
    ),
)
def _additive_memory() -> float:
    n_q = n_k = 2048
    n_hidden, bytes_each = 128, 4
    return n_q * n_k * n_hidden * bytes_each / 2**30


def _half_squares() -> FloatArray:
    return np.asarray((KEYS**2).sum(axis=1) / 2)


@value(
    "fourth-number",
    asks="Fourth component of the key",
    each=WORDS,
    shapes=((6, 1),),
    shift=True,
    hint="multiply out the squared distance: which term depends on the key and is not a product?",
    note="minus half the squared length of each key, up to a constant.",
    wrong=(
        (_half_squares, "the sign is wrong: long keys have to lose, not to gain"),
        (
            lambda: -2 * _half_squares(),
            "half of that: look at the factor in front of the squared length",
        ),
        (lambda: 2 * _half_squares(), "long keys have to lose, and half of that is enough"),
        (
            lambda: np.sqrt(2 * _half_squares()),
            "this is the length; its square stands in the formula",
        ),
        (
            lambda: -np.sqrt(2 * _half_squares()),
            "this is the length; its square stands in the formula",
        ),
    ),
)
def _fourth_number() -> FloatArray:
    return np.asarray(gaussian_scores(KEYS[BOOK], KEYS) - book_scores())


@value(
    "one-bandwidth",
    asks="Bandwidth σ",
    hint="turn the bandwidth into a temperature, join the two temperatures, then turn it back",
    note="temperatures multiply.",
    wrong=(
        (lambda: 18.0, "this is the temperature of both together; a bandwidth is its root"),
        (lambda: 6.0, "a bandwidth counts with its square, a temperature does not"),
        (lambda: math.sqrt(11), "temperatures multiply; they do not add up"),
        (lambda: 3 / math.sqrt(2), "a temperature above 1 widens; it does not narrow"),
    ),
)
def _one_bandwidth() -> float:
    sigma, temperature = 3, 2
    return math.sqrt(sigma**2 * temperature)


def _regression(
    x: FloatArray, y: FloatArray, places: FloatArray, sigma: float, axis: int = -1
) -> FloatArray:
    scores = gaussian_scores(places[:, None], x[:, None], sigma)
    return np.asarray(softmax(scores, axis=axis) @ y)


@judged(
    "write-regression",
    function="regression(x, y, places, sigma)",
    note="narrow and wide bandwidths and far places all pass.",
)
def _write_regression(answer: Any) -> str | None:
    x, y = np.array([0.0, 1, 3, 4, 6]), np.array([1.0, -1, 2, 0, 5])
    near, far = np.array([0.5, 2, 5]), np.array([-500.0, 500])
    for places, sigma in ((near, 1.0), (near, 3.0), (x[::-1] / 2, 0.5), (far, 0.5)):
        where = f"for places {places} and sigma={sigma:g}"
        target = _regression(x, y, places, sigma)
        result = attempt(answer, x.copy(), y.copy(), places.copy(), sigma)
        problem = not_comparable(where, result, target)
        if problem is not None:
            return problem
        given = np.asarray(result, dtype=np.float64)
        if np.isnan(given).any():
            return f"{where}, there is NaN: take off the largest score before the exponential"
        if not np.allclose(given, target):
            slips = [
                (_regression(x, y, places, math.sqrt(sigma)), "square sigma"),
                (_regression(x, y, places, sigma / 2**0.5), "halve the squared distance"),
                (_regression(x, y, places, sigma, axis=0), "the weights of each place sum to 1"),
            ]
            otherwise = "these are not weighted means of y by nearness"
            return f"{where}, {first_slip(given, slips, otherwise)}"
    return None
