"""A model that learns to reverse sequences while one looks on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from attnbook.explorers._base import Explorer, Widget
from attnbook.explorers._traits import Address, Setting, Trait
from attnbook.models.reversal import (
    EXAMPLE,
    LAST_FORK,
    LAST_START,
    LAST_STEP,
    LENGTH,
    LETTERS,
    N_LETTERS,
    RATES,
    REMEDIES,
    Plan,
    Stage,
    encoding_of,
    run_of,
)
from attnbook.models.toy_tasks import ClassifierParams, token_classifier
from attnutils._checks import INTEGER, Choice, Flag, FloatArray, Int, array_of

__all__ = ["TrainingExplorer"]


def _checked_example(widget: Widget, x: Any) -> list[int]:
    owner, hint = type(widget).__name__, "ten letters from 0 to 11, all different"
    tokens = array_of(INTEGER, owner, "example", x, f"({LENGTH},)", hint)
    if tokens.shape != (LENGTH,) or len({*tokens.tolist()} & {*range(N_LETTERS)}) < LENGTH:
        raise ValueError(f"{owner}: example must be {hint}, got {x!r}.")
    return [int(token) for token in tokens]


def _checked_rate(widget: Widget, x: Any) -> float:
    if not isinstance(x, float) or x not in RATES:
        rates = ", ".join(map(str, RATES))
        raise ValueError(f"{type(widget).__name__}: rate must be one of {rates}, got {x!r}.")
    return float(x)


class TrainingExplorer(Explorer):
    """Train a layer of attention to reverse sequences, and look into it at every step.

    The page trains with the same arithmetic as attnutils, from the same start and on the same
    minibatches.

    Parameters
    ----------
    example : sequence of int, optional
        Ten letters, as integers from 0 to 11 that are all different: what the model is asked.
    fork : int, default 0
        The step from which the run can go on in several ways, at rate 0.01. 0: in one.
    rate : float, default 0.01
        The learning rate: one of 0.0001, 0.001, 0.01, 0.05, 0.2.
    branch : str, default ""
        What is done at the fork: "nothing" but the new rate, "W_q and W_k divided by 30", and what
        else is in `attnbook.models.reversal.REMEDIES`. "": the run goes on as it is.
    start : int, default 1
        Which random parameters and minibatches, 1 to 9999.
    positions : bool, default True
        Whether sinusoidal encodings are added to the embeddings.
    length : int, default 10
        How many letters of the example are asked, 10 or 9. Minibatches have 10.
    step : int, default 0
        The step before which the model is looked at, up to 400.

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
    fork = Setting(Int(0, "it is the step from which runs differ", LAST_FORK), 0)
    rate = Trait(0.01, address="rate", check=_checked_rate, js=("oneOf", RATES))
    branch = Setting(Choice("", *REMEDIES), "", address="branch")
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

    def __init__(self, example: Sequence[int] = EXAMPLE, **kwargs: Any) -> None:
        super().__init__(example, **kwargs)

    def run(self, last: int) -> list[Stage]:
        """The stages of the run from step 0 to `last`."""
        plan: Plan = [[0, self.rate, 0]]
        if self.fork and self.branch:
            plan = [*plan, [self.fork, 0.01, REMEDIES.index(self.branch)]]
        return run_of(self.start, plan, self.positions, last)

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
