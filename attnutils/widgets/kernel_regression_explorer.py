"""Regression by a Gaussian kernel, read as attention: the squared bandwidth is a temperature."""

from __future__ import annotations

import math
import numbers
from typing import Any

from numpy.typing import ArrayLike

from attnutils._shapes import FloatArray
from attnutils.normalize import softmax
from attnutils.scores import gaussian_scores
from attnutils.widgets._base import (
    LARGEST,
    ArrayTrait,
    Temperature,
    Widget,
    checked_array,
    picture,
    script,
    style,
)

__all__ = ["KernelRegressionExplorer"]


class _Bandwidth(Temperature):
    """A bandwidth: like a temperature a number from 0 to infinity, and it travels as one."""

    def validate(self, obj: Any, value: Any) -> float:
        """Check a new bandwidth and make it a Python float."""
        hint = "0 takes the nearest point, np.inf the mean of all"
        return _number(type(obj).__name__, "bandwidth", value, 0.0, math.inf, hint)


class _Query(Temperature):
    """A place on the axis of the keys."""

    def validate(self, obj: Any, value: Any) -> float:
        """Check a new query and make it a Python float."""
        hint = "it is a place on the axis of x"
        return _number(type(obj).__name__, "query", value, -LARGEST, LARGEST, hint)


class KernelRegressionExplorer(Widget):
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

    x = ArrayTrait()
    y = ArrayTrait()
    query = _Query()
    bandwidth = _Bandwidth()

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

    @property
    def temperature(self) -> float:
        """The squared bandwidth: the temperature of the softmax."""
        return self.bandwidth * self.bandwidth  # infinite where ** would raise

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

    def _fallback(self) -> dict[str, str]:
        from attnutils.widgets.pictures.kernel_regression_explorer import regression_picture

        return picture(lambda: regression_picture(self))


def _number(owner: str, name: str, x: Any, low: float, high: float, hint: str) -> float:
    expected = f"a number from {low:.0f} to {high:.0f}"
    is_number = isinstance(x, numbers.Real) and not isinstance(x, bool)
    if not is_number:
        raise TypeError(f"{owner}: {name} must be {expected}, got {type(x).__name__}; {hint}.")
    if not low <= x <= high:  # NaN is not
        raise ValueError(f"{owner}: {name} must be {expected}, got {x}; {hint}.")
    try:
        return float(x)
    except OverflowError:  # an integer of more than 308 digits
        return math.inf
