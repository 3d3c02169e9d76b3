"""Exercises of the page on the transformer."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from attnutils._shapes import FloatArray
from attnutils.exercises._registry import (
    attempt,
    first_slip,
    judged,
    not_comparable,
    value,
)
from attnutils.mechanism import attention
from attnutils.transformer import layer_norm

Part = Callable[[FloatArray], FloatArray]

_ROW, _GAIN, _BIAS = np.array([1, 3, 3, 5]), np.array([1, 1, 2, 2]), np.array([0, 1, 0, 1])


def _normalised(deviation: float = math.sqrt(2), mean: float = 3) -> FloatArray:
    """The row with a mean and a deviation that may be wrong."""
    row: FloatArray = (_ROW - mean) / deviation * _GAIN + _BIAS
    return row


@value(
    "layer-norm-by-hand",
    asks="Normalised row",
    each=("column 0", "column 1", "column 2", "column 3"),
    atol=6e-3,
    hint="subtract the mean, divide by the root of the variance, scale, shift, column by column",
    note="two numbers equal the mean, so only the shift is left of them.",
    wrong=(
        (lambda: _normalised(deviation=2), "you divide by the variance; its root is meant"),
        (
            lambda: _normalised(deviation=math.sqrt(8 / 3)),
            "the variance is divided by n - 1; layer norm divides by n",
        ),
        (lambda: _normalised(mean=0), "the mean is not subtracted"),
        (lambda: (_ROW - 3) / math.sqrt(2), "scale and shift are missing"),
        (lambda: (_ROW - 3) / math.sqrt(2) * _GAIN, "the shift is missing"),
        (
            lambda: ((_ROW - 3) / math.sqrt(2) + _BIAS) * _GAIN,
            "the shift comes after the scale, so it is not scaled",
        ),
    ),
)
def _layer_norm_by_hand() -> FloatArray:
    return layer_norm(_ROW, _GAIN, _BIAS, eps=0)


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


def _first_to_move(*, shift: bool, causal: bool) -> int:
    """The first of five rows that changes when word 1 of the target does."""
    words = np.random.default_rng(0).normal(size=(6, 4))  # row 0 is the start sign
    changed = words.copy()
    changed[2] += 1

    def rows(target: FloatArray) -> FloatArray:
        x = target[:5] if shift else target[1:]
        return attention(x, x, x, is_causal=causal).output

    moved = np.abs(rows(changed) - rows(words)).max(axis=-1) > 1e-9
    return int(np.flatnonzero(moved)[0])


@value(
    "who-changes",
    asks="First prediction that moves",
    each=("shift and mask", "mask alone", "shift alone"),
    atol=0.1,
    hint="at which position is word 1 put in, and who may look there?",
    note="the shift moves a word's own answer away, the mask hides the later ones.",
    wrong=(
        (lambda: [3, 2, 0], "count from 0: with the shift, word 1 is the input of position 2"),
        (lambda: [1, 1, 0], "with the shift, word 1 is the input of the position after it"),
        (lambda: [2, 2, 0], "without the shift, word 1 is the input of position 1"),
        (lambda: [2, 1, 2], "without the mask, who may look at position 2?"),
        (lambda: [2, 1, 1], "without the mask, may position 0 not look at position 2?"),
        (lambda: [1, 2, 0], "the first two are exchanged: the shift moves word 1 to position 2"),
    ),
)
def _who_changes() -> list[int]:
    return [
        _first_to_move(shift=True, causal=True),
        _first_to_move(shift=False, causal=True),
        _first_to_move(shift=True, causal=False),
    ]


_D, _D_FF = 512, 2048
_ATTENTION = 4 * (_D * _D + _D)
_NETWORK = 2 * _D * _D_FF + _D_FF + _D
_NORM = 2 * _D


@value(
    "decoder-parameters",
    asks="Size of the decoder block",
    unit="parameters",
    atol=0.5,
    hint="two attentions, one network, three norms, all with their biases",
    note="one attention and one norm more than the encoder block.",
    wrong=(
        (lambda: _ATTENTION + _NETWORK + 2 * _NORM, "this is the encoder block"),
        (lambda: 2 * _ATTENTION + _NETWORK + 2 * _NORM, "the third norm is missing"),
        (lambda: 2 * _ATTENTION + _NETWORK, "the three norms are missing"),
        (
            lambda: 2 * (_ATTENTION + _NETWORK + 2 * _NORM),
            "twice the encoder block has a network too many and a norm too many",
        ),
        (
            lambda: 2 * _ATTENTION + _NETWORK + 2 * _NORM + _D,
            "a norm has two numbers for each column, a scale and a shift",
        ),
        (
            lambda: 2 * _ATTENTION + _NETWORK + 3 * _NORM - 4 * _D,
            "the second attention has biases too",
        ),
        (lambda: 8 * _D * _D + 2 * _D * _D_FF, "these are the matrices alone"),
        (lambda: 2 * (_ATTENTION + _NETWORK) + 3 * _NORM, "there is one network, not two"),
    ),
)
def _decoder_parameters() -> int:
    return 2 * _ATTENTION + _NETWORK + 3 * _NORM


@value(
    "equal-work",
    asks="Length n",
    each=("projections", "projections and network"),
    unit="words",
    atol=0.5,
    hint="mixing takes 2 n n d; the projections 4 n d d; the network two products of n d 4d each",
    note="2d and 6d; a short text spends its work on the weights.",
    wrong=(
        (lambda: [768, 2304], "Q Kᵀ takes n n d and A V takes n n d: 2 n n d in all, not 4"),
        (lambda: [1536, 3072], "the second asks for projections and network: 12 n d d"),
        (lambda: [1536, 6144], "the network takes two products of n d 4d: 8 n d d in all"),
        (lambda: [3072, 9216], "mixing is two products, Q Kᵀ and A V"),
        (lambda: [1536, 3840], "the network has two products; with one alone it would be 5d"),
        (lambda: [4608, 1536], "the two are in the other order"),
    ),
)
def _equal_work() -> list[int]:
    d = 768
    return [4 * d // 2, (4 + 8) * d // 2]


def _layers(n: int, widened: int) -> int:
    """Layers until a field that starts at one word covers n."""
    return math.ceil((n - 1) / widened)


@value(
    "layers-to-both-ends",
    asks="Depth",
    unit="layers",
    atol=0.1,
    hint="a field of one word grows by k - 1 words with each layer",
    note="a path that grows like n / k.",
    wrong=(
        (lambda: 16, "after 16 layers a unit has seen 97 words; one layer more"),
        (lambda: _layers(100, 7), "the windows overlap: each layer adds k - 1 words, not k"),
        (lambda: _layers(100, 3), "the field grows on both sides, by 3 words on each"),
        (lambda: 34, "the field grows on both sides, by 3 words on each"),
        (lambda: _layers(100, 2), "this is for a window of 3"),
        (lambda: 99 / 6, "layers come whole"),
        (lambda: 100 / 6, "the field starts at one word, and layers come whole"),
        (lambda: 1, "that is self-attention; a window of 7 sees 7 words"),
    ),
)
def _layers_to_both_ends() -> int:
    return _layers(100, 7 - 1)
