"""Random queries and keys of any width, scored, divided and weighed: noise that looks certain."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnbook.explorers._base import Explorer
from attnbook.explorers._traits import Address, Array, Setting, Trait
from attnbook.models.random_scores import VARIANCE, WIDTHS, random_vectors
from attnutils._checks import FloatArray, Int
from attnutils.normalize import softmax

__all__ = ["WidthExplorer"]

LAST_DRAW = 9999
DRAWS = 500  # of which the means are taken


def _checked_width(widget: Any, x: Any) -> int:
    owner, hint = type(widget).__name__, "it counts the components of query and key"
    width = int(Int(1, hint, WIDTHS[-1]).check(owner, "width", x))
    if width not in WIDTHS:
        raise ValueError(
            f"{owner}: width must be a power of two from 1 to 1024, got {width}; {hint}."
        )
    return width


def _divisors(width: int) -> tuple[float, float, float]:
    return 1.0, math.sqrt(width), float(width)


@cache
def _means() -> FloatArray:
    """Means of the largest weights of draws 1 to 500: a row for each divisor, then widths."""
    vectors = (random_vectors(draw) for draw in range(1, DRAWS + 1))
    # A wider draw begins with a narrower one: so do the sums of products.
    scores = np.array([
        (each[1:] * each[0]).cumsum(axis=-1)[:, np.array(WIDTHS) - 1] / VARIANCE for each in vectors
    ])  # fmt: skip
    return np.array([
        [softmax(scores[..., i], temperature=t).max(axis=-1).mean() for i, t in enumerate(row)]
        for row in zip(*map(_divisors, WIDTHS), strict=True)
    ])  # fmt: skip


class WidthExplorer(Explorer):
    """Drag the width of a random query and ten random keys; divide their scores three ways.

    All components are independent, with mean 0 and variance 1, so the scores mean nothing. Bars are
    the weights of the ten keys, from scores divided by 1, by the root of the width, by the width.
    Beside them the largest weight of this draw and on average, against the width. A wider draw
    begins with the components of a narrower one.

    Parameters
    ----------
    width : int, default 256
        How many components query and keys have: a power of two, 1 to 1024.
    draw : int, default 1
        Which random numbers are drawn, 1 to 9999.

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
    >>> explorer.means[:, 8].round(2)  # at width 256, on average
    array([0.93, 0.33, 0.11])
    """

    address = Address("width")
    #: The largest weight on average, of shape (3, 11): for each divisor, at each width.
    means = Array(3, len(WIDTHS))
    width = Trait(256, address="d", check=_checked_width)
    draw = Setting(Int(1, "it says which random numbers are drawn", LAST_DRAW), 1, address="draw")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(means=_means(), **kwargs)

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
        return _divisors(self.width)

    @property
    def weights(self) -> FloatArray:
        """The weights, of shape (3, 10): a row for each divisor."""
        return np.array([softmax(self.scores, temperature=t) for t in self.divisors])
