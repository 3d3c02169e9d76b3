"""Answers to the exercises and the questions of the page on multi-head attention."""

from functools import partial

import numpy as np

from attnbook.models.binding import binding_share, train_binding
from attnutils import MultiHeadParams, multi_head_attention, split_heads


def multi_head(
    x, w_query, w_key, w_value, w_output, n_heads, mask,
    scale=None, over=-1, swap=True, lift=True, back=True, hide="scores",
):  # fmt: skip
    """Multi-head attention as a learner writes it, with a place for each slip."""

    def split(z):
        if not swap:
            return z.reshape(*z.shape[:-2], n_heads, z.shape[-2], -1)
        return z.reshape(*z.shape[:-1], n_heads, -1).swapaxes(-3, -2)

    q, k, v = split(x @ w_query), split(x @ w_key), split(x @ w_value)
    width = {
        None: q.shape[-1],
        "square": q.shape[-1] ** 2,
        "merged": w_query.shape[1],
        "d": x.shape[-1],
        "none": 1,
    }[scale]
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(width)
    if lift:
        mask = mask[..., None, :, :]
    if hide == "scores":
        scores = np.where(mask, scores, -np.inf)
    elif hide == "product":
        scores = mask * scores
    e = np.exp(scores - scores.max(axis=over, keepdims=True))
    weights = e / e.sum(axis=over, keepdims=True)
    heads = (mask * weights if hide == "weights" else weights) @ v
    if swap and back:
        heads = heads.swapaxes(-3, -2)
    return heads.reshape(*x.shape[:-1], -1) @ w_output


def by_loop(x, w_query, w_key, w_value, w_output, n_heads, mask):
    found = []
    for h in range(n_heads):
        q, k, v = (np.split(x @ w, n_heads, axis=-1)[h] for w in (w_query, w_key, w_value))
        scores = np.where(mask, q @ np.swapaxes(k, -1, -2) / q.shape[-1] ** 0.5, -1e30)
        e = np.exp(scores - scores.max(axis=-1, keepdims=True))
        found.append(e / e.sum(axis=-1, keepdims=True) @ v)
    return np.concatenate(found, axis=-1) @ w_output


#: A function with these slips.
slip = partial(partial, multi_head)


def two_sequences_only(x, *args):
    if x.shape[:-2] == (3,):
        raise ValueError
    return multi_head(x, *args)


ANGLES = 2 * np.pi * np.arange(12) / 12
CIRCLE = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1)
RING, ELLIPSE = 3.5 * CIRCLE, CIRCLE * [3.9, 1.9]
LINE = np.stack([np.linspace(-3.9, 3.9, 12), np.zeros(12)], axis=1)
PARABOLA = LINE + np.stack([np.zeros(12), LINE[:, 0] ** 2 / 5 - 2], axis=1) * 0.3
GRID = np.stack(np.meshgrid([-3.0, -1, 1, 3], [-0.6, 0, 0.6]), axis=-1).reshape(12, 2)

WRITE, PLACE = "write-multi-head", "place-keys"
ONE, TWO = "for one sequence and one head, ", "for one sequence and two heads, "

SPLIT, THREE = "split-heads", "for x of shape (3, 4) and 2 heads, "
RIGHT = {
    SPLIT: [split_heads, lambda x, n_heads: np.stack(np.split(x, n_heads, axis=1))],
    WRITE: [multi_head, by_loop],
    PLACE: [ELLIPSE, ELLIPSE[::-1], PARABOLA],
    "redundant-biases": [1024],
}

WRONG = [
    (SPLIT, lambda x, h: x.reshape(h, len(x), -1), f"{THREE}the heads cut"),
    (SPLIT, lambda x, h: np.stack([x[:, i::h] for i in range(h)]),
     f"{THREE}a head takes every other"),
    (SPLIT, lambda x, h: split_heads(x, h)[::-1], f"{THREE}each head gets"),
    (SPLIT, lambda x, h: x, f"{THREE}expected an array of shape (2, 3, 2)"),
    (SPLIT, lambda x, h: np.zeros((2, 3, 2)) if h == 2 else 1 / 0, "for x of shape (3, 4)"),
    (WRITE, slip(scale="none"), f"{ONE}the scores are not divided"),
    (WRITE, slip(scale="square"), f"{ONE}the scores are divided by d_k, not by its root"),
    (WRITE, slip(scale="merged"), f"{TWO}the scores are divided by the root of H d_k"),
    (WRITE, slip(scale="d"), f"{ONE}the scores are divided by the root of d;"),
    (WRITE, slip(over=-2), f"{ONE}softmax runs over the queries"),
    (WRITE, slip(swap=False), f"{TWO}the heads cut the sentence"),
    (WRITE, slip(back=False), f"{TWO}the heads are merged without"),
    (WRITE, slip(hide="weights"), f"{ONE}the mask comes after softmax"),
    (WRITE, slip(hide="product"), f"{ONE}a hidden score must become"),
    (WRITE, slip(lift=False), "for as many sequences as heads, the mask of sequence"),
    (WRITE, two_sequences_only, "for a minibatch of three sequences and two heads, i"),
    (WRITE, lambda *a: multi_head(*a[:-1], np.ones_like(a[-1])), f"{ONE}the mask is not used"),
    (WRITE, lambda *a: multi_head(*a[:-1], ~a[-1]), f"{ONE}the mask is the wrong"),
    (WRITE, lambda *a: np.nan * multi_head(*a), f"{ONE}there is NaN"),
    (WRITE, lambda *a: multi_head(*a[:4], np.eye(3), *a[5:]),
     f"{ONE}expected an array of shape (5, 7), got (5, 3)"),
    (WRITE, lambda *a: 0 * multi_head(*a), f"{ONE}the numbers are off"),
    (PLACE, np.zeros(12), "expected an array of shape (12, 2), got (12,)"),
    (PLACE, 2 * ELLIPSE, "a key is 7.80 from zero"),
    (PLACE, ELLIPSE / 4, "keys 0 and 1 are"),
    (PLACE, RING, "all can win; but the keys are 7.00 wide and 7.00 high"),
    (PLACE, GRID, "4 of the twelve can win; key 1 lies in the hull"),
    (PLACE, LINE, "2 of the twelve can win"),
    (PLACE, np.nan * ELLIPSE, "NaN or inf"),
    ("redundant-biases", 0, "ask of each"),
]  # fmt: skip


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


def predict_weights(rng):
    params = MultiHeadParams(*rng.normal(size=(4, 8, 8)))
    x = rng.normal(size=(3, 6, 8))
    shape = multi_head_attention(x, x, x, params, n_heads=2).weights.shape
    return {
        str(each): shape == each for each in [(3, 6, 6), (3, 2, 6, 6), (2, 3, 6, 6), (3, 2, 6, 4)]
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
