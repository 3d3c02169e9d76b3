"""A model that learns to reverse sequences while one looks on."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from attnbook.explorers._base import Explorer, Widget
from attnbook.explorers._traits import Address, Setting, Trait, entries
from attnbook.models.reversal import (
    EXAMPLE,
    LAST_START,
    LAST_STEP,
    LENGTH,
    LETTERS,
    MOST_CHANGES,
    N_LETTERS,
    RATES,
    REMEDIES,
    Plan,
    Stage,
    encoding_of,
    run_of,
)
from attnbook.models.toy_tasks import ClassifierParams, token_classifier
from attnutils._checks import INTEGER, Flag, FloatArray, Int, array_of

__all__ = ["TrainingExplorer"]


def _checked_example(widget: Widget, x: Any) -> list[int]:
    owner, hint = type(widget).__name__, "ten letters from 0 to 11, all different"
    tokens = array_of(INTEGER, owner, "example", x, f"({LENGTH},)", hint)
    if tokens.shape != (LENGTH,) or len({*tokens.tolist()} & {*range(N_LETTERS)}) < LENGTH:
        raise ValueError(f"{owner}: example must be {hint}, got {x!r}.")
    return [int(token) for token in tokens]


def _checked_plan(widget: Widget, x: Any) -> Plan:
    owner = type(widget).__name__
    plan = [tuple(entries(entry) or ()) for entry in entries(x) or []]
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


class TrainingExplorer(Explorer):
    """Train a layer of attention to reverse sequences, and look into it at every step.

    The page trains with the same arithmetic as attnutils, from the same start and on the same
    minibatches.

    Parameters
    ----------
    example : sequence of int, optional
        Ten letters, as integers from 0 to 11 that are all different: what the model is asked.
    rate : float, default 0.01
        The learning rate from step 0 on: one of 0.0001, 0.001, 0.01, 0.05, 0.2.
    plan : list, optional
        What is done when: a step, the learning rate from there on, and the place of a remedy, such
        as 1 for "W_q and W_k divided by 30", 0 for nothing. By default, the rate alone.
    start : int, default 1
        Which random parameters and minibatches, 1 to 9999.
    positions : bool, default True
        Whether sinusoidal encodings are added to the embeddings.
    length : int, default 10
        How many letters of the example are asked, 10 or 9. Minibatches have 10.
    step : int, default 0
        The step before which the model is looked at.

    See Also
    --------
    attnbook.models.toy_tasks.train : the loop, for any model of this kind.

    Examples
    --------
    >>> explorer = TrainingExplorer()
    >>> explorer.step = 100
    >>> explorer.losses[[0, 50, 100]].round(2)
    array([2.65, 0.72, 0.  ])
    >>> print("".join(explorer.letters), "".join(explorer.said))
    cajklhfgde edgfhlkjac
    """

    address = Address("training")
    example_tokens = Trait(check=_checked_example)
    plan = Trait([[0, 0.01, 0]], address="plan", check=_checked_plan)
    start = Setting(
        Int(1, "it says which random numbers are drawn", LAST_START), 1, address="start"
    )
    positions = Setting(
        Flag("it says whether the model knows positions"), True, address="positions"
    )
    length = Setting(
        Int(LENGTH - 1, "it counts the letters of the example; minibatches have 10", LENGTH),
        LENGTH,
        address="n",
    )
    step = Setting(Int(0, "it is counted from 0", LAST_STEP), 0, address="step")

    def __init__(
        self, example: Sequence[int] = EXAMPLE, *, rate: float = 0.01, **kwargs: Any
    ) -> None:
        super().__init__(example, **{"plan": [[0, rate, 0]], **kwargs})

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
