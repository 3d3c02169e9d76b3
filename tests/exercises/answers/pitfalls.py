"""Answers to the exercises and the questions of the page on pitfalls."""

from functools import partial

import numpy as np

from attnbook.models.bugs import PROBES, keeps, mistaken_attention
from attnbook.models.today import packed_losses
from attnutils import attention, masked_softmax, scaled_dot_scores, softmax
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


def by_numbers(lengths):
    text = [number for number, length in enumerate(lengths) for _ in range(length)]
    n = len(text)
    return np.array([[text[i] == text[j] and j <= i for j in range(n)] for i in range(n)])


def in_blocks(lengths):
    """The same, text by text, as a list of lists."""
    mask, start = np.zeros((sum(lengths),) * 2, dtype=bool), 0
    for length in lengths:
        mask[start : start + length, start : start + length] = np.tri(length)
        start += length
    return mask.tolist()


RIGHT = {
    "not-a-mean": [[1, 3], (3, 1), [3.0, 1.0]],
    "packed-mask": [by_numbers, in_blocks],
    "which-laws": [[1, 2, 3, 5], {5, 3, 2, 1}, np.array([1, 2, 3, 5])],
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

PACKED = "for the lengths [2, 3], "
WRONG = [
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
    ("packed-mask", np.eye(5, dtype=bool), "expected a function packed_mask(lengths)"),
    ("packed-mask", lambda n: 1 / 0, f"{PACKED}it raises Zero"),
    (
        "packed-mask",
        lambda n: np.tri(sum(n), dtype=bool),
        f"{PACKED}the second text sees the first",
    ),
    (
        "packed-mask",
        lambda n: by_numbers(n) | by_numbers(n).T,
        f"{PACKED}words see what comes after them",
    ),
    (
        "packed-mask",
        lambda n: by_numbers(n).T,
        f"{PACKED}words see what comes after them, and nothing before: rows ask",
    ),
    (
        "packed-mask",
        lambda n: by_numbers(n) & ~np.eye(sum(n), dtype=bool),
        f"{PACKED}no word sees itself",
    ),
    ("packed-mask", lambda n: ~by_numbers(n), f"{PACKED}True means may look"),
    (
        "packed-mask",
        lambda n: np.tri(sum(n), dtype=bool) & ~by_numbers(n),
        f"{PACKED}each text sees the texts before it",
    ),
    ("packed-mask", lambda n: by_numbers(n).astype(int), f"{PACKED}expected True and False"),
    (
        "packed-mask",
        lambda n: by_numbers(n[:1]),
        f"{PACKED}expected a mask of shape (5, 5), got (2, 2)",
    ),
    (
        "packed-mask",
        lambda n: np.ones((sum(n),) * 2, dtype=bool),
        f"{PACKED}other words are hidden",
    ),
    ("which-laws", [1, 5], "look at law 2"),
    ("which-laws", [2, 3, 5], "look at law 1: the sink"),
    ("which-laws", [1, 2, 5], "look at law 3: the window"),
    ("which-laws", [1, 2, 3, 4, 5], "look at law 4: the last query"),
    ("which-laws", [1, 2, 3], "look at law 5"),
    ("which-laws", range(1, 9), "look at law 4"),
    ("which-laws", [1, 2, 3, 5, 6], "look at law 6"),
    ("which-laws", [1, 2, 3, 5, 7], "look at law 7"),
    ("which-laws", [1, 2, 3, 5, 8], "look at law 8"),
    ("which-laws", [0, 1, 2, 4], "expected numbers of laws from 1 to 8"),
    ("which-laws", [], "expected numbers of laws from 1 to 8"),
    ("which-laws", 3, "expected the numbers of laws"),
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


def drawn(rng):
    return [rng.normal(size=shape) for shape in [(6, 4), (6, 4), (6, 2)]]


def laws_broken(layer, *arrays):
    with np.errstate(all="ignore"):
        kept = [keeps(probe(layer, *arrays)).all() for probe in PROBES.values()]
    return {at for at, each in enumerate(kept, 1) if not each}


def predict_box(rng):
    """Wrong scores leave a mean of ones at 1, and so do all values 1; a wrong softmax does not."""
    q, k, _ = drawn(rng)
    ones = np.ones((6, 1))
    wrong = mistaken_attention(q, k, ones, mistake="no keepdims").output
    return {
        "The scores": not np.allclose(softmax(rng.normal(size=(6, 6))) @ ones, 1),
        "The softmax": not np.allclose(wrong, 1),
        "The weighted sum of the values": not np.allclose(softmax(q @ k.T) @ ones, 1),
    }


def predict_hidden(rng):
    q, k, v = drawn(rng)
    seen = np.ones((6, 6), dtype=bool) & (np.arange(6) != 3)
    other = np.where(seen[0][:, None], v, 9)

    def gets_through(mistake):
        before, after = (mistaken_attention(q, k, x, seen, mistake=mistake) for x in (v, other))
        return np.allclose(before.output, after.output)

    names = {
        "The mask is not used": "mask not used",
        "The mask comes after softmax": "mask after softmax",
        "The mask is reversed": "mask reversed",
        "The hidden score is 0": "hidden scores 0",
    }
    return {text: gets_through(mistake) for text, mistake in names.items()}


def predict_triangle(rng):
    def layer(q, k, v, mask):
        seen = np.tri(len(q), len(k), len(k) - len(q), dtype=bool)
        return masked_softmax(scaled_dot_scores(q, k), seen & mask) @ v

    broken = laws_broken(layer, *drawn(rng))
    texts = {"None": set(), "3 and 4": {3, 4}, "3 and 5": {3, 5}, "3, 4 and 5": {3, 4, 5}}
    return {text: broken == laws for text, laws in texts.items()}


def predict_float32(rng):
    q, k, v = (x.astype(np.float32) for x in drawn(rng))

    def layer(k):
        scores = q @ k.T / np.float32(2)
        return softmax(scores) @ v

    before, after = layer(k), layer(k + np.float32(10_000))
    same = np.allclose(before, after, atol=1e-6)
    return {
        "NaN, from an overflow": np.isnan(after).any(),
        "The same outputs": same,
        "Other outputs": not same and np.isfinite(after).all(),
    }


def predict_mean(rng):
    def layer(q, k, v, mask):
        return masked_softmax(np.zeros((len(q), len(k))), mask) @ v

    return len(laws_broken(layer, *drawn(rng)))


def predict_packed(rng):
    x = rng.normal(size=(6, 4))
    poked = x.copy()
    poked[0] += 1
    before, after = (attention(each, each, each, is_causal=True).output for each in (x, poked))
    return (np.abs(after - before) > 1e-12).any(axis=1).sum()


def predict_half(rng):
    alone, _, _, no_mask, neither = np.mean([packed_losses(rng) for _ in range(8)], axis=0)
    assert abs(alone - 1.66) < 0.1
    assert abs(neither - 1.89) < 0.1
    return {
        "About 1.73, nearly mended": no_mask < neither,
        "About 1.9, as before": abs(no_mask - neither) < 0.5,
        "About 4": abs(no_mask - 4) < 0.4,
    }


def predict_alibi(rng):
    slope, places = rng.uniform(0.1, 1), np.arange(6)
    bias = slope * (places[:, None] - places)  # q_idx - kv_idx
    equal = np.tile(rng.normal(size=4), (6, 1))
    weights = attention(equal, equal, equal, bias=bias, is_causal=True).weights
    step = np.diff(weights[-1])  # from far to near
    return {
        "The nearer": (step > 0).all(),
        "The farther": (step < 0).all(),
        "Both the same": np.allclose(step, 0),
    }


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
