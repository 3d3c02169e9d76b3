"""Proofs of the questions of the page on graph attention."""

import math

import numpy as np

from attnutils import GATParams, gat_layer, load_lookup_runs, segment_softmax, softmax


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


def predict_readout(rng):
    # The stored runs; tests/book/test_lookup_runs.py says that they are those of the page.
    right = load_lookup_runs().answers[4, 2, "GAT"][:, -1]

    def mostly(low, high):
        return (right >= low).sum() >= 19 and (right <= high).mean() >= 0.95

    return {
        "1 in 4": mostly(0, 0.375),
        "2 in 4": mostly(0.375, 0.7),
        "3 in 4": mostly(0.7, 0.95),
        "nearly all": mostly(0.95, 1),
    }
