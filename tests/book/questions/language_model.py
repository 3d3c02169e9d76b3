"""Proofs of the questions of the page on a model that writes."""

import numpy as np

from attnutils import (
    cross_entropy,
    encode_text,
    init_language_model,
    language_model,
    load_language_model,
    load_wonderland,
    text_batch,
    train_language_model,
)

LETTERS = "\nabc"


def predict_context(rng):
    # Every eighth character of the chapter, from a place that is drawn.
    alphabet, params, n_heads, context = load_language_model()
    codes = encode_text(load_wonderland()[1], alphabet)
    pieces = np.lib.stride_tricks.sliding_window_view(codes, context + 1)[rng.integers(8) :: 8]

    def loss(n):
        logits = language_model(pieces[:, -n - 1 : -1], params, n_heads=n_heads)
        return cross_entropy(logits[:, -1], pieces[:, -1]).loss

    rise = loss(10) - loss(context)
    return {
        "It stays the same within .05": abs(rise) < 0.05,
        "It rises by .1 to .5": 0.1 < rise < 0.5,
        "It rises by more than .5": rise > 0.5,
    }


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
