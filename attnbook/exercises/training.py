"""Exercises of the page on training."""

import math
from typing import Any

import numpy as np

from attnbook.exercises._registry import attempt, first_slip, judged, not_comparable, value
from attnutils._checks import FloatArray
from attnutils.gradients import adam_init, adam_step, softmax_backward
from attnutils.normalize import softmax


def _rows() -> tuple[FloatArray, FloatArray]:
    """Weights and their derivatives, in two sequences of four rows and four columns."""
    rng = np.random.default_rng(0)
    return softmax(rng.normal(size=(2, 4, 4))), rng.normal(size=(2, 4, 4))


def _backward_slip(given: FloatArray) -> str:
    """What is wrong with the derivative of the scores."""
    a, d = _rows()
    mixture = (a * d).sum(axis=-1, keepdims=True)
    slips = [
        (a * d, "the mixture of the row is not subtracted"),
        (a * (1 - a) * d, "a score moves the other weights of its row, too"),
        (d - mixture, "the factor of the weight in front is missing"),
        (a * (mixture - d), "the sign is turned round"),
        (a * (d - d.sum(axis=-1, keepdims=True)), "the mixture is taken without weights"),
        (
            a * (d - d.mean(axis=-1, keepdims=True)),
            "the mixture takes each derivative with its weight, not all alike",
        ),
        (
            a * (d - (a * d).mean(axis=-1, keepdims=True)),
            "the weights sum to 1 already; take the sum, not the mean",
        ),
        (
            a * (d - (a * d).sum(axis=-2, keepdims=True)),
            "the sum runs down the columns; softmax runs along the rows",
        ),
        (
            a * (d - (a * d).sum(axis=-1)[:, None, :]),
            "a row is given the mixture of another row; keepdims=True keeps the axis",
        ),
        (a * (d - (a * d).sum()), "the sum runs over the whole array; each row has its own"),
        (
            a * (d - (a * d).sum(axis=(-2, -1), keepdims=True)),
            "the sum runs over all rows of a sequence; each row has its own",
        ),
    ]
    return first_slip(given, slips, "the numbers are off; write out one row with weights (.5, .5)")


@judged(
    "write-softmax-backward",
    function="backward(weights, d_weights)",
    note="each derivative against the mixture of its own row, times the weight.",
)
def _write_softmax_backward(answer: Any) -> str | None:
    a, d = _rows()
    given_a, given_d = a.copy(), d.copy()
    result = attempt(answer, given_a, given_d)
    problem = not_comparable("for weights of shape (2, 4, 4)", result, a)
    if problem is not None:
        return problem
    if not (np.array_equal(given_a, a) and np.array_equal(given_d, d)):
        return "your function changes its arguments; -= and *= do that"
    given = np.asarray(result, dtype=np.float64)
    return None if np.allclose(given, softmax_backward(a, d)) else _backward_slip(given)


_PARTS = {
    "one hundredth": 100,
    "one tenth": 10,
    "one twentieth": 20,
    "one fiftieth": 50,
    "one thousandth": 1000,
}


def _gap(factor: float) -> float:
    """The gap of two scores at which alpha (1 - alpha) has this value."""
    a = (1 + math.sqrt(1 - 4 * factor)) / 2
    return math.log(a / (1 - a))


@value(
    "saturated-gap",
    asks="Gap of the two scores",
    atol=6e-3,
    hint="solve alpha (1 - alpha) = 1/4 of {part} for alpha; the gap is ln(alpha / (1 - alpha))",
    note="so many units of score, and the query gets {part} of the derivative.",
    varies={"part": tuple(_PARTS)},
    says=("fallen to {part} of its largest value?",),
    way="The largest value is $1/4$. Solve $\\alpha (1 - \\alpha) = 1/4$ of {part} for "
    "$\\alpha$; the gap is $\\ln(\\alpha / (1 - \\alpha))$.",
    wrong=(
        (lambda part: -_saturated_gap(part), "the size of the gap is asked for, a positive number"),
        (lambda part: _gap(1 / _PARTS[part]), "the largest value of the factor is 1/4, not 1"),
        (
            lambda part: math.log(_PARTS[part]),
            "the factor is not e to minus the gap; its largest value is 1/4",
        ),
        (
            lambda part: math.log(_PARTS[part] - 1),
            "here the rest of the weight is {part}; the factor is to be a quarter of it",
        ),
        (
            lambda part: _saturated_gap(part) / math.log(2),
            "take the natural logarithm; softmax uses e",
        ),
        (
            lambda part: _saturated_gap(part) / math.log(10),
            "take the natural logarithm; softmax uses e",
        ),
        (
            lambda part: (1 + math.sqrt(1 - 1 / _PARTS[part])) / 2,
            "this is the weight; which gap of scores gives it?",
        ),
        (
            lambda part: (1 - math.sqrt(1 - 1 / _PARTS[part])) / 2,
            "this is the weight; which gap of scores gives it?",
        ),
    ),
)
def _saturated_gap(part: str) -> float:
    return _gap(1 / (4 * _PARTS[part]))


