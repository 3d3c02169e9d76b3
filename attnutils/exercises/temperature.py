"""Exercises of the page on temperature."""

import math

import numpy as np

from attnutils._shapes import FloatArray
from attnutils.exercises._registry import BOOK, READS, book_scores, value
from attnutils.normalize import entropy, hardmax, softmax
from attnutils.worked_example import KEYS, VALUES


def _odds(temperature: float) -> float:
    """Weight of Reads over weight of Book."""
    weights = softmax(book_scores(), temperature=temperature)
    return float(weights[READS] / weights[BOOK])


@value(
    "reads-odds",
    asks="Odds, Reads : Book",
    atol=6e-3,
    hint="odds are one weight divided by another: e to the gap between the two scores",
    note="only the gap between two scores matters.",
    wrong=(
        (lambda: 1 / _odds(1), "these are the odds Book : Reads, the other way round"),
        (lambda: np.divide(*book_scores()[[3, 5]]), "divide the weights, not the scores"),
        (lambda: _odds(np.sqrt(KEYS.shape[1])), "leave the scores unscaled here"),
    ),
)
def _reads_odds() -> float:
    return _odds(1)


@value(
    "half-temperature",
    asks="Temperature T",
    hint="the weight of Reads falls as T rises: halve an interval around .5 again and again",
)
def _half_temperature() -> float:
    low, high = 1.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        reads = softmax(book_scores(), temperature=middle)[READS]
        low, high = (middle, high) if reads > 0.5 else (low, middle)
    return low


def _entropies(base: float) -> list[float]:
    temperatures = (0.25, 1, math.sqrt(3), 10)
    return [float(entropy(softmax(book_scores(), temperature=t), base=base)) for t in temperatures]


@value(
    "entropies",
    asks="Entropy",
    each=("T = 0.25", "T = 1", "T = √3", "T = 10"),
    unit="bits",
    hint="for each T take the weights, then minus the sum of weight times its base-2 logarithm",
    note="they rise with T towards the logarithm of 6.",
    wrong=((lambda: _entropies(math.e), "these are nats; bits take the logarithm to base 2"),),
)
def _entropies_in_bits() -> list[float]:
    return _entropies(2)


@value(
    "sparsemax-thresholds",
    asks="Temperature T above which a word comes in",
    each=("Book", "Sleepy", "The and A", "Child"),
    hint="a word gets weight once its score / T lies above the threshold of the words before it",
    note="each is the sum of the gaps to all higher scores.",
    wrong=(
        (
            lambda: np.unique(book_scores().max() - book_scores())[1:],
            "these are the gaps to Reads alone; the words in between hold weight, too",
        ),
    ),
)
def _sparsemax_thresholds() -> FloatArray:
    # k words share the weight; word j joins when (sum of their scores / T - 1) / k < s_j / T,
    # that is, when T is above the sum of their gaps to s_j.
    scores = book_scores()
    gaps = np.maximum(scores[:, None] - scores, 0).sum(axis=0)
    return np.asarray(np.unique(gaps)[1:])


def _covariance() -> float:
    """Covariance of scores and values when each word counts by its weight."""
    scores, weights, values = book_scores(), softmax(book_scores()), VALUES[:, 0]
    return float(weights @ (scores * values) - (weights @ scores) * (weights @ values))


@value(
    "output-slope",
    asks="Slope do / dβ at β = 1",
    hint="move beta a little to both sides of 1 and divide the change of the output by the step",
    note="it is the covariance of scores and values under the weights.",
    wrong=((lambda: -_covariance(), "this is the slope in T; as beta rises, T falls"),),
)
def _output_slope() -> float:
    return _covariance()


def _tied_scores() -> FloatArray:
    scores = book_scores()
    scores[BOOK] = scores[READS]
    return scores


@value(
    "tie-limits",
    asks="Limit as T → 0",
    each=("weight of Reads", "output"),
    hint="equal scores have equal weights at every T, so in the limit, too",
    wrong=(
        (
            lambda: [1, VALUES[READS, 0]],
            "argmax picks the first of two equals; softmax does not prefer either",
        ),
    ),
)
def _tie_limits() -> list[float]:
    weights = hardmax(_tied_scores())
    return [float(weights[READS]), float(weights @ VALUES[:, 0])]
