"""Exercises of the page on the transformer."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from attnbook.exercises._registry import (
    attempt,
    first_slip,
    judged,
    not_comparable,
    value,
)
from attnutils._checks import FloatArray
from attnutils.transformer import layer_norm

Part = Callable[[FloatArray], FloatArray]

Row = tuple[int, int, int, int]

_GAIN, _BIAS = np.array([1, 1, 2, 2]), np.array([0, 1, 0, 1])


def _standard(row: Row) -> FloatArray:
    return np.asarray((np.array(row) - np.mean(row)) / np.std(row))


@value(
    "layer-norm-by-hand",
    asks="Normalised row",
    each=("column 0", "column 1", "column 2", "column 3"),
    atol=6e-3,
    hint="subtract the mean, divide by the root of the variance, scale, shift, column by column",
    note="two numbers equal the mean, so only the shift is left of them.",
    varies={
        "row": (
            (1, 3, 3, 5),
            (4, 2, 6, 4),
            (7, 4, 4, 1),
            (5, 2, 5, 8),
            (6, 9, 3, 6),
            (3, 3, 5, 1),
        )
    },
    says=("Normalise the row {row} by hand",),
    way="Subtract the mean of {row}, divide by the root of the mean squared deviation, then "
    "scale by $\\gamma$ and add $b_\\mathrm{{norm}}$, column by column.",
    wrong=(
        (
            lambda row: _standard(row) / np.std(row) * _GAIN + _BIAS,
            "you divide by the variance; its root is meant",
        ),
        (
            lambda row: _standard(row) * math.sqrt(3 / 4) * _GAIN + _BIAS,
            "the variance is divided by n - 1; layer norm divides by n",
        ),
        (lambda row: row / np.std(row) * _GAIN + _BIAS, "the mean is not subtracted"),
        (_standard, "scale and shift are missing"),
        (lambda row: _standard(row) * _GAIN, "the shift is missing"),
        (
            lambda row: (_standard(row) + _BIAS) * _GAIN,
            "the shift comes after the scale, so it is not scaled",
        ),
    ),
)
def _layer_norm_by_hand(row: Row) -> FloatArray:
    return layer_norm(np.array(row), _GAIN, _BIAS, eps=0)


def _odd_parts() -> tuple[FloatArray, Part, Part, Part, Part]:
    """An input and four functions, no two of which can be exchanged unseen."""
    weights = np.random.default_rng(0).normal(size=(4, 3, 3))

    def part(w: FloatArray) -> Part:
        return lambda x: np.tanh(x @ w)

    attend, network, norm_1, norm_2 = map(part, weights)
    return np.random.default_rng(1).normal(size=(5, 3)), attend, network, norm_1, norm_2


def _slip(given: FloatArray) -> str:
    """What is wrong with the output of a block."""
    x, attend, network, norm_1, norm_2 = _odd_parts()
    middle = x + attend(norm_1(x))
    post = norm_1(x + attend(x))
    normal = norm_1(x)
    copied = normal + attend(normal)
    slips = [
        (
            norm_2(post + network(post)),
            "this is post-norm; pre-norm normalises what a part is given",
        ),
        (middle + network(middle), "the network is given rows that are not normalised"),
        (middle + network(norm_1(middle)), "norm_1 is used twice; each part has its own norm"),
        (
            x + attend(norm_2(x)) + network(norm_1(x + attend(norm_2(x)))),
            "the two norms are exchanged; norm_1 belongs to attention",
        ),
        (network(norm_2(attend(norm_1(x)))), "the residuals are missing"),
        (network(norm_2(middle)), "the network has no residual"),
        (attend(norm_1(x)) + network(norm_2(attend(norm_1(x)))), "attention has no residual"),
        (
            copied + network(norm_2(copied)),
            "the residual adds the normalised rows; it adds what came in",
        ),
        (
            norm_2(copied) + network(norm_2(copied)),
            "the residual adds the normalised rows; it adds what came in",
        ),
        (
            x + network(norm_2(middle)),
            "the second residual adds x; it adds what the first part has left",
        ),
        (
            middle + network(norm_2(x)),
            "the network is given x; it is given what the first part has left",
        ),
        (
            x + network(norm_2(x)) + attend(norm_1(x + network(norm_2(x)))),
            "attention comes first, then the network",
        ),
    ]
    return first_slip(
        given,
        slips,
        "the numbers are off; write down what each part is given and what is added to it",
    )


@judged(
    "write-encoder-block",
    function="my_block(x, attend, network, norm_1, norm_2)",
    note="each part is given normalised rows, and adds to rows that no norm has touched.",
)
def _write_encoder_block(answer: Any) -> str | None:
    x, attend, network, norm_1, norm_2 = _odd_parts()
    before = x.copy()
    middle = x + attend(norm_1(x))
    target = middle + network(norm_2(middle))
    result = attempt(answer, x, attend, network, norm_1, norm_2)
    problem = not_comparable("for x of shape (5, 3)", result, target)
    if problem is not None:
        return problem
    if not np.array_equal(x, before):
        return "your block changes x itself; x += ... does that, x = x + ... does not"
    given = np.asarray(result, dtype=np.float64)
    return None if np.allclose(given, target) else _slip(given)


@value(
    "equal-work",
    asks="Length n",
    each=("projections", "projections and network"),
    unit="words",
    atol=0.5,
    hint="mixing takes 2 n n d; the projections 4 n d d; the network two products of n d 4d each",
    note="2d and 6d; a short text spends its work on projections and network.",
    varies={"d": (768, 256, 384, 512, 640, 1024)},
    says=("has $d = {d}$ and",),
    way="Mixing takes $2 n^2 d$, the projections $4 n d^2$, the network $8 n d^2$. So the first"
    " is $n = 2d$, the second $n = 6d$, with $d = {d}$.",
    wrong=(
        (lambda d: [d, 3 * d], "Q Kᵀ takes n n d and A V takes n n d: 2 n n d in all, not 4"),
        (lambda d: [2 * d, 4 * d], "the second asks for projections and network: 12 n d d"),
        (lambda d: [2 * d, 8 * d], "the network takes two products of n d 4d: 8 n d d in all"),
        (lambda d: [4 * d, 12 * d], "mixing is two products, Q Kᵀ and A V"),
        (lambda d: [2 * d, 5 * d], "the network has two products; with one alone it would be 5d"),
        (lambda d: [6 * d, 2 * d], "the two are in the other order"),
    ),
)
def _equal_work(d: int) -> list[int]:
    return [4 * d // 2, (4 + 8) * d // 2]
