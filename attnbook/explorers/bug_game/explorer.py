"""A game: attention layers in black boxes, most of which hold a mistake. Probe them, name it."""

from __future__ import annotations

from typing import Any

import numpy as np

from attnbook.explorers._base import Explorer
from attnbook.explorers._traits import (
    Address,
    Array,
    IndexOf,
    Integers,
    Order,
    Setting,
    Trait,
    Words,
    entries,
)
from attnbook.models.bugs import PROBES, SUSPECTS, Probed, keeps, probed
from attnutils._checks import FloatArray, Int

__all__ = ["BugGame"]

NOT_NAMED = -1
PRICES = 1, 5  # of a probe, of a wrong name

_LAYERS = tuple(SUSPECTS[i] for i in (1, 5, 3, 0, 7, 2, 4, 6))
_PROBES = tuple(PROBES)


def _inside(game: BugGame, x: Any) -> list[str]:
    owner, names = type(game).__name__, entries(x) or []
    if not 2 <= len(names) <= 8 or not all(
        isinstance(name, str) and name in SUSPECTS for name in names
    ):
        raise ValueError(f"{owner}: layers must be 2 to 8 of {', '.join(SUSPECTS)}, got {x!r}.")
    if len(set(names)) < len(names):
        raise ValueError(f"{owner}: layers must be different, got {x!r}.")
    return [str(name) for name in names]


class _Rows(Array):
    """A row of at most 8 numbers for each word."""

    def fits(self, widget: Any, value: Any) -> FloatArray:
        """Return a read-only copy."""
        rows = super().fits(widget, value)
        if rows.shape[1] > 8:
            raise ValueError(
                f"{type(widget).__name__}: {self.name} has width {rows.shape[1]} but at most 8 "
                "is expected."
            )
        return rows


class BugGame(Explorer):
    """Attention layers in black boxes: probe them, see which laws they break, name the mistake.

    Parameters
    ----------
    words : sequence of str
        The n words, 2 to 12. Each has a query, a key and a value.
    query, key : array_like of shape (n, d)
        A row for each word; d is at most 8.
    value : array_like of shape (n,)
        A number for each word.
    layers : sequence of str, optional
        What is in the boxes, 2 to 8 different ones of "no mistake", "no keepdims", "softmax over
        queries", "no maximum subtracted", "divided by d", "divided by root of n_q", "mask after
        softmax", "hidden scores -1e9". All of them by default.
    order : list of int, optional
        Box i holds `layers[order[i]]`. A new game shuffles it.
    box : int, default 0
        The box that is probed.
    probe : int, default 0
        What is done to its input, as an index of `attnbook.models.bugs.PROBES`.
    seen : list of int, optional
        For each box, the probes that were tried before: the sum of 2 ** probe.
    verdicts : list of int, optional
        What each box was named, as an index of the list above; -1 is not named yet.
    wrong : int, default 0
        How many names were wrong.

    Examples
    --------
    >>> rows = [[0, 2], [1, 0]]
    >>> game = BugGame(["Child", "Reads"], rows, rows, [0, 1], ["no keepdims", "no mistake"])
    >>> game.probed.output[:, 0].round(2).tolist()
    [0.98, 1.14]
    >>> game.box = 1
    >>> game.probed.output[:, 0].tolist()
    [1.0, 1.0]
    """

    address = Address("bugs")
    words = Words()
    query = _Rows("words", "d", fixed=True)
    key = _Rows("words", "d", fixed=True)
    value = Array("words", fixed=True)
    layers = Trait(_LAYERS, check=_inside)
    order = Order("layers", "box i holds layers[order[i]]", address="of")
    box = IndexOf("layers", "it is the index of a box", address="box")
    probe = Setting(
        Int(0, "it is an index of attnbook.models.bugs.PROBES", len(PROBES) - 1), 0, address="probe"
    )
    seen = Integers(
        "layers", 0, 2 ** len(PROBES) - 1, "each is a sum of 2 ** probe", address="seen"
    )
    verdicts = Integers(
        "layers",
        NOT_NAMED,
        len(SUSPECTS) - 1,
        "each is the index of a name; -1 is none yet",
        NOT_NAMED,
        address="named",
    )
    wrong = Setting(Int(0, "it counts wrong names", 999), 0, address="wrong")

    def in_box(self, box: int) -> str:
        """What a box holds."""
        return str(self.layers[self.order[box]])

    def probed_at(self, box: int, probe: int) -> Probed | None:
        """What a box gives under a probe, and what it should; None if it raises an error."""
        value = self.value[:, None]
        return probed(self.in_box(box), _PROBES[probe], self.query, self.key, value)

    @property
    def probed(self) -> Probed | None:
        """What the box gives now, and what it should."""
        return self.probed_at(self.box, self.probe)

    @property
    def n_off(self) -> int:
        """How many outputs are not what they should be now."""
        return 0 if self.probed is None else int((~keeps(self.probed)).sum())

    def _was_tried(self, box: int, probe: int) -> bool:
        return bool(self.seen[box] >> probe & 1) or (box, probe) == (self.box, self.probe)

    def _is_right(self, box: int) -> bool:
        index = self.verdicts[box]
        return index != NOT_NAMED and SUSPECTS[index] == self.in_box(box)

    @property
    def board(self) -> list[list[str]]:
        """What is known: for each box and probe "keeps", "breaks", "NaN" or "error"; or "".

        A box that is named right is known.
        """
        return [
            [
                self._outcome(b, p) if self._is_right(b) or self._was_tried(b, p) else ""
                for p in range(len(_PROBES))
            ]
            for b in range(len(self.layers))
        ]

    def _outcome(self, box: int, probe: int) -> str:
        result = self.probed_at(box, probe)
        if result is None:
            return "error"
        if np.isnan(result.output).any():
            return "NaN"
        return "keeps" if keeps(result).all() else "breaks"

    @property
    def n_probes(self) -> int:
        """How many probes were made in all boxes; the first one in the first box is a gift."""
        boxes, probes = range(len(self.layers)), range(len(_PROBES))
        return sum(b + p > 0 and self._was_tried(b, p) for b in boxes for p in probes)

    @property
    def n_right(self) -> int:
        """How many boxes are named right."""
        return sum(self._is_right(b) for b in range(len(self.layers)))

    @property
    def score(self) -> int:
        """100, less 1 for each probe and 5 for each wrong name."""
        return max(0, 100 - PRICES[0] * self.n_probes - PRICES[1] * self.wrong)

    @property
    def is_solved(self) -> bool:
        """Whether all boxes are named right."""
        return self.n_right == len(self.layers)
