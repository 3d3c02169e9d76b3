"""The sinusoidal encoding of positions, and how alike two positions are in it."""

from __future__ import annotations

import math
import sys
from typing import Any

import traitlets

from attnbook.explorers._base import Explorer
from attnbook.explorers._traits import Address, Setting, Trait
from attnutils._checks import Flag, FloatArray, Int, Number
from attnutils.positional import sinusoidal_encoding

__all__ = ["PositionalEncodingExplorer"]


def _position(widget: Any, x: Any) -> int:
    if x is None:
        return min(20, widget.length - 1)
    option = Int(0, "it is one of the positions, which length counts", widget.length - 1)
    return int(option.check(type(widget).__name__, "position", x))


class PositionalEncodingExplorer(Explorer):
    """Move along the rows of the encoding, and see its clocks turn and what is similar.

    Each pair of columns is the hand of a clock, and Play lets all walk. A ghost stands where the
    hand was at the position that one comes from.

    Parameters
    ----------
    length : int, default 64
        Number of positions, 2 to 128. Where it falls below the position, the position follows.
    dim : int, default 32
        Number of dimensions, d: even, 2 to 128.
    base : float, default 10000.0
        Above 1 and finite.
    all_columns : bool, default False
        Whether more than the first 16 columns are drawn.
    position : int, optional
        The chosen position, 0 to length - 1; without it, 20 or the last one.

    References
    ----------
    vaswani2017

    Examples
    --------
    >>> explorer = PositionalEncodingExplorer(length=8, dim=32, position=0)
    >>> (16 * explorer.similarity).round(2)
    array([16.  , 15.31, 13.73, 12.27, 11.66, 11.78, 11.89, 11.43])
    """

    _first = "length"
    address = Address("positional")
    length = Setting(Int(2, "it counts the positions", 128), 64, address="length")
    dim = Setting(Int(2, "each sine has its cosine", 128, step=2), 32, address="dim")
    base = Setting(
        Number(
            math.nextafter(1, 2),
            "the longest wave is almost 2 pi base positions long",
            sys.float_info.max,
        ),
        10000.0,
        address="base",
    )
    all_columns = Setting(Flag("it says whether all columns are drawn"), False, address="all")
    position = Trait(None, address="at", check=_position)

    @traitlets.observe("length")
    def _keep_position_inside(self, change: Any) -> None:
        self.position = min(self.position, change.new - 1)

    @property
    def encoding_matrix(self) -> FloatArray:
        """What the heat map shows, of shape (length, dim)."""
        return sinusoidal_encoding(self.length, self.dim, self.base)

    @property
    def similarity(self) -> FloatArray:
        """The chosen position compared with every position, of shape (length,).

        The dot products of the rows of `encoding_matrix`, divided by d / 2, so that a position
        and itself give 1.
        """
        return self.similarity_to(self.position)

    def similarity_to(self, position: int) -> FloatArray:
        """Any position compared with every position, of shape (length,)."""
        matrix = self.encoding_matrix
        similarity: FloatArray = matrix @ matrix[position] / (self.dim / 2)
        return similarity
