"""The worked example as a bench: scores, weights and output, with every number editable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Self

import numpy as np
import traitlets

from attnbook.explorers._base import (
    Address,
    ArrayTrait,
    Checked,
    Explorer,
    Fixed,
    Temperature,
    Widget,
    Words,
    checked_array,
    checked_words,
    entries,
    script,
    style,
)
from attnutils._checks import ArrayLike, Choice, FloatArray, Int
from attnutils._door import Arguments
from attnutils._shapes import Mask
from attnutils.mechanism import attention
from attnutils.normalize import masked_softmax
from attnutils.scores import dot_scores, gaussian_scores, scaled_dot_scores
from attnutils.worked_example import KEYS, VALUES, WORDS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["AttentionBench"]

_SCORES = {
    "dot": dot_scores,
    "scaled_dot": scaled_dot_scores,
    "gaussian": gaussian_scores,
}


_MASK = {
    "n": Annotated[int, Int(0)],
    "mask": Annotated[ArrayLike, Mask("... n")],
}


def _checked_query(widget: Widget, x: Any, n: int) -> int:
    return Int(0, "it is the index of a word", n - 1).check(type(widget).__name__, "query", x)


def _checked_score(widget: AttentionBench, x: Any) -> str:
    hint = "scores lists what there is to choose from"
    return Choice(*widget.scores, hint=hint).check(type(widget).__name__, "score", x)


def _checked_mask(widget: AttentionBench, x: Any) -> list[bool]:
    given = {"n": len(widget.words), "mask": x}
    Arguments(type(widget).__name__, _MASK, {}).read(given)
    return [bool(flag) for flag in given["mask"]]


def _checked_challenge(owner: str, x: object, words: list[str]) -> list[str]:
    if x is None:
        return []
    pair = Words("a list of two words").check(owner, "challenge", x)
    if len(pair) != 2 or pair[0] == pair[1] or any(words.count(word) != 1 for word in pair):
        raise ValueError(
            f"{owner}: challenge must be two different words, each once in words, got {x!r}; "
            "the first asks, the second is to weigh most."
        )
    return pair


class AttentionBench(Explorer):
    """One query against n keys: pick the query word, edit cells, hide words, change temperature.

    The traits move the widget, and the widget moves the traits: `bench.temperature = 0.2`.
    Infinity is a temperature too. `words` and `scores` stay as they were given. `weights` and
    `output` are computed by attnutils. The Reset button brings back what the widget showed when it
    was drawn.

    Parameters
    ----------
    words : sequence of str
        The n words, 2 to 12.
    keys : array_like of shape (n, d)
        A key for each word; d is at most 6.
    values : array_like of shape (n, 1)
        A value for each word.
    query : int, default 0
        Index of the query word. The query starts as the key of this word.
    scores : sequence of str, default ("dot", "scaled_dot", "gaussian")
        The scores to choose from. With one there is nothing to choose.
    score : str, default "dot"
        The score at the start, one of `scores`.
    temperature : float, default 1.0
        At least 0; infinity is uniform.
    mask : array_like of bool, shape (n,), optional
        True = may attend. All may by default.
    challenge : tuple of two words, optional
        What the reader is asked to reach: with the first as the query word, the second weighs
        most. The page says so when it is, and what was changed.

    Attributes
    ----------
    query_vector : ndarray of shape (d,)
        The query. It follows the key of the query word until it is edited.
    key_matrix : ndarray of shape (n, d)
    value_matrix : ndarray of shape (n, 1)
    raw_scores, weights : ndarray of shape (n,)
    output : ndarray of shape (1,)
    is_met : bool
        Whether the challenge is met now; without one it never is.

    Raises
    ------
    ValueError, TypeError
        If shapes, types or names do not fit.

    Examples
    --------
    >>> from attnutils.worked_example import KEYS, VALUES, WORDS
    >>> bench = AttentionBench(WORDS, KEYS, VALUES, query=5)
    >>> bench.output.round(4)
    array([0.3624])
    >>> bench.temperature = np.inf
    >>> bench.output.round(4)
    array([0.1])
    """

    _esm = script("attention_bench")
    _css = style("attention_bench")

    address = Address("bench")
    words = Fixed()
    scores = Fixed()
    #: The two words, or none.
    challenge = Fixed()
    query = Checked(0, lambda widget, x: _checked_query(widget, x, len(widget.words)))
    query_vector = ArrayTrait(moved=True)
    # `keys` is taken: every ipywidget lists the names of its traits there.
    key_matrix = ArrayTrait(moved=True)
    value_matrix = ArrayTrait(moved=True)
    mask = Checked((), _checked_mask)
    score = Checked("dot", _checked_score)
    temperature = Temperature()

    def __init__(
        self,
        words: Sequence[str],
        keys: object,
        values: object,
        *,
        query: int = 0,
        scores: Sequence[str] = tuple(_SCORES),
        score: str = "dot",
        temperature: float = 1.0,
        mask: object = None,
        challenge: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> None:
        owner = type(self).__name__
        words = checked_words(owner, words)
        n = len(words)
        key_matrix = checked_array(owner, "keys", keys, (n, "d"))
        if key_matrix.shape[1] > 6:
            raise ValueError(f"{owner}: keys must have at most 6 columns, got {key_matrix.shape}.")
        value_matrix = checked_array(owner, "values", values, (n, 1))
        offered = entries(scores) or []
        if not offered or not all(isinstance(x, str) and x in _SCORES for x in offered):
            raise ValueError(
                f"{owner}: scores must be one or more of {', '.join(_SCORES)}, got {scores!r}."
            )
        query = _checked_query(self, query, n)
        super().__init__(
            words=words,
            scores=[str(name) for name in offered],
            challenge=_checked_challenge(owner, challenge, words),
            query=query,
            query_vector=key_matrix[query],
            key_matrix=key_matrix,
            value_matrix=value_matrix,
            mask=True if mask is None else mask,
            score=score,
            temperature=temperature,
            **kwargs,
        )

    @classmethod
    def example(cls, words: Sequence[str] = WORDS) -> Self:
        """A bench with these words, and the numbers of the worked example."""
        n = len(words)
        return cls(words, np.resize(KEYS, (n, 3)), np.resize(VALUES, (n, 1)), query=n - 1)

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take what a page sends: a query that comes with its word is no key of it."""
        super().set_state({name: x for name, x in sync_data.items() if name != "query_vector"})
        super().set_state({name: x for name, x in sync_data.items() if name == "query_vector"})

    @traitlets.observe("query")
    def _take_key_as_query(self, change: Any) -> None:
        self.query_vector = self.key_matrix[change.new]

    @traitlets.observe("key_matrix")
    def _follow_key(self, change: Any) -> None:
        replaces = np.shape(change.old) == change.new.shape  # at the start there is nothing
        if replaces and np.array_equal(self.query_vector, change.old[self.query]):
            self.query_vector = change.new[self.query]

    @property
    def raw_scores(self) -> FloatArray:
        """The scores of the words now, before temperature and mask, of shape (n,)."""
        return _SCORES[self.score](self.query_vector, self.key_matrix)

    @property
    def weights(self) -> FloatArray:
        """The weights of the words now, of shape (n,)."""
        return masked_softmax(self.raw_scores, self.mask, temperature=self.temperature)

    @property
    def output(self) -> FloatArray:
        """The output now, of shape (1,)."""
        return attention(
            self.query_vector,
            self.key_matrix,
            self.value_matrix,
            mask=self.mask,
            scores=_SCORES[self.score],
            temperature=self.temperature,
        ).output

    @property
    def is_met(self) -> bool:
        """Whether the challenge is met now: its first word asks, its second weighs most."""
        if not self.challenge:
            return False
        asks, wanted = map(self.words.index, self.challenge)
        others = np.delete(self.weights, wanted)
        return self.query == asks and bool(self.weights[wanted] > others.max())

    def __repr__(self) -> str:
        return (
            f"AttentionBench({len(self.words)} words, query={self.words[self.query]!r}, "
            f"score={self.score!r}, temperature={self.temperature:g})"
        )

    def _picture(self) -> Figure:
        from attnbook.explorers.pictures.attention_bench import bench_picture

        is_own = np.array_equal(self.query_vector, self.key_matrix[self.query])
        return bench_picture(
            self.words,
            self.key_matrix,
            self.value_matrix[:, 0],
            asks=self.words[self.query] if is_own else "edited",
            query=self.query_vector,
            compared=self.score,
            scores=self.raw_scores,
            temperature=self.temperature,
            mask=self.mask,
            weights=self.weights,
            output=float(self.output[0]),
        )
