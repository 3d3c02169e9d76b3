"""Attention between two memories: the same output, and counts that agree with a formula."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attnbook.models.tiles import in_tiles, rows_that_fit, written_out
from attnutils import attention

GRID = [(n, d, rows) for n in (1, 7, 30, 64) for d in (1, 4, 16) for rows in (1, 3, 7, 64)]


@pytest.mark.parametrize(("n", "d", "rows"), GRID)
def test_the_output_is_attention_and_the_counts_follow_a_formula(n, d, rows):
    q, k, v = 3 * np.random.default_rng(n).normal(size=(3, n, d))
    tiled, out = in_tiles(q, k, v, rows), written_out(q, k, v, rows)
    for run in (tiled, out):
        assert_allclose(run.output, attention(q, k, v).output, rtol=0, atol=1e-12)
        assert run.counts[0] == (0, 0)
        assert run.counts == sorted(run.counts)
    tiles = -(-n // rows)
    assert (len(tiled.counts), len(out.counts)) == (tiles**2 + 1, 2 * tiles**2 + tiles + 1)
    moved = 2 * (2 * n * d + 2 * tiles * n * d)
    assert tiled.counts[-1] == (moved, 2 * n * n * d + tiles * n * (d + 1))
    assert out.counts[-1] == (moved + 2 * 4 * n * n, 2 * n * n * d)


@pytest.mark.parametrize("fast_bytes", [300, 1024, 65536, 10**6])
@pytest.mark.parametrize("d", [1, 16, 64])
def test_the_tiles_of_a_step_fit_and_one_row_more_does_not(fast_bytes, d):
    def needed(rows):  # tiles of Q, K, V and Y, their scores, a maximum and a sum a row
        return 2 * (4 * rows * d + rows**2 + 2 * rows)

    rows = rows_that_fit(fast_bytes, d)
    assert needed(rows) <= fast_bytes < needed(rows + 1)
