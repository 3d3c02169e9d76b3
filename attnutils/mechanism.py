"""Attention: scores, then softmax, then a weighted mean of the values.

Taught on the page *attention mechanism*. Sizes: n_q queries, n_k keys, each with one value; d_k
is the width of queries and keys, d_v the width of values.
"""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, NamedTuple

import numpy as np

from attnutils._checked import checked
from attnutils._checks import ArrayLike, Flag, FloatArray, Function, fail, result
from attnutils._shapes import Broadcast, Mask
from attnutils.blocks import blocks_of, in_blocks
from attnutils.masks import add_bias, causal_mask
from attnutils.normalize import Temperature, softmax
from attnutils.scores import (
    Key,
    QueryOfAnyWidth,
    Value,
    dot_scores,
    gaussian_scores,
    scaled_dot_scores,
)

__all__ = ["AttentionOutput", "attention"]

ScoreFunction = Callable[[FloatArray, FloatArray], FloatArray]
IsCausal = Annotated[bool, Flag("an array that hides keys belongs in mask")]
#: They compare vectors of one width, and treat each head alike.
OURS = (dot_scores, scaled_dot_scores, gaussian_scores)
#: More of them in a row are added in parts.
_MOST_TERMS = 2048


class AttentionOutput(NamedTuple):
    """What attention returns: `output`, and the `weights` that led to it (or None)."""

    output: FloatArray
    weights: Any


def new_scores(
    function: str, name: str, s: ArrayLike, query: FloatArray, key: FloatArray
) -> FloatArray:
    """What a score function of the caller's own has returned, checked and new."""
    lead = np.broadcast_shapes(query.shape[:-2], key.shape[:-2])
    shape = (*lead, query.shape[-2], key.shape[-2])
    hint = f"{name} must be a function of rows"
    found = result(function, name, s, "(..., n_q, n_k)", shape, hint)
    return found.astype(np.promote_types(found.dtype, np.float32))


@checked
def attention(
    query: QueryOfAnyWidth,
    key: Key,
    value: Value,
    *,
    mask: Annotated[ArrayLike | None, Mask("... n_q? n_k")] = None,
    bias: Annotated[ArrayLike | None, Broadcast("... n_q? n_k")] = None,
    is_causal: IsCausal = False,
    scores: Annotated[
        ScoreFunction,
        Function("query and key", "for example scores=dot_scores", new_scores, OURS),
    ] = scaled_dot_scores,
    temperature: Temperature = 1.0,
    need_weights: Annotated[bool, Flag()] = True,
) -> Annotated[AttentionOutput, "... n_q? d_v", "... n_q? n_k"]:
    r"""The mean of the values, weighted by how well each query matches each key.

    .. math:: A = \mathrm{softmax}(S / T), \qquad O = A V

    Leading axes broadcast. Without weights the memory in use grows with n_q + n_k, not with
    n_q times n_k.

    Parameters
    ----------
    query
        Queries as rows. A single query gives output (d_v,) and weights (n_k,). Queries are as
        wide as keys, unless a score function of your own takes others. Rows are queries, also
        where keys have leading axes: of B single queries for B sets of keys, (B, n_k, d_k), make
        ``query[:, None]``; as (B, d_k) each of them asks every set.
    key
        Keys as rows.
    value
        Values as rows, one for each key.
    mask
        True means that the query (row) may attend to the key (column). A query that may attend
        to nothing gets weights 0 and output 0.
    bias
        Numbers to add to the scores, before the temperature. -inf hides, as a mask does.
    is_causal
        Let each query see no later key. The last query sees all keys (aligned bottom-right), so
        of n_q < n_k queries the first sees n_k - n_q + 1. Combined with `mask` by AND.
    scores
        ``scores(query, key)`` of shape (..., n_q, n_k). It must be a function of rows: the
        scores of some queries and keys may not depend on the others.
    temperature
        From 0 (hardmax) to `np.inf` (uniform over what may be attended to).
    need_weights
        Whether to return the weights.

    Returns
    -------
    output
        Weighted means. The dtype is that of query, key and value together.
    weights
        Rows that sum to 1 (or to 0, where nothing may be attended to). None without `need_weights`.

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
    blocks = blocks_of(query, key, value, is_causal, by_head=scores in OURS)
    if blocks:  # the same, a part of the rows at a time
        attend = partial(attention, is_causal=is_causal, scores=scores, temperature=temperature)
        found = in_blocks(attend, blocks, query, key, value, mask, bias, need_weights)
        return AttentionOutput(*found)
    s = scores(*of_one_width(scores, query, key))  # (..., n_q, n_k)
    if bias is not None:
        s = add_bias(s, bias)
    if is_causal:
        np.copyto(s, -np.inf, where=~causal_mask(*s.shape[-2:]))
    if mask is not None:
        np.copyto(s, -np.inf, where=~mask)
    weights = softmax(s, temperature=temperature)
    return AttentionOutput(weighted_mean(weights, value), weights if need_weights else None)


# -- how it is made safe ---------------------------------------------------------------------


def of_one_width(
    scores: ScoreFunction, query: FloatArray, key: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Queries and keys, if they are equally wide, or a function of the caller's own is used."""
    if scores in OURS and query.shape[-1] != key.shape[-1]:
        text = f"key has d_k={key.shape[-1]} but query has d_k={query.shape[-1]}"
        shapes = f" (query {query.shape}, key {key.shape})"
        fail(ValueError, "attention", text + shapes, "their last axes must match")
    return query, key


def weighted_mean(weights: FloatArray, value: FloatArray) -> FloatArray:
    """weights @ value, where a weight of 0 passes on nothing, not even NaN or an infinity."""
    output = long_product(weights, value)
    if np.isfinite(output).all():
        return output
    output = long_product(weights, np.where(np.isfinite(value), value, 0))
    reached = (weights != 0).astype(output.dtype)
    for special in (np.nan, np.inf, -np.inf):
        where = np.isnan(value) if np.isnan(special) else value == special
        np.add(output, special, out=output, where=reached @ where.astype(output.dtype) > 0)
    return output


def long_product(a: FloatArray, b: FloatArray) -> FloatArray:
    """a @ b. Of a single row or column the terms are added one by one: of long ones in parts."""
    n, dtype = a.shape[-1], np.result_type(a, b)
    if n <= _MOST_TERMS or min(a.shape[-2], b.shape[-1]) > 1 or dtype.itemsize >= 8:
        product: FloatArray = a @ b
        return product
    cuts = [slice(start, start + _MOST_TERMS) for start in range(0, n, _MOST_TERMS)]
    parts = [a[..., cut] @ b[..., cut, :] for cut in cuts]
    total: FloatArray = np.sum(parts, axis=0, dtype=np.float64)
    return total.astype(dtype)
