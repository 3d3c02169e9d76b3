"""Projections: two matrices turn the tokens into queries and keys; who attends to whom?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attnbook.explorers._base import Explorer
from attnbook.explorers._traits import (
    Address,
    Array,
    IndexOf,
    Setting,
    Trait,
    Words,
    checked_array,
    word_list,
)
from attnutils._checks import Flag, FloatArray
from attnutils.mechanism import attention
from attnutils.scores import dot_scores, scaled_dot_scores

__all__ = ["ProjectionExplorer"]

MOST_COLUMNS = 3


class ProjectionExplorer(Explorer):
    """Edit two matrices, see the arrows of the words turn, and who attends to whom.

    Parameters
    ----------
    words : sequence of str
        The n words, 2 to 12.
    tokens : array_like of shape (n, d)
        A vector for each word; d is at most 3.
    w_query, w_key : array_like of shape (d, d_k), optional
        The projections; d_k is at most 3. The identity by default.
    presets : mapping of str to (w_query, w_key), optional
        Buttons that set both. By default the identity, and its opposite as `w_query`, for square
        matrices.
    scaled : bool, default True
        Divide the scores by the root of d_k.
    token : int, default 0
        Index of the word that asks.

    Raises
    ------
    ValueError, TypeError
        If shapes do not fit, or a preset is no pair of matrices.

    Examples
    --------
    >>> from attnutils.worked_example import KEYS, WORDS
    >>> explorer = ProjectionExplorer(WORDS, KEYS, token=5)
    >>> explorer.w_query = -np.eye(3)
    >>> explorer.weights[5].round(3).tolist()
    [0.079, 0.044, 0.793, 0.001, 0.079, 0.004]
    """

    address = Address("projections")
    words = Words()
    presets = Trait()
    token_matrix = Array("words", "d")
    w_query = Array("d", "d_k", address="q")
    w_key = Array("d", "d_k", address="k")
    scaled = Setting(Flag("it divides the scores by the root of d_k"), True, address="scaled")
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
        token_matrix = checked_array(owner, "tokens", tokens, (len(words), "d"))
        d = token_matrix.shape[1]
        one = np.eye(d)
        query = checked_array(owner, "w_query", one if w_query is None else w_query, (d, "d_k"))
        if max(query.shape) > MOST_COLUMNS:
            raise ValueError(
                f"{owner}: w_query has shape {query.shape}; d and d_k are at most {MOST_COLUMNS}."
            )
        if presets is None:
            square = {"identity": (one, one), "opposite": (-one, one)}
            presets = square if query.shape == (d, d) else {}
        super().__init__(
            words=words,
            presets=_checked_presets(owner, presets, query.shape),
            token_matrix=token_matrix,
            w_query=query,
            w_key=one if w_key is None else w_key,
            **kwargs,
        )

    @property
    def queries(self) -> FloatArray:
        """The queries now, of shape (n, d_k)."""
        return self.token_matrix @ self.w_query

    @property
    def weights(self) -> FloatArray:
        """The weights now, of shape (n, n)."""
        tokens = self.token_matrix
        scores = scaled_dot_scores if self.scaled else dot_scores
        weights = attention(self.queries, tokens @ self.w_key, tokens, scores=scores).weights
        assert weights is not None
        return weights


def _checked_presets(
    owner: str, presets: object, shape: tuple[int, ...]
) -> list[dict[str, str | list[float]]]:
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
            checked_array(owner, f"{which} of preset {name!r}", matrix, shape).ravel().tolist()
            for which, matrix in zip(("w_query", "w_key"), pair, strict=True)
        )
        made.append({"name": name, "w_query": w_query, "w_key": w_key})
    return made
