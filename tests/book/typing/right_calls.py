"""Calls that a checker of types must accept; they are not run."""

from functools import partial

import numpy as np

import attnutils
from attnutils import (
    AttentionBench,
    MultiHeadParams,
    attention,
    causal_mask,
    dot_scores,
    encoder_block,
    gat_layer,
    gaussian_scores,
    gelu,
    multi_head_attention,
    plot_weights,
    softmax,
)
from attnutils.toy_tasks import Training, reversal_batch, train
from attnutils.worked_example import KEYS, VALUES


def calls(
    params: attnutils.EncoderParams, gat: attnutils.GATParams, p: attnutils.ClassifierParams
) -> None:
    weights: np.ndarray = softmax([7, 5, 1], temperature=2)
    output, kept = attention([0, 2, 1], KEYS, VALUES, mask=[True] * 6, scores=dot_scores)
    attention(query=[[1, 2]], key=[[1, 2], [3, 4]], value=[[1], [2]], is_causal=True)
    attention(KEYS, KEYS, VALUES, need_weights=False)
    attention(KEYS, KEYS, VALUES, scores=partial(gaussian_scores, bandwidth=2))
    attention(KEYS, KEYS, VALUES, bias=-np.ones((6, 6)), scores=lambda q, k: q @ k.T)
    heads = MultiHeadParams(np.eye(3), np.eye(3), np.eye(3), np.eye(3), b_output=np.ones(3))
    multi_head_attention(KEYS, KEYS, KEYS, heads, n_heads=3, mask=causal_mask(6)).output.sum()
    encoder_block([[1, 2, 3]], params, n_heads=1, norm="pre", activation=gelu, eps=0)
    gat_layer(KEYS, [0, 1], [1, 2], gat, combine="mean", self_loops=False)
    rng = np.random.default_rng(0)
    result: Training = train(p, lambda: reversal_batch(rng, 32), 100)
    plot_weights(weights, columns=["a", "b", "c"])
    AttentionBench(["a", "b"], KEYS[:2], VALUES[:2]).weights.sum()
    print(output.shape, None if kept is None else kept.shape, result.losses.mean())
