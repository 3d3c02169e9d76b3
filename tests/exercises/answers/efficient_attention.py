"""Answers to the exercises and the questions of the page on efficient attention."""

import math
from functools import partial

import numpy as np

import attnutils
from attnbook.lessons import language
from attnbook.lessons.tiles import in_tiles, rows_that_fit, written_out
from attnutils import attention, dot_scores, scaled_dot_scores, softmax
from attnutils.worked_example import KEYS


def grouped(q, k, v):
    share = len(q) // len(k)
    return np.stack([attention(q[h], k[h // share], v[h // share])[0] for h in range(len(q))])


def without_copies(q, k, v):
    split = q.reshape(len(k), -1, *q.shape[1:])
    output = attention(split, k[:, None], v[:, None]).output
    return output.reshape(len(q), *output.shape[2:])


def shared(keys, values, scores=scaled_dot_scores):
    """Grouped attention in which heads come by their keys and values in these ways."""
    return lambda q, k, v: attention(q, keys(k, len(q)), values(v, len(q)), scores=scores).output


def neighbours(a, n_heads):
    return np.repeat(a, n_heads // len(a), axis=0)


def in_turn(a, n_heads):
    return np.tile(a, (n_heads // len(a), 1, 1))


def first(a, n_heads):
    return np.stack([a[0]] * n_heads)


def averaged(a, n_heads):
    return first([a.mean(axis=0)], n_heads)


def merge(first, second, base=0.0, corrected=(True, True)):
    """A merge as a learner writes it, with a place for each slip."""
    m = max(first[0], second[0])
    base = base if m == -math.inf else m
    c_1, c_2 = np.where(corrected, np.exp(np.subtract([first[0], second[0]], base)), 1)
    return m, c_1 * first[1] + c_2 * second[1], c_1 * first[2] + c_2 * second[2]


def that_spoils_its_input(first, second):
    result = merge(first, second)
    first[2][:], second[2][:] = 0, 0
    return result


def divided(first, second):
    m, ell, u = merge(first, second)
    return m, ell, u / ell if ell else u


def without_maximum(first, second):
    m, (c_1, c_2) = max(first[0], second[0]), np.exp([first[0], second[0]])
    ell, u = c_1 * first[1] + c_2 * second[1], c_1 * first[2] + c_2 * second[2]
    return m, ell / np.exp(m), u / np.exp(m)


GROUPED, MERGE, ONLINE = "write-grouped", "write-merge", "online-by-hand"
HIGHER, LOWER = (f"for a second half with a {each} maximum, " for each in ("higher", "lower"))
SIX, EACH = "for six heads, two sets, ", "for a set for each head, "

RIGHT = {
    ONLINE: [[1.3746, -0.1440, 0.0025, 0.3624], (1.375, -0.144, 0.002, 0.362)],
    "cache-room": [[2560, 10240]],
    GROUPED: [grouped, without_copies, lambda *a: grouped(*a).tolist()],
    "linear-by-hand": [[3, 10, 2, 3, 2.6]],
    MERGE: [merge, that_spoils_its_input, lambda *a: list(merge(*a[::-1]))],
}

WRONG = [
    (ONLINE, [1.3746, -0.1440, 0.0025, 0.0858], "the first block is not corrected"),
    (ONLINE, [1.3746, -0.1440, 403.4288, 0.3624], "the factor is e^(old"),
    (ONLINE, [1.3746, -0.1440, 403.4288, -0.1430], "the factor is e^(old"),
    (ONLINE, [1.3746, -0.1440, 0.0009, 0.3634], "the maximum of the first block is 1"),
    (ONLINE, [3.7366, -0.1440, 0.0025, 0.3624], "ℓ is measured from the maximum"),
    (ONLINE, [1.3746, -0.1980, 0.0025, 0.4130], "these are the weighted sums"),
    (ONLINE, [1.3746, -0.1440, 0.0025, 0.3639], "the last output leaves"),
    (ONLINE, [1.3746, -0.1440, -6, 0.3624], "that is the exponent; the factor"),
    (ONLINE, [1.3746, -0.1440, 6, 0.3624], "the exponent is 1 − 7"),
    (ONLINE, [1.3746, -0.1980, 0.0025, 0.3624], "the first output is u / ℓ"),
    (ONLINE, [1.3746, -0.1440, 0.0025, 0.4130], "the last output is u / ℓ"),
    (ONLINE, [0, 0, 0, 0], "block 1: m = 1"),
    ("cache-room", (20480, 81920), "this is for one text"),
    ("cache-room", (5120, 20480), "keys and values are both"),
    ("cache-room", (1280, 5120), "float16 takes 2 bytes"),
    ("cache-room", (2384, 9536), "1 GiB is 2^30"),
    ("cache-room", (10240, 2560), "the two are in the other"),
    ("cache-room", (2560, 2560), "with 8 sets a word takes a quarter"),
    ("cache-room", (2560, 640), "with 8 sets a word takes less"),
    ("cache-room", (2560, 20480), "8 sets are a quarter"),
    ("cache-room", (81920, 327680), "each of the 32 layers"),
    ("cache-room", (1, 1), "a word takes 2"),
    (MERGE, partial(merge, corrected=(False, False)), f"{HIGHER}the first half is not corrected"),
    (MERGE, partial(merge, corrected=(True, False)), f"{LOWER}the second half is not corrected"),
    (MERGE, divided, f"{HIGHER}u is divided already"),
    (MERGE, lambda a, b: (*merge(a, b)[:2], (a[2] / a[1] + b[2] / b[1]) / 2),
     f"{HIGHER}the numbers are off"),
    (MERGE, lambda *a: (0, 0), f"{HIGHER}expected three results"),
    (MERGE, without_maximum, "for scores near 1,000, there is NaN or inf"),
    (MERGE, partial(merge, base=-math.inf), "for two halves that are all masked, there is NaN"),
    (GROUPED, shared(in_turn, in_turn), f"{SIX}the sets are dealt out"),
    (GROUPED, shared(neighbours, in_turn), f"{SIX}keys and values are shared"),
    (GROUPED, shared(in_turn, neighbours), f"{SIX}keys and values are shared"),
    (GROUPED, shared(first, first), f"{EACH}all heads use set 0"),
    (GROUPED, shared(averaged, averaged), f"{EACH}the sets are averaged"),
    (GROUPED, shared(neighbours, neighbours, dot_scores), f"{EACH}the scores are not divided"),
    (GROUPED, lambda q, k, v: 0 * grouped(q, k, v), f"{EACH}the numbers"),
    (GROUPED, lambda q, k, v: attention(q, k, v).output, f"{SIX}it raises ValueError"),
    (GROUPED, lambda *a: grouped(*a)[0], f"{EACH}expected an array of shape (4, 5, 3), got (5, 3)"),
    ("linear-by-hand", [3, 10, 2, 3, 13], "the output is divided"),
    ("linear-by-hand", [3, 10, 3, 5, 2.6], "the total is the sum of the features"),
    ("linear-by-hand", [2, 3, 3, 10, 2.6], "state and total are exchanged"),
    ("linear-by-hand", [3, 10, 2, 3, 4.333], "divide by φ(q)"),
    ("linear-by-hand", [3, 10, 2, 3, 2.6893], "linear attention has no exp"),
    ("linear-by-hand", [3, 10, 2, 3, 4.8333], "divide one number by one"),
    ("linear-by-hand", [3, 6, 2, 3, 1.8], "the value 4 has features"),
    ("linear-by-hand", [0, 0, 0, 0, 0], "state: the sum of value"),
]  # fmt: skip


def predict_overtake(rng):
    size, d = np.dtype(np.float32).itemsize, 64
    lengths = [n for n in range(1, 5000) if 2 * n * n * size <= 4 * n * d * size]
    assert lengths == list(range(1, len(lengths) + 1))  # up to there, and no longer
    return lengths[-1]


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


def predict_moves(rng):
    def moved(fast):  # by both ways, KiB of fast memory
        rows = rows_that_fit(1024 * fast, 64)
        inputs = rng.normal(size=(3, 256, 64))
        return [way(*inputs, rows).counts[-1].bytes_moved for way in (written_out, in_tiles)]

    saved = {
        tuple(np.subtract(moved(fast), moved(2 * fast))) for fast in (8, 16, 32, 64)
    }  # written out, in tiles
    assert max(saved) > (0, 0)
    return {
        "Scores written out": all(out > tiled for out, tiled in saved),
        "In tiles": all(out < tiled for out, tiled in saved),
        "Both save the same": all(out == tiled for out, tiled in saved),
    }


def predict_sink(rng):
    model, (_, text) = language.load_language_model(), language.load_wonderland()
    codes = language.encode_text(text, model.alphabet)
    pieces = np.lib.stride_tricks.sliding_window_view(codes, 65)[::128]
    i, j = np.arange(64)[:, None], np.arange(64)

    def loss(mask):
        x = model.params.embedding[pieces[:, :-1]] + attnutils.sinusoidal_encoding(64, 64)
        for block in model.params.blocks:
            options = {"norm": "pre", "activation": attnutils.relu, "mask": mask}
            x, _ = attnutils.encoder_block(x, block, n_heads=model.n_heads, **options)
        weights = softmax(attnutils.layer_norm(x, *model.params.norm) @ model.params.w_output)
        found = np.take_along_axis(weights, pieces[:, 1:, None], axis=-1)
        return -np.log(found[:, 32:]).mean()

    last = loss((j <= i) & (i - j < 4))
    with_first = loss((j <= i) & ((i - j < 3) | (j == 0)))
    return {
        "The last four": last < with_first - 0.05,
        "The first and the last three": with_first < last - 0.05,
        "No difference": abs(with_first - last) < 0.05,
    }
