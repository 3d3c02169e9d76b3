"""A query and keys as arrows in a plane, and the output among the values."""

from __future__ import annotations

from typing import Any

from attnbook.explorers._base import Explorer
from attnbook.explorers._traits import Address, Array, Setting, Words, checked_array, word_list
from attnutils._checks import Flag, FloatArray
from attnutils.mechanism import attention
from attnutils.normalize import softmax
from attnutils.scores import dot_scores

__all__ = ["PlaneExplorer"]


class PlaneExplorer(Explorer):
    """Drag a query and keys in a plane: the scores are dot products, the weights their softmax.

    Arrows of keys are as thick as their weights. A line across the query passes through the key
    that scores most. Beside the plane, the output lies among the values.

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

    Examples
    --------
    >>> keys = [[0, 0], [1, 1], [1, -1], [-1, 0]]
    >>> explorer = PlaneExplorer(["The", "Child", "Reads", "A"], keys, keys, [2, 1])
    >>> explorer.weights.round(4)
    array([0.0418, 0.839 , 0.1135, 0.0057])
    >>> explorer.output.round(4)
    array([0.9469, 0.7255])
    """

    address = Address("plane")
    words = Words()
    query_vector = Array(2, address="q")
    # `keys` is taken: every ipywidget lists the names of its traits there.
    key_matrix = Array("words", 2, address="k")
    value_matrix = Array("words", 2)
    #: What the components of a value are.
    axes = Words(2, 2, default=("component 0", "component 1"))
    hull = Setting(Flag("it shows the polygon around the keys"), False, address="hull")

    def __init__(
        self, words: Any, keys: object, values: object, query: object, **kwargs: Any
    ) -> None:
        owner = type(self).__name__
        n = len(word_list(owner, "words", words, 2, 12))
        super().__init__(
            words=words,
            key_matrix=checked_array(owner, "keys", keys, (n, 2)),
            value_matrix=checked_array(owner, "values", values, (n, 2)),
            query_vector=checked_array(owner, "query", query, (2,)),
            **kwargs,
        )

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
