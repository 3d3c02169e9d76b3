"""A plane of queries, coloured by the key that wins there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from attnbook.explorers._base import (
    Address,
    ArrayTrait,
    Checked,
    Explorer,
    Fixed,
    Widget,
    checked_array,
    checked_words,
    script,
    style,
)
from attnutils._checks import Choice, FloatArray, Int
from attnutils.normalize import softmax
from attnutils.scores import dot_scores, gaussian_scores
from attnutils.worked_example import KEYS, WORDS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["WinnerExplorer"]

_SCORES = ("dot", "cosine", "Gaussian")
_N_ZOOMS = 7


def _checked_score(widget: Widget, x: Any) -> str:
    hint = "it compares a query with a key"
    return Choice(*_SCORES, hint=hint).check(type(widget).__name__, "score", x)


def _checked_zoom(widget: Widget, x: Any) -> int:
    hint = "each step shows twice as much of the plane"
    return Int(0, hint, _N_ZOOMS - 1).check(type(widget).__name__, "zoom", x)


def _unit(x: FloatArray) -> FloatArray:
    """Vectors with their lengths taken away; a vector of zeros has no direction, and stays."""
    length = np.linalg.norm(x, axis=-1, keepdims=True)
    return np.asarray(np.divide(x, length, out=np.zeros_like(x), where=length > 0))


class WinnerExplorer(Explorer):
    """Each point of the plane is a query, and its colour is the key that scores most there.

    Keys and the query are dragged. The cosine of a vector of zeros is taken as 0. The traits move
    the widget, and the widget moves the traits: `explorer.score = "Gaussian"`. `raw_scores` and
    `weights` are computed by attnutils.

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
    zoom : int, default 0
        0 to 6: each step shows twice as much of the plane.

    Attributes
    ----------
    query_vector : ndarray of shape (2,)
    key_matrix : ndarray of shape (n, 2)
    raw_scores, weights : ndarray of shape (n,)

    Raises
    ------
    ValueError, TypeError
        If shapes, types or names do not fit.

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

    _esm = script("handles", "winner_explorer")
    _css = style("handles", "winner_explorer")

    address = Address("winners")
    words = Fixed()
    query_vector = ArrayTrait(moved=True)
    key_matrix = ArrayTrait(moved=True)
    score = Checked("dot", _checked_score)
    zoom = Checked(0, _checked_zoom)

    def __init__(
        self,
        words: Sequence[str],
        keys: object,
        query: object,
        *,
        score: str = "dot",
        zoom: int = 0,
        **kwargs: Any,
    ) -> None:
        owner = type(self).__name__
        words = checked_words(owner, words)
        super().__init__(
            words=words,
            key_matrix=checked_array(owner, "keys", keys, (len(words), 2)),
            query_vector=checked_array(owner, "query", query, (2,)),
            score=score,
            zoom=zoom,
            **kwargs,
        )

    @classmethod
    def example(cls, words: Sequence[str] = WORDS) -> Self:
        """An explorer with these words, and the first two numbers of each key of the example."""
        return cls(words, np.resize(KEYS[:, :2], (len(words), 2)), KEYS[5, :2])

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
        return softmax(self.raw_scores)

    def __repr__(self) -> str:
        x, y = self.query_vector
        return (
            f"WinnerExplorer({len(self.words)} words, query=({x:g}, {y:g}), "
            f"score={self.score!r}, zoom={self.zoom})"
        )

    def _picture(self) -> Figure:
        from attnbook.explorers.pictures.winner_explorer import winner_picture

        data = self.words, self.query_vector, self.key_matrix, self.score, self.zoom
        return winner_picture(*data, self.weights, self.scores_at)
