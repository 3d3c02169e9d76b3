"""Attention in blocks, so that not all scores are in memory. Taught on *efficient attention*.

The result is that of `attention`. It works on few scores at a time, which stay in the cache of the
processor: blocks of rows, and of heads (or whatever the leading axes are) as many as share a block.
Blocks of keys take online softmax, one step a block.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from attnutils._checks import FloatArray

_BLOCK_ROWS = 128
_BLOCK_SCORES = 2**20
_FEW_SCORES = 2**18  # they are worked on at once

Block = tuple[Any, ...]  # of the heads, rows and keys that are worked on at a time: an index each


def blocks_of(
    query: FloatArray, key: FloatArray, value: FloatArray, is_causal: bool, by_head: bool
) -> list[Block]:
    """Cut the scores into blocks, also by head if these are alike; none if they are one block."""
    n_q, n_k = query.shape[-2], key.shape[-2]
    lead = np.broadcast_shapes(query.shape[:-2], key.shape[:-2])
    if math.prod(lead) * n_q * n_k <= _FEW_SCORES:
        return []
    # Values with more leading axes than the scores cannot be taken head by head.
    by_head = by_head and lead == np.broadcast_shapes(lead, value.shape[:-2])
    n_looped = axes_to_loop_over(lead, n_q * n_k) if by_head else 0
    if n_q <= _BLOCK_ROWS and not n_looped:
        return []
    rows = [slice(start, min(start + _BLOCK_ROWS, n_q)) for start in range(0, n_q, _BLOCK_ROWS)]
    # If causal, no query of a block sees a key from its end on.
    ends = [some.stop + n_k - n_q if is_causal else n_k for some in rows]
    pairs = [(some, slice(end)) for some, end in zip(rows, ends, strict=True) if end > 0]
    return [(*head, ..., *pair) for head in np.ndindex(lead[:n_looped]) for pair in pairs]


def in_blocks(
    attend: Callable[..., Any],
    blocks: list[Block],
    query: FloatArray,
    key: FloatArray,
    value: FloatArray,
    mask: FloatArray | None,
    bias: FloatArray | None,
    need_weights: bool,
) -> tuple[FloatArray, FloatArray | None]:
    """The output of attention, and its weights; `attend` is attention for one block."""
    lead = np.broadcast_shapes(query.shape[:-2], key.shape[:-2])
    size = (*lead, query.shape[-2], key.shape[-2])  # of the scores
    lead_of_output = np.broadcast_shapes(lead, value.shape[:-2])
    dtype = np.result_type(query, key, value)
    output = np.zeros((*lead_of_output, query.shape[-2], value.shape[-1]), dtype)
    weights = np.zeros(size if need_weights else 0, dtype)
    if lead == lead_of_output:
        query, key, value = (
            np.broadcast_to(x, (*lead, *x.shape[-2:])) for x in (query, key, value)
        )
    by_pair: dict[str, Any] = {"mask": mask, "bias": bias}
    by_pair = {name: np.broadcast_to(x, size) for name, x in by_pair.items() if x is not None}
    for block in blocks:
        *heads, rows, keys = block
        queries, entries = (*heads, rows, slice(None)), (*heads, keys, slice(None))
        options = {name: x[block] for name, x in by_pair.items()}
        q, k, v = query[queries], key[entries], value[entries]
        output[queries], found = attend(q, k, v, **options, need_weights=need_weights)
        if need_weights:
            weights[block] = found
    return output, weights if need_weights else None


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
