"""Proofs of the questions of the page on pitfalls."""

import numpy as np

from attnutils import attention, cross_entropy, softmax
from attnutils.bugs import MISTAKES, mistaken_attention
from attnutils.exercises.finish_line import LAWS
from attnutils.heads import merge_heads, split_heads
from attnutils.worked_example import KEYS, VALUES


def predict_columns(rng):
    a = rng.normal(size=(6, 6))
    exps = np.exp(a + a.T)
    wrong = exps / exps.sum(axis=1)  # the total of row j divides column j
    rows, columns = (np.allclose(wrong.sum(axis=axis), 1) for axis in (1, 0))
    return {
        "The rows": rows and not columns,
        "The columns": columns and not rows,
        "Rows and columns": rows and columns,
        "Neither": not rows and not columns,
    }


def predict_finish(rng):
    def layer_with(mistake):
        def layer(x, params, n_heads, mask=None, positions=None):
            x = x if positions is None else x + positions
            q, k, v = (split_heads(x @ w, n_heads) for w in params[:3])
            heads = [
                mistaken_attention(*qkv, mask, mistake=mistake) for qkv in zip(q, k, v, strict=True)
            ]
            output = merge_heads(np.stack([head.output for head in heads]))
            return output @ params[3], np.stack([head.weights for head in heads])

        return layer

    with np.errstate(all="ignore"):
        broken = {m: [law(layer_with(m)) is not None for law in LAWS.values()] for m in MISTAKES}
    assert not any(broken.pop("no mistake"))
    assert len(broken) == 15
    return sum(not any(found) for found in broken.values())


def predict_masks(rng):
    real = np.arange(6) < 4
    nines = np.where(real[:, None], VALUES, 9)
    query = rng.normal(size=KEYS.shape)
    before, after = (
        attention(query, KEYS, values, mask=~real).output for values in (VALUES, nines)
    )
    return {
        "As before": np.allclose(before, after),
        "All of them 9": np.allclose(after, 9),
        "NaN": np.isnan(after).any(),
        "Some are larger": (after > 9.001).any() or (after < 8.999).any(),
    }


def predict_floor(rng):
    return cross_entropy(softmax([[1e3] + [0] * 9]), [0]).loss
