"""A query and a key, turned by their positions, and the score that is left."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import traitlets

from attnbook.explorers._base import (
    Address,
    ArrayTrait,
    Checked,
    Explorer,
    Fixed,
    Widget,
    checked_array,
    script,
    style,
)
from attnutils._checks import FloatArray, Int, Number
from attnutils.positional import rotary_embedding

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["RotaryBench"]

#: How many positions there are.
N_POSITIONS = 64


def _checked_position(name: str) -> Any:
    hint = "it is where the vector stands in the text"

    def check(widget: Widget, x: Any) -> int:
        return Int(0, hint, N_POSITIONS - 1).check(type(widget).__name__, name, x)

    return check


class RotaryBench(Explorer):
    """Turn a query and a key by their positions, as rotary embeddings do: a clock for each pair.

    The hands can be dragged. With `together`, moving one position moves the other as far. The
    traits move the widget, and the widget moves the traits: `bench.key_position = 8`. `score` and
    `scores_by_offset` are computed by attnutils.

    Parameters
    ----------
    query, key : array_like of shape (d,)
        As they were projected, before turning. d is 2, 4, 6 or 8.
    query_position, key_position : int
        From 0 to 63.
    base : float, default 10000.0
        At least 1. Pair r turns by base ** (-2 * r / d) from one position to the next.
    together : bool, default False

    Attributes
    ----------
    query_vector, key_vector : ndarray of shape (d,)
    score : float
        The dot product of the two after turning.
    scores_by_offset : ndarray of shape (127,)
        The same for the offsets -63 to 63 of the key from the query.

    Raises
    ------
    ValueError, TypeError
        If shapes, types or values do not fit.

    References
    ----------
    su2024

    Examples
    --------
    >>> bench = RotaryBench([1, 0, 2, 1], [2, 1, 0, 1], query_position=3, key_position=7)
    >>> round(bench.score, 4)
    0.3687
    >>> bench.query_position, bench.key_position = 53, 57
    >>> round(bench.score, 4)
    0.3687
    """

    _esm = script("handles", "positions", "rotary_bench")
    _css = style("handles", "rotary_bench")

    address = Address("rotary")
    base = Fixed()
    query_vector = ArrayTrait(moved=True)
    key_vector = ArrayTrait(moved=True)
    query_position = Checked(0, _checked_position("query_position"))
    key_position = Checked(0, _checked_position("key_position"))
    together = traitlets.Bool(False).tag(sync=True, moved=True)

    def __init__(
        self,
        query: object,
        key: object,
        *,
        query_position: int = 0,
        key_position: int = 0,
        base: float = 10000.0,
        together: bool = False,
        **kwargs: Any,
    ) -> None:
        owner = type(self).__name__
        q = checked_array(owner, "query", query, ("d",))
        if len(q) not in (2, 4, 6, 8):
            raise ValueError(
                f"{owner}: query has d={len(q)} but 2, 4, 6 or 8 is expected; each pair has a "
                "clock."
            )
        hint = "it sets how much slower each pair turns"
        base = Number(1, hint, sys.float_info.max).check(owner, "base", base)
        super().__init__(
            base=base,
            query_vector=q,
            key_vector=checked_array(owner, "key", key, (len(q),)),
            query_position=query_position,
            key_position=key_position,
            together=together,
            **kwargs,
        )

    @classmethod
    def example(cls) -> Self:
        """A bench with two clocks."""
        return cls([1, 0, 2, 1], [2, 1, 0, 1], query_position=3, key_position=7)

    @property
    def score(self) -> float:
        """The dot product of the turned query and the turned key."""
        query = rotary_embedding(self.query_vector, self.query_position, base=self.base)
        return float(query @ rotary_embedding(self.key_vector, self.key_position, base=self.base))

    @property
    def scores_by_offset(self) -> FloatArray:
        """The scores at the offsets -63 to 63, of shape (127,)."""
        offsets = np.arange(1 - N_POSITIONS, N_POSITIONS)
        keys = np.tile(self.key_vector, (len(offsets), 1))
        scores: FloatArray = rotary_embedding(keys, offsets, base=self.base) @ self.query_vector
        return scores

    def __repr__(self) -> str:
        return (
            f"RotaryBench(query={self.query_vector.tolist()}, key={self.key_vector.tolist()}, "
            f"query_position={self.query_position}, key_position={self.key_position})"
        )

    def _picture(self) -> Figure:
        from attnbook.explorers.pictures.rotary_bench import rotary_picture

        places = self.query_position, self.key_position
        vectors = np.stack([self.query_vector, self.key_vector])
        turned = rotary_embedding(vectors, np.array(places), base=self.base)
        return rotary_picture(turned, places, self.score, self.scores_by_offset)
