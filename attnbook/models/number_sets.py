"""Queries that are learned, on sets of numbers. Taught on *learned queries*.

A set of 4 to 12 numbers from 0 to 1; wanted are its smallest, its mean and its largest. Each number
is its own value and, ten times as large, its own key. A learned query is one number: its slope. The
answers are a linear map of what the queries return.
"""

from typing import Annotated, NamedTuple

import numpy as np

from attnbook.models._stored import DATA, existing
from attnbook.models.layers import training
from attnbook.models.toy_tasks import BatchSize, Rng, Steps
from attnutils._checked import checked
from attnutils._checks import BoolArray, FloatArray, Int
from attnutils.gradients import LearningRate, attention_backward
from attnutils.mechanism import attention

__all__ = [
    "NumberSets",
    "SetReaderParams",
    "SetRuns",
    "load_set_runs",
    "number_sets",
    "read_sets",
    "train_set_reader",
]

MOST = 12  # numbers in a set
_STORED = DATA / "number_sets.npz"


class NumberSets(NamedTuple):
    """Sets, and what is to be said of each.

    `numbers` (B, 12): from 0 to 1, those of a set in front; what follows is not in it.

    `is_there` (B, 12): True where a number is in the set.

    `answers` (B, 3): smallest, mean, largest.
    """

    numbers: FloatArray
    is_there: BoolArray
    answers: FloatArray


class SetReaderParams(NamedTuple):
    """What is learned: a slope for each query, and a linear map from what they return."""

    query: Annotated[FloatArray, "n_queries 1"]
    w_answer: Annotated[FloatArray, "n_queries 3"]
    b_answer: Annotated[FloatArray, "3"]


class SetRuns(NamedTuple):
    """What training came to, with seeds that nobody chose: 0, 1, 2 and so on. A row for each.

    `errors` (5, 20, 3): with 1 to 5 queries, the root mean square error of smallest, mean and
    largest on 2,000 new sets, after 1,500 steps.

    `slopes` (5, 20, 5): what each query had become; NaN where there is none.

    `counted` (3, 20): of 2,000 new sets, the share whose red things are counted right, by
    attention, by attention with a key of zeros more, by a plain sum.

    `count_errors` (3, 20, 2): root mean square errors of these, and on sets twice as large.

    `distances` (3, 10): of three queries that each name the place of a red dot, the root mean
    square distance to the dots they are matched with; trained with matching, with the dots from
    left to right, and with the dots in random order.

    `apart` (3, 10): the mean distance of two of the three answers.

    `named` (3, 200, 3, 2): what seed 0 has named in 200 new sets.
    """

    errors: FloatArray
    slopes: FloatArray
    counted: FloatArray
    count_errors: FloatArray
    distances: FloatArray
    apart: FloatArray
    named: FloatArray


@checked
def number_sets(rng: Rng, batch_size: BatchSize) -> NumberSets:
    """Draw sets of 4 to 12 numbers, each from 0 to 1.

    Parameters
    ----------
    rng
        Where the numbers come from.
    batch_size
        Number of sets.

    Returns
    -------
    NumberSets
        Numbers, which of them are there, and the answers.

    Examples
    --------
    >>> numbers, is_there, answers = number_sets(np.random.default_rng(0), 1)
    >>> int(is_there.sum()), answers.round(2)
    (11, array([[0.  , 0.52, 0.94]]))
    """
    sizes = rng.integers(4, MOST + 1, size=(batch_size, 1))
    numbers = rng.random((batch_size, MOST))
    is_there = np.arange(MOST) < sizes
    smallest = np.where(is_there, numbers, np.inf).min(axis=1)
    largest = np.where(is_there, numbers, -np.inf).max(axis=1)
    mean = np.where(is_there, numbers, 0).sum(axis=1) / sizes[:, 0]
    return NumberSets(numbers, is_there, np.stack([smallest, mean, largest], axis=1))


