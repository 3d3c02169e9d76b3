"""Attention between a large slow memory and a small fast one. Taught on *efficient attention*.

What is computed stands in the fast memory; what the fast memory has no room for moves. The loop
that computes the output counts what it moves and what it multiplies.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from attnutils._checks import FloatArray
from attnutils.blocks import OnlineSoftmax, online_step
from attnutils.normalize import softmax

BYTES = 2  # of a number, as in float16


class Counts(NamedTuple):
    """What has been done up to a step."""

    bytes_moved: int
    multiplications: int


class Run(NamedTuple):
    """The output of attention, and the counts before the first step and after each."""

    output: FloatArray
    counts: list[Counts]


class _Machine:
    """The fast memory, with its counts; arrays that it has not loaded are in the slow one."""

    def __init__(self) -> None:
        self.bytes_moved = self.multiplications = 0
        self.counts = [Counts(0, 0)]

    def moved(self, x: FloatArray) -> FloatArray:
        self.bytes_moved += BYTES * x.size
        return x

    def product(self, a: FloatArray, b: FloatArray) -> FloatArray:
        self.multiplications += a.size * b.shape[-1]
        return a @ b

    def end_of_step(self) -> None:
        self.counts.append(Counts(self.bytes_moved, self.multiplications))


def rows_that_fit(fast_bytes: int, d: int) -> int:
    """How many rows a tile has: the most for which the tiles of a step fit into the fast memory.

    Tiles of Q, K, V and Y have d columns; there are their scores, and a maximum and a sum a row.
    """
    half = 2 * d + 1  # b * b + 2 * half * b <= room
    return math.isqrt(half * half + fast_bytes // BYTES) - half


def _tiles(n: int, rows: int) -> Iterator[slice]:
    return (slice(start, min(start + rows, n)) for start in range(0, n, rows))


def in_tiles(query: FloatArray, key: FloatArray, value: FloatArray, rows: int) -> Run:
    """Attention with online softmax, a tile of queries and of keys at a time."""
    machine, output = _Machine(), np.empty((len(query), value.shape[1]))
    for some in _tiles(len(query), rows):
        q = machine.moved(query[some]) / math.sqrt(query.shape[1])
        n = len(q)
        kept = OnlineSoftmax(
            np.full((n, 1), -np.inf), np.zeros((n, 1)), np.zeros_like(output[some])
        )
        for keys in _tiles(len(key), rows):
            k, v = machine.moved(key[keys]), machine.moved(value[keys])
            kept = online_step(kept, machine.product(q, k.T), v)
            # Inside the step: the terms times the values, and the correction of both sums.
            machine.multiplications += n * v.size + kept.total.size + kept.weighted.size
            if keys.stop == len(key):
                output[some] = machine.moved(kept.weighted / kept.total)
            machine.end_of_step()
    return Run(output, machine.counts)


def written_out(query: FloatArray, key: FloatArray, value: FloatArray, rows: int) -> Run:
    """Attention in three passes: all scores, all weights, all outputs; each goes back and forth."""
    machine, output = _Machine(), np.zeros((len(query), value.shape[1]))
    square = np.empty((len(query), len(key)))  # scores, then weights, in the slow memory
    for some in _tiles(len(query), rows):
        q = machine.moved(query[some]) / math.sqrt(query.shape[1])
        for keys in _tiles(len(key), rows):
            square[some, keys] = machine.moved(machine.product(q, machine.moved(key[keys]).T))
            machine.end_of_step()
    for some in _tiles(len(query), rows):  # row after row: a row fits
        square[some] = machine.moved(softmax(machine.moved(square[some])))
        machine.end_of_step()
    for some in _tiles(len(query), rows):
        for keys in _tiles(len(key), rows):
            weights, v = machine.moved(square[some, keys]), machine.moved(value[keys])
            output[some] += machine.product(weights, v)
            if keys.stop == len(key):
                machine.moved(output[some])
            machine.end_of_step()
    return Run(output, machine.counts)
