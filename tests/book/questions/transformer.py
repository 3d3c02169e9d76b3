"""Proofs of the questions of the page on the transformer."""

import numpy as np

from attnutils import (
    EncoderParams,
    FeedForwardParams,
    LayerNormParams,
    MultiHeadParams,
    encoder_block,
)


def block(d, d_ff, make):
    """Parameters of a block; `make` makes an array of a shape."""
    norm = LayerNormParams(np.ones(d), np.zeros(d))
    return EncoderParams(
        MultiHeadParams(*(make((d, d)) for _ in range(4))),
        FeedForwardParams(make((d, d_ff)), np.zeros(d_ff), make((d_ff, d)), np.zeros(d)),
        norm,
        norm,
    )


def predict_shift(rng):
    # Position t is given word t - 1, the first one a mark for the start. Self-attention without a
    # mask is that of an encoder; a decoder's look at a memory adds nothing that moves.
    params = block(8, 16, lambda shape: rng.normal(size=shape))
    embedding, target = rng.normal(size=(10, 8)), rng.permutation(9)[:7]
    changed = target.copy()
    changed[2] = 9  # a word that is not there

    def predictions(target):
        return encoder_block(embedding[[0, *target[:-1]]], params, n_heads=2).output

    same = np.isclose(predictions(target), predictions(changed), rtol=0, atol=1e-12)
    moved = np.flatnonzero(~same.all(axis=-1)[:3]).tolist()
    return {
        "They stay": moved == [],
        "They change": moved == [0, 1, 2],
        "Only prediction 2 changes": moved == [2],
    }


def predict_parameters(rng):
    params = block(512, 4 * 512, np.zeros)
    assert encoder_block(np.ones((1, 512)), params, n_heads=8).output.shape == (1, 512)
    attention = sum(w.size for w in params.attention if w is not None)
    network = sum(w.size for w in params.feed_forward)
    return {
        "Attention": attention > 1.5 * network,
        "The feed-forward network": network > 1.5 * attention,
        "Both have about the same": 2 / 3 <= attention / network <= 1.5,
    }


def predict_equal(rng):
    d = 512

    def multiplications(rows, inner, columns):
        return rows * inner * columns

    lengths = [
        n
        for n in range(1, 4097)
        if multiplications(n, d, n) + multiplications(n, n, d) == 4 * multiplications(n, d, d)
    ]
    return {
        "$n = 512$": lengths == [512],
        "$n = 1{,}024$": lengths == [1024],
        "$n = 2{,}048$": lengths == [2048],
        "At every length": len(lengths) == 4096,
    }
