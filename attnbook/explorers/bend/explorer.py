"""LeakyReLU as a curve on which the senders of a GAT slide together and never swap."""

from __future__ import annotations

import numpy as np

from attnbook.explorers._base import Explorer
from attnbook.explorers._traits import Address, Array, Setting, Words
from attnutils._checks import FloatArray, Number
from attnutils.normalize import softmax

__all__ = ["BendExplorer"]


class BendExplorer(Explorer):
    """Slide what a receiver adds, r, and watch its senders move along LeakyReLU(r + t).

    Each sender j has a number t_j. Names above the curve stand in the order of the sums r + t_j,
    names at its right in the order of the scores. While the curve rises the two orders are one.
    With a slope below 0 it falls at the left, and lines cross.

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

    address = Address("bend")
    names = Words()
    sender_parts = Array("names", least=-10, most=10)
    receiver_part = Setting(
        Number(-10, "it is what the receiver adds to every sum", 10), 0.0, address="r"
    )
    slope = Setting(Number(-0.5, "it is the slope below 0; GAT takes 0.2", 1), 0.2, address="slope")

    @property
    def scores(self) -> FloatArray:
        """The scores now, LeakyReLU(r + t), of shape (n,)."""
        sums = self.receiver_part + self.sender_parts
        scores: FloatArray = np.where(sums > 0, sums, self.slope * sums)
        return scores

    @property
    def weights(self) -> FloatArray:
        """The weights now, their softmax, of shape (n,)."""
        return softmax(self.scores)
