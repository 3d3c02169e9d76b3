"""Answers to the exercises of the page on efficient attention, right and wrong."""

import math

import numpy as np

import attnutils


def step(m, ell, u, s, v):
    m_new = max(m, s.max())
    base = 0 if m_new == -math.inf else m_new
    c, e = np.exp(m - base), np.exp(s - base)
    return m_new, c * ell + e.sum(), c * u + e @ v


def by_loop(m, ell, u, s, v):
    for score, row in zip(s, v, strict=True):
        if score == -math.inf:
            continue
        m_new = max(m, score)
        u = u * np.exp(m - m_new) + np.exp(score - m_new) * row
        ell = ell * np.exp(m - m_new) + np.exp(score - m_new)
        m = m_new
    return [m, ell, u]


def that_spoils_its_input(m, ell, u, s, v):
    result = step(m, ell, u, s, v)
    u[:], s[:], v[:] = 0, 0, 0
    return result


def step_with(old_sum=None, old_u=None, base=None, largest=None, keep=1):
    """A wrong step: factors of the old sums, what new terms are measured from, the maximum."""

    def wrong(m, ell, u, s, v):
        m_new = max(m, s.max())
        c = np.exp(m - m_new)
        e = np.exp(s - (m_new if base is None else base(s)))
        factors = (c if f is None else f(c) for f in (old_sum, old_u))
        f_sum, f_u = (keep * f for f in factors)
        m_new = m_new if largest is None else largest(m, s)
        return m_new, f_sum * ell + e.sum(), f_u * u + e @ v

    return wrong


def one(c):
    return 1


def upside_down(c):
    return 1 / c if c else 0


def with_zero(m, ell, u, s, v):
    return step(max(m, 0.0) if ell == 0 else m, ell, u, s, v)


def divided(m, ell, u, s, v):
    m, ell, u = step(m, ell, u, s, v)
    return m, ell, u / ell


def without_base(m, ell, u, s, v):
    m_new = max(m, s.max())
    c, e = np.exp(m - m_new), np.exp(s - m_new)
    return m_new, c * ell + e.sum(), c * u + e @ v


def without_maximum(m, ell, u, s, v):
    """Right as long as exponentials do not overflow; then brought to the maximum."""
    m_new = max(m, s.max())
    total = np.exp(m) * ell + np.exp(s).sum()
    weighted = np.exp(m) * u + np.exp(s) @ v
    return m_new, total / np.exp(m_new), weighted / np.exp(m_new)


def base_returned(m, ell, u, s, v):
    m, ell, u = step(m, ell, u, s, v)
    return (0, ell, u) if m == -math.inf else (m, ell, u)


