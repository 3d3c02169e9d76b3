"""Answers to the exercises and the questions of the page on temperature."""

import math

import numpy as np

from attnutils import hardmax, softmax, sparsemax
from attnutils.worked_example import KEYS, VALUES

RIGHT = {
    "reads-odds": [math.e**2, 7.39],
    "half-temperature": [3.3441, 3.344],
    "book-peak": [(3.1828, 0.2752), (3.183, 0.275)],
    "two-wishes": [(3.9152, 0.4523), (2 / math.log(5 / 3), 0.4523)],
    "sparsemax-thresholds": [np.array([2, 10, 13, 33], dtype=np.int8)],
}

WRONG = [
    ("reads-odds", 20.09, "odds are one weight divided by another"),
    ("half-temperature", 3.35, "the weight of Reads falls"),
    ("book-peak", (3, 0.2748), "Book turns where"),
    ("two-wishes", (0.2554, 0.4523), "the first number is 1 / T"),
    ("two-wishes", (3.3441, 0.5), "there Reads has half"),
    ("two-wishes", (3.9152, 0.625), "that is the weight if"),
    ("two-wishes", (3.9152, 0.5), "the odds fit; now compute"),
    ("two-wishes", (2, 0.7), "the odds are e to 2 / T"),
    ("sparsemax-thresholds", [33, 13, 10, 2], "a word gets weight once"),
]  # fmt: skip


SCORES = KEYS @ KEYS[5]


def predict_turn(rng):
    temperatures = np.linspace(1, 10, 9001)
    weights = np.array([softmax(SCORES, temperature=t) for t in temperatures])
    turn = weights[:, 5].argmax()
    return {
        "Reads falls below one half": abs(weights[turn, 3] - 0.5) < 0.001,
        "The mean score passes 5": abs(weights[turn] @ SCORES - SCORES[5]) < 0.001,
        "The other four words overtake Book": bool(
            weights[turn, [0, 1, 2, 4]].max() >= weights[turn, 5]
        ),
    }


def predict_odds(rng):
    def odds(temperature):
        weights = softmax(SCORES, temperature=temperature)
        return weights[5] / weights[1]

    assert abs(odds(1) - 54.6) < 0.05
    return {
        "$e = 2.718$": abs(odds(4) - 2.718) < 0.0005,
        "A quarter of that, 13.65": abs(odds(4) - odds(1) / 4) < 0.01,
        "The same": abs(odds(4) - odds(1)) < 0.01,
        "$e^{16}$": abs(odds(4) - np.exp(16)) < 1,
    }


def predict_hard(rng):
    scores, values = KEYS @ KEYS[2], VALUES[:, 0]
    assert scores.tolist() == [0, 0, 6, -3, -2, -4]
    assert values.tolist() == [0, -0.2, 0.3, 0.4, 0, 0.1]
    assert abs(softmax(scores) @ values - 0.2979) < 0.00005
    return hardmax(scores) @ values


def predict_outside(rng):
    scores = rng.normal(size=6)

    def outside(temperature):
        powers = np.exp(scores) / temperature
        return powers / powers.sum()

    cool, hot = outside(1), outside(10)
    return {
        "It makes them more alike": hot.max() < 0.99 * cool.max(),
        "Nothing at all": np.allclose(cool, hot),
        "It makes all of them smaller": bool(np.all(hot < 0.99 * cool)),
    }


def predict_tie(rng):
    tied = np.where(np.arange(6) == 5, SCORES[3], SCORES)
    on_the_way = np.array([softmax(tied, temperature=t) for t in (0.1, 0.01, 0.001, 1e-6)])
    limit = on_the_way[-1]
    return {
        "All to the first of the two": np.allclose(limit, np.eye(6)[3]),
        "Half to each": np.allclose(limit, (np.eye(6)[3] + np.eye(6)[5]) / 2),
        "It is undefined": not np.allclose(on_the_way, limit),
    }


def predict_sparsemax(rng):
    temperatures = np.arange(1, 1001) / 100
    counts = [np.count_nonzero(sparsemax(SCORES, temperature=t)) for t in temperatures]
    alone = temperatures[np.array(counts) == 1]

    def until(t):
        """Whether one word alone has weight up to T = t, and no longer."""
        return alone.size > 0 and np.array_equal(alone, temperatures[temperatures <= t])

    return {
        "At once": alone.size == 0,
        "Just above $T = 2$": until(2),
        "Just above $T = 5$": until(5),
        "Never": alone.size == temperatures.size,
    }


def predict_width(rng):
    q, k = rng.normal(size=(2000, 256)), rng.normal(size=(2000, 10, 256))
    mean = softmax(np.einsum("rc,rjc->rj", q, k)).max(axis=-1).mean()
    return {
        "About .1": mean < 0.2,
        "About .3": 0.2 <= mean < 0.45,
        "About .6": 0.45 <= mean < 0.75,
        "More than .9": mean > 0.9,
    }


def predict_jacobian(rng):
    def largest(scores, temperature):
        a = softmax(scores, temperature=temperature)
        return np.abs(np.diag(a) - np.outer(a, a)).max() / temperature

    tied = np.where(np.arange(6) == 5, SCORES[3], SCORES)
    cold = 10.0 ** -np.arange(1, 6)
    ours, tie = ([largest(scores, t) for t in cold] for scores in (SCORES, tied))

    vanishes, tie_vanishes = (max(sizes) < 1e-6 for sizes in (ours, tie))
    grows, tie_grows = (bool(np.all(np.diff(sizes) > 1)) for sizes in (ours, tie))
    return {
        "It goes to 0 for both": vanishes and tie_vanishes,
        "It goes to 0; at the tie it stays at .25": vanishes and np.allclose(tie, 0.25),
        "It goes to 0; at the tie it grows": vanishes and tie_grows,
        "It grows for both": grows and tie_grows,
    }