def read_sets(
    numbers: FloatArray, is_there: BoolArray, params: SetReaderParams
) -> tuple[FloatArray, FloatArray]:
    """The answers of a reader, and the weights of its queries.

    Parameters
    ----------
    numbers : ndarray of shape (B, n)
        The numbers of each set.
    is_there : ndarray of bool of shape (B, n)
        Which of them are in it.
    params : SetReaderParams
        Queries and the linear map.

    Returns
    -------
    answers : ndarray of shape (B, 3)
        Smallest, mean and largest, as the reader says.
    weights : ndarray of shape (B, n_queries, n)
        What each query gives to each number.

    Examples
    --------
    A steep query finds the largest, and nothing is left to do.

    >>> largest = SetReaderParams(np.array([[9.0]]), np.array([[0.0, 0.0, 1.0]]), np.zeros(3))
    >>> answers, weights = read_sets(np.array([[0.2, 0.9, 0.5]]), np.ones((1, 3), bool), largest)
    >>> answers.round(3)
    array([[0. , 0. , 0.9]])
    """
    rows = numbers[..., None]
    found, weights = attention(params.query, 10 * rows, rows, mask=is_there[:, None])
    return found[..., 0] @ params.w_answer + params.b_answer, weights


@checked
def train_set_reader(
    rng: Rng,
    n_queries: Annotated[int, Int(1, "each query is one number")],
    n_steps: Steps = 1500,
    *,
    learning_rate: LearningRate = 0.05,
) -> SetReaderParams:
    """Teach queries and map to say the smallest, the mean and the largest, by Adam.

    Each step has 32 new sets. The rate rises over 30 steps, then falls as half a wave of a cosine.

    Parameters
    ----------
    rng
        Where the first parameters and the sets come from.
    n_queries
        Number of queries.
    n_steps
        Number of steps.
    learning_rate
        The largest one.

    Returns
    -------
    SetReaderParams
        What was learned.

    Examples
    --------
    >>> learned = train_set_reader(np.random.default_rng(0), n_queries=1, n_steps=300)
    >>> numbers, is_there, answers = number_sets(np.random.default_rng(1), 500)
    >>> error = np.sqrt(((read_sets(numbers, is_there, learned)[0] - answers) ** 2).mean())
    >>> bool(error < 0.12)
    True
    """
    start = SetReaderParams(
        rng.standard_normal((n_queries, 1)),
        rng.standard_normal((n_queries, 3)) / np.sqrt(n_queries),
        np.zeros(3),
    )

    def gradients(p: SetReaderParams) -> tuple[float, SetReaderParams]:
        return set_reader_gradients(*number_sets(rng, 32), p)

    params, steps = start, np.arange(n_steps)
    wave = (1 + np.cos(np.pi * steps / max(n_steps, 1))) / 2
    rates = learning_rate * np.minimum(1, (steps + 1) / 30) * (0.97 * wave + 0.03)
    for learned, _ in training(params, gradients, rates.tolist(), beta_2=0.98):
        params = learned
    return params


def set_reader_gradients(
    numbers: FloatArray, is_there: BoolArray, answers: FloatArray, params: SetReaderParams
) -> tuple[float, SetReaderParams]:
    """The mean square error of the answers, and its gradients."""
    said, weights = read_sets(numbers, is_there, params)
    rows, n_queries = numbers[..., None], len(params.query)
    found = weights @ rows  # (B, n_queries, 1)
    d_said = 2 * (said - answers) / said.size
    d_found = (d_said @ params.w_answer.T)[..., None]
    query = np.broadcast_to(params.query, (len(numbers), n_queries, 1))
    d_query = attention_backward(query, 10 * rows, rows, weights, d_found).query
    gradients = SetReaderParams(d_query.sum(0), found[..., 0].T @ d_said, d_said.sum(0))
    return float(((said - answers) ** 2).mean()), gradients


def load_set_runs() -> SetRuns:
    """Load what training on sets came to: smallest, mean and largest; counting; matching.

    Returns
    -------
    SetRuns
        The arrays are new with each call.

    Raises
    ------
    FileNotFoundError
        If attnutils was installed without its data.

    References
    ----------
    carion2020 : queries that are matched with what they are to find.

    Examples
    --------
    How many of 20 runs fill all three jobs, with one to five queries.

    >>> errors = load_set_runs().errors
    >>> (np.sqrt((errors**2).mean(axis=2)) < 0.015).sum(axis=1).tolist()
    [0, 0, 14, 18, 20]
    """
    with np.load(existing(_STORED), allow_pickle=False) as stored:
        return SetRuns(*(stored[name].astype(np.float64) for name in SetRuns._fields))
