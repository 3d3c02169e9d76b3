"""Attention: scores, then softmax, then a weighted mean of the values.

Taught on the page *attention mechanism*. Sizes: n_q queries, n_k keys, each with one value; d_k
is the width of queries and keys, d_v the width of values.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attnutils import _shapes
from attnutils._shapes import FloatArray
from attnutils.normalize import masked_softmax
from attnutils.scores import dot_scores, gaussian_scores, scaled_dot_scores

__all__ = ["Attention", "attention"]

# Queries are worked through in blocks of this many rows, so that only a block of scores is in
# memory at a time.
_BLOCK_ROWS = 128


class Attention(NamedTuple):
    """What attention returns: `output`, and the `weights` that led to it (or None)."""

    output: FloatArray
    weights: FloatArray | None


def attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    is_causal: bool = False,
    scores: Callable[[FloatArray, FloatArray], FloatArray] = scaled_dot_scores,
    temperature: float = 1.0,
    need_weights: bool = True,
) -> Attention:
    r"""The mean of the values, weighted by how well each query matches each key.

    .. math:: A = \mathrm{softmax}(S / T), \qquad O = A V

    Leading axes broadcast. Without weights the memory in use grows with n_q + n_k, not with
    n_q times n_k.

    Parameters
    ----------
    query : array_like of shape (..., n_q, d_k) or (d_k,)
        Queries as rows. A single query (d_k,) gives output (d_v,) and weights (n_k,).
    key : array_like of shape (..., n_k, d_k)
        Keys as rows.
    value : array_like of shape (..., n_k, d_v)
        Values as rows, one for each key.
    mask : array_like of bool that broadcasts to the scores, optional
        True means that the query (row) may attend to the key (column). A query that may attend
        to nothing gets weights 0 and output 0.
    bias : array_like that broadcasts to the scores, optional
        Numbers to add to the scores, before the temperature.
    is_causal : bool
        Let each query see no later key. The last query sees all keys (aligned bottom-right), so
        of n_q < n_k queries the first sees n_k - n_q + 1. Combined with `mask` by AND.
    scores : callable
        ``scores(query, key)`` of shape (..., n_q, n_k). It must be a function of rows: the
        scores of some queries and keys may not depend on the others.
    temperature : float
        From 0 (hardmax) to `np.inf` (uniform over what may be attended to).
    need_weights : bool
        Whether to return the weights.

    Returns
    -------
    output : ndarray of shape (..., n_q, d_v) or (d_v,)
        Weighted means. The dtype is that of query, key and value together.
    weights : ndarray of shape (..., n_q, n_k) or (n_k,), or None
        Rows that sum to 1 (or to 0, where nothing may be attended to).

    Raises
    ------
    TypeError
        If an array does not hold real numbers, `mask` is not boolean, or an option is of the
        wrong type.
    ValueError
        If the shapes do not fit each other, there is no key, or `temperature` is negative or NaN.

    Notes
    -----
    A weight of exactly 0 passes nothing on, not even a NaN or an infinity: what is hidden cannot
    reach the output.

    References
    ----------
    bahdanau2015 : attention over the states of an encoder.
    vaswani2017 : scaled dot-product attention, the default here.

    Examples
    --------
    >>> from attnutils.worked_example import KEYS, VALUES
    >>> output, weights = attention(KEYS[5], KEYS, VALUES)
    >>> output.round(4)
    array([0.3078])
    >>> weights.round(4)
    array([0.0127, 0.0226, 0.0013, 0.7229, 0.0127, 0.2278])
    """
    _shapes.score_function("attention", scores)
    same_width = scores in (dot_scores, scaled_dot_scores, gaussian_scores)
    q, k = _shapes.query_and_key("attention", query, key, same_width=same_width)
    v = _shapes.value_for("attention", value, q, k)
    temperature = _shapes.temperature("attention", temperature)
    is_causal = _shapes.flag("attention", "is_causal", is_causal)
    need_weights = _shapes.flag("attention", "need_weights", need_weights)

    lead = np.broadcast_shapes(q.shape[:-2], k.shape[:-2])
    size = (*lead, *q.shape[-2:-1], k.shape[-2])  # of the scores
    if mask is not None:
        mask = _shapes.mask_for("attention", mask, size)
    if bias is not None:
        bias = _shapes.bias_for("attention", bias, size)

    single = q.ndim == 1
    if single:  # work with one row, and take it out again at the end
        q = q[None, :]
        mask = None if mask is None else mask[..., None, :]
        bias = None if bias is None else bias[..., None, :]

    dtype = np.result_type(q, k, v)
    wide = np.promote_types(dtype, np.float32)
    q, k, v = (x.astype(wide, copy=False) for x in (q, k, v))
    n_q, n_k = q.shape[-2], k.shape[-2]
    output = np.zeros((*np.broadcast_shapes(lead, v.shape[:-2]), n_q, v.shape[-1]), wide)
    weights = np.zeros((*lead, n_q, n_k), wide) if need_weights else None

    for start in range(0, n_q, _BLOCK_ROWS):
        stop = min(start + _BLOCK_ROWS, n_q)
        # Query i sees key j if j <= i + n_k - n_q, so no query here sees a key from `end` on.
        end = max(0, stop + n_k - n_q) if is_causal else n_k
        if end == 0:
            continue
        block = np.s_[..., start:stop, :end]
        s = scores(q[..., start:stop, :], k[..., :end, :])
        s = _shapes.returned_scores("attention", s, (*lead, stop - start, end))
        if bias is not None:
            with np.errstate(all="ignore"):  # inf - inf is NaN
                s = s + bias[block].astype(s.dtype, copy=False)
        allowed = None if mask is None else mask[block]
        if is_causal:
            past = np.arange(end) <= np.arange(start, stop)[:, None] + n_k - n_q
            allowed = past if allowed is None else past & allowed
        a = masked_softmax(s, allowed, temperature=temperature).astype(wide, copy=False)
        output[..., start:stop, :] = _weighted_sum(a, v[..., :end, :])
        if weights is not None:
            weights[block] = a

    if single:
        output = output[..., 0, :]
        weights = None if weights is None else weights[..., 0, :]
    weights = None if weights is None else _shapes.narrow(weights, dtype)
    return Attention(_shapes.narrow(output, dtype), weights)


def _weighted_sum(weights: FloatArray, value: FloatArray) -> FloatArray:
    """weights @ value, where a weight of 0 passes on nothing (by itself, 0 * inf is NaN)."""
    finite = np.isfinite(value)
    with np.errstate(all="ignore"):
        if finite.all():
            return weights @ value
        total = weights @ np.where(finite, value, 0)
        for special, where in (
            (np.nan, np.isnan(value)),
            (np.inf, np.isposinf(value)),
            (-np.inf, np.isneginf(value)),
        ):
            reached = (weights != 0).astype(total.dtype) @ where.astype(total.dtype) > 0
            total = np.where(reached, total + special, total)
        return total
