"""A plane of queries, coloured by the keys that win there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from attnbook.explorers._base import Explorer
from attnbook.explorers._traits import (
    Address,
    Array,
    Setting,
    Temperature,
    Words,
    checked_array,
    word_list,
)
from attnutils._checks import Choice, Flag, FloatArray, Int
from attnutils.normalize import softmax
from attnutils.scores import dot_scores, gaussian_scores

__all__ = ["WinnerExplorer"]


def _unit(x: FloatArray) -> FloatArray:
    """Vectors with their lengths taken away; a vector of zeros has no direction, and stays."""
    length = np.linalg.norm(x, axis=-1, keepdims=True)
    return np.asarray(np.divide(x, length, out=np.zeros_like(x), where=length > 0))


class WinnerExplorer(Explorer):
    """Each point of the plane is a query, and its colour is a mix of the keys by their weights.

    Lines part the regions in which one key scores most. Keys and the query are dragged. The
    cosine of a vector of zeros is taken as 0.

    Parameters
    ----------
    words : sequence of str
        The n words, 2 to 12.
    keys : array_like of shape (n, 2)
        A key for each word.
    query : array_like of shape (2,)
        The query at the start.
    score : {"dot", "cosine", "Gaussian"}
        The Gaussian has bandwidth 1.
    temperature : float, default 1.0
        At least 0; infinity is uniform.
    zoom : int, default 0
        0 to 6: each step shows twice as much of the plane.
    dot_only : bool, default False
        Whether the plane stands alone, with neither scores nor temperature to choose.

    Examples
    --------
    >>> keys = [[0, 0], [1, 1], [1, -1], [-1, 0]]
    >>> explorer = WinnerExplorer(["The", "Child", "Reads", "A"], keys, [0.4, 0])
    >>> explorer.weights.round(4)
    array([0.2149, 0.3205, 0.3205, 0.144 ])
    >>> explorer.score = "Gaussian"
    >>> explorer.weights.round(4)
    array([0.3993, 0.2192, 0.2192, 0.1624])
    """

    address = Address("winners")
    words = Words()
    query_vector = Array(2, address="q")
    key_matrix = Array("words", 2, address="k")
    score = Setting(
        Choice("dot", "cosine", "Gaussian", hint="it compares a query with a key"),
        "dot",
        address="by",
    )
    temperature = Temperature()
    zoom = Setting(Int(0, "each step shows twice as much of the plane", 6), 0, address="zoom")
    dot_only = Setting(Flag("it leaves out the choice of a score"), False)

    def __init__(self, words: Sequence[str], keys: object, query: object, **kwargs: Any) -> None:
        owner = type(self).__name__
        words = word_list(owner, "words", words, 2, 12)
        keys = checked_array(owner, "keys", keys, (len(words), 2))
        query = checked_array(owner, "query", query, (2,))
        super().__init__(words=words, key_matrix=keys, query_vector=query, **kwargs)

    def scores_at(self, queries: ArrayLike) -> FloatArray:
        """The scores of the words for any queries (m, 2), a row each: shape (m, n)."""
        q = checked_array(type(self).__name__, "queries", queries, ("m", 2))
        if self.score == "Gaussian":
            return gaussian_scores(q, self.key_matrix)
        if self.score == "cosine":
            return dot_scores(_unit(q), _unit(self.key_matrix))
        return dot_scores(q, self.key_matrix)

    @property
    def raw_scores(self) -> FloatArray:
        """The scores of the words now, of shape (n,)."""
        scores: FloatArray = self.scores_at(self.query_vector[None])[0]
        return scores

    @property
    def weights(self) -> FloatArray:
        """The weights of the words now, of shape (n,)."""
        return softmax(self.raw_scores, temperature=self.temperature)
