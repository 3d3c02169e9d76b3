"""A game: attention layers in black boxes, most of which hold a mistake. Probe them, name it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from attnbook.explorers._base import (
    Address,
    ArrayTrait,
    Checked,
    Explorer,
    Fixed,
    checked_array,
    checked_integers,
    checked_order,
    checked_words,
    entries,
    script,
    style,
)
from attnbook.lessons.bugs import (
    PROBES,
    SUSPECTS,
    Probed,
    keeps,
    probed,
)
from attnutils._checks import Int
from attnutils.worked_example import KEYS, VALUES, WORDS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["BugGame"]

NOT_NAMED = -1

_LAYERS = tuple(SUSPECTS[i] for i in (1, 5, 3, 0, 7, 2, 4, 6))
_PROBES = tuple(PROBES)


def _checked_place(name: str, n: Callable[[BugGame], int], hint: str) -> Checked:
    return Checked(
        0, lambda widget, x: Int(0, hint, n(widget) - 1).check(type(widget).__name__, name, x)
    )


def _checked_list(name: str, least: int, most: int, hint: str) -> Checked:
    def check(widget: BugGame, x: Any) -> list[int]:
        return checked_integers(
            type(widget).__name__, name, x, len(widget.layers), least, most, hint
        )

    return Checked((), check)


def _checked_order(widget: BugGame, x: Any) -> list[int]:
    hint = "box i holds layers[order[i]]"
    return checked_order(type(widget).__name__, "order", x, len(widget.layers), hint)


class BugGame(Explorer):
    """Attention layers in black boxes: probe them, see which laws they break, name the mistake.

    The traits move the widget, and the widget moves the traits. `words`, `query`, `key`,
    `value` and `layers` stay as they were given.

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
    box : int, default 0
        The box that is probed.
    probe : int, default 0
        What is done to its input, as a place in `attnbook.lessons.bugs.PROBES`.

    Attributes
    ----------
    order : list of int
        Box i holds `layers[order[i]]`. A new game shuffles it.
    seen : list of int
        For each box, the probes that were tried before: the sum of 2 ** probe.
    verdicts : list of int
        What each box was named, as a place in the list above; -1 is not named yet.
    probed : Probed or None
        What the box gives now and what it should; None if it raises an error.
    is_solved : bool
        Whether all boxes are named right.

    Raises
    ------
    ValueError, TypeError
        If shapes, types or names do not fit.

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

    _esm = script("bug_game")
    _css = style("bug_game")

    address = Address("bugs")
    words = Fixed()
    query = ArrayTrait()
    key = ArrayTrait()
    value = ArrayTrait()
    layers = Fixed()
    order = Checked((), _checked_order)
    box = _checked_place("box", lambda widget: len(widget.layers), "it is the place of a box")
    probe = _checked_place(
        "probe", lambda widget: len(_PROBES), "it is a place in attnbook.lessons.bugs.PROBES"
    )
    seen = _checked_list("seen", 0, 2 ** len(_PROBES) - 1, "each is a sum of 2 ** probe")
    verdicts = _checked_list(
        "verdicts", NOT_NAMED, len(SUSPECTS) - 1, "each is the place of a name; -1 is none yet"
    )

    def __init__(
        self,
        words: Sequence[str],
        query: object,
        key: object,
        value: object,
        layers: Sequence[str] = _LAYERS,
        *,
        box: int = 0,
        probe: int = 0,
        **kwargs: Any,
    ) -> None:
        owner = type(self).__name__
        words = checked_words(owner, words)
        q = checked_array(owner, "query", query, (len(words), "d"))
        if q.shape[1] > 8:
            raise ValueError(f"{owner}: query has width {q.shape[1]} but at most 8 is expected.")
        inside = entries(layers) or []
        if not 2 <= len(inside) <= 8 or not all(
            isinstance(name, str) and name in SUSPECTS for name in inside
        ):
            raise ValueError(
                f"{owner}: layers must be 2 to 8 of {', '.join(SUSPECTS)}, got {layers!r}."
            )
        if len(set(inside)) < len(inside):
            raise ValueError(f"{owner}: layers must be different, got {layers!r}.")
        super().__init__(
            words=words,
            query=q,
            key=checked_array(owner, "key", key, q.shape),
            value=checked_array(owner, "value", value, (len(words),)),
            layers=[str(name) for name in inside],
            order=list(range(len(inside))),
            box=box,
            probe=probe,
            seen=[0] * len(inside),
            verdicts=[NOT_NAMED] * len(inside),
            **kwargs,
        )

    @classmethod
    def example(cls, words: Sequence[str] = WORDS) -> Self:
        """A game with these words."""
        n = len(words)
        query, key = (np.resize(x, (n, 3)) for x in (KEYS[:, [1, 2, 0]], KEYS))
        return cls(words, query, key, np.resize(VALUES, n))

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
    def board(self) -> list[list[str]]:
        """What is known: for each box and probe "keeps", "breaks", "NaN" or "error"; or ""."""
        tried = [
            [bits >> p & 1 or (b, p) == (self.box, self.probe) for p in range(len(_PROBES))]
            for b, bits in enumerate(self.seen)
        ]
        return [
            [self._outcome(b, p) if was else "" for p, was in enumerate(row)]
            for b, row in enumerate(tried)
        ]

    def _outcome(self, box: int, probe: int) -> str:
        result = self.probed_at(box, probe)
        if result is None:
            return "error"
        if np.isnan(result.output).any():
            return "NaN"
        return "keeps" if keeps(result).all() else "breaks"

    @property
    def is_solved(self) -> bool:
        """Whether all boxes are named right."""
        named = [SUSPECTS[place] if place >= 0 else None for place in self.verdicts]
        return bool(named == [self.in_box(i) for i in range(len(named))])

    def __repr__(self) -> str:
        return (
            f"BugGame({len(self.words)} words, {len(self.layers)} layers, box={self.box}, "
            f"probe={_PROBES[self.probe]!r})"
        )

    def _picture(self) -> Figure:
        from attnbook.explorers.pictures.bug_game import bug_picture

        asked = self.words[-1:] if _PROBES[self.probe] == "one query" else self.words
        title = f"Box {'ABCDEFGH'[self.box]}, {_PROBES[self.probe]}"
        return bug_picture(title, asked, self.probed, self.board, _PROBES)
