"""Answers to the exercises and the questions of the page on learned queries."""

import itertools

import numpy as np

from attnbook.models.digits import load_digit_runs
from attnbook.models.number_sets import load_set_runs, number_sets
from attnutils import attention
from tools.experiments.number_sets import dots

EYE, NAN = np.eye(3), np.full(3, np.nan)

RIGHT = {
    "steep-query": [0.488080, [0.4881]],
    "same-logits": [[1, 2, 4], (4, 2, 1)],
    "match-them": [[1, 2, 0], (1, 2, 0)],
    "write-queries": [
        [[-20, 0, 20], EYE],
        ([-9.0, 0.0, 9.0], EYE),
        [[30, -30, 0], EYE[[2, 0, 1]]],
        [[-20, 20, 0, 0], [[1, 0, 0], [0, 0, 1], [0, 0.5, 0], [0, 0.5, 0]]],
    ],
}

WRONG = [
    ("steep-query", 0.454983, "each key is ten times its number"),
    ("steep-query", 0.411920, "a rising line"),
    ("steep-query", 4.880797, "the keys are ten times the numbers"),
    ("steep-query", 0.880797, "that is the weight of 0.5"),
    ("steep-query", 0.45, "scores are slope times 10 x"),
    ("same-logits", [0, 1, 2, 4], "a patch at another place"),
    ("same-logits", [2, 4], "each patch meets the position that it had"),
    ("same-logits", [1, 4], "the block gives the same rows"),
    ("same-logits", [1, 2, 3, 4], "a causal mask lets a patch read those before it"),
    ("same-logits", [1, 2], "every exponential comes twice"),
    ("match-them", [0, 1, 0], "two queries share a thing"),
    ("match-them", [0, 0, 1], "that is the nearest query of each thing"),
    ("match-them", [0, 1, 2], "whoever comes first takes what is nearest"),
    ("match-them", [2, 0, 1], "for each query its thing"),
    ("match-them", [2, 1, 0], "there are six ways"),
    ("write-queries", 3, "expected two arrays: slopes (n,) and W (n, 3)"),
    ("write-queries", [3, EYE], "slopes: expected an array of shape (3,)"),
    ("write-queries", [[-9, 0, 9], EYE[:2]], "W: expected an array of shape (3, 3)"),
    ("write-queries", [NAN, EYE], "all numbers must be finite"),
    ("write-queries", [[-9, 0, 9], np.ones((3, 3))], "all three answers are the same"),
    ("write-queries", [[20, 0, -20], EYE], "smallest and largest have changed places"),
    ("write-queries", [[-1, 0, 1], EYE], "smallest and largest are drawn towards the middle"),
    ("write-queries", [[-20, 20], [[1, 0.5, 0], [0, 0.5, 1]]], "the mean is off by 0.0"),
]


SETS, DIGITS = load_set_runs(), load_digit_runs()


def nearest(texts, value):
    """Which of these numbers a value is nearest to."""
    off = np.abs([float(text) - value for text in texts])
    return dict(zip(texts, np.arange(len(off)) == off.argmin(), strict=True))


def predict_least(rng):
    """The best linear map for slopes on a grid, with one to four of them."""
    numbers, is_there, answers = number_sets(rng, 1000)
    rows, slopes = numbers[..., None], np.array([-30, -12, -5, -2, -0.5, 0, 0.3, 1, 3, 9, 20, 30])
    found = attention(slopes[:, None], 10 * rows, rows, mask=is_there[:, None]).output[..., 0]

    def all_errors(n):
        return np.array([errors(each) for each in itertools.combinations(range(len(slopes)), n)])

    def errors(chosen):
        x = np.column_stack([found[:, list(chosen)], np.ones(len(found))])
        said = x @ np.linalg.lstsq(x, answers, rcond=None)[0]
        return np.sqrt(((said - answers) ** 2).mean(axis=0))

    two = all_errors(2)
    two_done = two[(two < 0.01).sum(axis=1) == 2]
    assert two_done.max(axis=1).min() > 0.06
    can = [(all_errors(n) < 0.01).all(axis=1).any() for n in (1, 2, 3)]
    names = ("One", "Two", "Three", "Four")
    return {name: i == can.index(True) for i, name in enumerate(names)}


def predict_seeds(rng):
    right = (np.sqrt((SETS.errors[2] ** 2).mean(axis=1)) < 0.015).sum()
    return {text: int(text) == right for text in ("20", "14", "7", "1")}


def predict_order(rng):
    """What seed 0 names in random order, against the red dots of the same pictures."""
    named, wanted = SETS.named[2], dots(np.random.default_rng(1000), 2000)[1][:200]
    alike = SETS.apart[2].max() < 0.05
    to_mean = np.linalg.norm(named - wanted.mean(axis=1, keepdims=True), axis=-1).mean()
    to_a_dot = np.linalg.norm(named[:, :, None] - wanted[:, None], axis=-1).min(axis=-1).mean()
    return {
        "Each names another dot": not alike and to_a_dot < 0.1,
        "All name one place, amid the dots": alike and to_mean < to_a_dot / 2,
        "All name the same dot": alike and to_a_dot < to_mean,
    }


def predict_scrambled(rng):
    assert abs(DIGITS.right["patches scrambled anew"].mean() - 0.6) < 0.02
    return nearest((".10", ".60", ".83", ".96"), DIGITS.right["scrambled alike"].mean())


def predict_hide(rng):
    by_weight, by_ink, by_chance, _ = DIGITS.hidden.mean(axis=1)
    assert [round(x, 2) for x in (by_ink[1], by_chance[1], by_weight[4])] == [0.95, 0.9, 0.27]
    return nearest((".95", ".90", ".68", ".27"), by_weight[1])


def predict_rivals(rng):
    names = {
        "positions": f"The layer of attention, with {DIGITS.sizes['positions']:,} parameters",
        "convolution": f"The convolution, with {DIGITS.sizes['convolution']:,} parameters",
        "linear": f"The linear map, with {DIGITS.sizes['linear']:,} parameters",
    }
    best = max((*names, "network"), key=lambda name: DIGITS.right[name].mean())
    return {text: name == best for name, text in names.items()}
