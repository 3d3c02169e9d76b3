"""Models trained on short texts and tested on longer ones. Taught on *positional encoding*.

One layer of causal attention with four heads between an embedding and a linear readout, in four
schemes of position, on two tasks. ``make experiments`` trains all of them again and compares.
"""

from typing import Annotated, NamedTuple

import numpy as np

from attnbook.models._stored import DATA, existing
from attnbook.models.toy_tasks import BatchSize, Rng
from attnutils._checked import checked
from attnutils._checks import FloatArray, Int, IntArray

__all__ = [
    "LongerTexts",
    "PositionModel",
    "latest_mark_batch",
    "load_longer_texts",
    "three_back_batch",
]

_STORED = DATA / "longer_texts.npz"

TASKS = "three back", "latest mark"
SCHEMES = "none", "sinusoidal", "rotary", "ALiBi"
N_SYMBOLS, N_MARKS, WIDTH, N_HEADS = 12, 4, 32, 4
SHORT, LONG = 16, 64  # tokens of a text in training, and in the test
REMEDIES = "as trained", "raised base", "raised further", "squeezed"
STRETCHED = 32, 64, 128, 256  # tokens of the texts in which these were tested

Length = Annotated[int, Int(4, "it counts the tokens of a text")]


class PositionModel(NamedTuple):
    """What one model has learned.

    With the embeddings X of a text, a row for each token, and multi-head attention over them, the
    scores of the 12 symbols are (X + attention(X)) times `w_class`. `embedding` (12, 32) has a row
    for each symbol; `w_query`, `w_key`, `w_value` and `w_output` (32, 32) are the projections;
    `w_class` (32, 12) reads the answer.
    """

    embedding: FloatArray
    w_query: FloatArray
    w_key: FloatArray
    w_value: FloatArray
    w_output: FloatArray
    w_class: FloatArray


class LongerTexts(NamedTuple):
    """What came of training on texts of 16 tokens, and testing on 64.

    `models`: those of seed 0, by task ("three back", "latest mark") and scheme ("none",
    "sinusoidal", "rotary", "ALiBi").

    `accuracy`: by the same, an array (20, 64): for each seed, the share of right answers at each
    position of texts that were not used in training; NaN where nothing is asked.

    `stretched`: of the rotary models, by task and remedy ("as trained", "raised base", "raised
    further", "squeezed"), an array (20, 4): for each seed, the share of right answers in the last
    16 places of texts of 32, 64, 128 and 256 tokens, without further training.
    """

    models: dict[tuple[str, str], PositionModel]
    accuracy: dict[tuple[str, str], FloatArray]
    stretched: dict[tuple[str, str], FloatArray]


def load_longer_texts() -> LongerTexts:
    """Load small models that met texts of 16 tokens, and how they did on texts of 64.

    Returns
    -------
    LongerTexts
        The arrays are new with each call. They are float64; those of the models were stored as
        float16, and tested as they were stored.

    References
    ----------
    vaswani2017 : sines and cosines.
    su2024 : rotary embeddings.
    press2022 : ALiBi, and tests on longer texts.
    chen2023 : squeezed positions.
    peng2024 : the rule for the base.

    Examples
    --------
    Rotary positions, asked what stood three tokens before: the first 16 positions, the last 24.

    >>> accuracy = load_longer_texts().accuracy["three back", "rotary"]
    >>> accuracy.shape
    (20, 64)
    >>> bool(np.nanmean(accuracy[:, :16]) > 0.99), bool(accuracy[:, 40:].mean() < 0.25)
    (True, True)
    """
    with np.load(existing(_STORED), allow_pickle=False) as stored:
        models, right, asked = (stored[name] for name in ("models", "right", "asked"))
        stretched = stored["stretched"] / stored["stretched_asked"][:, None]
    names = [(task, scheme) for task in TASKS for scheme in SCHEMES]
    counts = np.where(asked > 0, asked, np.nan)[:, None]  # (tasks, 1, seeds, positions)
    shares = (right / counts).reshape(len(names), *right.shape[2:])
    return LongerTexts(
        {name: unpacked(m) for name, m in zip(names, np.concatenate(models), strict=True)},
        dict(zip(names, shares, strict=True)),
        {(t, r): stretched[i, j] for i, t in enumerate(TASKS) for j, r in enumerate(REMEDIES)},
    )


