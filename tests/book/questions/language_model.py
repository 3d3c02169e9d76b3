"""Proofs of the questions of the page on a model that writes."""

import numpy as np

from attnutils import (
    cross_entropy,
    encode_text,
    init_language_model,
    language_model,
    text_batch,
    train_language_model,
)

LETTERS = "\nabc"


def predict_examples(rng):
    tokens, targets = text_batch(rng, np.arange(1000), batch_size=32, length=64)
    assert (targets == tokens + 1).all()
    return targets.size


def predict_mask(rng):
    # Words of a pattern that can be learned in part: a letter, then one of the two that follow it.
    steps = rng.integers(1, 3, size=3000)
    text = "".join("abc"[i] for i in np.cumsum(steps) % 3)
    codes = encode_text(text, LETTERS)
    at_the_end, in_training = {}, {}
    for causal in (True, False):
        params, losses = train_language_model(
            init_language_model(rng, len(LETTERS), d=16, d_ff=16),
            lambda: text_batch(rng, codes, 16, 16),
            150,
            n_heads=2,
            is_causal=causal,
            learning_rate=0.01,
        )
        tokens, targets = text_batch(rng, codes, 200, 16)
        logits = language_model(tokens, params, n_heads=2, is_causal=causal)
        at_the_end[causal] = cross_entropy(logits[:, -1], targets[:, -1]).loss
        in_training[causal] = losses[-10:].mean()
    low, better = in_training[True] < in_training[False], at_the_end[True] < at_the_end[False]
    return {
        "The masked one has the low loss and writes better": low and better,
        "The one without a mask has the low loss and writes better": not low and not better,
        "The one without a mask has the low loss, the masked one writes better": not low and better,
        "The masked one has the low loss, the other one writes better": low and not better,
    }
