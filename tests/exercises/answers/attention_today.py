"""Answers to the exercises and the questions of the page on layers of 2025 and 2026."""

from functools import partial

import numpy as np

from attnbook.models.today import Layers, broken, kept_bytes, wonderland_loss
from attnutils import attention, dot_scores, scaled_dot_scores, softmax
from attnutils.worked_example import KEYS, VALUES

# -- grouped queries -------------------------------------------------------------------------


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


# -- the second finish line ------------------------------------------------------------------


def layer(q, k, v, b, window=3, later=0, turn=False, root=8**0.5, with_b=1, own_b=1, gate=1, top=1):
    """The layer as a learner writes it, token by token, with a place for each slip."""
    y = np.zeros_like(q)
    b = b if own_b else np.full(4, b[0])
    for h, i in np.ndindex(4, q.shape[1]):
        g = h % 2 if turn else h // 2
        seen = slice(max(0, i - window + 1), i + 1 + later)
        s = k[g, seen] @ q[h, i] / root
        highest = max(s.max(), b[h]) if top else 0
        e, rest = np.exp(s - highest), with_b * np.exp(b[h] - highest)
        weights = e / (e.sum() + rest) if gate else rest / (e.sum() + rest) * e / e.sum()
        y[h, i] = weights @ v[g, seen]
    return y


def as_a_gate(q, k, v, b):
    """The same by the identity of the page."""
    i, j = np.arange(q.shape[1])[:, None], np.arange(q.shape[1])
    k, v = np.repeat(k, 2, axis=0), np.repeat(v, 2, axis=0)
    s = np.where((j <= i) & (j > i - 3), q @ k.swapaxes(1, 2) / 8**0.5, -np.inf)
    highest = s.max(axis=-1, keepdims=True)
    total = highest + np.log(np.exp(s - highest).sum(axis=-1, keepdims=True))
    return softmax(s) @ v / (1 + np.exp(b[:, None, None] - total))


def cache(t, word=32, window=3):
    return 3 * word * min(t, window) + 3 * word * t


LAWS = ["own", "rows", "shift", "reach", "order"]
slip = partial(partial, layer)


def with_layer(**options):
    return slip(**options), cache, LAWS


TODAY, GROUPED = "layer-of-today", "write-grouped"
SIX, EACH = "for six heads, two sets, ", "for a set for each head, "
ONE, SEVEN = (f"your layer, for a text of {n}, " for n in ("one token", "seven tokens"))

RIGHT = {
    "decline-by-hand": [[0.5326, 0.4674, 0.1930]],
    "model-cache": [[6144, 144, 36]],
    GROUPED: [grouped, without_copies, lambda *a: grouped(*a).tolist()],
    TODAY: [(layer, cache, LAWS), [as_a_gate, lambda t: cache(t), set(LAWS)]],
}

