"""A model that learns to reverse sequences, the same each time. Used on the page *training*.

The page trains it too, with the same arithmetic: the random numbers are those that a script can
draw, and the start, the minibatches and what is done to the model follow from a few integers.
"""

import json
import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attnbook.models._stored import DATA, existing
from attnbook.models.random_scores import mixed
from attnbook.models.toy_tasks import ClassifierParams, classifier_gradients
from attnutils._checks import FloatArray, IntArray
from attnutils.gradients import adam_init, adam_step
from attnutils.positional import sinusoidal_encoding

__all__ = ["load_reversal_runs"]

WIDTH, N_LETTERS, LENGTH, N_ROWS = 32, 12, 10, 32
RATES = (0.0001, 0.001, 0.01, 0.05, 0.2)
LAST_FORK, LAST_STEP, LAST_START = 100, 400, 9999

#: What can be done to a model between two steps. Adam forgets what it remembers then.
REMEDIES = (
    "nothing",
    "W_q and W_k divided by 30",
    "W_q alone divided by 30",
    "W_q and W_k divided by 3",
    "W_q and W_k drawn anew",
    "all but W_q and W_k drawn anew",
)

LETTERS = "abcdefghijkl"
EXAMPLE = (2, 0, 9, 10, 11, 7, 5, 6, 3, 4)

Plan = Sequence[Sequence[Any]]  # of (step, learning rate, remedy)

# Random numbers are taken at these places of the sequence that belongs to a start.
_DRAWN, _REDRAWN, _BATCHES = 1, 10_001, 1_000_001


class Stage(NamedTuple):
    """The model before a step: what it has learned, and its loss on the step's minibatch."""

    params: ClassifierParams
    loss: float


def _bits(start: int, first: int, n: int) -> NDArray[np.uint32]:
    """Random numbers of 32 bits: SplitMix, as in the width explorer."""
    steps = np.arange(first, first + n, dtype=np.uint32) * np.uint32(0x9E3779B9)
    return mixed(mixed(np.array([start], dtype=np.uint32)) + steps)


def starting_params(start: int, *, redrawn: bool = False) -> ClassifierParams:
    """Random parameters of mean 0, with the standard deviations of `init_classifier`.

    A number is the sum of four random bytes, less its mean, over its standard deviation.
    """
    shapes = (N_LETTERS, WIDTH), *[(WIDTH, WIDTH)] * 3, (WIDTH, N_LETTERS)
    sizes = [math.prod(shape) for shape in shapes]
    bits = _bits(start, _REDRAWN if redrawn else _DRAWN, sum(sizes))
    sums = bits.view(np.uint8).reshape(-1, 4).sum(axis=1, dtype=np.int64)
    numbers = np.split((sums - 510) / math.sqrt(21845), np.cumsum(sizes)[:-1])
    embedding, *matrices = (x.reshape(shape) for x, shape in zip(numbers, shapes, strict=True))
    query, key, value, output = (matrix / math.sqrt(WIDTH) for matrix in matrices)
    return ClassifierParams(embedding / 2, query, key, value, output, np.zeros(N_LETTERS))


def largest_score(params: ClassifierParams, tokens: IntArray) -> float:
    """The largest score in size that the model gives on a minibatch."""
    x = params.embedding[tokens] + sinusoidal_encoding(tokens.shape[-1], WIDTH)
    query, key = x @ params.w_query, x @ params.w_key
    return float(np.abs(query @ key.swapaxes(-2, -1)).max() / math.sqrt(WIDTH))


def minibatch(start: int, step: int) -> tuple[IntArray, IntArray]:
    """The sequences of a step and their reversals, both (32, 10); no row has a letter twice."""
    bits = _bits(start, _BATCHES + step * N_ROWS * LENGTH, N_ROWS * LENGTH)
    letters = np.tile(np.arange(N_LETTERS), (N_ROWS, 1))
    rows = np.arange(N_ROWS)
    for i, drawn in enumerate(bits.reshape(N_ROWS, LENGTH).T):  # the first steps of a shuffle
        j = i + (drawn % np.uint32(N_LETTERS - i)).astype(np.intp)
        letters[rows, i], letters[rows, j] = letters[rows, j], letters[rows, i]
    tokens = letters[:, :LENGTH]
    return tokens, tokens[:, ::-1]


def remedied(params: ClassifierParams, remedy: int, start: int) -> ClassifierParams:
    """The parameters after something was done to them."""
    w_query, w_key = params.w_query, params.w_key
    fresh = starting_params(start, redrawn=True)
    changed = (
        params,
        params._replace(w_query=w_query / 30, w_key=w_key / 30),
        params._replace(w_query=w_query / 30),
        params._replace(w_query=w_query / 3, w_key=w_key / 3),
        params._replace(w_query=fresh.w_query, w_key=fresh.w_key),
        fresh._replace(w_query=w_query, w_key=w_key),
    )
    return changed[remedy]


def encoding_of(length: int, positions: bool) -> FloatArray | None:
    """What is added to the embeddings, if positions are known."""
    return sinusoidal_encoding(length, WIDTH) if positions else None


def stages(start: int, plan: Plan, *, positions: bool = True) -> Iterator[Stage]:
    """Train from a start, step after step, by a plan of (step, learning rate, remedy)."""
    params = starting_params(start)
    state = adam_init(params)
    encoding = encoding_of(LENGTH, positions)
    changes = {step: (rate, remedy) for step, rate, remedy in plan}
    rate = 0.0
    for step in range(LAST_STEP + 1):
        rate, remedy = changes.get(step, (rate, 0))
        if remedy:
            params = remedied(params, remedy, start)
            state = adam_init(params)
        tokens, targets = minibatch(start, step)
        loss, gradients = classifier_gradients(tokens, targets, params, encoding=encoding)
        yield Stage(params, loss)
        params, state = adam_step(params, gradients, state, learning_rate=rate)


@lru_cache(maxsize=16)
def _begun(
    start: int, plan: tuple[tuple[int, float, int], ...], positions: bool
) -> tuple[list[Stage], Iterator[Stage]]:
    """The stages of a run so far, and where more come from."""
    return [], stages(start, plan, positions=positions)


def run_of(start: int, plan: Plan, positions: bool, last: int) -> list[Stage]:
    """The stages of a run from 0 to `last`. What was computed once is kept."""
    found, more = _begun(start, tuple((s, r, m) for s, r, m in plan), positions)
    while len(found) <= last:
        found.append(next(more))
    return found[: last + 1]


def load_reversal_runs() -> list[dict[str, Any]]:
    """Load what trainings on reversal came to, from twenty starts.

    Each is one that `TrainingExplorer` shows. ``make experiments`` trains them again, and
    ``attnbook/models/data/README.md`` says what is stored.

    Returns
    -------
    list of dict
        For each start, among others: `right_by_place`, the share of right letters at each place
        of sequences of 7 to 12 letters; `what_half_way` and `where_half_way`, the steps before
        which half of the letters could be read, and half of the rows look most at the right place;
        `right_clipped`, the share of right letters of a run at rate .2 with scores clipped at 10;
        `largest_scores`, the largest one before every fifth step at that rate, with the clip and
        without;
        `right_after`, the share of right letters of a stuck run 300 steps after each of the
        remedies.

    Examples
    --------
    >>> runs = load_reversal_runs()
    >>> len(runs), runs[0]["right_by_place"]["9"][:3]
    (20, [1.0, 0.0, 0.0])
    """
    text = existing(DATA / "reversal_runs.json").read_text(encoding="utf-8")
    runs: list[dict[str, Any]] = json.loads(text)
    return runs
