"""What length itself costs: one key that leads, and the weight that it keeps among n."""

from __future__ import annotations

import math

from attnbook.explorers._base import Explorer
from attnbook.explorers._traits import Address, Setting
from attnutils._checks import Int, Number

__all__ = ["DilutionExplorer"]


class DilutionExplorer(Explorer):
    """Drag a dot over numbers of keys and leads of one score, and see what weight it keeps.

    The other scores are equal. A gap of g in front of n - 1 others holds e^g of e^g + n - 1.

    Parameters
    ----------
    n : int, default 10
        The number of keys, from 2 to a million.
    gap : float, default 2.2
        By how much the score of one key is larger than the others, from 0 to 16.

    Examples
    --------
    >>> explorer = DilutionExplorer(n=10_000)
    >>> round(explorer.weight, 4), round(explorer.half, 2)
    (0.0009, 9.21)
    """

    address = Address("dilution")
    n = Setting(Int(2, "it counts the keys", 10**6), 10, address="n")
    gap = Setting(Number(0, "it is by how much one score leads", 16), 2.2, address="gap")

    @property
    def weight(self) -> float:
        """The weight of the key that leads."""
        return 1 / (1 + (self.n - 1) * math.exp(-self.gap))

    @property
    def half(self) -> float:
        """The gap that holds half of the weight among so many."""
        return math.log(self.n - 1)
