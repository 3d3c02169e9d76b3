"""A model that learns to reverse sequences while one looks on."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from attnbook.explorers._base import Address, Checked, Explorer, Fixed, Widget, script, style
from attnbook.explorers.width_explorer import mixed
from attnbook.lessons.toy_tasks import ClassifierParams, classifier_gradients, token_classifier
from attnutils import _shapes, _words
from attnutils._shapes import FloatArray, IntArray
from attnutils.gradients import adam_init, adam_step
from attnutils.positional import sinusoidal_encoding

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["TrainingExplorer"]

WIDTH, N_LETTERS, LENGTH, N_ROWS = 32, 12, 10, 32
RATES = (0.0001, 0.001, 0.01, 0.05, 0.2)
LAST_STEP = 3000
LAST_START = 9999
MOST_CHANGES = 24

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


def _checked_plan(widget: Widget, x: Any) -> Plan:
    owner = type(widget).__name__
    plan = [tuple(_words.entries(entry) or ()) for entry in _words.entries(x) or []]
    fits = (
        1 <= len(plan) <= MOST_CHANGES
        and all(len(entry) == 3 for entry in plan)
        and all(type(step) is int and type(remedy) is int for step, _, remedy in plan)
        and (plan[0][0], plan[0][2]) == (0, 0)
        and all(before[0] < after[0] <= LAST_STEP for before, after in pairwise(plan))
        and all(rate in RATES and 0 <= remedy < len(REMEDIES) for _, rate, remedy in plan)
    )
    if not fits:
        raise ValueError(
            f"{owner}: plan must be 1 to {MOST_CHANGES} of (step, rate, remedy), got {x!r}; steps "
            f"rise from 0, rates are {', '.join(map(str, RATES))}, a remedy is the place of one."
        )
    return [[step, float(rate), remedy] for step, rate, remedy in plan]


def _checked_integer(name: str, low: int, high: int, hint: str) -> Checked:
    def check(widget: Widget, x: Any) -> int:
        expected = f"an integer from {low} to {high}"
        return _shapes.integer(type(widget).__name__, name, x, expected, hint, low, high)

    return Checked(low, check)


def _checked_length(widget: Widget, x: Any) -> int:
    expected, hint = "10 or 9", "it counts the letters of the example; minibatches have 10"
    return _shapes.integer(type(widget).__name__, "length", x, expected, hint, 9, 10)


def _checked_positions(widget: Widget, x: Any) -> bool:
    if not isinstance(x, bool | np.bool_):
        expected, hint = "True or False", "it says whether the model knows positions"
        _shapes.refuse(TypeError, type(widget).__name__, "positions", x, expected, hint)
    return bool(x)


class TrainingExplorer(Explorer):
    """Train a layer of attention to reverse sequences, and look into it at every step.

    The page trains with the same arithmetic as attnutils, from the same start and on the same
    minibatches. The traits move the widget, and the widget moves the traits.

    Parameters
    ----------
    example : sequence of int, optional
        Ten letters, as integers from 0 to 11 that are all different: what the model is asked.
    rate : float, default 0.01
        The learning rate: one of 0.0001, 0.001, 0.01, 0.05, 0.2.
    start : int, default 1
        Which random parameters and minibatches, 1 to 9999.
    positions : bool, default True
        Whether sinusoidal encodings are added to the embeddings.

    Attributes
    ----------
    plan : list
        What is done when: a step, the learning rate from there on, and the place of a remedy, such
        as 1 for "W_q and W_k divided by 30", 0 for nothing.
    step : int
        The step before which the model is looked at.
    length : int
        How many letters of the example are asked, 10 or 9. Minibatches have 10.
    losses : ndarray of shape (step + 1,)
        The loss on each minibatch, before the step.
    params : ClassifierParams
        What is learned before the step.
    weights : ndarray of shape (length, length)
        The attention weights of the example.
    said : list of str
        What the model says to the example.

    Raises
    ------
    ValueError, TypeError
        If example, rate, start or positions do not fit.

    See Also
    --------
    attnbook.lessons.toy_tasks.train : the loop, for any model of this kind.

    Examples
    --------
    >>> explorer = TrainingExplorer()
    >>> explorer.step = 100
    >>> explorer.losses[[0, 50, 100]].round(2)
    array([2.65, 0.72, 0.  ])
    >>> print("".join(explorer.letters), "".join(explorer.said))
    cajklhfgde edgfhlkjac
    """

    _esm = script("reversal", "training_explorer")
    _css = style("training_explorer")

    address = Address("training")
    example_tokens = Fixed()
    plan = Checked([[0, 0.01, 0]], _checked_plan)
    start = _checked_integer("start", 1, LAST_START, "it says which random numbers are drawn")
    positions = Checked(True, _checked_positions)
    length = Checked(LENGTH, _checked_length)
    step = _checked_integer("step", 0, LAST_STEP, "it is counted from 0")

    def __init__(
        self,
        example: Sequence[int] = EXAMPLE,
        *,
        rate: float = 0.01,
        start: int = 1,
        positions: bool = True,
        **kwargs: Any,
    ) -> None:
        owner = type(self).__name__
        hint = "ten letters from 0 to 11, all different"
        tokens = _shapes.integers(owner, "example", example, f"({LENGTH},)", hint)
        if tokens.shape != (LENGTH,) or len({*tokens.tolist()} & {*range(N_LETTERS)}) < LENGTH:
            raise ValueError(f"{owner}: example must be {hint}, got {example!r}.")
        if rate not in RATES:
            raise ValueError(f"{owner}: rate must be one of {', '.join(map(str, RATES))}.")
        super().__init__(
            example_tokens=tokens.tolist(),
            plan=[[0, rate, 0]],
            start=start,
            positions=positions,
            **kwargs,
        )

    @classmethod
    def example(cls) -> Self:
        """An explorer at the start of the run that the page on training shows."""
        return cls()

    def run(self, last: int) -> list[Stage]:
        """The stages of the run from step 0 to `last`."""
        return run_of(self.start, self.plan, self.positions, last)

    @property
    def letters(self) -> list[str]:
        """What the model is asked."""
        return [LETTERS[token] for token in self.example_tokens[: self.length]]

    @property
    def losses(self) -> FloatArray:
        """The loss on each minibatch until the step, before it is taken."""
        return np.array([stage.loss for stage in self.run(self.step)])

    @property
    def params(self) -> ClassifierParams:
        """What is learned before the step."""
        return self.run(self.step)[-1].params

    def answer_at(self, step: int) -> tuple[FloatArray, list[str]]:
        """The weights of the example, and what the model says, before a step."""
        tokens = self.example_tokens[: self.length]
        encoding = encoding_of(self.length, self.positions)
        params = self.run(step)[-1].params
        logits, _, weights = token_classifier(tokens, params, encoding=encoding)
        return weights, [LETTERS[letter] for letter in logits.argmax(axis=-1)]

    @property
    def weights(self) -> FloatArray:
        """The attention weights of the example."""
        return self.answer_at(self.step)[0]

    @property
    def said(self) -> list[str]:
        """What the model says to the example."""
        return self.answer_at(self.step)[1]

    @property
    def n_right(self) -> int:
        """How many letters the model says right."""
        return sum(a == b for a, b in zip(self.said, reversed(self.letters), strict=True))

    @property
    def mean_largest_weight(self) -> float:
        """The largest weight of a row, on average: how sure the rows are."""
        return float(self.weights.max(axis=-1).mean())

    def __repr__(self) -> str:
        return f"TrainingExplorer({''.join(self.letters)}, start={self.start}, step={self.step})"

    def _picture(self) -> Figure:
        from attnbook.explorers.pictures.training_explorer import training_picture

        last_change = self.plan[-1][0]
        shown = [0, 20, 40, 50, 60, 300] if last_change == 0 else [0, last_change]
        shown = sorted({*shown, self.step, last_change + 300} - {LAST_STEP + 300})[:7]
        losses = np.array([stage.loss for stage in self.run(max(shown))])
        answers = {step: self.answer_at(step) for step in shown}
        return training_picture(self.letters, losses, answers, self.step)
