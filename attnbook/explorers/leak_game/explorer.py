"""A game: attention layers in black boxes, some of which let the future leak."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from attnbook.explorers._base import Explorer
from attnbook.explorers._traits import (
    Address,
    Array,
    IndexOf,
    Integers,
    Setting,
    Trait,
    Words,
    checked_array,
    entries,
)
from attnbook.models.leaks import LAYERS, outputs_of
from attnutils._checks import BoolArray, FloatArray, Int

__all__ = ["LeakGame"]

NOT_NAMED = -1
LEAST = 1e-9  # an output that moves by less stands still

_SUSPECTS = tuple(LAYERS)
_ORDER = tuple(_SUSPECTS[i] for i in (1, 4, 2, 0, 3))


def _given(game: LeakGame, x: Any) -> list[float]:
    numbers: list[float] = checked_array(
        type(game).__name__, "numbers", x, (len(game.words),)
    ).tolist()
    return numbers


def _inside(game: LeakGame, x: Any) -> list[str]:
    names = entries(x) or []
    if not 2 <= len(names) <= 8 or not all(
        isinstance(name, str) and name in LAYERS for name in names
    ):
        raise ValueError(
            f"{type(game).__name__}: layers must be 2 to 8 of {', '.join(LAYERS)}, got {x!r}."
        )
    return [str(name) for name in names]


class LeakGame(Explorer):
    """Attention layers in black boxes: change a token's number, see what moves, name the layer.

    Each token has one number, which is its query, its key and its value. A probe is a token whose
    number was changed in a box.

    Parameters
    ----------
    words : sequence of str
        The n words, 2 to 12.
    numbers : array_like of shape (n,)
        A number for each word.
    layers : sequence of str, optional
        What is in the boxes, 2 to 8 of "causal mask", "no mask", "one key too many", "mask
        transposed", "mask after softmax". All of them by default.
    box : int, default 0
        The box that is probed.
    seen : list of int, optional
        For each box, the tokens whose number was changed there: the sum of 2 ** token.
    verdicts : list of int, optional
        What each box was named, as an index of the list above; -1 is not named yet.
    wrong : int, default 0
        How many names were wrong.

    Examples
    --------
    >>> game = LeakGame(["The", "Child", "Reads"], [1, 2, 0.5], ["causal mask", "no mask"])
    >>> before = game.output
    >>> game.numbers = [1, 2, 9]
    >>> (game.output != before).tolist()
    [False, False, True]
    >>> game.is_solved
    False
    """

    address = Address("leak")
    words = Words()
    #: The numbers at the start: what is moved is compared with them.
    given = Trait(check=_given)
    layers = Trait(check=_inside)
    numbers = Array("words", address="x")
    box = IndexOf("layers", "it is the index of a layer", address="box")
    seen = Integers("layers", 0, 2**12 - 1, "each is a sum of 2 ** token", address="seen")
    verdicts = Integers(
        "layers",
        NOT_NAMED,
        len(LAYERS) - 1,
        "each is the index of a name in the list of layers; -1 says nothing yet",
        NOT_NAMED,
        address="named",
    )
    wrong = Setting(Int(0, "it counts wrong names", 999), 0, address="wrong")

    def __init__(
        self, words: Sequence[str], numbers: object, layers: Sequence[str] = _ORDER, **kwargs: Any
    ) -> None:
        super().__init__(words=words, given=numbers, numbers=numbers, layers=layers, **kwargs)

    @property
    def output(self) -> FloatArray:
        """The outputs of the box now, of shape (n,)."""
        return outputs_of(self.layers[self.box], self.numbers)

    @property
    def evidence(self) -> list[BoolArray | None]:
        """Which outputs each token moves, when its number alone is changed; None if it never was.

        A number that is back where it was at the start is taken one higher.
        """
        layer, given = self.layers[self.box], np.array(self.given)
        before, found = outputs_of(layer, given), []
        for t, x in enumerate(self.numbers):
            changed = given.copy()
            changed[t] = x + 1 if x == given[t] else x
            moved = np.abs(outputs_of(layer, changed) - before) > LEAST
            was = x != given[t] or self.seen[self.box] >> t & 1
            found.append(moved if was else None)
        return found

    def _moved(self) -> BoolArray:
        before = outputs_of(self.layers[self.box], np.array(self.given))
        return np.asarray(np.abs(self.output - before) > LEAST)

    @property
    def n_moved(self) -> int:
        """How many outputs of the box are not what they were at the start."""
        return int(self._moved().sum())

    @property
    def n_leaked(self) -> int:
        """How many of these stand before every token whose number is changed."""
        first = int((self.numbers != self.given).argmax())
        return int(self._moved()[:first].sum())

    @property
    def n_probes(self) -> int:
        """How many probes were made in all boxes."""
        return sum(bits >> t & 1 for bits in self.seen for t in range(len(self.words)))

    @property
    def n_right(self) -> int:
        """How many boxes are named right."""
        pairs = zip(self.verdicts, self.layers, strict=True)
        return sum(index >= 0 and _SUSPECTS[index] == layer for index, layer in pairs)

    @property
    def is_solved(self) -> bool:
        """Whether all boxes are named right."""
        return self.n_right == len(self.layers)
