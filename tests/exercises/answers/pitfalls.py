"""Answers to the exercises and the questions of the page on pitfalls."""

from functools import partial

import numpy as np

from attnbook.exercises.finish_line import LAWS
from attnbook.lessons.bugs import MISTAKES, PROBES, keeps, mistaken_attention
from attnutils import attention, cross_entropy, softmax
from attnutils.heads import merge_heads, split_heads
from attnutils.worked_example import KEYS, VALUES


def attend(q, k, v, mask):
    scores = np.where(mask, q @ k.T / q.shape[-1] ** 0.5, -np.inf)
    top = np.where(mask.any(axis=-1), scores.max(axis=-1), 0)
    e = np.exp(scores - top[:, None])
    return e @ v / np.maximum(e.sum(axis=-1), 1e-300)[:, None]


def by_hand(q, k, v, mask):
    """A loop that shares no code with `attend`."""
    out = np.zeros((len(q), v.shape[1]))
    for i, row in enumerate(mask):
        s = [float(q[i] @ k[j]) / q.shape[1] ** 0.5 for j in np.flatnonzero(row)]
        e = [np.exp(score - max(s)) for score in s]
        for j, share in zip(np.flatnonzero(row), e, strict=True):
            out[i] += share / sum(e) * v[j]
    return out


def tests_on(*cases):
    """A learner's test that compares with the loop on these cases of (n_q, n_k, scale, empty)."""

    def is_attention(f):
        for n_q, n_k, scale, empty in cases:
            rng = np.random.default_rng(5)
            q, k, v = (rng.normal(size=s) for s in [(n_q, 3), (n_k, 3), (n_k, 2)])
            mask = np.tri(n_q, n_k, dtype=bool)
            mask[0] = not empty
            try:
                if not np.allclose(f(scale * q, k, v, mask), by_hand(scale * q, k, v, mask)):
                    return False
            except ValueError:
                return False
        return True

    return is_attention


PLAIN, SQUARE, LARGE, EMPTY = (3, 4, 1, False), (4, 4, 1, False), (4, 5, 999, 0), (4, 5, 1, 1)
is_attention = tests_on(PLAIN, SQUARE, LARGE, EMPTY)


def asserts(f):
    assert is_attention(f)
    return True


def keeps_all_laws(f):
    """The eight laws of the page, and nothing else."""
    rng = np.random.default_rng(5)
    arrays = [rng.normal(size=shape) for shape in [(4, 3), (6, 3), (6, 2)]]
    with np.errstate(all="ignore"):
        return all(keeps(probe(f, *arrays)).all() for probe in PROBES.values())


RIGHT = {
    "name-the-mistake": [[1, 0, 3, 2]],
    "not-a-mean": [[1, 3], (3, 1), [3.0, 1.0]],
    "run-it-again": [0.3833, [0.3833] * 6, np.full((6, 1), 0.3833)],
    "catch-attention": [
        (attend, is_attention),
        [by_hand, asserts],
        (attend, lambda f: np.bool_(is_attention(f))),
    ],
}


def version(divide_by=None, mask_weights=False, empty=0.0, flip=False, stable=True, sees=None):
    """Attention with a slip."""

    def attend(q, k, v, mask):
        mask = mask if sees is None else sees(mask)
        scores = q @ k.T / (q.shape[-1] ** 0.5 if divide_by is None else divide_by(q))
        top = np.where(mask | mask_weights, scores, -1e9).max(axis=-1, keepdims=True)
        e = np.exp(scores - top if stable else scores)
        e = np.where(mask, e, 0) if not mask_weights else e
        total = e.sum(axis=-1, keepdims=True)
        weights = e / np.where(total > 0, total, 1)
        weights = weights * mask if mask_weights else weights
        weights[~mask.any(axis=-1)] = empty
        return (weights.T if flip else weights) @ v

    return attend


def no_keepdims(q, k, v, mask, stable=True):
    scores = np.where(mask, q @ k.T / q.shape[-1] ** 0.5, -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True) * stable)
    return e / e.sum(axis=-1) @ v


def maximum_of_all(q, k, v, mask):
    scores = q @ k.T / q.shape[-1] ** 0.5
    e = np.exp(scores - scores.max(axis=-1, keepdims=True)) * mask
    return e @ v / np.maximum(e.sum(axis=-1, keepdims=True), 1e-300)


def caught(attend, hint, is_attention=is_attention):
    return "catch-attention", (attend, is_attention), hint


GIVES = "for as many queries as keys, the output is that of"
SLIPS = "a mistake slips through your test:"

