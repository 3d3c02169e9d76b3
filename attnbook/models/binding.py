"""Two things asked for at once, which one head cannot answer. Taught on *multi-head attention*.

Items have a colour and a thing: red cup, blue hat. The question names two colours, first and
second, and wants both things, in that order. All is one-hot, so four matrices are all there is to
learn: those of multi-head attention. What it puts out is read as it is, by its largest numbers.
"""

import math
from typing import Annotated, NamedTuple

import numpy as np

from attnbook.models._stored import DATA, existing
from attnbook.models.layers import attend, training
from attnbook.models.toy_tasks import BatchSize, Rng, Steps
from attnutils._checked import checked
from attnutils._checks import FloatArray, Int, IntArray
from attnutils.gradients import LearningRate, cross_entropy
from attnutils.heads import MultiHeadParams, NumberOfHeads, multi_head_attention

__all__ = [
    "BindingBatch",
    "BindingRuns",
    "binding_batch",
    "binding_share",
    "load_binding_runs",
    "train_binding",
]

N_SYMBOLS = 12  # colours, and as many things
N_ITEMS = 6
BATCH_SIZE = 64
_STORED = DATA / "binding.npz"


class BindingBatch(NamedTuple):
    """Questions about items; what is asked is answered by `things`.

    `question` (B, 1, 24): one-hot, the colour that is asked first in columns 0 to 11, the second
    one in 12 to 23.

    `items` (B, 6, 24): one-hot, the colour in columns 0 to 11, the thing in 12 to 23. No colour
    comes twice; things may.

    `things` (B, 2): of the first colour and of the second, each from 0 to 11.
    """

    question: FloatArray
    items: FloatArray
    things: IntArray


class BindingRuns(NamedTuple):
    """What training came to, with seeds that nobody chose: 0, 1, 2 and so on.

    `shares`: by width d and number of heads, for each seed the share of 4,000 new questions with
    both answers right, after 1,000 steps.

    `long_shares`: the same after 5,000 steps, where 1,000 were not enough, of width 8.

    `params`: of width 8, by number of heads, what seed 0 has learned in 1,000 steps.
    """

    shares: dict[tuple[int, int], FloatArray]
    long_shares: dict[tuple[int, int], FloatArray]
    params: dict[int, MultiHeadParams]


@checked
def binding_batch(rng: Rng, batch_size: BatchSize) -> BindingBatch:
    """Items with a colour and a thing, and a question that names two colours.

    Parameters
    ----------
    rng
        Where the numbers come from.
    batch_size
        Number of questions, each with six items of its own.

    Returns
    -------
    BindingBatch
        Question, items and things.

    Examples
    --------
    >>> question, items, things = binding_batch(np.random.default_rng(0), 3)
    >>> question.shape, items.shape, things.shape
    ((3, 1, 24), (3, 6, 24), (3, 2))
    >>> int(items[0, 0, 12:].argmax()), int(things[0, 0])  # the first item is asked first
    (4, 4)
    """
    one_hot = np.eye(N_SYMBOLS)
    every = np.tile(np.arange(N_SYMBOLS), (batch_size, 1))
    colours = rng.permuted(every, axis=1)[:, :N_ITEMS]
    things = rng.integers(N_SYMBOLS, size=colours.shape)
    # Attention knows no order, so it may as well be the first two that are asked for.
    question = one_hot[colours[:, :2]].reshape(batch_size, 1, -1)
    items = np.concatenate([one_hot[colours], one_hot[things]], axis=-1)
    return BindingBatch(question, items, things[:, :2])


