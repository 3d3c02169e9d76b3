"""Three ways to tell attention where a token stands, and how alike two positions are in each."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import traitlets

from attnbook.explorers._base import Explorer
from attnbook.explorers._traits import Address, Setting, Trait
from attnutils._checks import Choice, FloatArray, Int, Number
from attnutils.positional import alibi_bias, rotary_embedding, sinusoidal_encoding

__all__ = ["PositionalEncodingExplorer"]

#: ALiBi's heads, with the slopes 1/2, 1/4, ... 1/256.
N_HEADS = 8


def _position(widget: Any, x: Any) -> int:
    if x is None:
        return min(20, widget.length - 1)
    option = Int(0, "it is one of the positions, which length counts", widget.length - 1)
    return int(option.check(type(widget).__name__, "position", x))


class PositionalEncodingExplorer(Explorer):
    """Move along the positions: their encoding, its waves, and similarity against offset.

    Each pair of columns is the hand of a clock, and Play lets all walk. ALiBi has no clocks: there
    stands what each of its heads can see.

    Parameters
    ----------
    length : int, default 64
        Number of positions, 2 to 128. Where it falls below the position, the position follows.
    dim : int, default 32
        Number of dimensions, d: even, 2 to 128. ALiBi has none.
    base : float, default 10000.0
        Above 1 and finite. ALiBi has none.
    encoding : {"sinusoidal", "rotary", "alibi"}
    head : int, default 2
        The head of ALiBi that is shown, 0 to 7; its slope is 2 ** -(head + 1).
    position : int, optional
        The chosen position, 0 to length - 1; without it, 20 or the last one.

    References
    ----------
    vaswani2017 : sines and cosines.
    su2024 : rotary embeddings.
    press2022 : ALiBi.

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
    encoding = Setting(
        Choice("sinusoidal", "rotary", "alibi", hint="it tells attention where a token stands"),
        "sinusoidal",
        address="encoding",
    )
    head = Setting(Int(0, "it is one of the heads of ALiBi", N_HEADS - 1), 2, address="head")
    position = Trait(None, address="at", check=_position)

    @traitlets.observe("length")
    def _keep_position_inside(self, change: Any) -> None:
        self.position = min(self.position, change.new - 1)

    @property
    def encoding_matrix(self) -> FloatArray:
        """What the heat map shows.

        The sinusoidal encoding; or what (1, 0, 1, 0, ...) is turned to at each position, both of
        shape (length, dim); or the bias of ALiBi's chosen head, of shape (length, length).
        """
        if self.encoding == "sinusoidal":
            return sinusoidal_encoding(self.length, self.dim, self.base)
        if self.encoding == "rotary":
            x = np.tile([1.0, 0.0], (self.length, self.dim // 2))
            return rotary_embedding(x, base=self.base)
        return alibi_bias(N_HEADS, self.length)[self.head]

    @property
    def similarity(self) -> FloatArray:
        """The chosen position compared with every position, of shape (length,).

        The dot products of the rows of `encoding_matrix`, divided by d / 2, so that a position
        and itself give 1. For ALiBi it is the bias: 0 for a position and itself.
        """
        return self.similarity_to(self.position)

    def similarity_to(self, position: int) -> FloatArray:
        """Any position compared with every position, of shape (length,)."""
        matrix = self.encoding_matrix
        row: FloatArray = matrix[position]
        if self.encoding == "alibi":
            return row
        similarity: FloatArray = matrix @ row / (self.dim / 2)
        return similarity
