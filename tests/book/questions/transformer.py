"""Proofs of the questions of the page on the transformer."""

import numpy as np

from attnutils import (
    EncoderParams,
    FeedForwardParams,
    LayerNormParams,
    MultiHeadParams,
    encoder_block,
)
from attnutils.translator import shifted, train_translator, translation_batch, translator


def block(d, d_ff, make):
    """Parameters of a block; `make` makes an array of a shape."""
    norm = LayerNormParams(np.ones(d), np.zeros(d))
    return EncoderParams(
        MultiHeadParams(*(make((d, d)) for _ in range(4))),
        FeedForwardParams(make((d, d_ff)), np.zeros(d_ff), make((d_ff, d)), np.zeros(d)),
        norm,
        norm,
    )


def predict_switches(rng):
    # The four trainings, shorter, on a seed that no one chose.
    source, target = translation_batch(rng, 400)
    right = {}
    for is_shifted, is_causal in ((True, True), (True, False), (False, True), (False, False)):
        switches = {"is_shifted": is_shifted, "is_causal": is_causal}
        params = train_translator(np.random.default_rng(0), 250, **switches)
        given = shifted(target) if is_shifted else target
        logits = translator(source, given, params, is_causal=is_causal)
        right[is_shifted, is_causal] = (logits.argmax(axis=-1) == target).mean()
    worst = min(right, key=right.__getitem__)
    return {
        "The one with shift and mask": worst == (True, True),
        "The one with the shift alone": worst == (True, False),
        "The one with the mask alone": worst == (False, True),
        "The one with neither": worst == (False, False),
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
