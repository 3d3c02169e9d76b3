"""Attention in blocks is attention: the same output and weights, from few scores at a time."""

import functools
import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attnutils import (
    attention,
    blocks,
    causal_mask,
    dot_scores,
    gaussian_scores,
    masked_softmax,
    scaled_dot_scores,
)
from attnutils.blocks import OnlineSoftmax, online_step

NAN, INF = np.nan, np.inf


def draw(rng, *shapes):
    return [rng.standard_normal(shape) for shape in shapes]


@pytest.fixture
def in_blocks(monkeypatch):
    """A function that is `attention` in blocks of some rows and scores."""

    def attend(rows, size, *arguments, **options):
        monkeypatch.setattr(blocks, "_BLOCK_ROWS", rows)
        monkeypatch.setattr(blocks, "_BLOCK_SCORES", size)
        monkeypatch.setattr(blocks, "_FEW_SCORES", 0)
        found = attention(*arguments, **options)
        output, weights = attention(*arguments, **options, need_weights=False)
        monkeypatch.undo()
        assert weights is None
        assert_array_equal(found.output, output)
        return found

    return attend


@pytest.mark.parametrize("rows", [1, 3, 100])  # of a block
@pytest.mark.parametrize("size", [1, 130, 1000])  # each head alone, two together, all at once
@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("n_k", [3, 11, 23])
@pytest.mark.parametrize(
    "scores", [scaled_dot_scores, functools.partial(gaussian_scores, bandwidth=2)]
)
def test_blocks_do_not_show(in_blocks, rows, size, is_causal, n_k, scores):
    rng = np.random.default_rng(0)
    q, k, v = draw(rng, (3, 1, 11, 3), (2, n_k, 3), (2, n_k, 5))
    v[0, -1], k[1, -1] = NAN, NAN
    mask, bias = rng.random((11, n_k)) < 0.7, rng.standard_normal((3, 2, 11, n_k))
    for options in (
        {},
        {"mask": mask},
        {"bias": bias},
        {"mask": mask, "bias": bias[0, :, :1], "temperature": 0.5},
        {"mask": mask, "bias": bias, "temperature": INF},
        {"bias": bias, "temperature": 0},
    ):
        options |= {"is_causal": is_causal, "scores": scores}
        found, plain = in_blocks(rows, size, q, k, v, **options), attention(q, k, v, **options)
        assert_allclose(found.output, plain.output, atol=1e-12)
        assert_allclose(found.weights, plain.weights, atol=1e-12)


@pytest.mark.parametrize("dtype", ["float16", "float32", "int64"])
def test_dtypes_single_queries_and_wider_values(in_blocks, dtype):
    rng = np.random.default_rng(0)
    q, k, v = ((4 * x).astype(dtype) for x in draw(rng, (5, 3), (7, 3), (2, 1, 7, 5)))
    for query, value in ((q, v[0, 0]), (q[0], v[0, 0]), (q, v), (q[0], v), (np.stack([q, -q]), v)):
        for is_causal in (False, True):
            found = in_blocks(2, 1, query, k, value, is_causal=is_causal)
            expected = attention(query, k, value, is_causal=is_causal)
            for x, y in zip(found, expected, strict=True):
                assert x.dtype == y.dtype
                assert_allclose(x, y, rtol=2e-3 if dtype == "float16" else 1e-5)


def test_more_rows_than_one_block_as_shipped():
    n = 2 * blocks._BLOCK_ROWS + 1
    q, k, v = draw(np.random.default_rng(0), (20, n, 3), (20, n, 3), (20, n, 2))
    assert q.shape[0] * n * n > blocks._FEW_SCORES
    found = attention(q, k, v, is_causal=True)
    weights = masked_softmax(scaled_dot_scores(q, k), causal_mask(n))
    assert_allclose(found.weights, weights, atol=1e-12)
    assert_allclose(found.output, weights @ v, atol=1e-12)


def test_causal_blocks_skip_the_keys_they_cannot_see(in_blocks):
    seen = []

    def spy(query, key):
        seen.append((len(query), len(key)))
        return dot_scores(query, key)

    options = {"is_causal": True, "scores": spy}
    in_blocks(3, 1, np.ones((7, 2)), np.ones((7, 2)), np.ones((7, 1)), **options)
    found = in_blocks(3, 1, np.ones((7, 2)), np.ones((2, 2)), np.ones((2, 1)), **options)
    assert seen == [(3, 3), (3, 6), (1, 7)] * 2 + [(3, 1), (1, 2)] * 2  # with weights and without
    assert_array_equal(found.output, [[0]] * 5 + [[1]] * 2)
    assert_array_equal(found.weights, [[0, 0]] * 5 + [[1, 0], [0.5, 0.5]])


def test_memory_grows_with_n_and_not_with_its_square():
    def peak(n):
        x = np.zeros((n, 4), dtype=np.float32)
        tracemalloc.start()
        attention(x, x, x, need_weights=False)
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    assert blocks._FEW_SCORES < 1000**2
    assert peak(2000) < 3 * peak(1000)


@pytest.mark.parametrize("block", [1, 2, 3, 7, 11])
@pytest.mark.parametrize("shift", [0, 1000, -1000])
def test_online_softmax_is_attention_one_block_of_keys_after_the_other(block, shift):
    rng = np.random.default_rng(0)
    q, k, v = draw(rng, (2, 5, 3), (2, 11, 3), (2, 11, 4))
    mask = rng.random((5, 11)) < 0.6
    mask[0], mask[1, :7] = False, False  # a query that sees no key, and one that sees late ones
    scores = np.where(mask, scaled_dot_scores(q, k) + shift, -INF)
    kept = OnlineSoftmax(np.full((2, 5, 1), -INF), np.zeros((2, 5, 1)), np.zeros((2, 5, 4)))
    for start in range(0, 11, block):
        some = slice(start, start + block)
        kept = online_step(kept, scores[..., some], v[:, None, some])
    output = kept.weighted / np.where(kept.total == 0, 1, kept.total)
    assert_allclose(output, attention(q, k, v, mask=mask).output, atol=1e-12)
    assert_array_equal(kept.maximum[..., 0], scores.max(axis=-1))
