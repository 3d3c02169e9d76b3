"""From scores to weights: softmax and its relatives. Taught on the page *temperature*.

A row of weights is never negative and sums to 1. All functions here share these conventions:

* Temperature 0 is hardmax, `np.inf` is uniform over what may be attended to.
* A score of -inf hides its entry, as a mask does. A row in which everything is hidden has
  weights 0. Scores of +inf share the weight among themselves.
* NaN among the scores makes the weights of its row NaN, except the hidden ones, which are 0.
* float32 and float64 are kept, float16 is computed in float32, integers become float64. A
  temperature that the dtype cannot hold counts as 0 or infinite.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from attnutils import _shapes
from attnutils._shapes import FloatArray

__all__ = ["entropy", "hardmax", "masked_softmax", "softmax", "sparsemax"]


def softmax(x: ArrayLike, axis: int = -1, temperature: float = 1.0) -> FloatArray:
    r"""Weights in proportion to :math:`e^{x / T}`.

    Parameters
    ----------
    x : array_like of shape (..., n)
        Scores.
    axis : int
        The axis along which the weights sum to 1.
    temperature : float
        :math:`T`, from 0 (hardmax) to `np.inf` (uniform). Low is sharp, high is flat.

    Returns
    -------
    ndarray of shape (..., n)
        Weights. Where all scores along the axis are -inf they are 0.

    Raises
    ------
    TypeError
        If `x` does not hold real numbers, or `temperature` is not a number.
    ValueError
        If `x` is ragged, has no axis or nothing along `axis`, or `temperature` is negative or NaN.

    See Also
    --------
    masked_softmax : softmax that may look at some entries only.

    References
    ----------
    hinton2015 : temperature.

    Examples
    --------
    >>> softmax([7, 5, 1]).round(4)
    array([0.8789, 0.1189, 0.0022])
    >>> softmax([7, 5], temperature=0)
    array([1., 0.])
    """
    array = _shapes.real_array("softmax", "x", x, shape="(..., n)", rank=1)
    axis = _shapes.axis_of("softmax", "x", array, axis)
    return _softmax(array, axis, _shapes.temperature("softmax", temperature))


def hardmax(x: ArrayLike, axis: int = -1) -> FloatArray:
    """All weight on the largest score, in equal shares if several are largest.

    This is the limit of softmax as the temperature goes to 0.

    Parameters
    ----------
    x : array_like of shape (..., n)
        Scores.
    axis : int
        The axis along which the weights sum to 1.

    Returns
    -------
    ndarray of shape (..., n)
        Weights.

    Raises
    ------
    TypeError
        If `x` does not hold real numbers.
    ValueError
        If `x` is ragged, has no axis or nothing along `axis`.

    References
    ----------
    xu2015 : hard attention.

    Examples
    --------
    >>> hardmax([0, 7, 5, 7])
    array([0. , 0.5, 0. , 0.5])
    """
    array = _shapes.real_array("hardmax", "x", x, shape="(..., n)", rank=1)
    return _softmax(array, _shapes.axis_of("hardmax", "x", array, axis), 0.0)


def masked_softmax(
    scores: ArrayLike, mask: ArrayLike | None = None, axis: int = -1, temperature: float = 1.0
) -> FloatArray:
    """Softmax over the entries that the mask allows; the others get weight 0.

    Parameters
    ----------
    scores : array_like of shape (..., n)
        Scores.
    mask : array_like of bool that broadcasts to the scores, optional
        True means that the entry may be attended to.
    axis : int
        The axis along which the weights sum to 1.
    temperature : float
        From 0 (hardmax) to `np.inf` (uniform over what the mask allows).

    Returns
    -------
    ndarray of shape (..., n)
        Weights. Where the mask allows nothing along the axis they are 0.

    Raises
    ------
    TypeError
        If `scores` does not hold real numbers, `mask` is not boolean, or `temperature` is not
        a number.
    ValueError
        If `scores` is ragged, has no axis or nothing along `axis`, `mask` does not broadcast to
        it, or `temperature` is negative or NaN.

    References
    ----------
    vaswani2017 : masking in the decoder.

    Examples
    --------
    >>> mask = [[True, False, True], [False, False, False]]
    >>> masked_softmax([[7, 5, 1], [7, 5, 1]], mask).round(4)
    array([[0.9975, 0.    , 0.0025],
           [0.    , 0.    , 0.    ]])
    """
    array = _shapes.real_array("masked_softmax", "scores", scores, shape="(..., n)", rank=1)
    axis = _shapes.axis_of("masked_softmax", "scores", array, axis)
    temperature = _shapes.temperature("masked_softmax", temperature)
    if mask is not None:
        may_attend = _shapes.mask_for("masked_softmax", mask, array.shape, "the shape of scores")
        array = np.where(may_attend, array, -np.inf)
    return _softmax(array, axis, temperature)


def sparsemax(x: ArrayLike, axis: int = -1, temperature: float = 1.0) -> FloatArray:
    """The weights nearest to `x / temperature`: many of them are exactly 0.

    Scores are lowered by one threshold, and what is then negative becomes 0. The threshold is
    such that the rest sums to 1.

    Parameters
    ----------
    x : array_like of shape (..., n)
        Scores.
    axis : int
        The axis along which the weights sum to 1.
    temperature : float
        From 0 (hardmax) to `np.inf` (uniform).

    Returns
    -------
    ndarray of shape (..., n)
        Weights. Where all scores along the axis are -inf they are 0.

    Raises
    ------
    TypeError
        If `x` does not hold real numbers, or `temperature` is not a number.
    ValueError
        If `x` is ragged, has no axis or nothing along `axis`, or `temperature` is negative or NaN.

    References
    ----------
    martins2016

    Examples
    --------
    >>> sparsemax([0, 1, -4, 7, 0, 5], temperature=5)
    array([0. , 0. , 0. , 0.7, 0. , 0.3])
    """
    array = _shapes.real_array("sparsemax", "x", x, shape="(..., n)", rank=1)
    axis = _shapes.axis_of("sparsemax", "x", array, axis)
    temperature = _shapes.temperature("sparsemax", temperature)
    gap = np.moveaxis(_gap_to_largest(_shapes.widen(array), axis, temperature), axis, -1)
    # The k largest scores sum to 1 above the threshold (total - 1) / k. Those that get weight
    # are the k for which this is highest: each further score would have to be negative.
    k = np.arange(1, gap.shape[-1] + 1, dtype=gap.dtype)
    with np.errstate(all="ignore"):
        total = np.flip(np.sort(gap, axis=-1), axis=-1).cumsum(axis=-1)
        threshold = ((total - 1) / k).max(axis=-1, keepdims=True)
        weights = np.where(np.isneginf(gap), 0, np.maximum(gap - threshold, 0))
    return _shapes.narrow(np.moveaxis(weights, -1, axis), array.dtype)


def entropy(weights: ArrayLike, axis: int = -1, base: float = 2) -> FloatArray:
    r"""How widely weights are spread, :math:`-\sum_j \alpha_j \log \alpha_j`.

    Parameters
    ----------
    weights : array_like of shape (..., n)
        Weights, which are at least 0. They are taken as they are, not made to sum to 1.
    axis : int
        The axis to sum over.
    base : float
        Base of the logarithm: 2 measures in bits, `math.e` in nats.

    Returns
    -------
    ndarray of shape (...)
        0 if one weight is 1, log(n) if all are equal. Weights of 0 add nothing.

    Raises
    ------
    TypeError
        If `weights` does not hold real numbers, or `base` is not a number.
    ValueError
        If `weights` is ragged, has no axis, nothing along `axis` or a negative entry, or `base`
        is not above 1.

    Examples
    --------
    >>> entropy([[0.25, 0.25, 0.25, 0.25], [0, 0.5, 0, 0.5], [0, 0, 0, 1]])
    array([2., 1., 0.])
    """
    array = _shapes.real_array("entropy", "weights", weights, shape="(..., n)", rank=1)
    axis = _shapes.axis_of("entropy", "weights", array, axis)
    base = _shapes.base("entropy", base)
    _shapes.no_negatives("entropy", "weights", array)
    wide = _shapes.widen(array)
    logs = np.log(np.where(wide == 0, 1, wide))
    total = (wide * logs).sum(axis=axis) / math.log(base)
    return _shapes.narrow(0 - total, array.dtype)  # 0 - 0 is 0, but -(0) would be -0


def exponentials(
    x: FloatArray, axis: int, temperature: float, out: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Softmax before its last step: parts e^((x - max(x)) / T), and what to divide them by."""
    gap = _gap_to_largest(x, axis, temperature, out)
    with np.errstate(under="ignore"):
        parts = np.exp(gap, out=gap)
        total = parts.sum(axis=axis, keepdims=True)
    # The largest part is 1. Only where everything is hidden the parts sum to less, to 0.
    return parts, np.maximum(total, 1)


