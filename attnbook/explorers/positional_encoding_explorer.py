"""Three ways to tell attention where a token stands, and how alike two positions are in each."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import traitlets

from attnbook.explorers._base import Address, Checked, Explorer, Widget, script, style
from attnutils._checks import Choice, FloatArray, Int, Number
from attnutils.positional import alibi_bias, rotary_embedding, sinusoidal_encoding

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["PositionalEncodingExplorer"]

_ENCODINGS = ("sinusoidal", "rotary", "alibi")
_LONGEST = _WIDEST = 128

#: ALiBi's heads, with the slopes 1/2, 1/4, ... 1/256.
N_HEADS = 8


def _checked_length(widget: Widget, x: Any) -> int:
    hint = "it counts the positions"
    return Int(2, hint, _LONGEST).check(type(widget).__name__, "length", x)


def _checked_dim(widget: Widget, x: Any) -> int:
    hint = "each sine has its cosine"
    return Int(2, hint, _WIDEST, step=2).check(type(widget).__name__, "dim", x)


def _checked_base(widget: Widget, x: Any) -> float:
    owner = type(widget).__name__
    hint = "the longest wave is almost 2 pi base positions long"
    low, high = math.nextafter(1, 2), sys.float_info.max
    return Number(low, hint, high).check(owner, "base", x)


def _checked_position(widget: PositionalEncodingExplorer, x: Any) -> int:
    hint = "it is one of the positions, which length counts"
    return Int(0, hint, widget.length - 1).check(type(widget).__name__, "position", x)


def _checked_encoding(widget: Widget, x: Any) -> str:
    hint = "it tells attention where a token stands"
    return Choice(*_ENCODINGS, hint=hint).check(type(widget).__name__, "encoding", x)


def _checked_head(widget: Widget, x: Any) -> int:
    hint = "it is one of the heads of ALiBi"
    return Int(0, hint, N_HEADS - 1).check(type(widget).__name__, "head", x)


class PositionalEncodingExplorer(Explorer):
    """Move along the positions: their encoding, its waves, and similarity against offset.

    The traits move the widget, and the widget moves the traits: `explorer.position = 3`.
    `encoding_matrix` and `similarity` are computed by attnutils.

    Parameters
    ----------
    length : int, default 64
        Number of positions, 2 to 128. Where it falls below the position, the position follows.
    dim : int, default 32
        Number of dimensions, d: even, 2 to 128. ALiBi has none.
    base : float, default 10000.0
        Above 1 and finite. ALiBi has none.
    position : int, optional
        The chosen position, 0 to length - 1; without it, 20 or the last one.
    encoding : {"sinusoidal", "rotary", "alibi"}
    head : int, default 2
        The head of ALiBi that is shown, 0 to 7; its slope is 2 ** -(head + 1).

    Attributes
    ----------
    encoding_matrix : ndarray of shape (length, dim), or (length, length) for ALiBi
    similarity : ndarray of shape (length,)

    Raises
    ------
    ValueError, TypeError
        If an argument is not of its kind or out of its range.

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

    _esm = script("positions", "positional_encoding_explorer")
    _css = style("positional_encoding_explorer")

    address = Address("positional")
    length = Checked(64, _checked_length)
    dim = Checked(32, _checked_dim)
    base = Checked(10000.0, _checked_base)
    position = Checked(0, _checked_position)
    encoding = Checked("sinusoidal", _checked_encoding)
    head = Checked(2, _checked_head)

    def __init__(
        self,
        *,
        length: int = 64,
        dim: int = 32,
        base: float = 10000.0,
        position: int | None = None,
        encoding: str = "sinusoidal",
        head: int = 2,
        **kwargs: Any,
    ) -> None:
        length = _checked_length(self, length)
        super().__init__(
            length=length,
            dim=dim,
            base=base,
            position=min(20, length - 1) if position is None else position,
            encoding=encoding,
            head=head,
            **kwargs,
        )

    @classmethod
    def example(cls) -> Self:
        """An explorer as it is without arguments."""
        return cls()

    @traitlets.observe("length")
    def _keep_position_inside(self, change: Any) -> None:
        self.position = min(self.position, change.new - 1)

    @property
    def encoding_matrix(self) -> FloatArray:
        """What the heatmap shows.

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

    def __repr__(self) -> str:
        size = (
            f"head={self.head}"
            if self.encoding == "alibi"
            else f"dim={self.dim}, base={self.base:g}"
        )
        return (
            f"PositionalEncodingExplorer(encoding={self.encoding!r}, length={self.length}, "
            f"{size}, position={self.position})"
        )

    def _picture(self) -> Figure:
        from attnbook.explorers.pictures.positional_encoding_explorer import encoding_picture

        compared = np.stack([self.similarity_to(0), self.similarity])
        data = self.encoding_matrix, compared, self.position
        if self.encoding == "alibi":
            fan = alibi_bias(N_HEADS, self.length)[:, self.position]
            titles = f"bias, head {self.head}", "factor", ["bias", "factor"]
            facts = f"ALiBi, length {self.length}, head {self.head}"
            return encoding_picture(facts, titles, *data, fan=fan, head=self.head)
        is_sines = self.encoding == "sinusoidal"
        return encoding_picture(
            f"{self.encoding}, length {self.length}, dimension {self.dim}, base {self.base:.10g}",
            ("encoding P", "similarity", ["dot product", "similarity"])
            if is_sines
            else ("(1, 0, 1, 0, …) turned", "score", ["score q · k", "score"]),
            *data,
            frequency=lambda column: self.base ** (-(column - column % 2) / self.dim),
            is_sine_first=is_sines,
        )
