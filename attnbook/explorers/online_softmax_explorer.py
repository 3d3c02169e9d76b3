"""Softmax in one pass: a running maximum, a running sum and a running output."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import traitlets

from attnbook.explorers._base import (
    Address,
    Checked,
    Explorer,
    Fixed,
    Widget,
    Words,
    array_to_json,
    checked_array,
    checked_words,
    script,
    style,
)
from attnbook.lessons.online_softmax import State, read_blocks
from attnutils._checks import Flag, Int
from attnutils.normalize import softmax
from attnutils.worked_example import KEYS, VALUES, WORDS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["OnlineSoftmaxExplorer"]

MOST_KEYS = 16


def _checked_block(widget: OnlineSoftmaxExplorer, x: Any) -> int:
    n, hint = widget.scores.size, "it counts the keys that are read at a time"
    owner = type(widget).__name__
    return Int(1, hint, n).check(owner, "block", x)


def _checked_step(widget: OnlineSoftmaxExplorer, x: Any) -> int:
    owner, n_blocks = type(widget).__name__, widget.n_blocks
    hint = f"it counts the blocks that are read, of {widget.block} keys each"
    step = Int(0, hint, n_blocks).check(owner, "step", x)
    # Noted here, so that it holds before observers run: block and step may come together.
    widget._n_read = min(step * widget.block, widget.scores.size)
    return step


def _checked_correct(widget: Widget, x: Any) -> bool:
    hint = "it says whether old terms are corrected"
    return Flag(hint).check(type(widget).__name__, "correct", x)


class OnlineSoftmaxExplorer(Explorer):
    """Read keys block by block: maximum, sum and output are kept up to date, exactly.

    When a block brings a larger score, all that was summed before is multiplied by
    exp(old maximum - new maximum). The traits move the widget, and the widget moves the traits:
    `explorer.step = 2`. A new block size keeps what has been read, down to the border of a block.
    The scores, values and names stay as they were given.

    Parameters
    ----------
    scores : array_like of shape (n,)
        A score for each of the n keys, 2 to 16, in the order in which they are read.
    values : array_like of shape (n,)
        A value for each key.
    names : sequence of str, optional
        A short word for each key; "k0", "k1" and so on without them.
    block : int, default 1
        How many keys are read at a time, 1 to n. The last block may be shorter.
    step : int, default 0
        How many blocks have been read, 0 to ceil(n / block).
    correct : bool, default True
        False leaves the factor out, to show what goes wrong then.

    Attributes
    ----------
    n_blocks : int
    maximum, total, output : float
        What is kept after the blocks read so far; -inf, 0 and 0 before the first.
    exact : float
        The mean of the values weighted by attnutils.softmax of all scores.

    Raises
    ------
    ValueError, TypeError
        If shapes, types or numbers do not fit.

    References
    ----------
    milakov2018 : softmax in one pass.

    Examples
    --------
    >>> explorer = OnlineSoftmaxExplorer([0, 1, 3], [5, 7, 9], block=2, step=1)
    >>> explorer.maximum, round(explorer.total, 4), round(explorer.output, 4)
    (1.0, 1.3679, 6.4621)
    >>> explorer.step = 2
    >>> round(explorer.output, 4), round(explorer.exact, 4)
    (8.6036, 8.6036)
    >>> explorer.correct = False
    >>> round(explorer.output, 4)
    7.5339
    """

    _esm = script("online_softmax_explorer")
    _css = style("online_softmax_explorer")
    _first = "block"  # it says which steps there are

    address = Address("online")
    names = Fixed()
    scores = Fixed().tag(to_json=array_to_json)
    values = Fixed().tag(to_json=array_to_json)
    block = Checked(1, _checked_block)
    step = Checked(0, _checked_step)
    correct = Checked(True, _checked_correct)

    def __init__(
        self,
        scores: object,
        values: object,
        *,
        names: Sequence[str] | None = None,
        block: int = 1,
        step: int = 0,
        correct: bool = True,
        **kwargs: Any,
    ) -> None:
        owner = type(self).__name__
        given = checked_array(owner, "scores", scores, ("n",))
        n = given.size
        if not 2 <= n <= MOST_KEYS:
            raise ValueError(f"{owner}: scores has {n} numbers but 2 to {MOST_KEYS} are expected.")
        words = [f"k{i}" for i in range(n)] if names is None else names
        words = checked_words(owner, words, "names", MOST_KEYS)
        if not all(word.strip() for word in words):
            raise ValueError(
                f"{owner}: each entry of names must have a letter, got {words}; "
                "write what each key is called."
            )
        super().__init__(
            scores=given,
            values=checked_array(owner, "values", values, (n,)),
            names=Words(f"a list of n={n} words", counts=[n]).check(owner, "names", words),
            block=block,
            step=step,
            correct=correct,
            **kwargs,
        )

    @classmethod
    def example(cls, words: Sequence[str] = WORDS) -> Self:
        """An explorer with these words as keys, and the numbers of the worked example."""
        n = len(words)
        numbers = np.resize(KEYS @ KEYS[5], n), np.resize(VALUES, n)
        return cls(*numbers, names=words, step=n - 1)

    @traitlets.observe("block")
    def _keep_what_is_read(self, change: Any) -> None:
        is_all = self._n_read == self.scores.size
        self.step = self.n_blocks if is_all else self._n_read // self.block

    @property
    def n_blocks(self) -> int:
        """How many blocks there are."""
        n_blocks: int = math.ceil(self.scores.size / self.block)
        return n_blocks

    @property
    def states(self) -> list[State]:
        """What is kept before the first block and after each."""
        return read_blocks(self.scores, self.values, self.block, self.correct)

    @property
    def maximum(self) -> float:
        """The largest score so far; -inf before the first block."""
        return self.states[self.step].maximum

    @property
    def total(self) -> float:
        """The sum of exp(score - maximum) so far."""
        return self.states[self.step].total

    @property
    def output(self) -> float:
        """The weighted mean of the values so far; 0 before the first block."""
        return self.states[self.step].output

    @property
    def exact(self) -> float:
        """The weighted mean of all values, computed at once."""
        return float(softmax(self.scores) @ self.values)

    def __repr__(self) -> str:
        return (
            f"OnlineSoftmaxExplorer({self.scores.size} keys, block={self.block}, "
            f"step={self.step}, correct={self.correct})"
        )

    def _picture(self) -> Figure:
        from attnbook.explorers.pictures.online_softmax_explorer import online_softmax_picture

        states, n = self.states[: self.step + 1], self.scores.size
        ends = [min(n, i * self.block) for i in range(len(states))]
        left_out = "" if self.correct else ", old terms not corrected"
        return online_softmax_picture(
            f"{ends[-1]} of {n} keys read{left_out}",
            self.names,
            self.scores,
            self.values,
            ends,
            maximum=self.maximum,
            terms=states[-1].terms,
            total=self.total,
            outputs=[state.output for state in states[1:]],
            exact=self.exact,
        )
