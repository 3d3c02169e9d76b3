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
    "read-alignment": [[0, 2, 1, 4, 5, 6, 7], np.array([0, 2, 1, 4, 5, 6, 7])],
    "decoder-shapes": [[(8, 6), (10, 6), (3, 7), (3, 10)], np.array([[8, 6, 10, 6, 3, 7, 3, 10]])
                       .reshape(4, 2)],
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
    ("read-alignment", range(7), "French puts the adjective second"),
    ("read-alignment", [0, 2, 1, 3, 5, 6, 7], "3 is the place of is"),
    ("read-alignment", [0, 1, 2, 4, 5, 6, 7], "loup comes before gris"),
    ("read-alignment", [1, 3, 2, 5, 6, 7, 8], "places are counted from 0"),
    ("read-alignment", [0, 2, 1, 3, 4, 5, 6], "from regarde on"),
    ("read-alignment", [0, 0, 0, 0, 0, 0, 0], "go through the translation"),
    ("read-alignment", [0, 2, 1, 3, 4, 5, 6, 7], "expected an array of shape (7,)"),
    ("decoder-shapes", [(8, 6), (5, 6), (3, 7), (3, 5)], "h_t joins the states"),
    ("decoder-shapes", [(8, 6), (10, 6), (7, 3), (3, 10)], "the weights have a row for each"),
    ("decoder-shapes", [(8, 6), (10, 6), (3, 7), (3, 7)], "the mean runs over the words"),
    ("decoder-shapes", [(8, 6), (10, 6), (3, 7), (3, 8)], "the context is a mean"),
    ("decoder-shapes", [(6, 8), (6, 10), (3, 7), (3, 10)], "rows multiply from the left"),
    ("decoder-shapes", [(10, 6), (8, 6), (3, 7), (3, 10)], "queries come from the decoder"),
    ("decoder-shapes", [(8, 6), (10, 6), (3, 7), (3, 3)], "W_q takes a state of the decoder"),
    ("decoder-shapes", [(8, 6), (10, 6), (3, 1, 7), (3, 10)], "expected an array of shape (4, 2)"),
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
    ("write-context", lambda *a: np.zeros(3), "for six states, some numbers are wrong"),
    ("write-context", [0.3, 0.5], "expected a function context(state, states, w_query"),
]
