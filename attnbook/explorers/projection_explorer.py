"""Projections: two matrices make queries and keys of the tokens; who attends to whom?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    checked_words,
    script,
    style,
)
from attnutils._checks import FloatArray, Int
from attnutils.mechanism import attention
from attnutils.scores import dot_scores, scaled_dot_scores
from attnutils.worked_example import KEYS, WORDS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["ProjectionExplorer"]

MOST_COLUMNS = 3


def _checked_token(widget: Widget, x: Any, n: int) -> int:
    return Int(0, "it is the index of a word", n - 1).check(type(widget).__name__, "token", x)


def _checked_presets(
    owner: str, presets: object, shape: tuple[int, int]
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


class ProjectionExplorer(Explorer):
    """Edit two projections and watch who attends to whom.

    The traits move the widget, and the widget moves the traits: `explorer.w_query = -np.eye(3)`.
    `words`, the tokens and the presets stay as they were given. `weights` are computed by
    attnutils.

    Parameters
    ----------
    words : sequence of str
        The n words, 2 to 12.
    tokens : array_like of shape (n, d)
        A vector for each word; d is at most 3.
    w_query, w_key : array_like of shape (d, d_k), optional
        The projections at the start; d_k is at most 3. The identity by default.
    presets : mapping of str to (w_query, w_key), optional
        Buttons that set both. By default the identity, and its opposite as `w_query`, for square
        matrices.
    scaled : bool, default True
        Divide the scores by the root of d_k.
    token : int, default 0
        Index of the word that asks.

    Attributes
    ----------
    token_matrix : ndarray of shape (n, d)
    queries, weights : ndarray of shape (n, d_k) and (n, n)

    Raises
    ------
    ValueError, TypeError
        If shapes, types or names do not fit.

    Examples
    --------
    >>> from attnutils.worked_example import KEYS, WORDS
    >>> explorer = ProjectionExplorer(WORDS, KEYS, token=5)
    >>> explorer.w_query = -np.eye(3)
    >>> explorer.weights[5].round(3).tolist()
    [0.079, 0.044, 0.793, 0.001, 0.079, 0.004]
    """

    _esm = script("projection_explorer")
    _css = style("projection_explorer")

    address = Address("projections")
    words = Fixed()
    presets = Fixed()
    token_matrix = ArrayTrait()
    w_query = ArrayTrait(moved=True)
    w_key = ArrayTrait(moved=True)
    scaled = traitlets.Bool(True).tag(sync=True, moved=True)
    token = Checked(0, lambda widget, x: _checked_token(widget, x, len(widget.words)))

    def __init__(
        self,
        words: Sequence[str],
        tokens: object,
        w_query: object = None,
        w_key: object = None,
        *,
        presets: Mapping[str, tuple[object, object]] | None = None,
        scaled: bool = True,
        token: int = 0,
        **kwargs: Any,
    ) -> None:
        owner = type(self).__name__
        words = checked_words(owner, words)
        token_matrix = checked_array(owner, "tokens", tokens, (len(words), "d"))
        d = token_matrix.shape[1]
        identity = np.eye(d)
        made = [
            checked_array(owner, name, identity if matrix is None else matrix, (d, "d_k"))
            for name, matrix in (("w_query", w_query), ("w_key", w_key))
        ]
        shape = made[0].shape
        if made[1].shape != shape:
            raise ValueError(
                f"{owner}: w_key has shape {made[1].shape} but w_query has {shape}; "
                "queries and keys must be equally wide."
            )
        if max(shape) > MOST_COLUMNS:
            raise ValueError(
                f"{owner}: w_query has shape {shape}; d and d_k are at most {MOST_COLUMNS}."
            )
        if presets is None:
            presets = {"identity": (identity, identity), "opposite": (-identity, identity)}
            presets = presets if shape == (d, d) else {}
        super().__init__(
            words=words,
            token_matrix=token_matrix,
            presets=_checked_presets(owner, presets, (d, shape[1])),
            w_query=made[0],
            w_key=made[1],
            scaled=scaled,
            token=token,
            **kwargs,
        )

    @classmethod
    def example(cls, words: Sequence[str] = WORDS) -> Self:
        """An explorer with these words, and the vectors of the worked example."""
        return cls(words, np.resize(KEYS, (len(words), 3)), token=len(words) - 1)

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

    def __repr__(self) -> str:
        return (
            f"ProjectionExplorer({len(self.words)} words, w_query={_in_a_line(self.w_query)}, "
            f"w_key={_in_a_line(self.w_key)}, scaled={self.scaled})"
        )

    def _picture(self) -> Figure:
        from attnbook.explorers.pictures.projection_explorer import projection_picture

        return projection_picture(
            self.words, self.w_query, self.w_key, self.weights, self.token, scaled=self.scaled
        )


def _in_a_line(matrix: FloatArray) -> str:
    return "[" + "; ".join(" ".join(f"{x:g}" for x in row) for row in matrix) + "]"
