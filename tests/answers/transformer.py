"""Answers to the exercises and the questions of the page on the transformer."""

import numpy as np

from attnutils import (
    EncoderParams,
    FeedForwardParams,
    LayerNormParams,
    MultiHeadParams,
    encoder_block,
)
from attnutils.translator import shifted, train_translator, translation_batch, translator


def block(x, attend, network, norm_1, norm_2):
    middle = x + attend(norm_1(x))
    return middle + network(norm_2(middle))


def in_one_line(x, attend, network, norm_1, norm_2):
    return (z := x + attend(norm_1(x))) + network(norm_2(z))


def post_norm(x, attend, network, norm_1, norm_2):
    x = norm_1(x + attend(x))
    return norm_2(x + network(x))


def one_norm(x, attend, network, norm_1, norm_2):
    x = x + attend(norm_1(x))
    return x + network(x)


def parallel(x, attend, network, norm_1, norm_2):
    return x + attend(norm_1(x)) + network(norm_2(x))


def no_residual(x, attend, network, norm_1, norm_2):
    return network(norm_2(attend(norm_1(x))))


def no_first_residual(x, attend, network, norm_1, norm_2):
    x = attend(norm_1(x))
    return x + network(norm_2(x))


def no_second_residual(x, attend, network, norm_1, norm_2):
    return network(norm_2(x + attend(norm_1(x))))


def old_residual(x, attend, network, norm_1, norm_2):
    return x + network(norm_2(x + attend(norm_1(x))))


def normalised_residual(x, attend, network, norm_1, norm_2):
    x = norm_1(x)
    x = x + attend(x)
    x = norm_2(x)
    return x + network(x)


def first_residual_normalised(x, attend, network, norm_1, norm_2):
    z = norm_1(x)
    x = z + attend(z)
    return x + network(norm_2(x))


def network_first(x, attend, network, norm_1, norm_2):
    x = x + network(norm_2(x))
    return x + attend(norm_1(x))


def in_place(x, attend, network, norm_1, norm_2):
    x += attend(norm_1(x))
    x += network(norm_2(x))
    return x


ROOT = 2**0.5

RIGHT = {
    "layer-norm-by-hand": [[-ROOT, 1, 0, 2 * ROOT + 1], (-1.414, 1, 0, 3.828), [-1.41, 1, 0, 3.83]],
    "write-encoder-block": [block, in_one_line],
    "who-changes": [[2, 1, 0], (2, 1, 0)],
    "equal-work": [(1536, 4608)],
}

