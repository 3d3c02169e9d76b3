"""Exercises of the page on temperature."""

import numpy as np

from attnbook.exercises._registry import BOOK, READS, SLEEPY, book_scores, value
from attnutils._checks import FloatArray
from attnutils.normalize import softmax
from attnutils.worked_example import KEYS


def _odds(temperature: float) -> float:
    """Weight of Reads over weight of Sleepy."""
    weights = softmax(book_scores(), temperature=temperature)
    return float(weights[READS] / weights[SLEEPY])


@value(
    "reads-odds",
    asks="Odds, Reads : Sleepy",
    atol=6e-3,
    hint="odds are one weight divided by another: e to the gap between the two scores",
    note="only the gap between two scores matters.",
    varies={"temperature": (3, 2, 2.5, 4, 5, 6, 8)},
    says=("at $T = {temperature}$?",),
    way="All weights shrink alike, so latecomers do not matter. The scores differ by $7 - 1 = "
    "6$: $e$ to the power of $6/{temperature}$.",
    wrong=(
        (
            lambda temperature: 1 / _odds(temperature),
            "these are the odds Sleepy : Reads, the other way round",
        ),
        (
            lambda temperature: np.divide(*book_scores()[[READS, SLEEPY]]),
            "divide the weights, not the scores",
            "before and after softmax",
        ),
        (
            lambda temperature: _odds(temperature * np.sqrt(KEYS.shape[1])),
            "leave the scores unscaled here",
        ),
    ),
)
def _reads_odds(temperature: float) -> float:
    return _odds(temperature)


_SHARES = {
    "one half": 1 / 2,
    "one third": 1 / 3,
    "two thirds": 2 / 3,
    "three quarters": 3 / 4,
    "two fifths": 2 / 5,
    "three fifths": 3 / 5,
    "four fifths": 4 / 5,
}


@value(
    "half-temperature",
    asks="Temperature T",
    hint="the weight of Reads falls as T rises: halve an interval again and again",
    varies={"share": tuple(_SHARES)},
    says=("get exactly {share} of the weight",),
    way="The weight of *Reads* falls as $T$ rises. Halve an interval, from 1 to 10, again and "
    "again, until it is {share}.",
)
def _half_temperature(share: str) -> float:
    low, high = 1.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        reads = softmax(book_scores(), temperature=middle)[READS]
        low, high = (middle, high) if reads > _SHARES[share] else (low, middle)
    return low


def _mean_score(temperature: float) -> float:
    return float(softmax(book_scores(), temperature=temperature) @ book_scores())


def _where(score: float) -> list[float]:
    """The temperature at which the mean score is this, and the weight of Book there."""
    low, high = 0.1, 1000.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _mean_score(middle) > score else (low, middle)
    return [low, float(softmax(book_scores(), temperature=low)[BOOK])]


@value(
    "book-peak",
    asks="At its largest",
    each=("temperature T", "weight of Book"),
    hint="Book turns where its own score is the mean score; the mean score falls as T rises",
    note="there the mean score is 5.",
    wrong=(
        (
            lambda: [1 / _where(5)[0], _where(5)[1]],
            "the first number is beta; the temperature is one over it",
        ),
        (
            lambda: _where(float(book_scores()[[READS, BOOK]].mean())),
            "this is where the mean score is 6; Book scores 5",
        ),
    ),
)
def _book_peak() -> list[float]:
    return _where(float(book_scores()[BOOK]))


def _ratio(odds: float) -> list[float]:
    """The temperature at which the weights of Reads and Book have these odds; that of Reads."""
    scores = book_scores()
    temperature = float((scores[READS] - scores[BOOK]) / np.log(odds))
    return [temperature, float(softmax(scores, temperature=temperature)[READS])]


@value(
    "two-wishes",
    asks="Where Reads : Book is 5 : 3",
    each=("temperature T", "weight of Reads"),
    hint="the odds are e to 2 / T, and they must be 5 / 3; then compute all six weights at that T",
    note="no T does it: 5 : 3 needs one T, and there Reads has too little. One number cannot meet "
    "two wishes.",
    wrong=(
        (lambda: [1 / _ratio(5 / 3)[0], _ratio(5 / 3)[1]], "the first number is 1 / T"),
        (
            lambda: [_half_temperature("one half"), 0.5],
            "there Reads has half, but Book has .275: the odds are not 5 : 3",
        ),
        (lambda: [_ratio(5 / 3)[0], 5 / 8], "that is the weight if there were only two words"),
        (
            lambda: [_ratio(5 / 3)[0], 0.5],
            "the odds fit; now compute the weight, with all six words",
        ),
    ),
)
def _two_wishes() -> list[float]:
    return _ratio(5 / 3)


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
