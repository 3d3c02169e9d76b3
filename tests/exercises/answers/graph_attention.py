"""Answers to the exercises and the questions of the page on attention on graphs."""

import math
from functools import partial

import numpy as np

from attnutils import GATParams, gat_layer, segment_softmax, softmax


def over_edges(
    q, k, v, senders, receivers,
    scale=None, over="receiver", top="receiver", asks="receiver", keep="weights",
):  # fmt: skip
    """Attention over a list of edges as a learner writes it, with a place for each slip."""
    n, ends = len(q), {"receiver": (receivers, senders), "sender": (senders, receivers)}
    to, of = ends[asks]
    s = (q[to] * k[of]).sum(axis=1) / {None: q.shape[1] ** 0.5, "none": 1, "d": q.shape[1]}[scale]
    if top == "receiver":
        s = s - np.array([s[receivers == i].max(initial=-np.inf) for i in range(n)])[receivers]
    e = np.exp(s - s.max())
    a = e / (e.sum() if over == "all" else np.bincount(receivers, e, n)[receivers])
    if keep != "weights":
        a = a * np.bincount(receivers)[receivers] if keep == "times" else np.ones_like(a)
    return np.stack([np.bincount(receivers, a * column[senders], n) for column in v.T], axis=1)


def by_mask(q, k, v, senders, receivers):
    mask = np.zeros((len(q), len(k)), bool)
    mask[receivers, senders] = True
    return softmax(np.where(mask, q @ k.T / np.sqrt(q.shape[1]), -np.inf)) @ v


#: A function with these slips.
slip = partial(partial, over_edges)


RIGHT = {
    "edge-softmax": [[1.5379, 2.2384, 5], [1.538, 2.238, 5]],
    "write-edges": [over_edges, by_mask],
    "gatv2-alike": [
        [[2, -2], [-2, 2], [-1, -1]],
        [[4, -3], [-4, 3], [-1, -2]],
        [[-3, 3], [-3, 3], [1, 1]],
    ],
}

WRONG = [
    ("edge-softmax", [1, 2, 5], "three softmaxes"),
    ("write-edges", slip(scale="none"), "for nine edges, the scores are not divided"),
    ("write-edges", slip(scale="d"), "for nine edges, the scores are divided by d_k"),
    ("write-edges", slip(over="all", top="all"), "for nine edges, one softmax runs over all edges"),
    ("write-edges", slip(keep="sum"), "for nine edges, this is the sum of the values"),
    ("write-edges", slip(keep="times"), "for nine edges, this is the mean times the number"),
    ("write-edges", slip(asks="sender"), "for nine edges, the query is that of the receiver"),
    ("write-edges", lambda q, k, v, s, r: over_edges(q, k, v, r, s),
     "for nine edges, senders and receivers have changed places"),
    ("write-edges", slip(top="all"), "with large scores, NaN is among the outputs"),
    ("write-edges", lambda q, k, v, s, r: v, "for nine edges, some outputs are wrong"),
    ("gatv2-alike", [[2, -2], [-2, 2]], "expected an array of shape (3, 2), got (2, 2)"),
    ("gatv2-alike", [[2, -2], [-2, 2], [-1, np.inf]], "NaN or inf is among"),
    ("gatv2-alike", [[1, -1], [-1, 1], [-1, -1]], "each prefers its like, but one with 0.83 only"),
    ("gatv2-alike", [[2, -2], [2, -2], [-1, -1]], "each prefers the other kind"),
    ("gatv2-alike", [[9, 0], [-9, 0], [-1, 0]], "one order for both, or a tie"),
    ("gatv2-alike", [[0, 0], [3, 3], [1, 1]], "one order for both, or a tie"),
]  # fmt: skip


def random_gat(rng, n_features=4, n_heads=1, width=3):
    return GATParams(
        rng.normal(size=(n_features, n_heads, width)), *rng.normal(size=(2, n_heads, width))
    )


def predict_all_edges(rng):
    def sum_to_1(receivers):
        weights = softmax(rng.normal(size=len(receivers)))
        return np.isclose(np.bincount(receivers, weights), 1)

    uneven = sum_to_1(np.array([0, 0, 0, 1, 2, 2]))
    even = sum_to_1(np.array([0, 0, 1, 1, 2, 2]))
    return {
        "Yes": uneven.all() and even.all(),
        "No": not uneven.any() and not even.any(),
        "Only if all receivers have equally many edges": even.all() and not uneven.all(),
    }


def predict_one_edge(rng):
    scores, receivers = [-3.0, *rng.uniform(-2, 5, size=5)], [0, 1, 1, 1, 2, 2]
    weight = segment_softmax(scores, receivers, 3)[0]
    return {
        "Small": weight < 0.5,
        "1": math.isclose(weight, 1),
        r"$e^{-3} \approx .05$": math.isclose(weight, math.exp(-3)),
    }


def predict_static(rng):
    # Ann and Ben are nodes 0 and 1; Eli, Fay, Gus and Hal, whom both hear, are nodes 2 to 5.
    senders, receivers = [2, 3, 4, 5] * 2, [0] * 4 + [1] * 4
    eli, fay = 0, 1
    ben = []
    while len(ben) < 200:
        nodes, params = rng.normal(size=(6, 4)), random_gat(rng)
        weights = gat_layer(nodes, senders, receivers, params, self_loops=False).weights[:, 0]
        if weights[:4].argmax() == eli:
            ben.append(weights[4:].argmax())
    return {
        "Eli, too": set(ben) == {eli},
        "Fay, if W and a are trained well": fay in ben,
        "Nobody can say": len(set(ben)) > 1,
    }
