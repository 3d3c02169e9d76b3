"""Attention in blocks, so that not all scores are in memory. Taught on *efficient attention*.

The result is that of `attention`. It works on few scores at a time, which stay in the cache of the
processor: blocks of rows, and of heads (or whatever the leading axes are) as many as share a block.
Blocks of keys take online softmax, one step a block.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attnutils._shapes import FloatArray

_BLOCK_ROWS = 128
_BLOCK_SCORES = 2**20
_FEW_SCORES = 2**18  # they are worked on at once


def attention_in_blocks(
    attend: Callable[..., Any],
    query: FloatArray,
    key: FloatArray,
    value: FloatArray,
    mask: ArrayLike | None,
    bias: ArrayLike | None,
    is_causal: bool,
    by_head: bool,
) -> FloatArray:
    """The output of attention; `attend` is attention for one block, which may be `by_head`."""
    n_q, n_k = query.shape[-2], key.shape[-2]
    lead = np.broadcast_shapes(query.shape[:-2], key.shape[:-2])
    lead_of_output = np.broadcast_shapes(lead, value.shape[:-2])
    output = np.zeros((*lead_of_output, n_q, value.shape[-1]), np.result_type(query, key, value))
    # Values with more leading axes than the scores cannot be taken head by head.
    n_looped = axes_to_loop_over(lead, n_q * n_k) if by_head and lead == lead_of_output else 0
    if n_looped:
        query, key, value = (
            np.broadcast_to(x, (*lead, *x.shape[-2:])) for x in (query, key, value)
        )
    mask, bias = (
        None if x is None else np.broadcast_to(x, (*lead, n_q, n_k)) for x in (mask, bias)
    )
    for head in np.ndindex(lead[:n_looped]):
        for start in range(0, n_q, _BLOCK_ROWS):
            stop = min(start + _BLOCK_ROWS, n_q)
            end = stop + n_k - n_q if is_causal else n_k  # no query here sees a key from here on
            if end <= 0:
                continue
            rows, keys = np.s_[*head, ..., start:stop, :], np.s_[*head, ..., :end, :]
            pairs = np.s_[*head, ..., start:stop, :end]
            output[rows] = attend(
                query[rows],
                key[keys],
                value[keys],
                mask=None if mask is None else mask[pairs],
                bias=None if bias is None else bias[pairs],
                is_causal=is_causal,
            ).output
    return output


def is_large(query: FloatArray, key: FloatArray) -> bool:
    """Whether there are too many scores to keep them all."""
    lead = np.broadcast_shapes(query.shape[:-2], key.shape[:-2])
    n_scores: int = math.prod(lead) * query.shape[-2] * key.shape[-2]
    return n_scores > _FEW_SCORES


def axes_to_loop_over(lead: tuple[int, ...], n_scores: int) -> int:
    """How many leading axes to take one index at a time, so that the scores of the rest are few."""
    for n in range(len(lead)):
        if math.prod(lead[n:]) * n_scores <= _BLOCK_SCORES:
            return n
    return len(lead)


class OnlineSoftmax(NamedTuple):
    """What is kept of the keys read so far; `weighted` / `total` is the output."""

    maximum: FloatArray  # (..., 1), the largest score
    total: FloatArray  # (..., 1), the sum of e^(score - maximum)
    weighted: FloatArray  # (..., d_v), the sum of the values, weighted in this way


def online_step(kept: OnlineSoftmax, scores: FloatArray, value: FloatArray) -> OnlineSoftmax:
    """Read a block of keys: their scores (..., b) and values (..., b, d_v)."""
    maximum = np.maximum(kept.maximum, scores.max(axis=-1, keepdims=True))
    base = np.where(np.isneginf(maximum), 0, maximum)  # if no key could be seen yet
    correction, terms = np.exp(kept.maximum - base), np.exp(scores - base)
    total = correction * kept.total + terms.sum(axis=-1, keepdims=True)
    weighted = correction * kept.weighted + (terms[..., None, :] @ value)[..., 0, :]
    return OnlineSoftmax(maximum, total, weighted)
