"""Attention: scores, then softmax, then a weighted mean of the values.

Taught on the page *attention mechanism*. Sizes: n_q queries, n_k keys, each with one value; d_k
is the width of queries and keys, d_v the width of values.
"""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attnutils import _shapes
from attnutils._door import arrays, door
from attnutils._shapes import FloatArray
from attnutils.blocks import attention_in_blocks, blocks_of
from attnutils.masks import causal_mask
from attnutils.normalize import Temperature, softmax_in_place
from attnutils.scores import (
    Key,
    QueryOfAnyWidth,
    Value,
    dot_scores,
    gaussian_scores,
    scaled_dot_scores,
)

__all__ = ["Attention", "attention"]

ScoreFunction = Callable[[FloatArray, FloatArray], FloatArray]
Flag = Annotated[bool, "True or False; an array that hides keys belongs in mask"]

# They treat each head alike, and compare vectors of one width.
_OURS = [scores.formula for scores in (dot_scores, scaled_dot_scores, gaussian_scores)]


class Attention(NamedTuple):
    """What attention returns: `output`, and the `weights` that led to it (or None)."""

    output: FloatArray
    weights: FloatArray | None


def score_function(function: str, name: str, x: Any) -> ScoreFunction:
    """A score function as attention calls it: no door, and what it returns is checked and new."""
    if x in (dot_scores, scaled_dot_scores, gaussian_scores):
        formula: ScoreFunction = x.formula
        return formula

    def checked(query: FloatArray, key: FloatArray) -> FloatArray:
        lead = np.broadcast_shapes(query.shape[:-2], key.shape[:-2])
        shape = (*lead, query.shape[-2], key.shape[-2])
        hint = f"{name} must be a function of rows"
        s = _shapes.result(function, name, x(query, key), "(..., n_q, n_k)", shape, hint)
        return s.astype(np.promote_types(s.dtype, np.float32))

    return checked


@door
def attention(
    query: QueryOfAnyWidth,
    key: Key,
    value: Value,
    *,
    mask: Annotated[ArrayLike | None, "bool broadcasts to ... (n_q) n_k"] = None,
    bias: Annotated[ArrayLike | None, "broadcasts to ... (n_q) n_k"] = None,
    is_causal: Flag = False,
    scores: Annotated[
        ScoreFunction, "a function of query and key; for example scores=dot_scores", score_function
    ] = scaled_dot_scores,
    temperature: Temperature = 1.0,
    need_weights: Flag = True,
) -> Annotated[Attention, "... (n_q) d_v", "... (n_q) n_k"]:
    r"""The mean of the values, weighted by how well each query matches each key.

    .. math:: A = \mathrm{softmax}(S / T), \qquad O = A V

    Leading axes broadcast. Without weights the memory in use grows with n_q + n_k, not with
    n_q times n_k.

    Parameters
    ----------
    query
        Queries as rows. A single query gives output (d_v,) and weights (n_k,). Queries are as
        wide as keys, unless a score function of your own takes others.
    key
        Keys as rows.
    value
        Values as rows, one for each key.
    mask
        True means that the query (row) may attend to the key (column). A query that may attend
        to nothing gets weights 0 and output 0.
    bias
        Numbers to add to the scores, before the temperature.
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
    q, k, v = arrays(query, key, value)
    has_one_width(scores, q, k)
    blocks = blocks_of(q, k, v, is_causal, by_head=scores in _OURS)
    if blocks:
        attend = partial(
            attention.formula, is_causal=is_causal, scores=scores, temperature=temperature
        )
        by_pair = {"mask": mask, "bias": bias}
        return Attention(*attention_in_blocks(attend, blocks, q, k, v, by_pair, need_weights))
    s = scores(q, k)  # (..., n_q, n_k)
    if bias is not None:
        s = s + arrays(bias)
    if is_causal:
        past = causal_mask.formula(*s.shape[-2:])
        mask = past if mask is None else np.logical_and(mask, past)
    if mask is not None:
        np.copyto(s, -np.inf, where=np.logical_not(mask))
    weights = softmax_in_place(s, -1, temperature)
    return Attention(weighted_mean(weights, v), weights if need_weights else None)


def has_one_width(scores: ScoreFunction, query: FloatArray, key: FloatArray) -> None:
    """Queries and keys are equally wide, unless a score function of the caller's own is used."""
    if scores in _OURS and query.shape[-1] != key.shape[-1]:
        raise ValueError(
            f"attention: key has d_k={key.shape[-1]} but query has d_k={query.shape[-1]} "
            f"(query {query.shape}, key {key.shape}); their last axes must match."
        )


def weighted_mean(weights: FloatArray, value: FloatArray) -> FloatArray:
    """weights @ value, where a weight of 0 passes on nothing, not even NaN or an infinity."""
    output: FloatArray = weights @ value
    if np.isfinite(output).all():
        return output
    output = weights @ np.where(np.isfinite(value), value, 0)
    reached = (weights != 0).astype(output.dtype)
    for special, where in (
        (np.nan, np.isnan(value)),
        (np.inf, np.isposinf(value)),
        (-np.inf, np.isneginf(value)),
    ):
        np.add(output, special, out=output, where=reached @ where.astype(output.dtype) > 0)
    return output
