"""Projections: two matrices make the queries and the keys of all words, in a plane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attnbook.explorers._base import Explorer
from attnbook.explorers._traits import (
    Address,
    Array,
    IndexOf,
    Trait,
    Words,
    checked_array,
    word_list,
)
from attnutils._checks import FloatArray
from attnutils.mechanism import attention

__all__ = ["ProjectionExplorer"]


class ProjectionExplorer(Explorer):
    """Drag the rows of two matrices, see all queries and keys move, and who attends to whom.

    Parameters
    ----------
    words : sequence of str
        The n words, 2 to 12.
    tokens : array_like of shape (n, 2)
        A vector for each word.
    w_query, w_key : array_like of shape (2, 2), optional
        The projections; the identity by default.
    presets : mapping of str to (w_query, w_key), optional
        What sets both by a name. By default the identity, and its opposite as `w_query`.
    token : int, default 0
        Index of the word that asks.

    Raises
    ------
    ValueError, TypeError
        If shapes do not fit, or a preset is no pair of matrices.

    Examples
    --------
    >>> from attnutils.worked_example import POINTS, WORDS
    >>> explorer = ProjectionExplorer(WORDS, POINTS, token=5)
    >>> explorer.w_query = -np.eye(2)
    >>> explorer.weights[5].round(3).tolist()
    [0.022, 0.77, 0.092, 0.022, 0.092, 0.001]
    """

    address = Address("projections")
    words = Words()
    presets = Trait()
    token_matrix = Array("words", 2)
    w_query = Array(2, 2, address="q")
    w_key = Array(2, 2, address="k")
    token = IndexOf("words", "it is the index of a word", address="token")

    def __init__(
        self,
        words: Sequence[str],
        tokens: object,
        w_query: object = None,
        w_key: object = None,
        *,
        presets: Mapping[str, tuple[object, object]] | None = None,
        **kwargs: Any,
    ) -> None:
        owner = type(self).__name__
        words = word_list(owner, "words", words, 2, 12)
        one = np.eye(2)
        if presets is None:
            presets = {"identity": (one, one), "opposite": (-one, one)}
        super().__init__(
            words=words,
            presets=_checked_presets(owner, presets),
            token_matrix=checked_array(owner, "tokens", tokens, (len(words), 2)),
            w_query=one if w_query is None else w_query,
            w_key=one if w_key is None else w_key,
            **kwargs,
        )

    @property
    def queries(self) -> FloatArray:
        """The queries now, of shape (n, 2)."""
        return self.token_matrix @ self.w_query

    @property
    def weights(self) -> FloatArray:
        """The weights now, of shape (n, n)."""
        tokens = self.token_matrix
        weights = attention(self.queries, tokens @ self.w_key, tokens).weights
        assert weights is not None
        return weights


def _checked_presets(owner: str, presets: object) -> list[dict[str, str | list[float]]]:
    """The matrices of each preset, flat, as they travel."""
    hint = "each name needs a pair of matrices, as in {'I': (w_query, w_key)}"
    if not isinstance(presets, Mapping):
        got = type(presets).__name__
        raise TypeError(f"{owner}: presets must be a mapping, got {got}; {hint}.")
    made: list[dict[str, str | list[float]]] = []
    for name, pair in presets.items():
        if not isinstance(name, str) or not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"{owner}: presets has {name!r}: {pair!r}; {hint}.")
        w_query, w_key = (
            checked_array(owner, f"{which} of preset {name!r}", matrix, (2, 2)).ravel().tolist()
            for which, matrix in zip(("w_query", "w_key"), pair, strict=True)
        )
        made.append({"name": name, "w_query": w_query, "w_key": w_key})
    return made