WRONG = [
    ("layer-norm-by-hand", [-1, 1, 0, 3], "you divide by the variance"),
    ("layer-norm-by-hand", [-1.2247, 1, 0, 3.4495], "the variance is divided by n - 1"),
    ("layer-norm-by-hand", [0.7071, 3.1213, 4.2426, 8.0711], "the mean is not subtracted"),
    ("layer-norm-by-hand", [-ROOT, 0, 0, ROOT], "scale and shift are missing"),
    ("layer-norm-by-hand", [-ROOT, 0, 0, 2 * ROOT], "the shift is missing"),
    ("layer-norm-by-hand", [-ROOT, 1, 0, 2 * ROOT + 2], "the shift comes after the scale"),
    ("layer-norm-by-hand", [0, 0, 0, 0], "subtract the mean"),
    ("layer-norm-by-hand", 3, "expected an array of shape (4,), got a number"),
    ("write-encoder-block", 3, "expected a function my_block(x, attend"),
    ("write-encoder-block", post_norm, "this is post-norm"),
    ("write-encoder-block", one_norm, "the network is given rows that are not"),
    ("write-encoder-block", lambda x, a, n, f, g: block(x, a, n, f, f), "norm_1 is used twice"),
    ("write-encoder-block", lambda x, a, n, f, g: block(x, a, n, g, f), "the two norms"),
    ("write-encoder-block", parallel, "the network is given x"),
    ("write-encoder-block", no_residual, "the residuals are missing"),
    ("write-encoder-block", no_first_residual, "attention has no residual"),
    ("write-encoder-block", no_second_residual, "the network has no residual"),
    ("write-encoder-block", old_residual, "the second residual adds x"),
    ("write-encoder-block", normalised_residual, "the residual adds the normalised rows"),
    ("write-encoder-block", first_residual_normalised, "the residual adds the normalised rows"),
    ("write-encoder-block", network_first, "attention comes first"),
    ("write-encoder-block", in_place, "your block changes x itself"),
    ("write-encoder-block", lambda x, *parts: x, "the numbers are off"),
    ("write-encoder-block", lambda x, *parts: x[0], "for x of shape (5, 3), expected an array"),
    ("write-encoder-block", lambda x: x, "for x of shape (5, 3), it raises TypeError"),
    ("who-changes", [3, 2, 0], "count from 0"),
    ("who-changes", [1, 1, 0], "with the shift, word 1"),
    ("who-changes", [2, 2, 0], "without the shift, word 1"),
    ("who-changes", [2, 1, 2], "without the mask, who may"),
    ("who-changes", [2, 1, 1], "without the mask, may position 0"),
    ("who-changes", [1, 2, 0], "the first two are exchanged"),
    ("who-changes", [0, 0, 0], "at which position"),
    ("who-changes", [2.5, 1, 0], "at which position"),
    ("equal-work", (768, 2304), "Q Kᵀ takes n n d and A V"),
    ("equal-work", (1536, 3072), "the second asks for"),
    ("equal-work", (1536, 6144), "the network takes two products"),
    ("equal-work", (3072, 9216), "mixing is two products, Q"),
    ("equal-work", (1536, 3840), "the network has two products"),
    ("equal-work", (4608, 1536), "the two are in the other order"),
    ("equal-work", (512, 512), "mixing takes 2 n n d"),
    ("equal-work", 1536, "expected an array of shape (2,), got a number"),
]


def parameters(d, d_ff, make):
    """Parameters of a block; `make` makes an array of a shape."""
    norm = LayerNormParams(np.ones(d), np.zeros(d))
    return EncoderParams(
        MultiHeadParams(*(make((d, d)) for _ in range(4))),
        FeedForwardParams(make((d, d_ff)), np.zeros(d_ff), make((d_ff, d)), np.zeros(d)),
        norm,
        norm,
    )


def predict_switches(rng):
    # The four trainings, shorter, on a seed that no one chose.
    source, target = translation_batch(rng, 400)
    right = {}
    for is_shifted, is_causal in ((True, True), (True, False), (False, True), (False, False)):
        switches = {"is_shifted": is_shifted, "is_causal": is_causal}
        params = train_translator(np.random.default_rng(0), 250, **switches)
        given = shifted(target) if is_shifted else target
        logits = translator(source, given, params, is_causal=is_causal)
        right[is_shifted, is_causal] = (logits.argmax(axis=-1) == target).mean()
    worst = min(right, key=right.__getitem__)
    return {
        "The one with shift and mask": worst == (True, True),
        "The one with the shift alone": worst == (True, False),
        "The one with the mask alone": worst == (False, True),
        "The one with neither": worst == (False, False),
    }


def predict_parameters(rng):
    params = parameters(512, 4 * 512, np.zeros)
    assert encoder_block(np.ones((1, 512)), params, n_heads=8).output.shape == (1, 512)
    attention = sum(w.size for w in params.attention if w is not None)
    network = sum(w.size for w in params.feed_forward)
    return {
        "Attention": attention > 1.5 * network,
        "The feed-forward network": network > 1.5 * attention,
        "Both have about the same": 2 / 3 <= attention / network <= 1.5,
    }


def predict_equal(rng):
    d = 512

    def multiplications(rows, inner, columns):
        return rows * inner * columns

    lengths = [
        n
        for n in range(1, 4097)
        if multiplications(n, d, n) + multiplications(n, n, d) == 4 * multiplications(n, d, d)
    ]
    return {
        "$n = 512$": lengths == [512],
        "$n = 1{,}024$": lengths == [1024],
        "$n = 2{,}048$": lengths == [2048],
        "At every length": len(lengths) == 4096,
    }
