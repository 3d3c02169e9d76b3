"""Attention between a big slow box and a small fast one: what moves, by two ways of computing."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from attnbook.explorers._base import Explorer, Widget
from attnbook.explorers._traits import Address, Setting, Trait
from attnbook.models.tiles import Counts, in_tiles, rows_that_fit, written_out
from attnutils._checks import Int

__all__ = ["MemoryExplorer"]

WIDTH = 64  # of queries, keys and values
LENGTHS = [128, 256, 512, 1024]
ROOMS = [8, 16, 32, 64, 128, 256]  # KiB


@functools.cache
def run(n: int, fast: int, tiled: bool) -> list[Counts]:
    """What a run counts, step by step. The numbers of queries, keys and values do not matter."""
    query, key, value = np.random.default_rng(0).normal(size=(3, n, WIDTH))
    way = in_tiles if tiled else written_out
    return way(query, key, value, rows_that_fit(1024 * fast, WIDTH)).counts


def _one_of(name: str, options: list[int], hint: str, default: int) -> Trait:
    def check(widget: Widget, x: Any) -> int:
        owner, expected = type(widget).__name__, f"one of {', '.join(map(str, options))}"
        value = int(Int(options[0], hint, options[-1]).check(owner, name, x))
        if value not in options:
            raise ValueError(f"{owner}: {name} must be {expected}, got {value}; {hint}.")
        return value

    return Trait(default, address=name, check=check, js=("oneOf", options))


class MemoryExplorer(Explorer):
    """A race between two ways of computing attention, by what moves between two memories.

    One head of width 64, numbers of 2 bytes. Written out, attention makes all scores, then all
    weights, then the output, and each goes to the slow memory and back. In tiles, online softmax
    uses each tile of scores where it was made. Moving sets the pace: both move as many bytes in
    the same time, and what is computed meanwhile takes none.

    Parameters
    ----------
    n : int, default 1024
        How many words there are: 128, 256, 512 or 1024.
    fast : int, default 64
        The size of the fast memory in KiB: a power of two, 8 to 256.
    done : int, default 0
        The time, in percent of what the slower way takes.

    References
    ----------
    dao2022 : attention in tiles, for the sake of what moves.

    Examples
    --------
    >>> explorer = MemoryExplorer(n=512, done=100)
    >>> explorer.written_out
    Counts(bytes_moved=3014656, multiplications=33554432)
    >>> explorer.in_tiles.bytes_moved
    917504
    """

    address = Address("memory")
    n = _one_of("n", LENGTHS, "it counts the words", 1024)
    fast = _one_of("fast", ROOMS, "it is the size of the fast memory in KiB", 64)
    done = Setting(Int(0, "it is the time, in percent", 100), 0, address="done")

    @property
    def rows(self) -> int:
        """How many rows a tile has."""
        return rows_that_fit(1024 * self.fast, WIDTH)

    @property
    def totals(self) -> list[int]:
        """How many bytes move in all: written out, and in tiles."""
        return [run(self.n, self.fast, tiled)[-1].bytes_moved for tiled in (False, True)]

    def _now(self, tiled: bool) -> Counts:
        clock = self.done * max(self.totals)
        counts = run(self.n, self.fast, tiled)
        return [each for each in counts if 100 * each.bytes_moved <= clock][-1]

    @property
    def written_out(self) -> Counts:
        """What has been moved and multiplied so far, with the scores written out."""
        return self._now(tiled=False)

    @property
    def in_tiles(self) -> Counts:
        """What has been moved and multiplied so far, in tiles."""
        return self._now(tiled=True)
