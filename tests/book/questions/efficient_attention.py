"""Proofs of the questions of the page on efficient attention."""

import numpy as np

from attnutils import attention, causal_mask, softmax, window_mask
from attnutils.worked_example import KEYS
from tests.book.test_lessons import functions

PAGE = "efficient-attention"


def predict_overtake(rng):
    size, d = np.dtype(np.float32).itemsize, 64
    lengths = [n for n in range(1, 5000) if 2 * n * n * size <= 4 * n * d * size]
    assert lengths == list(range(1, len(lengths) + 1))  # up to there, and no longer
    return lengths[-1]


def predict_causal_share(rng):
    n, block = 1024, 128
    allowed = causal_mask(n)
    last_keys = [np.flatnonzero(allowed[i : i + block].any(axis=0))[-1] for i in range(0, n, block)]
    return sum(block * (last + 1) for last in last_keys) / n**2


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


def predict_mask(rng):
    # "The function attention from above" is the page's own; its products count themselves.
    page = functions(PAGE, "instruments", np=np)
    q, k, v = rng.normal(size=(3, 1024, 64))
    mask = window_mask(1024, 65)

    def multiplications(mask):
        page["product"].work = 0
        page["attention"](q, k, v, mask)
        return page["product"].work

    saved = 1 - multiplications(mask) / multiplications(None)
    assert abs((~mask).mean() - 0.94) < 0.005  # the share of pairs that the wrong choice names
    return {
        "About 94%": abs(saved - 0.94) < 0.05,
        "About half": abs(saved - 0.5) < 0.1,
        "None": saved == 0,
    }


def predict_peak(rng):
    phi = functions(PAGE, "linear-code", np=np, product=np.matmul)["phi"]
    k = rng.normal(size=(64, 16))
    k *= 4 / np.linalg.norm(k, axis=-1, keepdims=True)
    q = 16 * k
    assert softmax(q @ k.T / 4).diagonal().mean() > 0.99
    weights = phi(q) @ phi(k).T
    right = (weights / weights.sum(axis=-1, keepdims=True)).diagonal().mean()
    return {
        "Above .99 as well": right > 0.99,
        "About a half": 0.4 < right < 0.6,
        "Below .1": right < 0.1,
    }
