"""Random queries and keys of any width, scored, divided and weighed: noise that looks certain."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from attnbook.explorers._base import Address, Checked, Explorer, Widget, script, style
from attnbook.lessons.random_scores import VARIANCE, WIDTHS, random_vectors
from attnutils._checks import FloatArray, Int
from attnutils.normalize import softmax

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["WidthExplorer"]

LAST_DRAW = 9999


def _checked_width(widget: Widget, x: Any) -> int:
    hint = "it counts the components of query and key"
    owner, expected = type(widget).__name__, "a power of two from 1 to 1024"
    width = Int(1, hint, WIDTHS[-1]).check(owner, "width", x)
    if width not in WIDTHS:
        raise ValueError(f"{owner}: width must be {expected}, got {width}; {hint}.")
    return width


def _checked_draw(widget: Widget, x: Any) -> int:
    hint = "it says which random numbers are drawn"
    return Int(1, hint, LAST_DRAW).check(type(widget).__name__, "draw", x)


class WidthExplorer(Explorer):
    """Slide the width of a random query and ten random keys; divide their scores three ways.

    All components are independent, with mean 0 and variance 1, so the scores mean nothing. Each
    column divides them by another number before the softmax: by 1, by the root of the width, by
    the width. A wider draw begins with the components of a narrower one. The traits move the
    widget, and the widget moves the traits: `explorer.width = 1024`.

    Parameters
    ----------
    width : int, default 256
        How many components query and keys have: a power of two, 1 to 1024.
    draw : int, default 1
        Which random numbers are drawn, 1 to 9999.

    Attributes
    ----------
    query : ndarray of shape (width,)
    key_matrix : ndarray of shape (10, width)
    scores : ndarray of shape (10,)
        The dot products of the query with the keys.
    divisors : tuple of float
        1, the root of the width, the width.
    weights : ndarray of shape (3, 10)
        A row for each divisor.

    Raises
    ------
    ValueError, TypeError
        If width or draw do not fit.

    References
    ----------
    vaswani2017 : the division by the root.

    Examples
    --------
    >>> explorer = WidthExplorer(width=1024)
    >>> explorer.divisors
    (1.0, 32.0, 1024.0)
    >>> explorer.weights.max(axis=-1).round(3)
    array([1.   , 0.325, 0.105])
    """

    _esm = script("width_explorer")
    _css = style("width_explorer")

    address = Address("width")
    width = Checked(256, _checked_width)
    draw = Checked(1, _checked_draw)

    def __init__(self, *, width: int = 256, draw: int = 1, **kwargs: Any) -> None:
        super().__init__(width=width, draw=draw, **kwargs)

    @classmethod
    def example(cls) -> Self:
        """An explorer of the width that it opens with."""
        return cls()

    def _vectors(self) -> NDArray[np.int64]:
        return random_vectors(self.draw)[:, : self.width]

    @property
    def query(self) -> FloatArray:
        """The query, of shape (width,)."""
        query: FloatArray = self._vectors()[0] / math.sqrt(VARIANCE)
        return query

    @property
    def key_matrix(self) -> FloatArray:
        """The keys, of shape (10, width)."""
        return self._vectors()[1:] / math.sqrt(VARIANCE)

    @property
    def scores(self) -> FloatArray:
        """The dot products of the query with the keys, of shape (10,)."""
        vectors = self._vectors()
        scores: FloatArray = vectors[1:] @ vectors[0] / VARIANCE
        return scores

    @property
    def divisors(self) -> tuple[float, float, float]:
        """What the scores are divided by: temperatures."""
        return 1.0, math.sqrt(self.width), float(self.width)

    @property
    def weights(self) -> FloatArray:
        """The weights, of shape (3, 10): a row for each divisor."""
        return np.array([softmax(self.scores, temperature=t) for t in self.divisors])

    def __repr__(self) -> str:
        return f"WidthExplorer(width={self.width}, draw={self.draw})"

    def _picture(self) -> Figure:
        from attnbook.explorers.pictures.width_explorer import width_picture

        return width_picture(self.width, self.draw, self.scores, self.divisors, self.weights)
