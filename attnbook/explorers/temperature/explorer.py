"""Scores to weights at every temperature, from hard to uniform."""

from __future__ import annotations

import numpy as np

from attnbook.explorers._base import Explorer
from attnbook.explorers._traits import Address, Array, Setting, Temperature, Words
from attnutils._checks import Choice, Flag, FloatArray
from attnutils.normalize import entropy, hardmax, softmax, sparsemax

__all__ = ["TemperatureExplorer"]


class TemperatureExplorer(Explorer):
    """Drag the temperature from hard (0) to uniform (infinity): how words share all weight.

    Parameters
    ----------
    words : sequence of str
        The n words, 2 to 12.
    scores : array_like of shape (n,)
        A score for each word.
    values : array_like of shape (n, 1), optional
        A value for each word. Without values there is no output.
    temperature : float, default 1.0
        At least 0; infinity is uniform.
    normalizer : {"softmax", "sparsemax", "hardmax"}
        What turns scores into weights. hardmax has no temperature.
    tie : bool, default False
        Raise the second largest score to the largest.

    Examples
    --------
    >>> explorer = TemperatureExplorer(["Child", "Reads", "Book"], [-4, 7, 5])
    >>> explorer.tie = True
    >>> explorer.temperature = 0
    >>> explorer.weights
    array([0. , 0.5, 0.5])
    """

    address = Address("temperature")
    words = Words()
    scores = Array("words")
    values = Array("words", 1, default=None)
    temperature = Temperature()
    normalizer = Setting(
        Choice("softmax", "sparsemax", "hardmax", hint="it turns scores into weights"),
        "softmax",
        address="by",
    )
    tie = Setting(Flag("it raises the second largest score to the largest"), False, address="tie")

    @property
    def tied_scores(self) -> FloatArray:
        """The scores that are in use now, of shape (n,)."""
        scores = self.scores.copy()
        if self.tie:
            first, second = np.argsort(-scores, kind="stable")[:2]
            scores[second] = scores[first]
        return scores

    @property
    def weights(self) -> FloatArray:
        """The weights now, of shape (n,)."""
        if self.normalizer == "hardmax":
            return hardmax(self.tied_scores)
        normalizer = softmax if self.normalizer == "softmax" else sparsemax
        return normalizer(self.tied_scores, temperature=self.temperature)

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
        return self.weights @ self.values if self.values.size else None
