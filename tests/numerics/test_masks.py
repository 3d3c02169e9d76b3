"""Masks, entry by entry, and together with attention."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnutils import attention, causal_mask, padding_mask, window_mask

sizes = st.sampled_from([0, 1, 2, 3, 5, 7, 11])


@given(sizes, sizes)
def test_a_causal_mask_is_true_up_to_the_diagonal_of_the_last_query(n_q, n_k):
    mask = causal_mask(n_q, n_k)
    expected = [[j - (n_k - 1) <= i - (n_q - 1) for j in range(n_k)] for i in range(n_q)]
    assert mask.dtype == bool
    assert_array_equal(mask, np.reshape(expected, (n_q, n_k)))
    assert_array_equal(causal_mask(n_q), causal_mask(n_q, n_q))


@pytest.mark.parametrize("lengths", [3, [4, 2, 0], [[1, 2, 3], [4, 4, 0]], [], np.uint8([2, 4])])
def test_a_padding_mask_is_true_at_the_first_keys(lengths):
    mask = padding_mask(lengths, 4)
    assert mask.dtype == bool
    assert mask.shape == (*np.shape(lengths), 1, 4)
    assert_array_equal(mask.sum(axis=-1)[..., 0], lengths)
    assert (np.diff(mask.astype(int), axis=-1) <= 0).all()


def test_padding_keys_cannot_be_told_apart_from_absent_ones():
    rng = np.random.default_rng(0)
    x, lengths = rng.standard_normal((3, 5, 2)), [5, 2, 0]
    padded = attention(x, x, x, mask=padding_mask(lengths, 5)).output
    for example, length, output in zip(x, lengths, padded, strict=True):
        if length:
            alone = attention(example, example[:length], example[:length]).output
            assert_allclose(output, alone, atol=1e-12)
        else:
            assert_array_equal(output, np.zeros((5, 2)))


@given(sizes, st.sampled_from([1, 3, 5, 21]))
def test_a_window_is_centred_and_as_wide_as_it_says(n, width):
    mask = window_mask(n, width)
    expected = [[-width < 2 * (j - i) < width for j in range(n)] for i in range(n)]
    assert mask.dtype == bool
    assert_array_equal(mask, np.reshape(expected, (n, n)))
