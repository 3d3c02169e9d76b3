"""Answers to the exercises of the page on attention on graphs, right and wrong."""

import numpy as np


def by_loop(scores, receivers, n):
    weights = np.zeros_like(scores)
    for i in range(n):
        mine = np.flatnonzero(receivers == i)
        if len(mine):
            e = np.exp(scores[mine] - scores[mine].max(axis=0))
            weights[mine] = e / e.sum(axis=0)
    return weights


def that_spoils_its_input(scores, receivers, n):
    weights = by_loop(scores, receivers, n)
    scores[:] = 0
    receivers[:] = 0
    return weights


def sums(messages, receivers, n):
    total = np.zeros((n, *messages.shape[1:]))
    np.add.at(total, receivers, messages)
    return total[receivers]


def without_shift(scores, receivers, n):
    e = np.exp(scores)
    return e / sums(e, receivers, n)


def one_shift(scores, receivers, n):
    e = np.exp(scores - scores.max())
    return e / sums(e, receivers, n)


def over_all(scores, receivers, n):
    e = np.exp(scores - scores.max(axis=0))
    return e / e.sum(axis=0)


def over_all_and_heads(scores, receivers, n):
    if scores.ndim == 1:
        return by_loop(scores, receivers, n)
    e = np.exp(scores - scores.max())
    return e / e.sum()


def over_heads(scores, receivers, n):
    if scores.ndim == 1:
        return by_loop(scores, receivers, n)
    e = np.exp(scores)
    return e / e.sum(axis=1, keepdims=True)


def heads_together(scores, receivers, n):
    if scores.ndim == 1:
        return by_loop(scores, receivers, n)
    e = np.exp(scores)
    return e / sums(e.sum(axis=1, keepdims=True), receivers, n)


def in_order_only(scores, receivers, n):
    return by_loop(scores, np.sort(receivers), n)


def times_degree(scores, receivers, n):
    return by_loop(scores, receivers, n) * sums(np.ones_like(scores), receivers, n)


def over_degree(scores, receivers, n):
    return by_loop(scores, receivers, n) / sums(np.ones_like(scores), receivers, n)


def mean(scores, receivers, n):
    return 1 / sums(np.ones_like(scores), receivers, n)


def no_empty_nodes(scores, receivers, n):
    weights = np.zeros_like(scores)
    for i in range(n):
        e = np.exp(scores[receivers == i] - scores[receivers == i].max(axis=0))
        weights[receivers == i] = e / e.sum(axis=0)
    return weights


def one_head_only(scores, receivers, n):
    return by_loop(scores.reshape(len(receivers)), receivers, n)


def per_node(scores, receivers, n):
    return np.ones(n)


def last_edge_only(scores, receivers, n):
    e = np.exp(scores - scores.max())
    total = np.zeros((n, *scores.shape[1:]))
    total[receivers] += e
    return e / total[receivers]


def put_together(scores, receivers, n):
    parts = [
        by_loop(scores[receivers == i], np.zeros(sum(receivers == i), int), 1) for i in range(n)
    ]
    return np.concatenate(parts)


WRITE = "write-segment-softmax"
ORDERED = "for edges in order of their receivers, "

RIGHT = {
    "edge-softmax": [[1.5379, 2.2384, 5], np.array([1.538, 2.238, 5.0])],
    "hides-two-bugs": [2, np.int64(2), [2.0]],
    WRITE: [by_loop, that_spoils_its_input, lambda *a: by_loop(*a).tolist()],
    "two-or-four": [[4, 4, 3, 3.4]],
    "gat-ranking": [[-0.2, -0.8, -0.4]],
    "gat-sizes": [[64, 5, 1320], (64.0, 5.0, 1320.0), [[64, 5, 1320]]],
}

WRONG = [
    ("edge-softmax", [0.3857, 1.2666, 0.9168], "here one softmax runs over all"),
    ("edge-softmax", [3.0758, 4.4768, 5], "these are the right outputs times"),
    ("edge-softmax", [4, 6, 5], "this is the sum"),
    ("edge-softmax", [2, 3, 5], "this is the mean"),
    ("edge-softmax", [1, 2, 5], "three softmaxes"),
    ("edge-softmax", [1.5379, 2.2384], "expected an array of shape (3,), got (2,)"),
    ("hides-two-bugs", 0, "which receiver's softmax"),
    ("hides-two-bugs", 1, "which receiver's softmax"),
    ("hides-two-bugs", 5, "that is its output"),
    (WRITE, last_edge_only, "for edges in order of their receivers, total[receivers] += e keeps"),
    (WRITE, put_together, "for edges in any order, these weights are sorted by receiver"),
    (WRITE, 3, "expected a function my_segment_softmax(scores, receivers, n), got int"),
    (WRITE, over_all, f"{ORDERED}softmax runs over all edges, not"),
    (WRITE, times_degree, f"{ORDERED}the weights are multiplied"),
    (WRITE, over_degree, f"{ORDERED}the weights are divided"),
    (WRITE, mean, f"{ORDERED}these are the weights of a mean"),
    (WRITE, lambda s, r, n: np.ones_like(s), f"{ORDERED}every weight is 1"),
    (WRITE, lambda s, r, n: 0 * s, f"{ORDERED}the numbers are off"),
    (WRITE, per_node, f"{ORDERED}expected an array of shape (6,), got (3,)"),
    (WRITE, lambda s: s, f"{ORDERED}it raises TypeError"),
    (WRITE, in_order_only, "for edges in any order, the edges of one receiver need not"),
    (WRITE, over_heads, "for two heads, softmax runs over the heads"),
    (WRITE, heads_together, "for two heads, the heads share one softmax"),
    (WRITE, over_all_and_heads, "for two heads, softmax runs over all edges and heads"),
    (WRITE, one_head_only, "for two heads, it raises ValueError"),
    (WRITE, without_shift, "for scores in the hundreds, there is NaN"),
    (WRITE, one_shift, "for scores in the hundreds, there is NaN"),
    (WRITE, no_empty_nodes, "for nodes without edges, it raises ValueError"),
    ("two-or-four", [8, 16, 9, 17], "these are sums"),
    ("two-or-four", [4, 4, 5, 5], "the node itself takes part"),
    ("two-or-four", [4, 3, 4, 3.4], "the order is P and Q"),
    ("two-or-four", [4, 4, 4, 4], "equal scores give equal"),
    ("gat-ranking", [-1, -4, -2], "LeakyReLU is still"),
    ("gat-ranking", [-1, -3.2, -2], "3 is taken away before"),
    ("gat-ranking", [-0.2, -0.64, -0.4], "−.2 is a score after"),
    ("gat-ranking", [0, 0, 0], "undo LeakyReLU"),
    ("gat-sizes", [8, 5, 200], "in layer 0 the heads"),
    ("gat-sizes", [64, 20, 1320], "in layer 1 the heads"),
    ("gat-sizes", [64, 5, 1290], "each head has an a of its own"),
    ("gat-sizes", [64, 5, 1300], "a has an entry for each"),
    ("gat-sizes", [64, 5, 1280], "the vectors a are missing"),
    ("gat-sizes", [64, 5, 330], "that is one head"),
    ("gat-sizes", [64, 5, 200], "layer 1 sees all 64"),
    ("gat-sizes", [8, 5, 1320], "in layer 0 the heads"),
    ("gat-sizes", [64, 5, 1040], "layer 1 sees what layer 0"),
    ("gat-sizes", [0, 0, 0], "heads side by side keep"),
]  # fmt: skip