_DERIVATIVES = np.array([0.3, -20, 0.001])


@value(
    "first-adam-step",
    asks="Change, new minus old",
    each=("of .3", "of −20", "of .001"),
    atol=6e-5,
    hint="write down m and u after one step, divide both by their corrections, and take the ratio",
    note="only the sign of a derivative is left in the first step.",
    varies={"rate": (".01", ".02", ".03", ".05", ".1", ".2")},
    says=("with $\\eta = {rate}$ and",),
    way="After the corrections of the first step, $\\mu / \\sqrt\\nu$ is the sign of the "
    "derivative. Each number moves by the rate, {rate}, against its sign.",
    wrong=(
        (lambda rate: -float(rate) * _DERIVATIVES, "this is plain gradient descent"),
        (lambda rate: float(rate) * np.sign(_DERIVATIVES), "a step goes against the derivative"),
        (lambda rate: -np.sign(_DERIVATIVES), "the learning rate is missing"),
        (
            lambda rate: -float(rate) * 0.1 / math.sqrt(0.001) * np.sign(_DERIVATIVES),
            "m and u are not corrected; divide by 1 - beta^t",
        ),
        (
            lambda rate: -float(rate) * 0.1 * np.sign(_DERIVATIVES),
            "is the rate {rate}, and m divided by 1 - beta_1?",
        ),
        (
            lambda rate: -float(rate) / math.sqrt(0.001) * np.sign(_DERIVATIVES),
            "u is not corrected; divide it by 1 - beta_2",
        ),
        (lambda rate: -float(rate) / _DERIVATIVES, "divide by the root of u, not by u"),
        (lambda rate: [-float(rate)] * 3, "a negative derivative moves its number up"),
    ),
)
def _first_adam_step(rate: str) -> FloatArray:
    start, state = (np.zeros(3),), adam_init((np.zeros(3),))
    params, _ = adam_step(start, (_DERIVATIVES,), state, learning_rate=float(rate))
    return np.asarray(params[0])


@value(
    "eleven-letters",
    asks="Trained on ten, asked for eleven",
    each=("the place that is right, from 0", "share of all letters"),
    hint="where does each place look, and where should it? One place looks for a position that "
    "does not exist",
    note="the last: it looks for position −1 and makes do with position 0.",
    wrong=(
        (lambda: [0, 1 / 11], "place 0 looks at position 9, which exists here; right would be 10"),
        (lambda: [11, 1 / 11], "places are counted from 0, so the last of eleven is 10"),
        (lambda: [9, 1 / 11], "place 9 looks at position 0; right would be position 1"),
        (lambda: [5, 1 / 11], "the middle should look at itself; where does it look?"),
        (lambda: [10, 1 / 10], "it is one letter of eleven"),
        (lambda: [10, 10 / 11], "how many of the eleven places look at the right one?"),
        (lambda: [1 / 11, 10], "the two are exchanged: first the place"),
        (lambda: [10, 100 / 11], "give the share as a share of 1, not in percent"),
    ),
)
def _eleven_letters() -> list[float]:
    n, trained = 11, 10
    # The existing position that is nearest to the one it looks for.
    looks = [min(max(trained - 1 - i, 0), n - 1) for i in range(n)]
    (right,) = [i for i in range(n) if looks[i] == n - 1 - i]
    return [right, 1 / n]
