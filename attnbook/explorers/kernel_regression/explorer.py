"""Regression by a Gaussian kernel, read as attention: the squared bandwidth is a temperature."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from attnbook.explorers._base import Explorer
from attnbook.explorers._traits import LARGEST, Address, Array, Setting, checked_array
from attnutils._checks import FloatArray, Number
from attnutils.normalize import softmax
from attnutils.scores import gaussian_scores

__all__ = ["KernelRegressionExplorer"]


class KernelRegressionExplorer(Explorer):
    """Nadaraya-Watson regression: move the query and the points, change the bandwidth.

    Each point is a key x with a value y. The estimate at a query is the mean of the values,
    weighted by a Gaussian kernel around the query: softmax of -(q - x)^2 / 2 at the temperature
    bandwidth^2.

    Parameters
    ----------
    x : array_like of shape (n,)
        The keys: where the points are, 2 to 64 of them, in any order.
    y : array_like of shape (n,)
        The values: how high the points are.
    query : float, optional
        Where to estimate; by default in the middle of the keys.
    bandwidth : float, default 1.0
        The width of the kernel. 0 takes the nearest point (nearest ones share), infinity the
        mean of all.

    Examples
    --------
    >>> explorer = KernelRegressionExplorer([0, 1, 3], [5, 7, 9], query=2)
    >>> explorer.weights.round(4)
    array([0.1004, 0.4498, 0.4498])
    >>> explorer.bandwidth = 0
    >>> explorer.output
    8.0
    """

    address = Address("regression")
    x = Array("n", address="x")
    y = Array("n", address="y")
    query = Setting(Number(-LARGEST, "it is a place on the axis of x", LARGEST), 0.0, address="q")
    bandwidth = Setting(
        Number(0, "0 takes the nearest point, np.inf the mean of all"), 1.0, address="sigma"
    )

    def __init__(self, x: object, y: object, *, query: float | None = None, **kwargs: Any) -> None:
        owner = type(self).__name__
        keys = checked_array(owner, "x", x, ("n",))
        if not 2 <= keys.size <= 64:
            raise ValueError(f"{owner}: x has {keys.size} numbers but 2 to 64 are expected.")
        values = checked_array(owner, "y", y, keys.shape)
        middle = float(keys.min() + keys.max()) / 2
        super().__init__(x=keys, y=values, query=middle if query is None else query, **kwargs)

    @property
    def temperature(self) -> float:
        """The squared bandwidth: the temperature of the softmax."""
        bandwidth: float = self.bandwidth
        return bandwidth * bandwidth  # infinite where ** would raise

    def weights_at(self, queries: ArrayLike) -> FloatArray:
        """The weights of the points for any queries (m,), a row each: shape (m, n)."""
        rows = checked_array(type(self).__name__, "queries", queries, ("m",))
        scores = gaussian_scores(rows[:, None], self.x[:, None])
        return softmax(scores, temperature=self.temperature)

    @property
    def weights(self) -> FloatArray:
        """The weights of the points now, of shape (n,)."""
        weights: FloatArray = self.weights_at(np.array([self.query]))[0]
        return weights

    @property
    def output(self) -> float:
        """The estimate at the query now."""
        return float(self.weights @ self.y)