WRONG = [
    ("name-the-mistake", [0, 1, 3, 2], "the first two are the other way round"),
    ("name-the-mistake", [1, 0, 2, 3], "the last two are the other way round"),
    ("name-the-mistake", [2, 0, 3, 1], "dividing by 3 is more"),
    ("name-the-mistake", [3, 2, 1, 0], "run the four versions"),
    ("name-the-mistake", [0.2312, 0.3624, 0.0215, 0.2601], "run the four versions"),
    ("not-a-mean", [3], "each number in its range is not enough"),
    ("not-a-mean", 3, "each number in its range is not enough"),
    ("not-a-mean", [1], "−1 lies below"),
    ("not-a-mean", [1, 2, 3], "(2, 2) is halfway"),
    ("not-a-mean", [1, 3, 4], "(0, 4) is one of the values"),
    ("not-a-mean", [0, 1, 3], "(1, 1) is inside"),
    ("not-a-mean", [False, True, False, True, False], "expected positions from 0 to 4"),
    ("not-a-mean", [], "−1 lies below"),
    ("not-a-mean", [2, 4, 5], "expected positions from 0 to 4"),
    ("not-a-mean", [1.5, 3], "expected positions from 0 to 4"),
    ("run-it-again", 0.3078, "this is Book after one run"),
    ("run-it-again", 0.3573, "this is Book after two runs"),
    ("run-it-again", softmax(KEYS @ KEYS.T / 3**0.5) @ VALUES[:, 0], "these are the outputs after"),
    ("run-it-again", 0.1, "the words do not count the same"),
    ("run-it-again", 0.4, "Reads does not keep its value"),
    ("run-it-again",
     np.linalg.matrix_power(softmax(KEYS @ KEYS.T), 1000)[5] @ VALUES[:, 0], "Reads does not keep"),
    ("run-it-again", 0.2, "each run replaces V"),
    ("catch-attention", attend, "expected two functions"),
    ("catch-attention", (attend,), "expected two functions"),
    ("catch-attention", (attend, True), "expected two functions"),
    caught(is_attention, "for as many queries as keys, it raises TypeError"),
    caught(partial(no_keepdims, stable=False), f"{GIVES} softmax without keepdims"),
    caught(no_keepdims, f"{GIVES} softmax without keepdims"),
    caught(maximum_of_all,
           "for scores in the thousands, the output is that of a maximum that hidden keys"),
    caught(version(lambda q: len(q) ** 0.5), f"{GIVES} the root of the number of words"),
    caught(lambda q, k, v, m: softmax(np.where(m, q @ k.T / 3**0.5, 0)) @ v,
           f"{GIVES} hidden keys with a score of 0"),
    caught(lambda q, k, v, m: softmax(q @ k.T / 3**0.5 + np.where(m, 0, -1e6)) @ v,
           "for an empty row, the output is that of −1e6 added"),
    caught(version(lambda q: q.shape[-1]), f"{GIVES} scores divided by d"),
    caught(version(lambda q: 1), f"{GIVES} scores that are not scaled"),
    caught(version(lambda q: 2 * q.shape[-1] ** 0.5), f"{GIVES} scores divided by twice the root"),
    caught(attend, f"{SLIPS} scores divided by twice the root of d", keeps_all_laws),
    caught(version(mask_weights=True), f"{GIVES} weights that are set to 0 after"),
    caught(version(flip=True), f"{GIVES} weights whose indices"),
    caught(version(sees=np.ones_like), f"{GIVES} no use of the mask"),
    caught(version(sees=np.logical_not), f"{GIVES} a mask the wrong way"),
    caught(version(stable=False), "for scores in the thousands, there is NaN"),
    caught(version(empty=1 / 5), "for an empty row, the output is that of −1e6 in an empty row"),
    caught(version(empty=np.nan), "for an empty row, there is NaN"),
    caught(lambda *a: 2 * attend(*a), "for as many queries as keys, the numbers are off"),
    caught(lambda *a: attention(*a[:3], mask=a[3]),
           "for as many queries as keys, expected an array of shape (5, 2), got Attention"),
    caught(attend, f"{SLIPS} softmax without keepdims", lambda f: True),
    caught(attend, "your test turns right attention away", lambda f: False),
    caught(attend, "expected True or False from your test", lambda f: None),
    caught(attend, "on right attention your test raises Zero", lambda f: 1 / 0),
    caught(attend, f"{SLIPS} exponentials that overflow", tests_on(PLAIN, SQUARE, EMPTY)),
    caught(attend, f"{SLIPS} −1e6 in an empty row", tests_on(PLAIN, SQUARE, LARGE)),
]  # fmt: skip


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
