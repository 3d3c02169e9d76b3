"""Scores to weights at every temperature, from hard to uniform."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

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
    checked_array,
    checked_words,
    script,
    style,
)
from attnutils._checks import Choice, FloatArray
from attnutils.normalize import entropy, hardmax, softmax, sparsemax
from attnutils.worked_example import KEYS, VALUES, WORDS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["TemperatureExplorer"]

_NORMALIZERS = ("softmax", "sparsemax", "hardmax")


def _checked_normalizer(widget: Widget, x: Any) -> str:
    hint = "it turns scores into weights"
    return Choice(*_NORMALIZERS, hint=hint).check(type(widget).__name__, "normalizer", x)


class TemperatureExplorer(Explorer):
    """Slide the temperature from hard (0) to uniform (infinity): weights, mean score, output.

    The traits move the widget, and the widget moves the traits: `explorer.temperature = 0.2`.
    `words` stay as they were given. `weights`, and what follows from them, are computed by
    attnutils.

    Parameters
    ----------
    words : sequence of str
        The n words, 2 to 12.
    scores : array_like of shape (n,)
        A score for each word.
    values : array_like of shape (n, 1), optional
        A value for each word. Without values there is no output to show.
    temperature : float, default 1.0
        At least 0; infinity is uniform.
    normalizer : {"softmax", "sparsemax", "hardmax"}
        What turns scores into weights. hardmax has no temperature.
    tie : bool, default False
        Raise the second largest score to the largest.
    simple : bool, default False
        Show softmax alone: no other normalizer to choose, no tie, no entropy.

    Attributes
    ----------
    tied_scores, weights : ndarray of shape (n,)
    mean_score : float
        The mean of the scores, each word counted with its weight.
    entropy : float
        In bits.
    output : ndarray of shape (1,), or None

    Raises
    ------
    ValueError, TypeError
        If shapes, types or names do not fit.

    Examples
    --------
    >>> explorer = TemperatureExplorer(["Child", "Reads", "Book"], [-4, 7, 5])
    >>> explorer.tie = True
    >>> explorer.temperature = 0
    >>> explorer.weights
    array([0. , 0.5, 0.5])
    """

    _esm = script("temperature_explorer")
    _css = style("temperature_explorer")

    address = Address("temperature")
    words = Fixed()
    scores = ArrayTrait()
    value_matrix = ArrayTrait()
    simple = Fixed()
    temperature = Temperature()
    normalizer = Checked("softmax", _checked_normalizer)
    tie = traitlets.Bool(False).tag(sync=True, moved=True)

    def __init__(
        self,
        words: Sequence[str],
        scores: object,
        values: object = None,
        *,
        temperature: float = 1.0,
        normalizer: str = "softmax",
        tie: bool = False,
        simple: bool = False,
        **kwargs: Any,
    ) -> None:
        owner = type(self).__name__
        words = checked_words(owner, words)
        n = len(words)
        checked_scores = checked_array(owner, "scores", scores, (n,))
        if values is not None:
            kwargs["value_matrix"] = checked_array(owner, "values", values, (n, 1))
        super().__init__(
            words=words,
            scores=checked_scores,
            temperature=temperature,
            normalizer=normalizer,
            tie=tie,
            simple=bool(simple),
            **kwargs,
        )

    @classmethod
    def example(cls, words: Sequence[str] = WORDS) -> Self:
        """An explorer with these words, and the numbers of the worked example."""
        n = len(words)
        return cls(words, np.resize(KEYS @ KEYS[5], n), np.resize(VALUES, (n, 1)))

    @property
    def tied_scores(self) -> FloatArray:
        """The scores that are in use now, of shape (n,)."""
        scores = self.scores.copy()
        if self.tie:
            first, second = np.argsort(-scores, kind="stable")[:2]
            scores[second] = scores[first]
        return scores

    def weights_at(self, temperature: float) -> FloatArray:
        """The weights at any temperature, of shape (n,)."""
        if self.normalizer == "hardmax":
            return hardmax(self.tied_scores)
        normalizer = softmax if self.normalizer == "softmax" else sparsemax
        return normalizer(self.tied_scores, temperature=temperature)

    @property
    def weights(self) -> FloatArray:
        """The weights now, of shape (n,)."""
        return self.weights_at(self.temperature)

    @property
    def mean_score(self) -> float:
        """The mean of the scores under the weights now."""
        return float(self.weights @ self.tied_scores)

    @property
    def entropy(self) -> float:
        """The entropy of the weights now, in bits."""
        return float(entropy(self.weights))

    @property
    def output(self) -> FloatArray | None:
        """The output now, of shape (1,); None without values."""
        return self.weights @ self.value_matrix if self.value_matrix.size else None

    def __repr__(self) -> str:
        return (
            f"TemperatureExplorer({len(self.words)} words, temperature={self.temperature:g}, "
            f"normalizer={self.normalizer!r}, tie={self.tie})"
        )

    def _picture(self) -> Figure:
        from attnbook.explorers.pictures.temperature_explorer import temperature_picture

        return temperature_picture(
            self.words,
            self.tied_scores,
            self.value_matrix[:, 0] if self.value_matrix.size else None,
            normalizer=self.normalizer,
            temperature=self.temperature,
            simple=self.simple,
            weights_at=self.weights_at,
        )
