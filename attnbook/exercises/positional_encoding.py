"""Exercises of the page on positional encoding."""

import math
from functools import partial
from typing import Any

import numpy as np

from attnbook.exercises._registry import (
    attempt,
    compared,
    first_slip,
    judged,
    value,
)
from attnutils._checks import FloatArray
from attnutils.positional import alibi_bias, rotary_embedding, sinusoidal_encoding


@judged(
    "write-encoding",
    function="encoding(length, dim, base=10000.0)",
    note="sines and cosines alternate, and each pair has its frequency.",
)
def _write_encoding(answer: Any) -> str | None:
    cases: list[tuple[int, int, tuple[float, ...]]] = [(5, 8, (100.0,)), (3, 2, ()), (40, 6, ())]
    for length, dim, base in cases:
        where = f"for encoding({', '.join(map(str, (length, dim, *base)))})"
        target = sinusoidal_encoding(length, dim, *base)
        result = attempt(answer, length, dim, *base)
        problem = compared(where, result, target, partial(_slip, base))
        if problem is not None:
            return problem
    return None


def _slip(base: tuple[float, ...], given: FloatArray) -> str:
    """What is wrong with an encoding of the right shape."""
    length, dim = given.shape
    right = sinusoidal_encoding(length, dim, *base)
    columns = np.arange(dim)
    wavelengths = (base or (10000.0,))[0] ** (columns / dim)
    angles = np.arange(length)[:, None] / wavelengths
    squared = np.arange(length)[:, None] / wavelengths**2
    slips = [
        (
            np.hstack([right[:, 0::2], right[:, 1::2]]),
            "all sines stand first; sines and cosines are to alternate",
        ),
        (right[:, columns ^ 1], "the cosines stand in the even columns"),
        (
            np.where(columns % 2, np.cos(angles), np.sin(angles)),
            "each column has a frequency of its own; a sine and its cosine share one",
        ),
        (
            np.where(columns % 2, np.cos(squared), np.sin(squared)),
            "the exponent is 2r/d for pair r, not for column r; a sine and its cosine share it",
        ),
        (
            sinusoidal_encoding(length, dim, math.sqrt((base or (10000.0,))[0])),
            "the exponent is 2r/d, not r/d",
        ),
        (sinusoidal_encoding(length + 1, dim, *base)[1:], "positions are counted from 1, not 0"),
        (sinusoidal_encoding(length, dim), "the base that was given is not used"),
    ]
    return first_slip(
        given,
        slips,
        "some numbers are wrong; compare row 1 with sines and cosines of the frequencies",
    )


_WIDTH, _BASE = 64, 10000.0  # of the encoding


def _first_longer(length: int, turn: float = 2 * math.pi, base: float = _BASE) -> int:
    """The first pair whose wave, `turn` divided by its frequency, is longer than the text."""
    waves = turn * base ** (np.arange(_WIDTH) * 2 / _WIDTH)
    return int(np.argmax(waves > length))


@value(
    "long-wave",
    asks="Pair r",
    hint="find the smallest r for which 2 pi times 10000^(2r/64) is above {length}",
    note="from there on, waves are longer than the text.",
    varies={"length": (512, 128, 256, 400, 1024, 2048, 4096)},
    says=("A text has {length} words",),
    way="$2\\pi \\cdot 10000^{{2r/64}} > {length}$ means $r > 32 \\ln({length} / 2\\pi) / \\ln "
    "10000$: the next whole number.",
    wrong=(
        (
            lambda length: 2 * _first_longer(length),
            "this is the column of its sine; count the pairs",
        ),
        (
            lambda length: 2 * _first_longer(length) + 1,
            "this is the column of its cosine; count the pairs",
        ),
        (
            lambda length: _first_longer(length) - 1,
            "the wave of this pair is still shorter than the text",
        ),
        (
            lambda length: _first_longer(length, turn=1),
            "a full turn takes 2 pi divided by the frequency",
        ),
        (lambda length: _first_longer(length, base=_BASE**0.5), "the exponent is 2r/d, not r/d"),
    ),
)
def _long_wave(length: int) -> int:
    return _first_longer(length)


