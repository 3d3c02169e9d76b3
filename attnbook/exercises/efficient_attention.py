"""Exercises of the page on efficient attention."""

import math
from functools import partial
from typing import Any

import numpy as np

from attnbook.exercises._registry import (
    UNANSWERED,
    attempt,
    book_scores,
    compared,
    first_slip,
    judged,
    numbers,
    value,
)
from attnutils._checks import FloatArray
from attnutils.worked_example import VALUES

State = tuple[float, float, FloatArray]  # maximum, sum, weighted sum of the values
_EMPTY: State = (-math.inf, 0.0, np.zeros(1))


def _step(state: State, s: FloatArray, v: FloatArray) -> State:
    """One step of online softmax for one query: s (b,), v (b, d_v)."""
    m, total, weighted = state
    highest = max(m, float(s.max()))
    base = 0.0 if highest == -math.inf else highest
    c, e = math.exp(m - base), np.exp(s - base)
    return highest, c * total + float(e.sum()), c * weighted + e @ v


def _two_blocks(kept: float | None = None) -> FloatArray:
    """Sum and output after three tokens, the factor, and the output after six.

    `kept` stands for the factor where that is wrong.
    """
    s = book_scores()
    first = _step(_EMPTY, s[:3], VALUES[:3])
    m, total, weighted = _step(_EMPTY, s[3:], VALUES[3:])
    factor = math.exp(first[0] - m)
    kept = factor if kept is None else kept
    output = (kept * first[2] + weighted) / (kept * first[1] + total)
    return np.array([first[1], (first[2] / first[1]).item(), factor, output.item()])


def _with(changed: dict[int, float]) -> FloatArray:
    """The right four numbers, some of them replaced."""
    result = _two_blocks()
    for at, number in changed.items():
        result[at] = number
    return result


def _undivided() -> FloatArray:
    """Weighted sums in the place of the two outputs."""
    s = book_scores()
    first = _step(_EMPTY, s[:3], VALUES[:3])
    last = _step(first, s[3:], VALUES[3:])
    return _with({1: first[2].item(), 3: last[2].item()})


@value(
    "online-by-hand",
    asks="Online softmax",
    each=("ℓ after block 1", "o after block 1", "factor", "o after block 2"),
    hint="block 1: m = 1, terms e^(s − 1); block 2: m = 7, terms e^(s − 7); o = u / ℓ",
    note="two blocks, and the same .3624.",
    wrong=(
        (lambda: _two_blocks(kept=1.0), "the first block is not corrected before the sums meet"),
        (
            lambda: _with({2: math.exp(6)}),
            "the factor is e^(old maximum − new maximum), below 1",
        ),
        (
            lambda: _with({2: math.exp(6), 3: _two_blocks(kept=math.exp(6))[3]}),
            "the factor is e^(old maximum − new maximum), below 1",
        ),
        (
            lambda: _with({2: math.exp(-7), 3: _two_blocks(kept=math.exp(-7))[3]}),
            "the maximum of the first block is 1, the score of Sleepy, not 0",
        ),
        (lambda: _with({2: -6.0}), "that is the exponent; the factor is e to the power of it"),
        (lambda: _with({2: 6.0}), "the exponent is 1 − 7, and the factor is e to the power of it"),
        (lambda: _with({1: _undivided()[1]}), "the first output is u / ℓ, not u"),
        (lambda: _with({3: _undivided()[3]}), "the last output is u / ℓ, not u"),
        (
            lambda: _with({0: 1 + math.e + math.exp(-4)}),
            "ℓ is measured from the maximum: each term is e^(s − 1)",
        ),
        (_undivided, "these are the weighted sums u; the output is u / ℓ"),
        (
            lambda: _with({3: _two_blocks(kept=0.0)[3]}),
            "the last output leaves the first block out; it is small, not nothing",
        ),
    ),
)
def _online_by_hand() -> FloatArray:
    return _two_blocks()


_INF = math.inf
_ONE, _TWO = np.array([0.3, -1.2]), np.array([2.0, 0.5])
_HALVES: dict[str, tuple[State, State]] = {
    "a second half with a higher maximum": ((1.0, 1.5, _ONE), (3.0, 2.0, _TWO)),
    "a second half with a lower maximum": ((4.0, 1.5, _ONE), (1.0, 2.0, _TWO)),
    "scores near 1,000": ((999.0, 1.5, _ONE), (1001.0, 2.0, _TWO)),
    "a first half that is all masked": ((-_INF, 0.0, np.zeros(2)), (3.0, 2.0, _TWO)),
    "two halves that are all masked": ((-_INF, 0.0, np.zeros(2)), (-_INF, 0.0, np.zeros(2))),
}


def _merged(first: State, second: State, corrected: tuple[bool, bool] = (True, True)) -> FloatArray:
    """Maximum, sum and weighted sum of both halves; a half may be left uncorrected."""
    highest = max(first[0], second[0])
    base = 0.0 if highest == -_INF else highest
    c_1, c_2 = (
        math.exp(m - base) if is_corrected else 1.0
        for m, is_corrected in zip((first[0], second[0]), corrected, strict=True)
    )
    total = c_1 * first[1] + c_2 * second[1]
    return np.array([highest, total, *(c_1 * first[2] + c_2 * second[2])])


def _joined(result: Any) -> Any:
    """The three parts of a state as one array; what is not a state, as it is."""
    try:
        m, total, weighted = result
        parts = [numbers(m), numbers(total), numbers(weighted)]
        if any(part is None for part in parts) or np.shape(weighted) != (2,):
            return result
        return np.concatenate([np.ravel(part) for part in parts])  # type: ignore[arg-type]
    except Exception:  # whatever a learner's function has returned
        return result


