"""Attention between a big slow box and a small fast one: what moves, by two ways of computing."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from attnbook.explorers._base import Address, Checked, Explorer, Widget, script, style
from attnbook.lessons.tiles import Counts, in_tiles, rows_that_fit, written_out
from attnutils._checks import Flag, Int

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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


def most(n: int) -> Counts:
    """Where the bars end, at every size: the larger count of both ways, smallest fast memory."""
    ends = [run(n, ROOMS[0], tiled)[-1] for tiled in (False, True)]
    return Counts(*(max(pair) for pair in zip(*ends, strict=True)))


def _one_of(widget: Widget, name: str, x: Any, options: list[int], hint: str) -> int:
    owner, expected = type(widget).__name__, f"one of {', '.join(map(str, options))}"
    value = Int(options[0], hint, options[-1]).check(owner, name, x)
    if value not in options:
        raise ValueError(f"{owner}: {name} must be {expected}, got {value}; {hint}.")
    return value


def _checked_n(widget: Widget, x: Any) -> int:
    return _one_of(widget, "n", x, LENGTHS, "it counts the words")


def _checked_fast(widget: Widget, x: Any) -> int:
    return _one_of(widget, "fast", x, ROOMS, "it is the size of the fast memory in KiB")


def _checked_tiled(widget: Widget, x: Any) -> bool:
    return Flag("False writes all scores out").check(type(widget).__name__, "tiled", x)


def _checked_done(widget: Widget, x: Any) -> int:
    hint = "it says how far the run is, in percent"
    return Int(0, hint, 100).check(type(widget).__name__, "done", x)


class MemoryExplorer(Explorer):
    """Watch tiles move between a large slow memory and a small fast one, and count the bytes.

    One head of width 64, numbers of 2 bytes. Written out, attention makes all scores, then all
    weights, then the output, and each goes to the slow memory and back. In tiles, online softmax
    uses each tile of scores where it was made. The traits move the widget, and the widget moves
    the traits: `explorer.tiled = True`.

    Parameters
    ----------
    n : int, default 1024
        How many words there are: 128, 256, 512 or 1024.
    fast : int, default 64
        The size of the fast memory in KiB: a power of two, 8 to 256.
    tiled : bool, default False
        Compute in tiles; else the scores are written out.
    done : int, default 0
        How far the run is, in percent of its steps.

    Attributes
    ----------
    rows : int
        How many rows a tile has.
    bytes_moved, multiplications : int
        What has been moved and multiplied so far.

    Raises
    ------
    ValueError, TypeError
        If a number does not fit.

    References
    ----------
    dao2022 : attention in tiles, for the sake of what moves.

    Examples
    --------
    >>> explorer = MemoryExplorer(n=512, done=100)
    >>> explorer.bytes_moved
    3014656
    >>> explorer.tiled = True
    >>> explorer.bytes_moved
    917504
    """

    _esm = script("memory_explorer")
    _css = style("memory_explorer")

    address = Address("memory")
    n = Checked(1024, _checked_n)
    fast = Checked(64, _checked_fast)
    tiled = Checked(False, _checked_tiled)
    done = Checked(0, _checked_done)

    def __init__(
        self, *, n: int = 1024, fast: int = 64, tiled: bool = False, done: int = 0, **kwargs: Any
    ) -> None:
        super().__init__(n=n, fast=fast, tiled=tiled, done=done, **kwargs)

    @classmethod
    def example(cls) -> Self:
        """An explorer in the middle of a run."""
        return cls(done=30)

    @property
    def rows(self) -> int:
        """How many rows a tile has."""
        return rows_that_fit(1024 * self.fast, WIDTH)

    def _now(self, tiled: bool) -> Counts:
        counts: list[Counts] = run(self.n, self.fast, tiled)
        at: int = (len(counts) - 1) * self.done // 100
        return counts[at]

    @property
    def bytes_moved(self) -> int:
        """How many bytes have moved so far, in and out."""
        return self._now(self.tiled).bytes_moved

    @property
    def multiplications(self) -> int:
        """How many numbers have been multiplied so far."""
        return self._now(self.tiled).multiplications

    def __repr__(self) -> str:
        return f"MemoryExplorer(n={self.n}, fast={self.fast}, tiled={self.tiled}, done={self.done})"

    def _picture(self) -> Figure:
        from attnbook.explorers.pictures.memory_explorer import memory_picture

        now, whole = self._now(self.tiled), most(self.n)
        return memory_picture(self.n, self.fast, self.rows, self.tiled, self.done, now, whole)
