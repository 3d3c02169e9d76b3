"""Answers to the exercises of the page on temperature, right and wrong."""

import math

import numpy as np

RIGHT = {
    "reads-odds": [7.389, 7.39, math.e**2, np.array([math.e**2])],
    "half-temperature": [3.344, 3.3441],
    "book-peak": [(3.1828, 0.2752), (3.183, 0.275)],
    "sparsemax-thresholds": [(2, 10, 13, 33), np.array([2, 10, 13, 33], dtype=np.int8)],
    "output-slope": [0.0737, 0.074],
    "tied-slope": [2 / 9, 0.222, 0.2222],
}

WRONG = [
    ("reads-odds", 0.1353, "these are the odds Sleepy : Reads"),
    ("reads-odds", 7, "divide the weights"),
    ("reads-odds", math.e ** (2 / math.sqrt(3)), "leave the scores unscaled"),
    ("reads-odds", 20.09, "odds are one weight divided by another"),
    ("reads-odds", math.nan, "NaN is among your numbers"),
    ("reads-odds", math.inf, "odds are one weight divided by another"),
    ("half-temperature", 3.35, "the weight of Reads falls"),
    ("book-peak", (0.3142, 0.2752), "the first number is beta"),
    ("book-peak", (1.9846, 0.2472), "this is where the mean score is 6"),
    ("book-peak", (3, 0.2748), "Book turns where"),
    ("book-peak", (3.1828, 0.5), "Book turns where"),
    ("sparsemax-thresholds", [2, 6, 7, 11], "these are the gaps to Reads alone"),
    ("sparsemax-thresholds", [33, 13, 10, 2], "a word gets weight once"),
    ("output-slope", -0.0737, "this is the slope in T"),
    ("output-slope", 0.0, "move beta a little"),
    ("tied-slope", 0.25, "this is c for two words"),
    ("tied-slope", 1 / 3, "this is the weight"),
    ("tied-slope", 1 / 9, "this is the size of the entries beside"),
    ("tied-slope", -1 / 9, "these are the entries beside"),
    ("tied-slope", 2, "each of the weights in front"),
]  # fmt: skip