def _three_pairs(at: tuple[int, int, int]) -> tuple[tuple[int, int], ...]:
    i, j, other = at
    return (i, j), (100 + i, 100 + j), (i, other)


def _rotary_scores(at: tuple[int, int, int], sign: int = 1) -> list[float]:
    query, key = np.array([1, 0]), np.array([0, 1])
    return [
        float(rotary_embedding(query, sign * i) @ rotary_embedding(key, sign * j))
        for i, j in _three_pairs(at)
    ]


@value(
    "rotary-scores",
    asks="Rotary score at (i, j)",
    each=("({at[0]}, {at[1]})", "(10{at[0]}, 10{at[1]})", "({at[0]}, {at[2]})"),
    hint="turn q to (cos i, sin i) and k to (-sin j, cos j), and multiply",
    note="the first two share an offset, so they share the score.",
    varies={"at": ((3, 7, 8), (2, 7, 8), (1, 2, 4), (3, 5, 9), (2, 9, 6), (2, 3, 8), (1, 4, 7))},
    says=("$(i, j) = ({at[0]}, {at[1]})$, $(10{at[0]}, 10{at[1]})$ and $({at[0]}, {at[2]})$",),
    way="The query is $(\\cos i, \\sin i)$, the key $(-\\sin j, \\cos j)$; their product is "
    "$\\sin(i - j)$: $\\sin({at[0]} - {at[1]})$ twice, then $\\sin({at[0]} - {at[2]})$.",
    wrong=(
        (lambda at: [0, 0, 0], "this is the score without positions"),
        (
            lambda at: _rotary_scores(at, -1),
            "the sign is wrong: a rotation turns (0, 1) to (-sin, cos)",
        ),
        (
            lambda at: [math.cos(i - j) for i, j in _three_pairs(at)],
            "this is the score of a key that is equal to the query; k is (0, 1)",
        ),
    ),
)
def _rotary_scores_of_three(at: tuple[int, int, int]) -> list[float]:
    return _rotary_scores(at)


def _lost(steps: int) -> FloatArray:
    """Minus what heads 0 and 8 of 16 take from a score at a distance."""
    return alibi_bias(16, steps + 1)[[0, 8], 0, steps]


@value(
    "alibi-fading",
    asks="Odds, far : near",
    each=("head 0", "head 8"),
    shapes=((2, 1),),
    hint="take {steps} slopes off the score; odds are e to the difference of two scores",
    note="head 0 sees little but its neighbours, head 8 much further.",
    varies={"steps": (5, 2, 3, 4, 6, 7, 8)},
    says=("one {steps} positions before.",),
    way="With 16 heads the slopes of head 0 and head 8 are $2^{{-1/2}}$ and $2^{{-9/2}}$. The "
    "far key loses {steps} slopes, and odds are $e$ to minus that.",
    wrong=(
        (lambda steps: _lost(steps), "these are the biases; e to the power of each gives the odds"),
        (lambda steps: -_lost(steps), "this is what the scores lose; the odds are asked for"),
        (
            lambda steps: np.exp(-_lost(steps)),
            "these are the odds of the near key against the far one",
        ),
        (
            lambda steps: np.exp(_lost(steps) * np.sqrt(2)),
            "the exponent counts h + 1, so head 0 has the slope 2^(−1/2)",
        ),
        (
            lambda steps: np.exp(-steps * np.array([1 / 2, 1 / 256])),
            "these are the first and the last slope of 8 heads; here are 16",
        ),
        (
            lambda steps: np.exp(_lost(steps))[::-1],
            "the heads are in the wrong order: head 0 first",
        ),
        (
            lambda steps: np.exp(_lost(1)),
            "this is for one step; the key stands {steps} before",
        ),
    ),
)
def _alibi_fading(steps: int) -> FloatArray:
    return np.exp(_lost(steps))
