"""A query and a key, turned by their positions, and the score that is left."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from attnbook.explorers._base import Explorer
from attnbook.explorers._traits import Address, Array, Setting, checked_array
from attnutils._checks import FloatArray, Int, Number
from attnutils.positional import rotary_embedding

__all__ = ["RotaryBench"]

#: How many positions there are.
N_POSITIONS = 64


def _position(address: str) -> Setting:
    return Setting(
        Int(0, "it is where the vector stands in the text", N_POSITIONS - 1), 0, address=address
    )


class RotaryBench(Explorer):
    """Turn a query and a key by their positions, as rotary embeddings do: a clock for each pair.

    Either position is moved alone, or both by what lies between them: the score stays. Dashed hands
    stand where the hands were before. All can be dragged.

    Parameters
    ----------
    query, key : array_like of shape (d,)
        As they were projected, before turning. d is 2, 4, 6 or 8. Readers move them as
        `query_vector` and `key_vector`.
    query_position, key_position : int, default 0
        From 0 to 63.
    base : float, default 10000.0
        At least 1. Pair r turns by base ** (-2 * r / d) from one position to the next.

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

    address = Address("rotary")
    base = Setting(
        Number(1, "it sets how much slower each pair turns", sys.float_info.max), 10000.0
    )
    query_vector = Array("d", address="q")
    key_vector = Array("d", address="k")
    query_position = _position("i")
    key_position = _position("j")

    def __init__(self, query: object, key: object, **kwargs: Any) -> None:
        owner = type(self).__name__
        q = checked_array(owner, "query", query, ("d",))
        if len(q) not in (2, 4, 6, 8):
            raise ValueError(
                f"{owner}: query has d={len(q)} but 2, 4, 6 or 8 is expected; each pair has a "
                "clock."
            )
        k = checked_array(owner, "key", key, (len(q),))
        super().__init__(query_vector=q, key_vector=k, **kwargs)

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
