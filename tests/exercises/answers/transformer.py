"""Answers to the exercises and the questions of the page on the transformer."""

import numpy as np

import attnutils


def block(x, attend, network, norm_1, norm_2):
    middle = x + attend(norm_1(x))
    return middle + network(norm_2(middle))


def in_place(x, attend, network, norm_1, norm_2):
    x += attend(norm_1(x))
    x += network(norm_2(x))
    return x


BLOCK, HAND, ROOT = "write-encoder-block", "layer-norm-by-hand", 2**0.5
GIVEN = "the network is given rows that are not"
ADDED = "the residual adds the normalised rows"

RIGHT = {
    HAND: [[-ROOT, 1, 0, 2 * ROOT + 1], (-1.414, 1, 0, 3.828), [-1.41, 1, 0, 3.83]],
    BLOCK: [block, lambda x, a, n, f, g: (z := x + a(f(x))) + n(g(z))],
    "count-parameters": [(24576, 30720, 230336)],
}

WRONG = [
    (HAND, [-1, 1, 0, 3], "you divide by the variance"),
    (HAND, [-1.2247, 1, 0, 3.4495], "the variance is divided by n - 1"),
    (HAND, [0.7071, 3.1213, 4.2426, 8.0711], "the mean is not subtracted"),
    (HAND, [-ROOT, 0, 0, ROOT], "scale and shift are missing"),
    (HAND, [-ROOT, 0, 0, 2 * ROOT], "the shift is missing"),
    (HAND, [-ROOT, 1, 0, 2 * ROOT + 2], "the shift comes after the scale"),
    (HAND, [0, 0, 0, 0], "subtract the mean"),
    (BLOCK, lambda x, a, n, f, g: g((y := f(x + a(x))) + n(y)), "this is post-norm"),
    (BLOCK, lambda x, a, n, f, g: (y := x + a(f(x))) + n(y), GIVEN),
    (BLOCK, lambda x, a, n, f, g: block(x, a, n, f, f), "norm_1 is used twice"),
    (BLOCK, lambda x, a, n, f, g: block(x, a, n, g, f), "the two norms"),
    (BLOCK, lambda x, a, n, f, g: x + a(f(x)) + n(g(x)), "the network is given x"),
    (BLOCK, lambda x, a, n, f, g: n(g(a(f(x)))), "the residuals are missing"),
    (BLOCK, lambda x, a, n, f, g: (y := a(f(x))) + n(g(y)), "attention has no residual"),
    (BLOCK, lambda x, a, n, f, g: n(g(x + a(f(x)))), "the network has no residual"),
    (BLOCK, lambda x, a, n, f, g: x + n(g(x + a(f(x)))), "the second residual adds x"),
    (BLOCK, lambda x, a, n, f, g: (y := g((z := f(x)) + a(z))) + n(y), ADDED),
    (BLOCK, lambda x, a, n, f, g: (y := (z := f(x)) + a(z)) + n(g(y)), ADDED),
    (BLOCK, lambda x, a, n, f, g: (y := x + n(g(x))) + a(f(y)), "attention comes first"),
    (BLOCK, in_place, "your block changes x itself"),
    (BLOCK, lambda x, *parts: x, "the numbers are off"),
    (BLOCK, lambda x, *parts: x[0], "for x of shape (5, 3), expected an array"),
    ("count-parameters", (24576, 30720, 230335), "attention has W_q, W_k"),
    ("count-parameters", (18432, 30720, 211904), "attention has W_q, W_k"),
]


def parameters(d, d_ff, make):
    """Parameters of a block; `make` makes an array of a shape."""
    norm = attnutils.LayerNormParams(np.ones(d), np.zeros(d))
    return attnutils.EncoderParams(
        attnutils.MultiHeadParams(*(make((d, d)) for _ in range(4))),
        attnutils.FeedForwardParams(make((d, d_ff)), np.zeros(d_ff), make((d_ff, d)), np.zeros(d)),
        norm,
        norm,
    )


def predict_collapse(rng):
    shares = []
    for _ in range(20):
        x = rng.normal(size=(16, 64))
        for _ in range(4):
            w_q, w_k, w_v, w_o = rng.normal(size=(4, 64, 64)) / 8
            z = x / np.sqrt(np.square(x).mean(axis=-1, keepdims=True))
            x = attnutils.attention(z @ w_q, z @ w_k, z @ w_v).output @ w_o
        shares.append(np.linalg.norm(x - x.mean(axis=0)) / np.linalg.norm(x))
    share = np.mean(shares)
    return {
        "About .9": share > 0.7,
        "About .5": 0.3 < share <= 0.7,
        "About .1": 0.01 <= share <= 0.3,
        "Below .01": share < 0.01,
    }


def predict_swiglu(rng):
    def weights(*shapes):
        return sum(rows * columns for rows, columns in shapes)

    d = 768
    before = weights((d, 4 * d), (4 * d, d))
    (equal,) = (n for n in range(1, 4 * d) if weights((d, n), (d, n), (n, d)) == before)
    return equal


def predict_growth(rng):
    def matrix(shape):
        return rng.normal(size=shape) / np.sqrt(shape[0])

    x = rng.normal(size=(16, 64))
    before = np.sqrt(np.square(x).mean())
    for _ in range(24):
        block = parameters(64, 256, matrix)
        x = attnutils.encoder_block(x, block, n_heads=4, norm="pre").output
    grown = np.sqrt(np.square(x).mean()) / before
    return {
        "As large as before": grown < 2,
        "About five times": 4 < grown < 7,
        "About fifty times": 20 < grown < 100,
        "About a million times": grown > 1e5,
    }


def predict_parameters(rng):
    params = parameters(512, 4 * 512, np.zeros)
    assert attnutils.encoder_block(np.ones((1, 512)), params, n_heads=8).output.shape == (1, 512)
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