@checked
def train_binding(
    rng: Rng,
    n_heads: NumberOfHeads,
    d: Annotated[int, Int(1, "it is the width of all heads together")] = 8,
    n_steps: Steps = 1000,
    *,
    d_value: Annotated[
        int | None, Int(1, "it is the width of the values of all heads together")
    ] = None,
    learning_rate: LearningRate = 0.02,
) -> MultiHeadParams:
    """Teach multi-head attention to answer two questions at once, by Adam.

    Parameters
    ----------
    rng
        Where the first parameters and the batches come from.
    n_heads
        Number of heads.
    d
        Width of queries, keys and values, which the heads share out among them.
    n_steps
        Number of steps, each with 64 new questions.
    d_value
        Width of the values, if it is not `d`.
    learning_rate
        Of `adam_step`.

    Returns
    -------
    MultiHeadParams
        What was learned; it has no biases.

    Raises
    ------
    ValueError
        If `n_heads` does not divide `d` and `d_value`.

    References
    ----------
    vaswani2017

    Examples
    --------
    >>> learned = train_binding(np.random.default_rng(0), n_heads=2, n_steps=300)
    >>> share = binding_share(np.random.default_rng(1), learned, n_heads=2)
    >>> bool(share > 0.9)
    True
    """
    d_v = d if d_value is None else d_value
    for name, x in (("d", d), ("d_value", d_v)):
        if x % n_heads:
            raise ValueError(f"train_binding: {name}={x} is not a multiple of n_heads={n_heads}.")
    width = 2 * N_SYMBOLS
    shapes = [(width, d), (width, d), (width, d_v), (d_v, width)]
    sizes = [1, 1, 1, 1 / math.sqrt(d_v)]  # one-hot rows choose numbers; they do not add them up
    pairs = zip(sizes, shapes, strict=True)
    params = MultiHeadParams(*(size * rng.normal(size=shape) for size, shape in pairs))

    def gradients(p: MultiHeadParams) -> tuple[float, MultiHeadParams]:
        question, items, things = binding_batch(rng, BATCH_SIZE)
        logits, back = attend(question, items, p, n_heads)
        loss, d_logits = cross_entropy(logits.reshape(*things.shape, N_SYMBOLS), things)
        return loss, back(d_logits.reshape(logits.shape))[-1]

    for learned, _ in training(params, gradients, [learning_rate] * n_steps):
        params = learned
    return params


@checked
def binding_share(rng: Rng, params: MultiHeadParams, n_heads: NumberOfHeads) -> float:
    """The share of 4,000 new questions with both answers right.

    Parameters
    ----------
    rng
        Where the questions come from.
    params
        What was learned.
    n_heads
        Number of heads.

    Returns
    -------
    float
        From 0 to 1. Two guesses are right once in 144.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> untrained = train_binding(rng, n_heads=1, n_steps=0)
    >>> bool(binding_share(rng, untrained, n_heads=1) < 0.05)
    True
    """
    question, items, things = binding_batch(rng, 4000)
    logits = multi_head_attention(question, items, items, params, n_heads=n_heads).output
    answers = logits.reshape(-1, 2, N_SYMBOLS).argmax(axis=-1)
    return float((answers == things).all(axis=-1).mean())


def load_binding_runs() -> BindingRuns:
    """Load what training came to on 20 seeds, for several widths and numbers of heads.

    Returns
    -------
    BindingRuns
        Shares and parameters. The arrays are new with each call; parameters are float64, but were
        stored as float16.

    Examples
    --------
    Of width 8, by number of heads: how many of 20 runs answer nearly all questions.

    >>> shares = load_binding_runs().shares
    >>> {n_heads: int((shares[8, n_heads] > 0.99).sum()) for n_heads in (1, 2, 4, 8)}
    {1: 0, 2: 20, 4: 20, 8: 0}
    """
    with np.load(existing(_STORED), allow_pickle=False) as stored:
        shares, long_shares = (
            {(int(d), int(n_heads)): row for (d, n_heads), row in zip(*pair, strict=True)}
            for pair in (
                (stored["sizes"], stored["shares"]),
                (stored["long_sizes"], stored["long_shares"]),
            )
        )
        params = {
            int(n_heads): MultiHeadParams(w_query, w_key, w_value, of_output.T)
            for n_heads, (w_query, w_key, w_value, of_output) in zip(
                stored["n_heads"], stored["params"].astype(np.float64), strict=True
            )
        }
    return BindingRuns(shares, long_shares, params)
