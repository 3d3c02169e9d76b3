"""Learned queries as slopes over twelve numbers, which are dragged or learn."""

from __future__ import annotations

from functools import cache

import numpy as np

from attnbook.explorers._base import Explorer
from attnbook.explorers._traits import Address, Array, Setting
from attnutils._checks import BoolArray, FloatArray, Int
from attnutils.mechanism import attention

__all__ = ["LearnedQueriesExplorer"]

MOST, STEEPEST = 5, 12.0
NUMBERS = (0.04, 0.1, 0.15, 0.22, 0.27, 0.33, 0.41, 0.46, 0.58, 0.7, 0.82, 0.95)
RIDGE = 1e-6  # rows that return the same share what is asked of them
_PRIMES = np.array([2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37])


@cache
def _sample() -> tuple[FloatArray, BoolArray, FloatArray]:
    """450 sets of 4 to 12 numbers, spread evenly: numbers, what is there, what is to be said."""
    i = np.arange(450)[:, None]
    numbers = ((i + 1) * np.sqrt(_PRIMES)) % 1
    is_there = np.arange(len(_PRIMES)) < 4 + i % 9
    masked = np.ma.array(numbers, mask=~is_there)
    answers = np.stack([masked.min(1), masked.mean(1), masked.max(1)], axis=1)
    return numbers, is_there, np.asarray(answers)


class LearnedQueriesExplorer(Explorer):
    """Drag the slopes of learned queries until they hit the smallest, the mean and the largest.

    Each query scores a number x by its slope times 10 x, and returns the weighted mean. A linear
    map makes the three answers of what all return. A ring is hit if the map that is best for these
    slopes is off by less than 0.015 there, on 450 sets of 4 to 12 numbers.

    Parameters
    ----------
    numbers : array_like of shape (12,), optional
        The set that is shown, from 0 to 1.
    queries : int, default 1
        How many queries ask, 1 to 5.
    slopes : array_like of shape (5,), default 0
        From -12 to 12; those of the first queries count.
    seed : int, default 0
        Which slopes and sets *Learn* drew last, 0 to 9999.

    See Also
    --------
    attnbook.models.number_sets.train_set_reader : what *Learn* does.

    Examples
    --------
    >>> explorer = LearnedQueriesExplorer(queries=3, slopes=[-6, 0, 6, 0, 0])
    >>> explorer.returned.round(2)
    array([0.04, 0.42, 0.95])
    >>> explorer.queries = 1
    >>> explorer.errors.round(2)
    array([0.  , 0.09, 0.12])
    """

    address = Address("queries")
    numbers = Array(len(NUMBERS), default=NUMBERS, least=0, most=1, fixed=True)
    queries = Setting(Int(1, "each query is a row", MOST), 1, address="n")
    slopes = Array(MOST, default=(0,) * MOST, least=-STEEPEST, most=STEEPEST, address="s")
    seed = Setting(Int(0, "it says which sets are drawn", 9999), 0, address="seed")

    def _read(self, numbers: FloatArray, is_there: BoolArray) -> tuple[FloatArray, FloatArray]:
        rows, query = numbers[..., None], self.slopes[: self.queries, None]
        found, weights = attention(query, 10 * rows, rows, mask=is_there[..., None, :])
        return found[..., 0], weights

    @property
    def weights(self) -> FloatArray:
        """What each query gives to each number, of shape (queries, 12)."""
        return self._read(self.numbers, np.ones(len(self.numbers), bool))[1]

    @property
    def returned(self) -> FloatArray:
        """The weighted mean that each query returns, of shape (queries,)."""
        return self.weights @ self.numbers

    @property
    def errors(self) -> FloatArray:
        """How far the best linear map is off for each ring on the 450 sets: root mean squares."""
        numbers, is_there, answers = _sample()
        found, _ = self._read(numbers, is_there)
        x, y = found - found.mean(0), answers - answers.mean(0)
        w = np.linalg.solve(x.T @ x + RIDGE * len(x) * np.eye(self.queries), x.T @ y)
        errors: FloatArray = np.sqrt(((x @ w - y) ** 2).mean(0))
        return errors
