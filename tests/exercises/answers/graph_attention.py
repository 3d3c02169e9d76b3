"""Answers to the exercises and the questions of the page on attention on graphs."""

import math

import numpy as np

from attnbook.lessons.graph_lookup import load_lookup_runs
from attnutils import GATParams, gat_layer, segment_softmax, softmax


def by_pairs(score, n_receivers=40, n_senders=60):
    senders = 2 * np.random.default_rng(5).normal(size=(n_senders, 3))
    receivers = 2 * np.random.default_rng(99).normal(size=(n_receivers, 3))
    table = np.array([[score(q, k) for k in senders] for q in receivers])
    gaps = table[:, :, None] - table[:, None, :]
    return not ((gaps.max(axis=0) > 1e-9) & (gaps.min(axis=0) < -1e-9)).any()


def by_chance(score):
    """Random receivers and senders, two at a time."""
    for q, p, k, j in 2 * np.random.default_rng(3).normal(size=(2000, 4, 3)):
        if (score(q, k) - score(q, j)) * (score(p, k) - score(p, j)) < -1e-18:
            return False
    return True


def equal_scores(score):
    q, p, k = np.eye(3)
    return bool(np.isclose(score(q, k), score(p, k)))


def equal_differences(score):
    senders = np.random.default_rng(5).normal(size=(20, 3))
    one, other = ([score(q, k) for k in senders] for q in np.eye(3)[:2])
    return bool(np.allclose(np.diff(one), np.diff(other)))


def first_only(score):
    """Three receivers and four senders: who is first?"""
    rng = np.random.default_rng(1)
    senders, receivers = rng.normal(size=(4, 3)), rng.normal(size=(3, 3))
    return len({int(np.argmax([score(q, k) for k in senders])) for q in receivers}) < 2


RIGHT = {
    "edge-softmax": [[1.5379, 2.2384, 5], [1.538, 2.238, 5]],
    "hides-two-bugs": [1],
    "static-test": [by_pairs, by_chance],
    "gatv2-alike": [
        [[2, -2], [-2, 2], [-1, -1]],
        [[4, -3], [-4, 3], [-1, -2]],
        [[-3, 3], [-3, 3], [1, 1]],
    ],
}

WRONG = [
    ("edge-softmax", [0.3857, 1.2666, 0.9168], "here one softmax runs over all"),
    ("edge-softmax", [3.0758, 4.4768, 5], "these are the right outputs times"),
    ("edge-softmax", [4, 6, 5], "this is the sum"),
    ("edge-softmax", [2, 3, 5], "this is the mean"),
    ("edge-softmax", [1, 2, 5], "three softmaxes"),
    ("hides-two-bugs", 0, "work out the three right outputs"),
    ("hides-two-bugs", 2, "two slips leave it as it is"),
    ("hides-two-bugs", 5, "that is its output"),
    ("static-test", equal_scores, "a head of GAT is static, and your test says no"),
    ("static-test", equal_differences, "a head of GAT is static, and your test says no"),
    ("static-test", first_only, "a head of GATv2 is dynamic, and your test says static"),
    ("static-test", lambda score: by_pairs(score, 8, 8), "a score that is static but for few"),
    ("static-test", lambda score: True, "the dot product is dynamic"),
    ("static-test", lambda score: 1, "expected True or False from your test, got int"),
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


def predict_readout(rng):
    # The stored runs; tests/nightly/test_recipes.py says that they are those of the page.
    right = load_lookup_runs().answers[4, 2, "GAT"][:, -1]

    def mostly(low, high):
        return (right >= low).sum() >= 19 and (right <= high).mean() >= 0.95

    return {
        "1 in 4": mostly(0, 0.375),
        "2 in 4": mostly(0.375, 0.7),
        "3 in 4": mostly(0.7, 0.95),
        "nearly all": mostly(0.95, 1),
    }
