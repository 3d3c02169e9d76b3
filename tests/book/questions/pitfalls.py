"""Proofs of the questions of the page on pitfalls."""

import numpy as np

from attnutils import attention, dot_scores, segment_softmax, softmax
from attnutils.worked_example import KEYS, VALUES


def predict_columns(rng):
    a = rng.normal(size=(6, 6))
    exps = np.exp(a + a.T)
    wrong = exps / exps.sum(axis=1)  # the total of row j divides column j
    rows, columns = (np.allclose(wrong.sum(axis=axis), 1) for axis in (1, 0))
    return {
        "The rows": rows and not columns,
        "The columns": columns and not rows,
        "Rows and columns": rows and columns,
        "Neither": not rows and not columns,
    }


def predict_single(rng):
    return sum(softmax([score])[0] for score in KEYS @ KEYS[5])


def predict_square(rng):
    x, w = rng.normal(size=(3, 3)), rng.uniform(0.5, 2, size=(3, 3)) * rng.choice([-1, 1], (3, 3))
    changed = x + np.array([[1], [0], [0]])
    try:
        moved = np.flatnonzero((~np.isclose(w @ x, w @ changed)).any(axis=1)).tolist()
    except ValueError:
        moved = None
    return {
        "Only row 0": moved == [0],
        "All three": moved == [0, 1, 2],
        "It raises an error": moved is None,
    }


def predict_million(rng):
    weights = attention(KEYS[5], KEYS, VALUES, scores=dot_scores).weights
    weights[3] = -1_000_000
    output = (weights @ VALUES)[0]
    hidden = np.arange(6) != 3
    right = attention(KEYS[5], KEYS, VALUES, scores=dot_scores, mask=hidden).output[0]
    assert abs(right - 0.09) < 0.005
    return {
        "Right, .09": abs(output - right) < 0.01,
        "Nearly 0": abs(output) < 0.01,
        "−400,000": abs(output + 400_000) < 1,
    }


def predict_one_neighbour(rng):
    n = 6
    receivers = rng.permutation(n)
    senders = np.roll(receivers, 1)  # each node receives one edge, from another node
    scores, values = rng.normal(size=n), rng.normal(size=n)

    def add_up(messages):
        return np.bincount(receivers, messages, minlength=n)

    right = add_up(segment_softmax(scores, receivers, n) * values[senders])
    slips = {
        "one softmax": add_up(softmax(scores) * values[senders]),
        "each alone": add_up(
            [softmax([s])[0] * values[j] for s, j in zip(scores, senders, strict=True)]
        ),
        "once for each edge": right * np.bincount(receivers, minlength=n),
    }
    seen = {slip for slip, found in slips.items() if not np.allclose(found, right)}
    return {
        "All three": seen == set(slips),
        "Only the softmax over all edges": seen == {"one softmax"},
        "None": seen == set(),
    }