def divide(parts: FloatArray, total: FloatArray) -> FloatArray:
    """The last step of softmax, parts / total, in place. What is hidden stays 0, beside NaN too."""
    with np.errstate(under="ignore"):
        return np.divide(parts, total, out=parts, where=parts != 0)


def _softmax(x: FloatArray, axis: int, temperature: float) -> FloatArray:
    """Softmax of checked arguments."""
    parts, total = exponentials(_shapes.widen(x), axis, temperature)
    return _shapes.narrow(divide(parts, total), x.dtype)


def _gap_to_largest(
    x: FloatArray, axis: int, temperature: float, out: FloatArray | None = None
) -> FloatArray:
    """(x - max(x)) / temperature, which is at most 0, so that exp of it cannot overflow."""
    limits = np.finfo(x.dtype)
    with np.errstate(all="ignore"):
        t = x.dtype.type(temperature)
        # Where everything is hidden the largest counts as finite, and the gaps to it are -inf.
        largest = x.max(axis=axis, keepdims=True, initial=limits.min)
        if 0 < t < limits.max / 1e5 and np.isfinite(largest).all():
            # A difference beyond the dtype is -inf: a weight of 0, which it would be anyway.
            gap: FloatArray = np.subtract(x, largest, out=out)
            if t != 1:
                gap /= t
            return gap
        if t == np.inf:  # +inf becomes one finite score among others
            x, largest = np.minimum(x, limits.max), np.minimum(largest, limits.max)
        # Halves keep the difference of two finite scores finite.
        half = 0.5 if t > 1 else 1.0
        gap = (x * half - largest * half) / (t * half)
        # Equals get 0 without arithmetic: 0 / 0 at temperature 0 and inf - inf have no answer.
        gap = np.where(x == largest, 0, gap)
        return np.where(np.isneginf(x), -np.inf, gap)
