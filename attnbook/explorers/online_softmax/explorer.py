"""Softmax in one pass: a running maximum, a running sum and a running output."""

from __future__ import annotations

import math
from typing import Any

import traitlets

from attnbook.explorers._base import Explorer
from attnbook.explorers._traits import Address, Array, Setting, Trait, word_list
from attnbook.models.online_softmax import State, read_blocks
from attnutils._checks import Flag, Int
from attnutils.normalize import softmax

__all__ = ["OnlineSoftmaxExplorer"]

MOST_KEYS = 16


def _checked_names(widget: OnlineSoftmaxExplorer, x: Any) -> list[str]:
    owner, n = type(widget).__name__, widget.scores.size
    if not 2 <= n <= MOST_KEYS:
        raise ValueError(f"{owner}: scores has {n} numbers but 2 to {MOST_KEYS} are expected.")
    words = [f"k{i}" for i in range(n)] if x is None else x
    return word_list(owner, "names", words, n, n, lettered=True)


def _checked_block(widget: OnlineSoftmaxExplorer, x: Any) -> int:
    option = Int(1, "it counts the keys that are read at a time", widget.scores.size)
    return int(option.check(type(widget).__name__, "block", x))


def _checked_step(widget: OnlineSoftmaxExplorer, x: Any) -> int:
    hint = f"it counts the blocks that are read, of {widget.block} keys each"
    step = int(Int(0, hint, widget.n_blocks).check(type(widget).__name__, "step", x))
    # Noted here, so that it holds before observers run: block and step may come together.
    widget._n_read = min(step * widget.block, widget.scores.size)
    return step


class OnlineSoftmaxExplorer(Explorer):
    """Read keys block by block: maximum, sum and output are kept up to date, exactly.

    When a block brings a larger score, all that was summed before is multiplied by
    exp(old maximum - new maximum). A new block size keeps what has been read, down to the border
    of a block.

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
    """

    _first = "block"  # it says which steps there are

    address = Address("online")
    scores = Array("n")
    values = Array("n")
    names = Trait(None, check=_checked_names)
    block = Trait(1, address="block", check=_checked_block)
    step = Trait(0, address="step", check=_checked_step)
    correct = Setting(Flag("it says whether old terms are corrected"), True, address="correct")

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