def _merge_slip(first: State, second: State, given: FloatArray) -> str:
    """What is wrong with a merged state."""
    if not np.isfinite(given[1:]).all() or np.isnan(given[0]):
        if max(first[0], second[0]) == -_INF:
            return "there is NaN; −inf − (−inf) is not a number"
        return "there is NaN or inf: subtract the common maximum before exp"
    right = _merged(first, second)
    divided = np.array([*right[:2], *(right[2:] / (right[1] or 1.0))])
    slips = [
        (_merged(first, second, (True, False)), "the second half is not corrected"),
        (_merged(first, second, (False, True)), "the first half is not corrected"),
        (divided, "u is divided already; the merged state holds it undivided"),
    ]
    return first_slip(given, slips, "the numbers are off; each half has a correction of its own")


@judged(
    "write-merge",
    function="my_merge(first, second)",
    note="two halves, each read by another processor.",
)
def _write_merge(answer: Any) -> str | None:
    for name, (first, second) in _HALVES.items():
        copies = [(m, total, weighted.copy()) for m, total, weighted in (first, second)]
        given = attempt(answer, *copies)
        if given is ...:
            return UNANSWERED
        result = _joined(given)
        if result is given and not isinstance(given, BaseException):
            return f"for {name}, expected three results: m, ell, and u of shape (2,)"
        slip = partial(_merge_slip, first, second)
        problem = compared(f"for {name}", result, _merged(first, second), slip)
        if problem is not None:
            return problem
    return None


def _room(left: int, *, sides: int = 2, texts: int = 8, size: int = 2, unit: int = 2**30) -> Any:
    """Tokens that fit into so many GiB, with 32 sets of keys and values and with 8."""
    return [left * unit // (sides * 32 * heads * 128 * size * texts) for heads in (32, 8)]


@value(
    "cache-room",
    asks="Length of each text",
    each=("32 sets", "8 sets"),
    unit="tokens",
    atol=0.5,
    hint="a token takes 2 · layers · sets · 128 numbers of 2 bytes, in each of eight texts",
    note="a quarter of the sets, four times the tokens.",
    varies={"left": (10, 6, 12, 16, 20, 24)},
    says=("{left} GiB of memory are left for the cache",),
    way="A token takes $2 \\cdot 32 \\cdot 32 \\cdot 128$ numbers of 2 bytes, 512 KiB; in each "
    "of eight texts, 4 MiB. {left} GiB over that; with 8 sets four times as many.",
    wrong=(
        (
            lambda left: _room(left, texts=1),
            "this is for one text; eight are written at the same time",
        ),
        (lambda left: _room(left, sides=1), "keys and values are both kept"),
        (lambda left: _room(left, size=4), "float16 takes 2 bytes"),
        (lambda left: _room(left, size=1), "float16 takes 2 bytes"),
        (lambda left: _room(left, unit=10**9), "1 GiB is 2^30 bytes"),
        (lambda left: _room(left)[::-1], "the two are in the other order"),
        (lambda left: [256 * left] * 2, "with 8 sets a token takes a quarter of the memory"),
        (
            lambda left: [256 * left, 64 * left],
            "with 8 sets a token takes less, so more tokens fit",
        ),
        (
            lambda left: [256 * left, 2048 * left],
            "8 sets are a quarter of 32, not an eighth",
        ),
        (
            lambda left: [words * 32 for words in _room(left)],
            "each of the 32 layers has a cache of its own",
        ),
    ),
)
def _cache_room(left: int) -> Any:
    return _room(left)


def _a_second(
    texts: int,
    *,
    parameters: float = 8e9,
    size: int = 2,
    token: int = 2**17,
    rate: float = 3350e9,
) -> float:
    """Tokens of all texts; a step reads the parameters once, and the cache of each text."""
    return texts * rate / (size * parameters + texts * token * 32768)


def _decode_rate(**options: Any) -> list[float]:
    """For one text, and for eight side by side."""
    return [_a_second(texts, **options) for texts in (1, 8)]


@value(
    "decode-rate",
    asks="Speed of writing",
    each=("one text", "eight texts together"),
    unit="tokens a second",
    atol=0.8,
    hint="a step reads 16 GB of parameters and 4.3 GB for each text; it gives each text a token",
    note="eight times the texts, 3.2 times the tokens: the parameters are shared, the caches not.",
    wrong=(
        (lambda: _decode_rate(parameters=0.0), "the parameters are read in each step as well"),
        (lambda: _decode_rate(token=0), "the cache is read in each step as well"),
        (
            lambda: [_a_second(1), _a_second(1)],
            "the parameters are read once for all eight texts, not once for each",
        ),
        (
            lambda: [_a_second(1), _a_second(8) / 8],
            "this is for one of the eight texts; they get a token each in a step",
        ),
        (
            lambda: [_a_second(1), 8 * _a_second(1)],
            "each text has a cache of its own, so a step reads eight caches",
        ),
        (lambda: _decode_rate(size=1), "a parameter takes 2 bytes"),
        (lambda: _decode_rate(rate=989e12), "reading is counted in bytes a second, not in FLOPs"),
        (lambda: _decode_rate(rate=1555e9), "this is the A100; the H100 moves 3,350 GB a second"),
        (lambda: _decode_rate(rate=8000e9), "this is the B200; the H100 moves 3,350 GB a second"),
        (lambda: _decode_rate(token=2 * 2**17), "128 KiB are already both keys and values"),
        (
            lambda: [1e3 / _a_second(1), 8e3 / _a_second(8)],
            "these are milliseconds for a step; how many tokens are written in a second?",
        ),
    ),
)
def _decode_rate_right() -> list[float]:
    return _decode_rate()
