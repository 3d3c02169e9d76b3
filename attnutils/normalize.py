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
from typing import Annotated, Any

import numpy as np

from attnutils._checked import checked
from attnutils._checks import ArrayLike, FloatArray, Number, fail
from attnutils._shapes import AxisOf, Mask

__all__ = ["entropy", "hardmax", "masked_softmax", "softmax", "sparsemax"]

Scores = Annotated[ArrayLike, "... n"]
Weights = Annotated[FloatArray, "... n"]
AxisOfX = Annotated[int, AxisOf("x")]
Temperature = Annotated[float, Number(0, "0 gives hardmax, np.inf gives uniform weights")]
Base = Annotated[float, Number(above=1, hint="2 measures in bits, math.e in nats")]


@checked
def softmax(x: Scores, axis: AxisOfX = -1, temperature: Temperature = 1.0) -> Weights:
    r"""Weights in proportion to :math:`e^{x / T}`.

    Parameters
    ----------
    x
        Scores.
    axis
        The axis along which the weights sum to 1.
    temperature
        :math:`T`, from 0 (hardmax) to `np.inf` (uniform). Low is sharp, high is flat.

    Returns
    -------
    ndarray
        Weights. Where all scores along the axis are -inf they are 0.

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
    gap = gap_to_largest(x, axis, temperature)  # (x - max(x)) / T, so that nothing overflows
    e = np.exp(gap, out=gap)
    # The sum is less than 1 only where all is hidden. NaN stays where it is, and hidden stays 0.
    e /= np.fmax(total(e, axis), 1)
    return e


@checked
def hardmax(x: Scores, axis: AxisOfX = -1) -> Weights:
    """All weight on the largest score, in equal shares if several are largest.

    This is the limit of softmax as the temperature goes to 0.

    Parameters
    ----------
    x
        Scores.
    axis
        The axis along which the weights sum to 1.

    Returns
    -------
    ndarray
        Weights.

    References
    ----------
    xu2015 : hard attention.

    Examples
    --------
    >>> hardmax([0, 7, 5, 7])
    array([0. , 0.5, 0. , 0.5])
    """
    return softmax(x, axis, temperature=0)


@checked
def masked_softmax(
    scores: Scores,
    mask: Annotated[ArrayLike | None, Mask("... n")] = None,
    axis: Annotated[int, AxisOf("scores")] = -1,
    temperature: Temperature = 1.0,
) -> Weights:
    """Softmax over the entries that the mask allows; the others get weight 0.

    Parameters
    ----------
    scores
        Scores.
    mask
        True means that the entry may be attended to.
    axis
        The axis along which the weights sum to 1.
    temperature
        From 0 (hardmax) to `np.inf` (uniform over what the mask allows).

    Returns
    -------
    ndarray
        Weights. Where the mask allows nothing along the axis they are 0.

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
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return softmax(scores, axis, temperature)


@checked
def sparsemax(x: Scores, axis: AxisOfX = -1, temperature: Temperature = 1.0) -> Weights:
    """The weights nearest to `x / temperature`: many of them are exactly 0.

    Scores are lowered by one threshold, and what is then negative becomes 0. The threshold is
    such that the rest sums to 1.

    Parameters
    ----------
    x
        Scores.
    axis
        The axis along which the weights sum to 1.
    temperature
        From 0 (hardmax) to `np.inf` (uniform).

    Returns
    -------
    ndarray
        Weights. Where all scores along the axis are -inf they are 0.

    References
    ----------
    martins2016

    Examples
    --------
    >>> sparsemax([0, 1, -4, 7, 0, 5], temperature=5)
    array([0. , 0. , 0. , 0.7, 0. , 0.3])
    """
    gap = np.moveaxis(gap_to_largest(x, axis, temperature), axis, -1)
    # The k largest scores sum to 1 above the threshold (total - 1) / k. Those that get weight
    # are the k for which this is highest: each further score would have to be negative.
    k = np.arange(1, gap.shape[-1] + 1, dtype=wide(gap))
    sums = np.flip(np.sort(gap, axis=-1), axis=-1).cumsum(axis=-1, dtype=wide(gap))
    sums -= 1
    sums /= k
    threshold = sums.max(axis=-1, keepdims=True).astype(gap.dtype, copy=False)
    weights = np.where(np.isneginf(gap), 0, np.maximum(gap - threshold, 0))
    return np.moveaxis(weights, -1, axis)


