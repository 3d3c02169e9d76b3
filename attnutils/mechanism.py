"""Attention: scores, then softmax, then a weighted mean of the values.

Taught on the page *attention mechanism*. Sizes: n_q queries, n_k keys, each with one value; d_k
is the width of queries and keys, d_v the width of values.
"""

import itertools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attnutils import _shapes
from attnutils._shapes import FloatArray
from attnutils.normalize import divide, exponentials
from attnutils.scores import dot_scores, gaussian_scores, scaled_dot_scores

__all__ = ["Attention", "attention"]

# Queries are worked through in blocks of this many rows, so that only a block of scores is in
# memory at a time. Heads (or whatever the leading axes are) share a block as long as they have at
# most this many scores together, which then stay in the cache of the processor.
_BLOCK_ROWS = 128
_BLOCK_SCORES = 2**20


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
    ours = scores in (dot_scores, scaled_dot_scores, gaussian_scores)
    q, k = _shapes.query_and_key("attention", query, key, same_width=ours)
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
    later = n_k - n_q  # query i stands at key i + later, and sees none after it if causal
    output = np.zeros((*np.broadcast_shapes(lead, v.shape[:-2]), n_q, v.shape[-1]), wide)
    weights = np.zeros((*lead, n_q, n_k), wide) if need_weights else None

    # A score function of the caller's own may treat each head its own way: it gets all at once.
    n_looped = _axes_to_loop_over(lead, n_q * n_k) if ours and lead == output.shape[:-2] else 0
    if n_looped:
        q, k, v = (np.broadcast_to(x, (*lead, *x.shape[-2:])) for x in (q, k, v))
    starts = range(0, n_q, _BLOCK_ROWS)
    for *index, start in itertools.product(*map(range, lead[:n_looped]), starts):
        stop = min(start + _BLOCK_ROWS, n_q)
        end = stop + later if is_causal else n_k  # no query of this block sees a key from here on
        if end <= 0:
            continue
        queries: tuple[Any, ...] = np.s_[*index, ..., start:stop, :]
        keys: tuple[Any, ...] = np.s_[*index, ..., :end, :]
        pairs: tuple[Any, ...] = np.s_[*index, ..., start:stop, :end]

        s = scores(q[queries], k[keys])
        s = _shapes.returned_scores("attention", s, (*lead[n_looped:], stop - start, end))
        s = s.astype(np.promote_types(s.dtype, np.float32), copy=not ours)
        with np.errstate(all="ignore"):  # what overflows, inf - inf and 0 * inf have their rules
            if bias is not None:
                s += bias[pairs]
            if mask is not None:
                np.copyto(s, -np.inf, where=~mask[pairs])
            if is_causal:
                first = max(0, start + later + 1)  # all queries of this block see the keys before
                future = np.arange(first, end) > np.arange(start, stop)[:, None] + later
                np.copyto(s[..., first:], -np.inf, where=future)
            parts, total = exponentials(s, -1, temperature, out=s)
            _weighted_mean(parts, total, v[keys], out=output[queries])
            if weights is not None:
                weights[pairs] = divide(parts, total)

    if single:
        output = output[..., 0, :]
        weights = None if weights is None else weights[..., 0, :]
    weights = None if weights is None else _shapes.narrow(weights, dtype)
    return Attention(_shapes.narrow(output, dtype), weights)


def _axes_to_loop_over(lead: tuple[int, ...], n_scores: int) -> int:
    """How many leading axes to take one index at a time, so that the scores of the rest are few."""
    for n in range(len(lead)):
        if math.prod(lead[n:]) * n_scores <= _BLOCK_SCORES:
            return n
    return len(lead)


def _weighted_mean(
    parts: FloatArray, total: FloatArray, value: FloatArray, out: FloatArray
) -> None:
    """Write parts @ value / total to `out`, where a weight of 0 passes on nothing."""
    np.matmul(parts, value, out=out)
    out /= total
    if np.isfinite(out).all():
        return
    # Something is not finite, or too large to add up: now 0 * inf must be 0, which BLAS calls NaN.
    weights = divide(parts.copy(), total)
    out[...] = weights @ np.where(np.isfinite(value), value, 0)
    reached = (weights != 0).astype(out.dtype)
    for special, where in (
        (np.nan, np.isnan(value)),
        (np.inf, np.isposinf(value)),
        (-np.inf, np.isneginf(value)),
    ):
        np.add(out, special, out=out, where=reached @ where.astype(out.dtype) > 0)
