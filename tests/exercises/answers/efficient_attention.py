"""Answers to the exercises and the questions of the page on efficient attention."""

import math
from functools import partial

import numpy as np

from attnbook.models.tiles import in_tiles, rows_that_fit, written_out
from attnutils import attention
from attnutils.worked_example import KEYS


def merge(first, second, base=0.0, corrected=(True, True)):
    """A merge as a learner writes it, with a place for each slip."""
    m = max(first[0], second[0])
    base = base if m == -math.inf else m
    c_1, c_2 = np.where(corrected, np.exp(np.subtract([first[0], second[0]], base)), 1)
    return m, c_1 * first[1] + c_2 * second[1], c_1 * first[2] + c_2 * second[2]


def that_spoils_its_input(first, second):
    result = merge(first, second)
    first[2][:], second[2][:] = 0, 0
    return result


def divided(first, second):
    m, ell, u = merge(first, second)
    return m, ell, u / ell if ell else u


def without_maximum(first, second):
    m, (c_1, c_2) = max(first[0], second[0]), np.exp([first[0], second[0]])
    ell, u = c_1 * first[1] + c_2 * second[1], c_1 * first[2] + c_2 * second[2]
    return m, ell / np.exp(m), u / np.exp(m)


MERGE, ONLINE, RATE = "write-merge", "online-by-hand", "decode-rate"
HIGHER, LOWER = (f"for a second half with a {each} maximum, " for each in ("higher", "lower"))

RIGHT = {
    ONLINE: [[1.3746, -0.1440, 0.0025, 0.3624], (1.375, -0.144, 0.002, 0.362)],
    "cache-room": [[2560, 10240]],
    RATE: [[165.1, 532.2], (165, 532)],
    MERGE: [merge, that_spoils_its_input, lambda *a: list(merge(*a[::-1]))],
}

WRONG = [
    (ONLINE, [0, 0, 0, 0], "block 1: m = 1"),
    ("cache-room", (1, 1), "a token takes 2"),
    (MERGE, partial(merge, corrected=(False, False)), f"{HIGHER}the first half is not corrected"),
    (MERGE, partial(merge, corrected=(True, False)), f"{LOWER}the second half is not corrected"),
    (MERGE, divided, f"{HIGHER}u is divided already"),
    (MERGE, lambda a, b: (*merge(a, b)[:2], (a[2] / a[1] + b[2] / b[1]) / 2),
     f"{HIGHER}the numbers are off"),
    (MERGE, lambda *a: (0, 0), f"{HIGHER}expected three results"),
    (MERGE, without_maximum, "for scores near 1,000, there is NaN or inf"),
    (MERGE, partial(merge, base=-math.inf), "for two halves that are all masked, there is NaN"),
    (RATE, (1, 1), "a step reads 16 GB"),
]  # fmt: skip


def predict_overtake(rng):
    size, d = np.dtype(np.float32).itemsize, 64
    lengths = [n for n in range(1, 5000) if 2 * n * n * size <= 4 * n * d * size]
    assert lengths == list(range(1, len(lengths) + 1))  # up to there, and no longer
    return lengths[-1]


def predict_factor(rng):
    scores = KEYS @ KEYS[5]
    read, coming = scores[:3], scores[3]
    assert [*read, coming] == [0, 1, -4, 7]
    old, new = np.exp(read - read.max()), np.exp(read - coming)

    def is_factor(factor):
        return np.isclose(factor * old.sum(), new.sum(), rtol=1e-9, atol=0)

    return {
        "Nothing": is_factor(1),
        "Multiply it by $e^6$": is_factor(np.exp(6)),
        "Multiply it by $e^{-6}$": is_factor(np.exp(-6)),
        # It *must* be computed again only if no one factor serves all terms.
        "Compute it again from the three scores": not np.allclose(new / old, (new / old)[0]),
    }


def predict_append(rng):
    text, layers = rng.normal(size=(11, 8)), rng.normal(size=(2, 3, 8, 8))

    def old_rows(n):
        x, rows = text[:n], []
        for w_q, w_k, w_v in layers:
            x = attention(x @ w_q, x @ w_k, x @ w_v, is_causal=True).output
            rows.append(x[:10])
        return rows

    before_after = zip(old_rows(10), old_rows(11), strict=True)
    moved = [
        np.flatnonzero(~np.isclose(a, b, rtol=0, atol=1e-12).all(axis=-1)).tolist()
        for a, b in before_after
    ]
    all_rows = list(range(10))
    return {
        "In all rows of both": moved == [all_rows, all_rows],
        "In none": moved == [[], []],
        "In none of the first, in all of the second": moved == [[], all_rows],
        "In the last old row of both": moved == [[9], [9]],
    }


def predict_moves(rng):
    def moved(fast):  # by both ways, KiB of fast memory
        rows = rows_that_fit(1024 * fast, 64)
        inputs = rng.normal(size=(3, 256, 64))
        return [way(*inputs, rows).counts[-1].bytes_moved for way in (written_out, in_tiles)]

    saved = {
        tuple(np.subtract(moved(fast), moved(2 * fast))) for fast in (8, 16, 32, 64)
    }  # written out, in tiles
    assert max(saved) > (0, 0)
    return {
        "Scores written out": all(out > tiled for out, tiled in saved),
        "In tiles": all(out < tiled for out, tiled in saved),
        "Both save the same": all(out == tiled for out, tiled in saved),
    }


def predict_slowest(rng):
    n = 1024
    run = in_tiles(*rng.normal(size=(3, n, 64)), 255).counts[-1]
    per_clock, exponentials = 8192, 16  # in each processor of a B200
    flops, bandwidth = 2250e12, 8000e9
    times = {
        "Moving": run.bytes_moved / bandwidth,
        "Multiplying": 2 * run.multiplications / flops,
        "The exponentials": n * n / (flops / per_clock * exponentials),
    }
    return {name: time == max(times.values()) for name, time in times.items()}


def predict_larger(rng):
    small, large = 32 * 2 * 32 * 128, 126 * 2 * 8 * 128  # Llama 2 7B, Llama 3 405B
    return {
        "Llama 3 405B, about four times as many": 3.5 < large / small < 4.5,
        "Llama 2 7B, a little more": 1.01 < small / large < 1.03,
        "Llama 3 405B, 58 times as many": 50 < large / small < 66,
    }


def predict_batch(rng):
    parameters, cache = rng.integers(1, 10**9, size=2)

    def read(texts):  # by one step, which writes a token of each text
        return parameters, texts * cache

    grows = tuple(more == 8 * less for less, more in zip(read(1), read(8), strict=True))
    return {
        "The parameters and the caches": grows == (True, True),
        "The caches": grows == (False, True),
        "The parameters": grows == (True, False),
        "Neither": grows == (False, False),
    }
