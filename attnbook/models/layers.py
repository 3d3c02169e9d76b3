"""Layers that bring their way back, and the loop of Adam. Used by all models that learn here.

A layer returns what it found and `back`, a function that makes, of the gradient of that, the
gradients of what went in and of the parameters: of multi-head attention, `back(d)` is the gradient
of the queries' rows, of the source's rows and of the parameters.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import numpy as np

from attnutils._checks import FloatArray, IntArray
from attnutils.gradients import adam_init, adam_step, attention_backward, leaves, with_leaves
from attnutils.heads import MultiHeadParams, linear, merge_heads, split_heads
from attnutils.mechanism import attention
from attnutils.transformer import FeedForwardParams, LayerNormParams, normalized

Params = TypeVar("Params", bound=tuple[Any, ...])
Back = Callable[[FloatArray], Any]
EPS = 1e-5  # of the layer norms


def attend(
    x: FloatArray, source: FloatArray, p: MultiHeadParams, n_heads: int, mask: Any = None
) -> tuple[FloatArray, Back]:
    """Multi-head attention from x to a source; all heads have one mask (..., n_q, n_k)."""
    rows = (x, p.w_query, p.b_query), (source, p.w_key, p.b_key), (source, p.w_value, p.b_value)
    q, k, v = (split_heads(linear(*each), n_heads) for each in rows)
    found, weights = attention(q, k, v, mask=None if mask is None else mask[..., None, :, :])
    merged = merge_heads(found)

    def back(d: FloatArray) -> tuple[FloatArray, FloatArray, MultiHeadParams]:
        d_found = split_heads(d @ p.w_output.T, n_heads)
        d_q, d_k, d_v = map(merge_heads, attention_backward(q, k, v, weights, d_found))
        pairs = (x, d_q), (source, d_k), (source, d_v), (merged, d)
        biases = (None if b is None else of_bias(g) for b, (_, g) in zip(p[4:], pairs, strict=True))
        d_p = MultiHeadParams(*(of_matrix(*pair) for pair in pairs), *biases)
        return d_q @ p.w_query.T, d_k @ p.w_key.T + d_v @ p.w_value.T, d_p

    return linear(merged, p.w_output, p.b_output), back


def network(x: FloatArray, p: FeedForwardParams) -> tuple[FloatArray, Back]:
    """The feed-forward network with ReLU."""
    hidden = np.maximum(x @ p.w_in + p.b_in, 0)

    def back(d: FloatArray) -> tuple[FloatArray, FeedForwardParams]:
        d_hidden = d @ p.w_out.T * (hidden > 0)
        d_in, d_out = of_matrix(x, d_hidden), of_matrix(hidden, d)
        return d_hidden @ p.w_in.T, FeedForwardParams(d_in, of_bias(d_hidden), d_out, of_bias(d))

    return hidden @ p.w_out + p.b_out, back


def norm(x: FloatArray, p: LayerNormParams) -> tuple[FloatArray, Back]:
    """Layer norm."""
    z, spread = normalized(x, EPS)

    def back(d: FloatArray) -> tuple[FloatArray, LayerNormParams]:
        g = d * p.scale
        # What would move all numbers of a row alike, or stretch them, is undone by the norm.
        along = z * (g * z).mean(-1, keepdims=True)
        d_x = (g - g.mean(-1, keepdims=True) - along) / spread
        return d_x, LayerNormParams(of_bias(d * z), of_bias(d))

    return z * p.scale + p.bias, back


def look_up(table: FloatArray, tokens: IntArray) -> tuple[FloatArray, Back]:
    """The rows of a table that belong to the tokens; one that comes twice gets the sum."""

    def back(d: FloatArray) -> FloatArray:
        d_table = np.zeros(table.shape, d.dtype)
        np.add.at(d_table, tokens, d)
        return d_table

    return table[tokens], back


def of_matrix(x: FloatArray, d_z: FloatArray) -> FloatArray:
    """Gradient of W from that of z = x W, summed over all rows of all sequences."""
    return x.reshape(-1, x.shape[-1]).T @ d_z.reshape(-1, d_z.shape[-1])


def of_bias(d_z: FloatArray) -> FloatArray:
    """Gradient of b from that of z = x + b, summed over all rows of all sequences."""
    total: FloatArray = d_z.reshape(-1, d_z.shape[-1]).sum(0)
    return total


def in_one_dtype(params: Params) -> Params:
    """The parameters in the widest dtype of them all, at least float32."""
    arrays = leaves(params)
    wide = np.result_type(np.float32, *arrays)
    return with_leaves(params, [x.astype(wide, copy=False) for x in arrays])


def narrowed(gradients: Params, params: Params) -> Params:
    """Gradients, each in the dtype of its parameter."""
    pairs = zip(leaves(gradients), leaves(params), strict=True)
    return with_leaves(gradients, [g.astype(p.dtype, copy=False) for g, p in pairs])


def training(
    params: Params,
    gradients: Callable[[Params], tuple[float, Params]],
    rates: Iterable[float],
    **options: Any,
) -> Iterator[tuple[Params, float]]:
    """The parameters after each step of Adam, one for each learning rate, and the loss before it.

    `gradients(params)` returns loss and gradients on the next batch.
    """
    state = adam_init(params)
    for rate in rates:
        loss, found = gradients(params)
        params, state = adam_step(params, found, state, learning_rate=rate, **options)
        yield params, loss
