"""Answers to the exercises of the page on encoder-decoder attention, right and wrong."""

import math

import numpy as np


def context(state, states, w_query, w_key, w_score, bend="sum", share=True, shift=True):
    """Additive attention of one state as a learner writes it, with a place for each slip."""
    if bend == "apart":
        hidden = np.tanh(state @ w_query) + np.tanh(states @ w_key)
    else:
        hidden = state @ w_query + states @ w_key
    scores = (np.tanh(hidden) if bend == "sum" else hidden) @ w_score
    if not share:
        return scores @ states
    exponentials = np.exp(scores - (scores.max() if shift else 0))
    return exponentials / exponentials.sum() @ states


def by_loop(state, states, w_query, w_key, w_score):
    scores = []
    for h in states:
        hidden = [
            math.tanh(sum(state * w_query[:, a]) + sum(h * w_key[:, a]))
            for a in range(len(w_score))
        ]
        scores.append(sum(w * x for w, x in zip(w_score, hidden, strict=True)))
    e = [math.exp(s - max(scores)) for s in scores]
    return [sum(x * h[c] for x, h in zip(e, states, strict=True)) / sum(e) for c in range(3)]


def that_spoils_its_input(state, states, *parameters):
    result = context(state, states, *parameters)
    for array in (state, states, *parameters):
        array[:] = 0
    return result


def clipped(state, states, w_query, w_key, w_score):
    scores = np.tanh(state @ w_query + states @ w_key) @ w_score
    exponentials = np.exp(np.clip(scores, -500, 500))
    return exponentials / exponentials.sum() @ states


def slip(**options):
    return lambda *args: context(*args, **options)


def best_alone(state, states, w_query, w_key, w_score):
    return states[np.argmax(np.tanh(state @ w_query + states @ w_key) @ w_score)]


def keys_as_values(state, states, w_query, w_key, w_score):
    return context(state, states @ w_key, w_query, np.eye(len(w_score)), w_score)


def with_weights(*args):
    return context(*args), np.ones(len(args[1]))


def needs_two(state, states, *parameters):
    if len(states) == 1:
        raise ValueError
    return context(state, states, *parameters)


RIGHT = {
    "zero-state": [[0.3526, 0.5491], np.array([0.353, 0.549])],
    "first-wins": [[-0.5, 5], np.array([-0.6, 3.0])],
    "bits-a-number": [1.4694, np.float64(1.469)],
    "recurrent-steps": [35, np.int64(35), [35]],
    "write-context": [context, by_loop, that_spoils_its_input],
}  # fmt: skip

WRONG = [
    ("zero-state", [0, 2 / 3], "equal weights are what a zero query"),
    ("zero-state", [0.2685, 0.4182], "tanh belongs to the score alone"),
    ("zero-state", [0.4049, 0.5317], "the sum goes through tanh"),
    ("zero-state", [0.2161, 0.5946], "w is (2, 2)"),
    ("zero-state", [1.5232, 1.5232], "these are scores times states"),
    ("zero-state", [0.5491, 0.3526], "the scores are 2 tanh a"),
    ("zero-state", [0.4509, 0.4509, 0.0983], "expected an array of shape (2,)"),
    ("first-wins", [1, -1], "the weights are 0.212, 0.647, 0.141; where is tanh"),
    ("first-wins", [-0.5, 0.5], "the weights are 0.650, 0.248, 0.102; at least .8"),
    ("first-wins", [-0.5, 50], "each number of the state is to lie between"),
    ("first-wins", [np.nan, 1], "NaN or inf"),
    ("first-wins", [1, 2, 3], "expected an array of shape (2,)"),
    ("bits-a-number", 47.02, "this is the whole sentence"),
    ("bits-a-number", 0.3673, "this is one clause"),
    ("bits-a-number", 1.0185, "these are nats"),
    ("bits-a-number", 1.2925, "no adjective and no adverb"),
    ("bits-a-number", 0.8962, "a clause has two animals"),
    ("bits-a-number", 3, "how many clauses are there"),
    ("recurrent-steps", 2240, "the sentences of a minibatch"),
    ("recurrent-steps", 3520, "neither the sentences nor"),
    ("recurrent-steps", 55, "the two directions of the encoder"),
    ("recurrent-steps", 20, "the decoder has steps too"),
    ("recurrent-steps", 15, "before the decoder starts"),
    ("recurrent-steps", 300, "one step of the decoder"),
    ("recurrent-steps", 320, "one step of the decoder"),
    ("recurrent-steps", 36, "count what must wait"),
    ("write-context", slip(bend="none"), "for six states, the sum is not bent by tanh"),
    ("write-context", slip(bend="apart"), "for six states, the query has no effect"),
    ("write-context", slip(share=False), "for six states, the scores weigh the states"),
    ("write-context", lambda s, h, *w: h.mean(axis=0), "for six states, all states count alike"),
    ("write-context", lambda s, h, *w: h.sum(axis=0), "for six states, this is the sum of all"),
    ("write-context", best_alone, "for six states, this is the best state alone"),
    ("write-context", keys_as_values, "for six states, expected an array of shape (3,)"),
    ("write-context", with_weights, "for six states, expected an array of shape (3,), got tuple"),
    ("write-context", needs_two, "for a single state, it raises ValueError"),
    ("write-context", slip(shift=False), "for scores in the thousands, NaN comes out"),
    ("write-context", clipped, "for several large scores, large scores that are cut off"),
    ("write-context", lambda *a: np.zeros(3), "for six states, some numbers are wrong"),
    ("write-context", [0.3, 0.5], "expected a function context(state, states, w_query"),
]
