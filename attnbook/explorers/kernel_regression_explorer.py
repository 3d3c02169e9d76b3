"""Regression by a Gaussian kernel, read as attention: the squared bandwidth is a temperature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from attnbook.explorers._base import (
    LARGEST,
    Address,
    ArrayTrait,
    Explorer,
    NumberTrait,
    Widget,
    checked_array,
    script,
    style,
)
from attnutils._checks import FloatArray, Number
from attnutils.normalize import softmax
from attnutils.scores import gaussian_scores

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["KernelRegressionExplorer"]


def _checked_query(widget: Widget, x: Any) -> float:
    owner = type(widget).__name__
    hint = "it is a place on the axis of x"
    return Number(-LARGEST, hint, LARGEST).check(owner, "query", x)


def _checked_bandwidth(widget: Widget, x: Any) -> float:
    hint = "0 takes the nearest point, np.inf the mean of all"
    owner = type(widget).__name__
    return Number(0, hint).check(owner, "bandwidth", x)


class KernelRegressionExplorer(Explorer):
    """Nadaraya-Watson regression: move the query, change the bandwidth, see weights and fit.

    Each point is a key x with a value y. The estimate at a query is the mean of the values,
    weighted by a Gaussian kernel around the query: softmax of -(q - x)^2 / 2 at the temperature
    bandwidth^2. The traits move the widget, and the widget moves the traits:
    `explorer.bandwidth = 0.2`. `weights` and `output` are computed by attnutils.

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

    Attributes
    ----------
    temperature : float
        The squared bandwidth.
    weights : ndarray of shape (n,)
    output : float

    Raises
    ------
    ValueError, TypeError
        If shapes, types or numbers do not fit.

    Examples
    --------
    >>> explorer = KernelRegressionExplorer([0, 1, 3], [5, 7, 9], query=2)
    >>> explorer.weights.round(4)
    array([0.1004, 0.4498, 0.4498])
    >>> explorer.bandwidth = 0
    >>> explorer.output
    8.0
    """

    _esm = script("kernel_regression_explorer")
    _css = style("kernel_regression_explorer")

    address = Address("regression")
    x = ArrayTrait()
    y = ArrayTrait()
    query = NumberTrait(0.0, _checked_query)
    bandwidth = NumberTrait(1.0, _checked_bandwidth)

    def __init__(
        self,
        x: object,
        y: object,
        *,
        query: float | None = None,
        bandwidth: float = 1.0,
        **kwargs: Any,
    ) -> None:
        owner = type(self).__name__
        keys = checked_array(owner, "x", x, ("n",))
        if not 2 <= keys.size <= 64:
            raise ValueError(f"{owner}: x has {keys.size} numbers but 2 to 64 are expected.")
        super().__init__(
            x=keys,
            y=checked_array(owner, "y", y, keys.shape),
            query=(keys.min() + keys.max()) / 2 if query is None else query,
            bandwidth=bandwidth,
            **kwargs,
        )

    @classmethod
    def example(cls) -> Self:
        """An explorer with a wave."""
        x = np.arange(12) / 2
        return cls(x, np.sin(2 * x).round(2), query=2, bandwidth=0.5)

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
        weights: FloatArray = self.weights_at([self.query])[0]
        return weights

    @property
    def output(self) -> float:
        """The estimate at the query now."""
        return float(self.weights @ self.y)

    def __repr__(self) -> str:
        return (
            f"KernelRegressionExplorer({self.x.size} points, query={self.query:g}, "
            f"bandwidth={self.bandwidth:g})"
        )

    def _picture(self) -> Figure:
        from attnbook.explorers.pictures.kernel_regression_explorer import regression_picture

        data = self.x, self.y, self.query, self.bandwidth
        return regression_picture(*data, self.weights_at, LARGEST)
