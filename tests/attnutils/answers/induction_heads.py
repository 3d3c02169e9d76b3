"""Answers to the exercises of the page on induction heads, right and wrong."""

import numpy as np

LETTER, NOTE = np.eye(40, 20), np.eye(40, 20, k=-20)
ALL = "abcdefghijklmnopqrst"
NAN = np.full((40, 20), np.nan)

RIGHT = {
    "one-layer": [[0, 1, 4], (4, 1, 0)],
    "write-layer": [
        [40 * LETTER, NOTE, LETTER],
        (60 * LETTER, 2 * NOTE, LETTER),
        [LETTER, 40 * NOTE, 3 * LETTER],
    ],
    "fool-it": [ALL + "r", ALL + "q"],
    "fixed-period": [[1, 0, 11], [1.0, 0.002, 11]],
}

WRONG = [
    ("one-layer", [1, 4], "the place before is a matter of places alone"),
    ("one-layer", [0, 4], "query and key both hold a letter"),
    ("one-layer", [0, 1, 2, 4], "the key of the place that is wanted"),
    ("one-layer", [0, 1, 3, 4], "whose value would have to hold"),
    ("one-layer", [0, 1], "place 0 has a code of its own"),
    ("write-layer", 3, "expected three matrices, W_q, W_k and W_v"),
    ("write-layer", [LETTER, NOTE, 3], "expected an array of shape (40, 20)"),
    ("write-layer", [LETTER, NOTE[:, :5], LETTER], "queries and keys are compared"),
    ("write-layer", [LETTER, NOTE, LETTER[:, :5]], "W_v has 20 columns"),
    ("write-layer", [NAN, NOTE, LETTER], "all numbers must be finite"),
    ("write-layer", [9 * LETTER, NOTE, LETTER], "the right letter leads, but too little"),
    ("write-layer", [40 * NOTE, LETTER, LETTER], "it names the letter before"),
    ("write-layer", [40 * LETTER, NOTE, NOTE], "it names the letter that asks"),
    ("write-layer", [40 * LETTER, LETTER, LETTER], "it names the letter that asks"),
    ("write-layer", [0 * LETTER, NOTE, LETTER], "1% are right: what asks, what answers"),
    ("fool-it", 3, "expected a text in quotes"),
    ("fool-it", "xyz", "the text has 3 to 32 letters, from a to t"),
    ("fool-it", "ab", "the text has 3 to 32 letters"),
    ("fool-it", "abc", "the last letter, c, is to come exactly once before; it does 0 times"),
    ("fool-it", "acbcbc", "the last letter, c, is to come exactly once before; it does 2 times"),
    ("fool-it", "abb", "the two b stand side by side"),
    ("fool-it", "gbalceg", "it guesses b, and b came after the first g, at place 1"),
    ("fixed-period", [1, 1, 11], "at period 11 it has never been"),
    ("fixed-period", [1, 1, 12], "at period 11 it has never been"),
    ("fixed-period", [1, 0, 12], "at place i it must name"),
    ("fixed-period", [0, 1, 11], "the two shares are exchanged"),
    ("fixed-period", [1, 0, 1], "that is the head of layer 0"),
    ("fixed-period", [1, 0, -11], "count the places back as a positive"),
    ("fixed-period", [0.5, 0.5, 5], "train one layer with periods=(12, 12)"),
]