def grouped(q, k, v):
    share = len(q) // len(k)
    outputs = [attnutils.attention(q[h], k[h // share], v[h // share])[0] for h in range(len(q))]
    return np.stack(outputs)


def without_copies(q, k, v):
    split = q.reshape(len(k), -1, *q.shape[1:])
    output = attnutils.attention(split, k[:, None], v[:, None]).output
    return output.reshape(len(q), *output.shape[2:])


def shared_by(share_keys, share_values, scores=attnutils.scaled_dot_scores):
    def wrong(q, k, v):
        keys, values = share_keys(k, len(q)), share_values(v, len(q))
        return attnutils.attention(q, keys, values, scores=scores).output

    return wrong


def neighbours(a, n_heads):
    return np.repeat(a, n_heads // len(a), axis=0)


def in_turn(a, n_heads):
    return np.tile(a, (n_heads // len(a), 1, 1))


def first(a, n_heads):
    return np.stack([a[0]] * n_heads)


def averaged(a, n_heads):
    return np.stack([a.mean(axis=0)] * n_heads)


def that_keeps_an_output(m, ell, u, s, v):
    new, total, _ = step(m, ell, u, s, v)
    c, e = math.exp(m - new), np.exp(s - new)
    return new, total, (c * ell * u + e @ v) / total


def not_from_the_maximum(m, ell, u, s, v):
    return max(m, s.max()), ell + np.exp(s).sum(), u + np.exp(s) @ v


STEP, GROUPED = "write-online-step", "write-grouped"
RISES = "for a maximum that rises, "
SIX = "for six heads, two sets, "

RIGHT = {
    "online-by-hand": [[1.3746, -0.1440, 0.0025, 0.3624], (1.375, -0.144, 0.002, 0.362)],
    STEP: [step, by_loop, that_spoils_its_input],
    "scores-overtake": [(256, 512), np.array([256.0, 512.0])],
    "cache-room": [[2560, 10240], (2560.0, 10240.0)],
    GROUPED: [grouped, without_copies, lambda *a: grouped(*a).tolist()],
    "linear-by-hand": [[3, 10, 2, 3, 2.6]],
}

WRONG = [
    ("online-by-hand", [1.3746, -0.1440, 0.0025, 0.0858], "the first block is not corrected"),
    ("online-by-hand", [1.3746, -0.1440, 403.4288, 0.3624], "the factor is e^(old"),
    ("online-by-hand", [1.3746, -0.1440, 403.4288, -0.1430], "the factor is e^(old"),
    ("online-by-hand", [1.3746, -0.1440, 0.0009, 0.3634], "the maximum of the first block is 1"),
    ("online-by-hand", [3.7366, -0.1440, 0.0025, 0.3624], "l is measured from the maximum"),
    ("online-by-hand", [1.3746, -0.1980, 0.0025, 0.4130], "these are the weighted sums"),
    ("online-by-hand", [1.3746, -0.1440, 0.0025, 0.3639], "the last output leaves"),
    ("online-by-hand", [1.37, -0.14, 0.0025, 0.36], "right to two digits; give four"),
    ("online-by-hand", [1.3746, -0.1440, -6, 0.3624], "that is the exponent; the factor"),
    ("online-by-hand", [1.3746, -0.1440, 6, 0.3624], "the exponent is 1 − 7"),
    ("online-by-hand", [1.3746, -0.1980, 0.0025, 0.3624], "the first output is u / l"),
    ("online-by-hand", [1.3746, -0.1440, 0.0025, 0.4130], "the last output is u / l"),
    ("online-by-hand", [0, 0, 0, 0], "block 1: m = 1"),
    ("online-by-hand", 0.3624, "expected an array of shape (4,), got a number"),
    (STEP, 3, "expected a function my_step(m, ell, u, s, v), got int"),
    (STEP, step_with(old_sum=one, old_u=one), f"{RISES}the old sums are not corrected"),
    (STEP, step_with(old_u=one), f"{RISES}u is not corrected"),
    (STEP, step_with(old_sum=one), f"{RISES}l is not corrected"),
    (STEP, step_with(old_sum=upside_down, old_u=upside_down), f"{RISES}the factor is upside"),
    (STEP, step_with(keep=0), f"{RISES}what was gathered before"),
    (STEP, divided, f"{RISES}u is divided already"),
    (STEP, lambda *a: (0, 0, [0, 0]), f"{RISES}the numbers are off"),
    (STEP, lambda *a: (0, 0), f"{RISES}expected three results"),
    (STEP, lambda m, ell, u, s, v: (m, ell, 0.5), f"{RISES}expected three results"),
    (STEP, lambda m: m, f"{RISES}it raises TypeError"),
    (STEP, step_with(largest=lambda m, s: s.max()), "for a maximum that stays, the maximum is"),
    (STEP, step_with(base=np.max), "for a maximum that stays, the new terms are measured"),
    (STEP, with_zero, "for the first block, the maximum of negative"),
    (STEP, step_with(base=lambda s: 0 if s.max() < 0 else 3.0 if s.size == 3 else 4.0),
     "for the first block, the new terms are e^(s − new"),
    (STEP, without_maximum, "for scores near 1,000, there is NaN, inf / inf"),
    (STEP, that_keeps_an_output, f"{RISES}u is not the output"),
    (STEP, lambda *a: [step(*a)[i] for i in (1, 0, 2)], f"{RISES}the order is m, ell, u"),
    (STEP, not_from_the_maximum, f"{RISES}subtract the new maximum"),
    (STEP, without_base, "for a first block that is all masked, there is NaN"),
    (STEP, base_returned, "for a first block that is all masked, no key has"),
    ("scores-overtake", (128, 256), "that is for d = 64"),
    ("scores-overtake", (512, 256), "the two are in the other order"),
    ("scores-overtake", (2048, 4096), "each head has Q, K"),
    ("scores-overtake", (4096, 8192), "each head has Q, K"),
    ("scores-overtake", (32, 64), "all eight heads"),
    ("scores-overtake", (64, 128), "Q, K, V and Y are four"),
    ("scores-overtake", (192, 384), "Y counts as well"),
    ("scores-overtake", (256, 1024), "with one square"),
    ("scores-overtake", (256, 128), "one square takes less"),
    ("scores-overtake", (257, 513), "up to which n"),
    ("scores-overtake", (255, 511), "at equality"),
    ("scores-overtake", (1, 2), "two squares against"),
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
    (GROUPED, 3, "expected a function my_grouped(q, k, v), got int"),
    (GROUPED, shared_by(in_turn, in_turn), f"{SIX}the sets are dealt out"),
    (GROUPED, shared_by(neighbours, in_turn), f"{SIX}keys and values are shared"),
    (GROUPED, shared_by(in_turn, neighbours), f"{SIX}keys and values are shared"),
    (GROUPED, shared_by(first, first), "for a set for each head, all heads use set 0"),
    (GROUPED, shared_by(averaged, averaged), "for a set for each head, the sets are averaged"),
    (GROUPED, shared_by(neighbours, neighbours, attnutils.dot_scores),
     "for a set for each head, the scores are not divided"),
    (GROUPED, lambda q, k, v: 0 * grouped(q, k, v), "for a set for each head, the numbers"),
    (GROUPED, lambda q, k, v: attnutils.attention(q, k, v).output,
     f"{SIX}it raises ValueError"),
    (GROUPED, lambda q, k, v: grouped(q, k, v)[0],
     "for a set for each head, expected an array of shape (4, 5, 3), got (5, 3)"),
    ("linear-by-hand", [3, 10, 2, 3, 13], "the output is divided"),
    ("linear-by-hand", [3, 10, 3, 5, 2.6], "the total is the sum of the features"),
    ("linear-by-hand", [2, 3, 3, 10, 2.6], "state and total are exchanged"),
    ("linear-by-hand", [3, 10, 2, 3, 4.333], "divide by φ(q)"),
    ("linear-by-hand", [3, 10, 2, 3, 2.6893], "linear attention has no exp"),
    ("linear-by-hand", [3, 10, 2, 3, 4.8333], "divide one number by one"),
    ("linear-by-hand", [3, 6, 2, 3, 1.8], "the value 4 has features"),
    ("linear-by-hand", [0, 0, 0, 0, 0], "state: the sum of value"),
]  # fmt: skip
