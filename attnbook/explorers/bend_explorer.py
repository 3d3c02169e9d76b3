"""LeakyReLU as a curve on which the senders of a GAT slide together and never swap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from attnbook.explorers._base import (
    Address,
    ArrayTrait,
    Explorer,
    Fixed,
    NumberTrait,
    Widget,
    checked_array,
    checked_words,
    script,
    style,
)
from attnutils._checks import FloatArray, Number
from attnutils.normalize import softmax

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["BendExplorer"]

MOST_SENDERS = 12
FARTHEST = 10  # of the receiver's number from 0
SLOPES = (-0.5, 1.0)


def _checked_receiver(widget: Widget, x: Any) -> float:
    owner = type(widget).__name__
    hint = "it is what the receiver adds to every sum"
    return Number(-FARTHEST, hint, FARTHEST).check(owner, "receiver_part", x)


def _checked_slope(widget: Widget, x: Any) -> float:
    owner = type(widget).__name__
    hint = "it is the slope below 0; GAT takes 0.2"
    return Number(SLOPES[0], hint, SLOPES[1]).check(owner, "slope", x)


class BendExplorer(Explorer):
    """Slide what a receiver adds, r, and watch its senders move along LeakyReLU(r + t).

    Each sender j has a number t_j. Names above the curve stand in the order of the sums r + t_j,
    names at its right in the order of the scores. While the curve rises the two orders are one.
    With a slope below 0 it falls at the left, and lines cross. The traits move the widget, and the
    widget moves the traits: `explorer.receiver_part = -6`.

    Parameters
    ----------
    names : sequence of str
        The senders, 2 to 12.
    sender_parts : array_like of shape (n,)
        The number t of each sender, from -10 to 10.
    receiver_part : float, default 0.0
        The number r of the receiver, from -10 to 10.
    slope : float, default 0.2
        The slope of the curve below 0, from -0.5 to 1.

    Attributes
    ----------
    scores : ndarray of shape (n,)
        LeakyReLU(r + t).
    weights : ndarray of shape (n,)
        Their softmax.

    Raises
    ------
    ValueError, TypeError
        If names and numbers do not fit.

    References
    ----------
    velickovic2018 : the score.
    brody2022 : what it cannot do.

    Examples
    --------
    >>> explorer = BendExplorer(["Eli", "Fay"], [1, 4])
    >>> explorer.weights.round(3)
    array([0.047, 0.953])
    >>> explorer.receiver_part = -6
    >>> explorer.scores
    array([-1. , -0.4])
    """

    _esm = script("bend_explorer")
    _css = style("bend_explorer")

    address = Address("bend")
    names = Fixed()
    sender_parts = ArrayTrait()
    receiver_part = NumberTrait(0.0, _checked_receiver)
    slope = NumberTrait(0.2, _checked_slope)

    def __init__(
        self,
        names: Sequence[str],
        sender_parts: object,
        *,
        receiver_part: float = 0.0,
        slope: float = 0.2,
        **kwargs: Any,
    ) -> None:
        owner = type(self).__name__
        names = checked_words(owner, names, "names", MOST_SENDERS)
        parts = checked_array(owner, "sender_parts", sender_parts, (len(names),))
        if np.abs(parts).max() > FARTHEST:
            raise ValueError(
                f"{owner}: sender_parts must lie from {-FARTHEST} to {FARTHEST}, got "
                f"{parts[np.abs(parts).argmax()]:g}; the drawing has room for these."
            )
        super().__init__(
            names=names, sender_parts=parts, receiver_part=receiver_part, slope=slope, **kwargs
        )

    @classmethod
    def example(cls, words: Sequence[str] = ("A", "B", "C")) -> Self:
        """An explorer with these senders."""
        return cls(words, np.linspace(-1, 2, len(words)), receiver_part=-0.5)

    @property
    def scores(self) -> FloatArray:
        """The scores now, of shape (n,)."""
        sums = self.receiver_part + self.sender_parts
        scores: FloatArray = np.where(sums > 0, sums, self.slope * sums)
        return scores

    @property
    def weights(self) -> FloatArray:
        """The weights now, of shape (n,)."""
        return softmax(self.scores)

    def __repr__(self) -> str:
        return (
            f"BendExplorer({len(self.names)} senders, receiver_part={self.receiver_part:g}, "
            f"slope={self.slope:g})"
        )

    def _picture(self) -> Figure:
        from attnbook.explorers.pictures.bend_explorer import bend_picture

        return bend_picture(
            self.names, self.sender_parts, self.receiver_part, self.slope, self.scores, self.weights
        )
