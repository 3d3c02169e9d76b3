"""A query and keys as arrows in a plane, and the output among the values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import traitlets

from attnbook.explorers._base import (
    Address,
    ArrayTrait,
    Explorer,
    Fixed,
    Words,
    checked_array,
    checked_words,
    script,
    style,
)
from attnutils._checks import FloatArray
from attnutils.mechanism import attention
from attnutils.normalize import softmax
from attnutils.scores import dot_scores
from attnutils.worked_example import KEYS, VALUES, WORDS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["PlaneExplorer"]


class PlaneExplorer(Explorer):
    """Drag a query and keys in a plane: the scores are dot products, the weights their softmax.

    Arrows of keys are as thick as their weights. A line across the query passes through the key
    that scores most. Beside the plane, the output lies among the values. The traits move the
    widget, and the widget moves the traits: `explorer.query_vector = [-1, 2]`. `raw_scores`,
    `weights` and `output` are computed by attnutils.

    Parameters
    ----------
    words : sequence of str
        The n words, 2 to 12.
    keys : array_like of shape (n, 2)
        A key for each word.
    values : array_like of shape (n, 2)
        A value for each word.
    query : array_like of shape (2,)
        The query at the start.
    hull : bool, default False
        Whether the polygon around the keys is shown.
    axes : tuple of two str, default ("component 0", "component 1")
        What the two components of a value are.

    Attributes
    ----------
    query_vector : ndarray of shape (2,)
    key_matrix : ndarray of shape (n, 2)
    raw_scores, weights : ndarray of shape (n,)
    output : ndarray of shape (2,)

    Raises
    ------
    ValueError, TypeError
        If shapes, types or names do not fit.

    Examples
    --------
    >>> keys = [[0, 0], [1, 1], [1, -1], [-1, 0]]
    >>> explorer = PlaneExplorer(["The", "Child", "Reads", "A"], keys, keys, [2, 1])
    >>> explorer.weights.round(4)
    array([0.0418, 0.839 , 0.1135, 0.0057])
    >>> explorer.output.round(4)
    array([0.9469, 0.7255])
    """

    _esm = script("handles", "plane_explorer")
    _css = style("handles", "plane_explorer")

    address = Address("plane")
    words = Fixed()
    #: What the components of a value are.
    axes = Fixed()
    query_vector = ArrayTrait(moved=True)
    # `keys` is taken: every ipywidget lists the names of its traits there.
    key_matrix = ArrayTrait(moved=True)
    value_matrix = ArrayTrait()
    hull = traitlets.Bool(False).tag(sync=True, moved=True)

    def __init__(
        self,
        words: Sequence[str],
        keys: object,
        values: object,
        query: object,
        *,
        hull: bool = False,
        axes: Sequence[str] = ("component 0", "component 1"),
        **kwargs: Any,
    ) -> None:
        owner = type(self).__name__
        words = checked_words(owner, words)
        axes = Words("a list of two words").check(owner, "axes", axes)
        if len(axes) != 2:
            raise ValueError(f"{owner}: axes must be two names, got {len(axes)}.")
        n = len(words)
        super().__init__(
            words=words,
            axes=axes,
            key_matrix=checked_array(owner, "keys", keys, (n, 2)),
            value_matrix=checked_array(owner, "values", values, (n, 2)),
            query_vector=checked_array(owner, "query", query, (2,)),
            hull=hull,
            **kwargs,
        )

    @classmethod
    def example(cls, words: Sequence[str] = WORDS) -> Self:
        """An explorer with these words, and keys of the worked example seen from one side."""
        n = len(words)
        keys = np.resize(KEYS[:, :2], (n, 2))
        values = np.resize(np.column_stack([VALUES, KEYS[:, 2] / 5]), (n, 2))
        return cls(words, keys, values, [-0.6, 1])

    @property
    def raw_scores(self) -> FloatArray:
        """The scores of the words now, of shape (n,)."""
        return dot_scores(self.query_vector, self.key_matrix)

    @property
    def weights(self) -> FloatArray:
        """The weights of the words now, of shape (n,)."""
        return softmax(self.raw_scores)

    @property
    def output(self) -> FloatArray:
        """The output now, of shape (2,)."""
        arrays = self.query_vector, self.key_matrix, self.value_matrix
        return attention(*arrays, scores=dot_scores).output

    def __repr__(self) -> str:
        x, y = self.query_vector
        return f"PlaneExplorer({len(self.words)} words, query=({x:g}, {y:g}), hull={self.hull})"

    def _picture(self) -> Figure:
        from attnbook.explorers.pictures.plane_explorer import plane_picture

        return plane_picture(
            self.words,
            self.query_vector,
            self.key_matrix,
            self.value_matrix,
            axes=self.axes,
            hull=self.hull,
            weights=self.weights,
            output=self.output,
        )
