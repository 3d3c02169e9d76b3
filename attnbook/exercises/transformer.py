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


def _counts(
    d: int,
    *,
    width: int = 32,
    sets: int = 2,
    parts: int = 2,
    matrices: int = 3,
    blocks: int = 3,
    norms: int = 2,
    last: int = 1,
    tables: int = 1,
) -> list[int]:
    """Parameters of attention, of the network, and of a model; `parts` of W_q and W_O."""
    attention, network = d * width * (4 * parts + 2 * sets), matrices * d * 160
    whole = blocks * (attention + network + norms * d) + last * d + tables * 1000 * d
    return [attention, network, whole]


@value(
    "count-parameters",
    asks="Parameters",
    each=("attention", "network", "model"),
    atol=0.5,
    hint="attention has W_q, W_k, W_v and W_O, a network three matrices, a block two norms; the "
    "model has 3 blocks, one more norm, and one table of 1,000 rows",
    note="4 heads of 32 are not d columns, so W_q is not square.",
    varies={"d": (64, 32, 48, 80, 96, 112)},
    says=('"hidden_size": {d},',),
    way="$W_q$ and $W_O$ have ${d} \\cdot 128$ each, $W_k$ and $W_v$ ${d} \\cdot 64$; the network"
    " $3 \\cdot {d} \\cdot 160$. Each of three blocks has $2 \\cdot {d}$ more, the model a norm of"
    " {d} and a table of $1000 \\cdot {d}$.",
    wrong=(
        (lambda d: _counts(d, sets=4), "keys and values come in 2 sets, not one for each head"),
        (lambda d: _counts(d, width=d // 4), "a head is 32 wide, as head_dim says, not d / H"),
        (lambda d: _counts(d, parts=1), "W_O is missing; it brings 4 heads of 32 back to d"),
        (lambda d: _counts(d, matrices=2), "SwiGLU has three matrices"),
        (lambda d: _counts(d, blocks=1), "attention and network are right; there are 3 blocks"),
        (lambda d: _counts(d, norms=0, last=0), "the scales of the norms are missing"),
        (lambda d: _counts(d, last=0), "the norm after the last block is missing"),
        (lambda d: _counts(d, tables=2), "the table is tied: it is counted once"),
        (lambda d: _counts(d, tables=0), "the table of embeddings is missing"),
    ),
)
def _count_parameters(d: int) -> list[int]:
    q = o = d * 4 * 32
    k = v = d * 2 * 32
    network = d * 160 + d * 160 + 160 * d
    return [q + k + v + o, network, 3 * (q + k + v + o + network + d + d) + d + 1000 * d]
