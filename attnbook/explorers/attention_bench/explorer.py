"""The worked example as a bench: scores, weights and output, with every number editable."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import traitlets

from attnbook.explorers._base import Explorer
from attnbook.explorers._traits import (
    Address,
    Array,
    IndexOf,
    Temperature,
    Trait,
    Words,
    checked_array,
    entries,
    word_list,
)
from attnutils._checked import Arguments
from attnutils._checks import ArrayLike, Choice, FloatArray, Int
from attnutils._shapes import Mask
from attnutils.mechanism import attention
from attnutils.normalize import masked_softmax
from attnutils.scores import dot_scores, gaussian_scores, scaled_dot_scores

__all__ = ["AttentionBench"]

_SCORES = {"dot": dot_scores, "scaled_dot": scaled_dot_scores, "gaussian": gaussian_scores}
_MASK = {"n": Annotated[int, Int(0)], "mask": Annotated[ArrayLike, Mask("... n")]}


def _checked_scores(widget: Any, x: Any) -> list[str]:
    offered = entries(x) or []
    if not offered or not all(isinstance(name, str) and name in _SCORES for name in offered):
        raise ValueError(
            f"{type(widget).__name__}: scores must be one or more of {', '.join(_SCORES)}, "
            f"got {x!r}."
        )
    return [str(name) for name in offered]


def _checked_score(widget: Any, x: Any) -> Any:
    hint = "scores lists what there is to choose from"
    return Choice(*widget.scores, hint=hint).check(type(widget).__name__, "score", x)


def _checked_mask(widget: Any, x: Any) -> list[bool]:
    given: dict[str, Any] = {"n": len(widget.words), "mask": True if x is None else x}
    Arguments(type(widget).__name__, _MASK, {}).read(given)
    return [bool(flag) for flag in given["mask"]]


def _checked_challenge(widget: Any, x: Any) -> list[str]:
    if x is None:
        return []
    owner = type(widget).__name__
    pair = word_list(owner, "challenge", x, 2, 2)
    if pair[0] == pair[1] or any(widget.words.count(word) != 1 for word in pair):
        raise ValueError(
            f"{owner}: challenge must be two different words, each once in words, got {x!r}; "
            "the first asks, the second is to weigh most."
        )
    return pair


class AttentionBench(Explorer):
    """One query against n keys: press a word, drag a score, drag a value, edit any number.

    Arcs lead from the word that asks to each word, as thick as its weight. Below, each weight
    stands at its value on a beam, which balances at the output. A score that is pulled moves the
    query as little as it can: along the key, or for the Gaussian score along the line to it.

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

    _first = "query"
    address = Address("bench")
    words = Words()
    scores = Trait(tuple(_SCORES), check=_checked_scores)
    #: The two words, or none.
    challenge = Trait(None, check=_checked_challenge)
    query = IndexOf("words", "it is the index of a word", address="query")
    # `keys` is taken: every ipywidget lists the names of its traits there.
    key_matrix = Array("words", "d", address="k")
    #: It follows the key of the query word until it is edited.
    query_vector = Array("d", address="q")
    value_matrix = Array("words", 1, address="v")
    mask = Trait(None, address="mask", check=_checked_mask)
    score = Trait("dot", address="score", check=_checked_score, js=("oneOf", [*_SCORES]))
    temperature = Temperature()

    def __init__(
        self, words: Any, keys: object, values: object, *, query: int = 0, **kwargs: Any
    ) -> None:
        owner = type(self).__name__
        n = len(word_list(owner, "words", words, 2, 12))
        key_matrix = checked_array(owner, "keys", keys, (n, "d"))
        if key_matrix.shape[1] > 6:
            raise ValueError(f"{owner}: keys must have at most 6 columns, got {key_matrix.shape}.")
        query = Int(0, "it is the index of a word", n - 1).check(owner, "query", query)
        super().__init__(
            words=words,
            key_matrix=key_matrix,
            value_matrix=checked_array(owner, "values", values, (n, 1)),
            query=query,
            query_vector=key_matrix[query],
            **kwargs,
        )

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
            *(self.query_vector, self.key_matrix, self.value_matrix),
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
