"""Answers to the exercises of the page on temperature, right and wrong."""

import math

import numpy as np

RIGHT = {
    "reads-odds": [7.389, 7.39, math.e**2, np.array([math.e**2])],
    "half-temperature": [3.344, 3.3441],
    "entropies": [[0.0044, 0.5665, 1.1204, 2.4922]],
    "sparsemax-thresholds": [(2, 10, 13, 33), np.array([2, 10, 13, 33], dtype=np.int8)],
    "output-slope": [0.0737, 0.074],
    "tie-limits": [(0.5, 0.25)],
}

WRONG = [
    ("reads-odds", 0.1353, "these are the odds Book : Reads"),
    ("reads-odds", 1.4, "divide the weights"),
    ("reads-odds", math.e ** (2 / math.sqrt(3)), "leave the scores unscaled"),
    ("reads-odds", 7, "odds are one weight divided by another"),
    ("reads-odds", math.nan, "NaN is among your numbers"),
    ("reads-odds", math.inf, "odds are one weight divided by another"),
    ("half-temperature", 3.35, "the weight of Reads falls"),
    ("entropies", np.array([0.004354, 0.56647, 1.12045, 2.49217]) * math.log(2), "these are nats"),
    ("entropies", [0, 0.5665, 1.1204, 2.4922], "for each T"),
    ("sparsemax-thresholds", [2, 6, 7, 11], "these are the gaps to Reads alone"),
    ("sparsemax-thresholds", [33, 13, 10, 2], "a word gets weight once"),
    ("output-slope", -0.0737, "this is the slope in T"),
    ("output-slope", 0.0, "move beta a little"),
    ("tie-limits", (1, 0.4), "argmax picks"),
    ("tie-limits", (0.5, 0.4), "equal scores have equal weights"),
]  # fmt: skip