WRONG = [
    ("decline-by-hand", [0, 0, 0], "the total of the tokens is"),
    ("model-cache", [1, 2, 3], "a token takes 2"),
    (GROUPED, shared(in_turn, in_turn), f"{SIX}the sets are dealt out"),
    (GROUPED, shared(neighbours, in_turn), f"{SIX}keys and values are shared"),
    (GROUPED, shared(in_turn, neighbours), f"{SIX}keys and values are shared"),
    (GROUPED, shared(first, first), f"{EACH}all heads use set 0"),
    (GROUPED, shared(averaged, averaged), f"{EACH}the sets are averaged"),
    (GROUPED, shared(neighbours, neighbours, dot_scores), f"{EACH}the scores are not divided"),
    (GROUPED, lambda q, k, v: 0 * grouped(q, k, v), f"{EACH}the numbers"),
    (GROUPED, lambda q, k, v: attention(q, k, v).output, f"{SIX}it raises ValueError"),
    (GROUPED, lambda *a: grouped(*a)[0], f"{EACH}expected an array of shape (4, 5, 3), got (5, 3)"),
    (TODAY, layer, "expected three things"),
    (TODAY, (layer, cache), "expected three things"),
    (TODAY, (3, cache, LAWS), "expected a function my_layer(q, k, v, b), got int"),
    (TODAY, (layer, 96, LAWS), "expected a function my_cache(t), got int"),
    (TODAY, with_layer(with_b=0), f"{ONE}b changes nothing"),
    (TODAY, with_layer(gate=0), f"{ONE}that is the share of b"),
    (TODAY, with_layer(own_b=0), f"{ONE}all heads use the b of head 0"),
    (TODAY, (lambda q, k, v, b: layer(q, k, v, 0 * b), cache, LAWS), f"{ONE}b is taken as 0"),
    (TODAY, (lambda q, k, v, b: layer(q, k, v, b / 8**0.5), cache, LAWS), f"{ONE}b is not divided"),
    (TODAY, with_layer(turn=True), f"{ONE}the sets are dealt out"),
    (TODAY, with_layer(root=1), f"{ONE}the scores are not divided"),
    (TODAY, with_layer(window=2), f"{SEVEN}the window holds 3"),
    (TODAY, with_layer(window=4), f"{SEVEN}the window holds 3"),
    (TODAY, with_layer(window=99), f"{SEVEN}there is no window"),
    (TODAY, with_layer(later=2), f"{SEVEN}a token sees tokens after"),
    (TODAY, with_layer(later=99, window=99), f"{SEVEN}a token sees tokens after"),
    (TODAY, with_layer(top=0), "your layer, for large scores, there is NaN"),
    (TODAY, (lambda *a: 0 * layer(*a), cache, LAWS), f"{ONE}the numbers are off"),
    (TODAY, (lambda *a: 1 / 0, cache, LAWS), "your layer, for a text of one token, it raises Zero"),
    (TODAY, (lambda *a: layer(*a)[0], cache, LAWS), f"{ONE}expected an array of shape (4, 1, 8)"),
    (TODAY, (layer, partial(cache, word=64), LAWS), "your cache of 1, 2, 3, 10 and 1,000 tokens, a "
     "set is kept once"),
    (TODAY, (layer, partial(cache, word=16), LAWS), "your cache of 1, 2, 3, 10 and 1,000 tokens, "
     "keys and values"),
    (TODAY, (layer, lambda t: 192 * t, LAWS), "your cache of 1, 2, 3, 10 and 1,000 tokens, a "
     "windowed layer"),
    (TODAY, (layer, lambda t: 192 * min(t, 3), LAWS), "your cache of 1, 2, 3, 10 and 1,000 tokens, "
     "a full layer"),
    (TODAY, (layer, lambda t: 2 * cache(t), LAWS), "your cache of 1, 2, 3, 10 and 1,000 tokens, a "
     "set is kept once"),
    (TODAY, (layer, lambda t: cache(t) // 3, LAWS), "your cache of 1, 2, 3, 10 and 1,000 tokens, "
     "there are three"),
    (TODAY, (layer, lambda t: 96 * t + 288, LAWS), "your cache of 1, 2, 3, 10 and 1,000 tokens, a "
     "text of one or two"),
    (TODAY, (layer, lambda t: 96, LAWS), "your cache of 1, 2, 3, 10 and 1,000 tokens, 32 numbers"),
    (TODAY, (layer, lambda t: 1 / 0, LAWS), "your cache of 1, 2, 3, 10 and 1,000 tokens, it ra"),
    (TODAY, (layer, cache, "rows"), "your laws: expected a list"),
    (TODAY, (layer, cache, ["rose"]), "your laws: 'rose' is none; they are rows, shift"),
    (TODAY, (layer, cache, [*LAWS, "leak"]), "your laws, leak: change a later token"),
    (TODAY, (layer, cache, [*LAWS, "length"]), "your laws, length: double the keys"),
    *((TODAY, (layer, cache, [x for x in LAWS if x != law]), f"your laws, {law}") for law in LAWS),
]  # fmt: skip


def predict_decline(rng):
    scores = KEYS @ KEYS[0]
    assert not scores.any()
    output = softmax(np.append(scores, 3))[:-1] @ VALUES[:, 0]
    return {
        "Still .1": np.isclose(output, 0.1),
        "About .02": 0.02 < output < 0.025,
        "Exactly 0": output == 0,
    }


def predict_ordinary(rng):
    s = rng.normal(size=(50, 6))

    def is_ordinary(b):
        extra = np.broadcast_to(b, (50, 1))
        return np.allclose(softmax(np.hstack([s, extra]))[:, :-1], softmax(s))

    return {
        "$b = 0$": is_ordinary(0.0),
        "$b = -\\infty$": is_ordinary(-np.inf),
        "$b$ = the largest score": is_ordinary(s.max(axis=1, keepdims=True)),
    }


def predict_shift(rng):
    q, k, v = rng.normal(size=(3, 4, 7, 8))

    def layer(q, k, v, b=-np.inf, window=7):
        i, j = np.arange(7)[:, None], np.arange(7)
        k, v = (np.repeat(x, 4 // len(x), axis=0) for x in (k, v))
        s = np.where((j <= i) & (i - j < window), q @ k.swapaxes(1, 2) / 8**0.5, -np.inf)
        return softmax(np.concatenate([s, np.full((4, 7, 1), b)], axis=-1))[..., :-1] @ v

    return {
        "The one with a window": "shift" in broken(partial(layer, window=3), q, k, v),
        "The one with a sink, $b$": "shift" in broken(partial(layer, b=1.0), q, k, v),
        "The one with groups": "shift" in broken(layer, q, k[:2], v[:2]),
    }


def predict_windows(rng):
    full, windows = (kept_bytes([x], 2**17) for x in (Layers(10, 4096), Layers(52, 4096, 1024)))
    share = windows / (full + windows)
    return {
        "More than half: they are 52 of 62": share > 0.5,
        "About a third": 0.25 < share < 0.4,
        "About a twenty-fifth": abs(share - 1 / 25) < 0.002,
    }


def predict_sink(rng):
    i, j = np.arange(64)[:, None], np.arange(64)
    last = wonderland_loss((j <= i) & (i - j < 4))[0]
    with_first = wonderland_loss((j <= i) & ((i - j < 3) | (j == 0)))[0]
    return {
        "The last four": last < with_first - 0.05,
        "The first and the last three": with_first < last - 0.05,
        "No difference": abs(with_first - last) < 0.05,
    }


def predict_latent(rng):
    own, absorbed = (128 + 64) + 128, (512 + 64) + 512
    assert 128 * own == 40960
    return {
        "Less": absorbed < own,
        "The same": absorbed == own,
        "More than three times as much": absorbed > 3 * own,
    }


def predict_delta(rng):
    k = rng.normal(size=5)
    k /= np.linalg.norm(k)
    answer = k @ (4 * k + 10 * k)
    return {str(x): np.isclose(answer, x) for x in (10, 7, 14)}


def predict_room(rng):
    in_state, in_cache = [], []
    for _ in range(20):
        keys, words = rng.normal(size=(2, 64, 16))
        keys, words = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (keys, words))
        state = np.zeros((16, 16))
        for k, v in zip(keys, words, strict=True):
            state += np.outer(k, v - k @ state)
        for answers, hits in (
            (keys @ state, in_state),
            (softmax(16 * keys @ keys.T) @ words, in_cache),
        ):
            hits.append(((answers @ words.T).argmax(axis=1) == np.arange(64)).sum())
    state, cached = np.mean(in_state), np.mean(in_cache)
    assert cached > 63.9
    return {
        "The cache all, the state about 12": 10 < state < 15,
        "The cache all, the state about 32": 28 < state < 36,
        "The cache all, the state about 60": 56 < state < 64,
    }
