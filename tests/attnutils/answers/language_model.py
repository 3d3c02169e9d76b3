"""Answers to the exercises of the page on a model that writes, right and wrong."""

import numpy as np

from attnutils import softmax
from attnutils.exercises.language_model import _head_losses

LOSSES = _head_losses()
PLACES = sorted(LOSSES, key=LOSSES.get)
MOST, SECOND, LEAST = ([*at, LOSSES[at]] for at in (PLACES[-1], PLACES[-2], PLACES[0]))


def top_k(logits, k):
    limit = np.sort(logits)[-k]
    return softmax(np.where(logits >= limit, logits, -np.inf))


def divided(logits, k):
    shares = softmax(logits)
    shares[np.argsort(-logits)[k:]] = 0
    return shares / shares.sum()


def cut(logits, k):
    shares = softmax(logits)
    shares[np.argsort(-logits)[k:]] = 0
    return shares


def smallest(logits, k):
    return softmax(np.where(logits <= np.sort(logits)[k - 1], logits, -np.inf))


def zeroed(logits, k):
    return softmax(np.where(logits >= np.sort(logits)[-k], logits, 0))


def in_place(logits, k):
    logits[np.argsort(-logits)[k:]] = -np.inf
    return softmax(logits)


RIGHT = {
    "perplexity": [[1.5351, 4.6416], [1.535, 4.64], (np.log(100) / 3, 100 ** (1 / 3))],
    "which-cheats": [[0, 1, 2], (2, 0, 1)],
    "cached-positions": [[14950, 199], (14950.0, 199.0)],
    "which-head": [MOST, np.round(MOST, 3)],
    "write-top-k": [top_k, divided],
}

WRONG = [
    ("perplexity", [1.5351, 3.75], "the mean is taken of -ln p, not of p"),
    ("perplexity", [1.3218, 3.75], "the mean is taken of -ln p, not of p"),
    ("perplexity", [1.5351, 17 / 3], "the mean is taken of -ln p, not of 1/p"),
    ("perplexity", [4.60517, 100], "take the mean over the three"),
    ("perplexity", [2.21462, 4.6416], "the loss is in bits"),
    ("perplexity", [1.535057, 2.898005], "the loss is in nats, so"),
    ("perplexity", [4.6416, 1.5351], "the two are exchanged"),
    ("perplexity", [1, 1], "the loss is the mean of -ln p"),
    ("which-cheats", [1, 2], "what does position i read"),
    ("which-cheats", [0, 2], "where does the answer to position i stand"),
    ("which-cheats", [0, 1], "which of the later characters"),
    ("which-cheats", [0, 1, 2, 3], "counted from either end"),
    ("which-cheats", [0, 1, 2, 4], "that is the honest training"),
    ("cached-positions", [15050, 200], "the last character that is drawn"),
    ("cached-positions", [14950, 100], "the first draw needs all"),
    ("cached-positions", [14950, 200], "the last character that is drawn"),
    ("cached-positions", [14950, 99], "the first draw needs all"),
    ("cached-positions", [10000, 199], "the text grows"),
    ("cached-positions", [20100, 199], "the text has 100 characters when the first"),
    ("cached-positions", [19900, 199], "the text has 100 characters when the first"),
    ("cached-positions", [199, 14950], "the two are exchanged"),
    ("cached-positions", [1, 1], "the text has 100 characters when the first is drawn, and with"),
    ("which-head", LEAST, "this is the head that is missed least"),
    ("which-head", SECOND, "this one is missed, but another"),
    ("which-head", [0, 0, 0], "switch off each of the eight"),
    ("write-top-k", 3, "expected a function top_k(logits, k)"),
    ("write-top-k", cut, "the shares do not sum to 1"),
    ("write-top-k", lambda logits, k: softmax(logits), "nothing is hidden"),
    ("write-top-k", smallest, "these are the k smallest"),
    ("write-top-k", zeroed, "a logit of 0 is not hidden"),
    ("write-top-k", lambda z, k: (z >= np.sort(z)[-k]) / k, "the k are not equally likely"),
    (
        "write-top-k",
        lambda z, k: softmax(np.where(np.arange(len(z)) < k, z, -np.inf)),
        "these are the first k",
    ),
    ("write-top-k", in_place, "your function changes its argument"),
    ("write-top-k", lambda z, k: np.ones(len(z)), "the numbers are off"),
    ("write-top-k", lambda z, k: z[:k], "for 6 logits and k = 3"),
]