@checked
def entropy(
    weights: Scores, axis: Annotated[int, AxisOf("weights")] = -1, base: Base = 2
) -> Annotated[FloatArray, "..."]:
    r"""How widely weights are spread, :math:`-\sum_j \alpha_j \log \alpha_j`.

    Parameters
    ----------
    weights
        Weights, which are at least 0. They are taken as they are, not made to sum to 1.
    axis
        The axis to sum over.
    base
        Base of the logarithm: 2 measures in bits, `math.e` in nats.

    Returns
    -------
    ndarray
        0 if one weight is 1, log(n) if all are equal. Weights of 0 add nothing.

    Raises
    ------
    ValueError
        If a weight is negative.

    Examples
    --------
    >>> entropy([[0.25, 0.25, 0.25, 0.25], [0, 0.5, 0, 0.5], [0, 0, 0, 1]])
    array([2., 1., 0.])
    """
    a = no_negatives("entropy", weights)
    surprise = total(a * np.log(np.where(a == 0, 1, a)), axis).squeeze(axis)
    return 0 - surprise / math.log(base)  # 0 - 0 is 0, but -(0) would be -0


# -- how it is made safe ---------------------------------------------------------------------


def gap_to_largest(x: FloatArray, axis: int, temperature: float) -> FloatArray:
    """(x - max(x)) / temperature, which is at most 0, so that exp of it cannot overflow."""
    limits = np.finfo(x.dtype)
    t = x.dtype.type(temperature)
    # Where everything is hidden the largest counts as finite, and the gaps to it are -inf.
    top = x.max(axis=axis, keepdims=True, initial=limits.min)
    if 0 < t < limits.max / 1e5 and np.isfinite(top).all():
        gap: FloatArray = x - top  # beyond the dtype it is -inf: a weight of 0 anyway
        return gap if t == 1 else np.divide(gap, t, out=gap)
    if t == np.inf:  # all that is shown weighs the same
        x, top, t = np.where(x > -np.inf, 0, x), np.where(np.isnan(top), top, 0), limits.max
    # Halves cannot overflow. Equals are 0 without arithmetic: 0 / 0 and inf - inf have no answer.
    h = 2 if t > 1 else 1
    gap = np.where(x == top, 0, (x / h - top / h) / (t / h))
    return np.where(x == -np.inf, x, gap)  # beside NaN too


def total(x: FloatArray, axis: int) -> FloatArray:
    """The sum along an axis, which stays as one of size 1.

    NumPy adds in pairs what lies side by side in memory, and all else one by one: there a long sum
    of float32 would lose its digits, and is made in float64.
    """
    dtype = x.dtype if x.strides[axis] == x.itemsize else wide(x)
    return x.sum(axis=axis, keepdims=True, dtype=dtype).astype(x.dtype, copy=False)


def wide(x: FloatArray) -> np.dtype[Any]:
    """The dtype of sums that are added one by one."""
    return x.dtype if x.itemsize >= 8 else np.dtype(np.float64)


def no_negatives(function: str, weights: FloatArray) -> FloatArray:
    """Weights, if none is negative; what rounding took below 0 is 0."""
    if (weights < -1e-6).any():
        hint = "are these scores? softmax turns scores into weights"
        text = f"weights must be at least 0, got {np.nanmin(weights):.4g}"
        fail(ValueError, function, text, hint)
    return np.maximum(weights, 0)
