"""Attention in blocks is attention: the same output and weights, from few scores at a time."""

import functools
import os
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

# How many queries a block may have; with EXHAUSTIVE=1 more of these.
ROWS = [1, 2, 3, 5, 100] if os.environ.get("EXHAUSTIVE") == "1" else [1, 3, 100]


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


@pytest.mark.parametrize("rows", ROWS)
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
    for query, value in ((q, v[0, 0]), (q[0], v[0, 0]), (q, v), (q[0], v)):
        for is_causal in (False, True):
            found = in_blocks(2, 1, query, k, value, is_causal=is_causal)
            expected = attention(query, k, value, is_causal=is_causal)
            for x, y in zip(found, expected, strict=True):
                assert x.dtype == y.dtype
                assert_allclose(x, y, rtol=2e-3 if dtype == "float16" else 1e-5)


def test_heads_share_a_block_only_while_their_scores_are_few(in_blocks, monkeypatch):
    seen = []

    def spy(query, key):
        seen.append(query.shape[:-2])
        return query @ key.swapaxes(-1, -2)

    q, k, v = draw(np.random.default_rng(0), (2, 3, 5, 7), (3, 4, 7), (4, 2))
    for size, expected in (
        (2 * 3 * 20 - 1, [(3,)] * 2),
        (3 * 20, [(3,)] * 2),
        (3 * 20 - 1, [()] * 6),
        (1, [()] * 6),
    ):
        # A function of the caller's own gets all heads at once: it may have weights for each.
        in_blocks(100, size, q, k, v, scores=spy)
        assert seen == [(2, 3)] * 2  # with weights and without
        seen.clear()
        monkeypatch.setattr(dot_scores, "formula", spy)
        monkeypatch.setattr("attnutils.mechanism._OURS", [spy])
        attend = functools.partial(attention, scores=dot_scores, need_weights=False)
        monkeypatch.setattr(blocks, "_BLOCK_SCORES", size)
        monkeypatch.setattr(blocks, "_FEW_SCORES", 0)
        attend(q, k, v)
        assert seen == expected
        seen.clear()
        # Values with more leading axes than the scores cannot be taken head by head.
        attend(q[0], k, np.stack([v, v])[:, None])
        assert seen == [(3,)]
        seen.clear()
        monkeypatch.undo()


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


def test_few_scores_are_kept_at_once():
    seen = []

    def spy(query, key):
        seen.append(query.shape)
        return dot_scores(query, key)

    x = np.ones((2 * blocks._BLOCK_ROWS, 2))
    attention(x, x, x, scores=spy, need_weights=False)
    assert seen == [x.shape]


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


@pytest.mark.parametrize("temperature", [1, 2])
def test_one_block_of_scores_is_all_that_is_held(temperature):
    few, many = np.zeros((blocks._BLOCK_ROWS, 2)), np.zeros((10_000, 2))
    tracemalloc.start()
    attention(few, many, many, temperature=temperature, need_weights=False)
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert used < 1.3 * 8 * len(few) * len(many)


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
