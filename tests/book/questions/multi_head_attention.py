"""Proofs of the questions of the page on multi-head attention."""

import numpy as np

from attnutils import MultiHeadParams, multi_head_attention, split_heads
from attnutils.binding import binding_share, train_binding


def predict_halves(rng):
    def tells(left, right):
        before, after = (np.array([0.5, 0.5]) @ pair for pair in ([left, right], [right, left]))
        return not np.allclose(before, after, rtol=0, atol=1e-12)

    left, right = rng.normal(size=(2, 4))
    different, equal = tells(left, right), tells(left, left)
    return {
        "Yes": different and equal,
        "No": not different and not equal,
        "Only if their values differ": different and not equal,
    }


def predict_heads(rng):
    share = {
        n_heads: binding_share(rng, train_binding(rng, n_heads), n_heads) for n_heads in (1, 2, 8)
    }
    right = {n_heads for n_heads, x in share.items() if x > 0.95}
    return {
        "All three": right == {1, 2, 8},
        "Those with two and with eight heads": right == {2, 8},
        "Only the one with two heads": right == {2},
        "None of them": right == set(),
    }


def predict_reshape(rng):
    x = np.arange(12).reshape(3, 4)
    cut = split_heads(x, 2)
    try:
        reshaped = x.reshape(2, 3, 2)
    except ValueError:
        reshaped = None
    return {
        "Yes, the shape is right": np.array_equal(reshaped, cut),
        "No": reshaped is not None and not np.array_equal(reshaped, cut),
        "It raises an error": reshaped is None,
    }


def predict_parameters(rng):
    d, counts = 512, {}
    for n_heads in (8, 16):
        of_a_head = d // n_heads
        side_by_side = np.zeros((d, n_heads * of_a_head))
        params = MultiHeadParams(*[side_by_side] * 3, np.zeros((n_heads * of_a_head, d)))
        x = np.zeros((1, d))
        assert multi_head_attention(x, x, x, params, n_heads=n_heads).output.shape == (1, d)
        counts[n_heads] = sum(w.size for w in params if w is not None)
    return {
        "Twice as many": counts[16] == 2 * counts[8],
        "The same number": counts[16] == counts[8],
        "Half as many": 2 * counts[16] == counts[8],
    }
