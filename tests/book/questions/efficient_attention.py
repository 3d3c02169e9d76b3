"""Proofs of the questions of the page on efficient attention."""

import numpy as np

from attnutils import (
    attention,
    encode_text,
    encoder_block,
    layer_norm,
    load_language_model,
    load_wonderland,
    relu,
    sinusoidal_encoding,
    softmax,
)
from attnutils.tiles import in_tiles, rows_that_fit, written_out
from attnutils.worked_example import KEYS


def predict_overtake(rng):
    size, d = np.dtype(np.float32).itemsize, 64
    lengths = [n for n in range(1, 5000) if 2 * n * n * size <= 4 * n * d * size]
    assert lengths == list(range(1, len(lengths) + 1))  # up to there, and no longer
    return lengths[-1]


def predict_factor(rng):
    scores = KEYS @ KEYS[5]
    read, coming = scores[:3], scores[3]
    assert [*read, coming] == [0, 1, -4, 7]
    old, new = np.exp(read - read.max()), np.exp(read - coming)

    def is_factor(factor):
        return np.isclose(factor * old.sum(), new.sum(), rtol=1e-9, atol=0)

    return {
        "Nothing": is_factor(1),
        "Multiply it by $e^6$": is_factor(np.exp(6)),
        "Multiply it by $e^{-6}$": is_factor(np.exp(-6)),
        # It *must* be computed again only if no one factor serves all terms.
        "Compute it again from the three scores": not np.allclose(new / old, (new / old)[0]),
    }


def predict_append(rng):
    text, layers = rng.normal(size=(11, 8)), rng.normal(size=(2, 3, 8, 8))

    def old_rows(n):
        x, rows = text[:n], []
        for w_q, w_k, w_v in layers:
            x = attention(x @ w_q, x @ w_k, x @ w_v, is_causal=True).output
            rows.append(x[:10])
        return rows

    before_after = zip(old_rows(10), old_rows(11), strict=True)
    moved = [
        np.flatnonzero(~np.isclose(a, b, rtol=0, atol=1e-12).all(axis=-1)).tolist()
        for a, b in before_after
    ]
    all_rows = list(range(10))
    return {
        "In all rows of both": moved == [all_rows, all_rows],
        "In none": moved == [[], []],
        "In none of the first, in all of the second": moved == [[], all_rows],
        "In the last old row of both": moved == [[9], [9]],
    }


def predict_moves(rng):
    def moved(fast):  # by both ways, KiB of fast memory
        rows = rows_that_fit(1024 * fast, 64)
        inputs = rng.normal(size=(3, 256, 64))
        return [way(*inputs, rows).counts[-1].bytes_moved for way in (written_out, in_tiles)]

    saved = {
        tuple(np.subtract(moved(fast), moved(2 * fast))) for fast in (8, 16, 32, 64)
    }  # written out, in tiles
    assert max(saved) > (0, 0)
    return {
        "Scores written out": all(out > tiled for out, tiled in saved),
        "In tiles": all(out < tiled for out, tiled in saved),
        "Both save the same": all(out == tiled for out, tiled in saved),
    }


def predict_sink(rng):
    model, (_, text) = load_language_model(), load_wonderland()
    codes = encode_text(text, model.alphabet)
    pieces = np.lib.stride_tricks.sliding_window_view(codes, 65)[::64]
    i, j = np.arange(64)[:, None], np.arange(64)

    def loss(mask):
        x = model.params.embedding[pieces[:, :-1]] + sinusoidal_encoding(64, 64)
        for block in model.params.blocks:
            options = {"norm": "pre", "activation": relu, "mask": mask}
            x, _ = encoder_block(x, block, n_heads=model.n_heads, **options)
        weights = softmax(layer_norm(x, *model.params.norm) @ model.params.w_output)
        found = np.take_along_axis(weights, pieces[:, 1:, None], axis=-1)
        return -np.log(found[:, 32:]).mean()

    last = loss((j <= i) & (i - j < 4))
    with_first = loss((j <= i) & ((i - j < 3) | (j == 0)))
    return {
        "The last four": last < with_first - 0.05,
        "The first and the last three": with_first < last - 0.05,
        "No difference": abs(with_first - last) < 0.05,
    }
