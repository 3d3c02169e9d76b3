"""A game: attention layers in black boxes, some of which let the future leak."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from attnbook.explorers._base import (
    Address,
    ArrayTrait,
    Checked,
    Explorer,
    Fixed,
    Widget,
    checked_array,
    checked_integers,
    checked_words,
    entries,
    script,
    style,
)
from attnbook.lessons.leaks import LAYERS, outputs_of
from attnutils._checks import BoolArray, FloatArray, Int
from attnutils.worked_example import WORDS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["LeakGame"]

NOT_NAMED = -1
LEAST = 1e-9  # an output that moves by less stands still

_SUSPECTS = tuple(LAYERS)
_ORDER = tuple(_SUSPECTS[i] for i in (1, 4, 2, 0, 3))
_NUMBERS = (1, 2, 0.5, 1.5, 1, 1)


def _checked_box(widget: Widget, x: Any, n: int) -> int:
    return Int(0, "it is the place of a layer", n - 1).check(type(widget).__name__, "box", x)


def _checked_verdicts(widget: LeakGame, x: Any) -> list[int]:
    owner, n = type(widget).__name__, len(widget.layers)
    hint = "each is the place of a name in the list of layers; -1 says nothing yet"
    return checked_integers(owner, "verdicts", x, n, NOT_NAMED, len(_SUSPECTS) - 1, hint)


class LeakGame(Explorer):
    """Attention layers in black boxes: change a token's number, see what moves, name the layer.

    The traits move the widget, and the widget moves the traits. Each token has one number, which
    is its query, its key and its value. `words` and `layers` stay as they were given.

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

    Attributes
    ----------
    verdicts : list of int
        What each box was named, as a place in the list above; -1 is not named yet.
    output : ndarray of shape (n,)
        The outputs of the box now.
    is_solved : bool
        Whether all boxes are named right.

    Raises
    ------
    ValueError, TypeError
        If shapes, types or names do not fit.

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

    _esm = script("leak_game")
    _css = style("leak_game")

    address = Address("leak")
    words = Fixed()
    #: The numbers at the start: what is moved is compared with them.
    given = Fixed()
    layers = Fixed()
    numbers = ArrayTrait(moved=True)
    box = Checked(0, lambda widget, x: _checked_box(widget, x, len(widget.layers)))
    verdicts = Checked((), _checked_verdicts)

    def __init__(
        self,
        words: Sequence[str],
        numbers: object,
        layers: Sequence[str] = _ORDER,
        *,
        box: int = 0,
        **kwargs: Any,
    ) -> None:
        owner = type(self).__name__
        words = checked_words(owner, words)
        checked = checked_array(owner, "numbers", numbers, (len(words),))
        inside = entries(layers) or []
        if not 2 <= len(inside) <= 8 or not all(
            isinstance(name, str) and name in LAYERS for name in inside
        ):
            raise ValueError(
                f"{owner}: layers must be 2 to 8 of {', '.join(LAYERS)}, got {layers!r}."
            )
        super().__init__(
            words=words,
            given=checked.tolist(),
            layers=[str(name) for name in inside],
            numbers=checked,
            box=box,
            verdicts=[NOT_NAMED] * len(inside),
            **kwargs,
        )

    @classmethod
    def example(cls, words: Sequence[str] = WORDS) -> Self:
        """A game with these words."""
        return cls(words, np.resize(_NUMBERS, len(words)))

    @property
    def output(self) -> FloatArray:
        """The outputs of the box now, of shape (n,)."""
        return outputs_of(self.layers[self.box], self.numbers)

    @property
    def evidence(self) -> list[BoolArray | None]:
        """Which outputs each token moves, when its number alone is changed; None if it is not."""
        layer, given = self.layers[self.box], np.array(self.given)
        before, found = outputs_of(layer, given), []
        for t, x in enumerate(self.numbers):
            changed = given.copy()
            changed[t] = x
            moved = np.abs(outputs_of(layer, changed) - before) > LEAST
            found.append(None if x == given[t] else moved)
        return found

    @property
    def n_moved(self) -> int:
        """How many outputs of the box are not what they were at the start."""
        before = outputs_of(self.layers[self.box], np.array(self.given))
        return int((np.abs(self.output - before) > LEAST).sum())

    @property
    def is_solved(self) -> bool:
        """Whether all boxes are named right."""
        named = [_SUSPECTS[place] if place >= 0 else None for place in self.verdicts]
        return bool(named == self.layers)

    def __repr__(self) -> str:
        return f"LeakGame({len(self.words)} words, {len(self.layers)} layers, box={self.box})"

    def _picture(self) -> Figure:
        from attnbook.explorers.pictures.leak_game import leak_picture

        return leak_picture(self.words, self.numbers, self.output, self.evidence, self.box)