def remedied(remedy: str, length: int) -> tuple[FloatArray, float]:
    """Positions and base with which rotary embeddings meet a text that is longer than usual."""
    times = length / SHORT
    for_times = {"raised base": times, "raised further": 2 * times}.get(remedy, 1.0)
    d = WIDTH // N_HEADS
    positions = np.arange(length) / (times if remedy == "squeezed" else 1)
    # Now the slowest pair turns as if positions were divided by `for_times`, the first as before.
    return positions, 10_000.0 * for_times ** (d / (d - 2))


def packed(model: PositionModel) -> FloatArray:
    """All numbers of a model below each other, 32 in a row."""
    return np.vstack([*model[:-1], model.w_class.T])


def unpacked(numbers: FloatArray) -> PositionModel:
    """The inverse of `packed`, in float64."""
    ends = np.cumsum([N_SYMBOLS, WIDTH, WIDTH, WIDTH, WIDTH])
    parts = np.split(numbers.astype(np.float64), ends)
    parts[-1] = parts[-1].T
    return PositionModel(*parts)


@checked
def three_back_batch(rng: Rng, batch_size: BatchSize, length: Length) -> tuple[IntArray, IntArray]:
    """Name the symbol three places before: a task for which only the place counts.

    Parameters
    ----------
    rng
        Where the numbers come from.
    batch_size
        Number of texts.
    length
        Number of tokens in each, n.

    Returns
    -------
    tokens : ndarray of int of shape (batch_size, length)
        Symbols from 0 to 11.
    targets : ndarray of int of shape (batch_size, length)
        -1 at the first three positions, where nothing is asked.

    Examples
    --------
    >>> tokens, targets = three_back_batch(np.random.default_rng(0), 1, 6)
    >>> print(tokens, targets)
    [[10  7  6  3  3  0]] [[-1 -1 -1 10  7  6]]
    """
    tokens = rng.integers(N_SYMBOLS, size=(batch_size, length))
    targets = np.full_like(tokens, -1)
    targets[:, 3:] = tokens[:, :-3]
    return tokens, targets


@checked
def latest_mark_batch(rng: Rng, batch_size: BatchSize, length: Length) -> tuple[IntArray, IntArray]:
    """Name the latest of the marked symbols, 0 to 3: a task in which it may stand anywhere.

    Parameters
    ----------
    rng
        Where the numbers come from.
    batch_size
        Number of texts.
    length
        Number of tokens in each, n.

    Returns
    -------
    tokens : ndarray of int of shape (batch_size, length)
        Symbols from 0 to 11, one in four of them a mark.
    targets : ndarray of int of shape (batch_size, length)
        -1 at the marks, and before the first of them, where nothing is asked.

    Examples
    --------
    >>> tokens, targets = latest_mark_batch(np.random.default_rng(3), 1, 8)
    >>> print(tokens, targets)
    [[ 2  2  9  8  1  9 10  2]] [[-1 -1  2  2 -1  1  1 -1]]
    """
    is_mark = rng.random((batch_size, length)) < 0.25
    marks = rng.integers(N_MARKS, size=is_mark.shape)
    others = rng.integers(N_MARKS, N_SYMBOLS, size=is_mark.shape)
    tokens = np.where(is_mark, marks, others)
    places = np.where(is_mark, np.arange(length), -1)
    latest = np.maximum.accumulate(places, axis=1)  # -1 before the first
    named = np.take_along_axis(tokens, np.maximum(latest, 0), axis=1)
    return tokens, np.where(is_mark | (latest < 0), -1, named)
