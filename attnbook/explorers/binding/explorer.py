"""Two things asked for at once: how many heads does it take to tell them apart?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attnbook.explorers._base import Explorer
from attnbook.explorers._traits import (
    Address,
    Array,
    IndexOf,
    Trait,
    checked_array,
    checked_integers,
    word_list,
)
from attnutils._checks import INTEGER, FloatArray, Int, Number, array_of
from attnutils.heads import MultiHeadParams, merge_heads, split_heads
from attnutils.mechanism import attention
from attnutils.normalize import softmax

__all__ = ["BindingExplorer"]

MOST_ITEMS = 8
MATRICES = "w_query", "w_key", "w_value", "w_output"


def _checked_heads(widget: BindingExplorer, x: Any) -> int:
    owner, offered = "BindingExplorer", widget.counts
    n_heads = int(Int(min(offered), "", max(offered)).check(owner, "n_heads", x))
    if n_heads not in offered:
        expected = " or ".join(map(str, offered))
        raise ValueError(f"{owner}: n_heads must be {expected}, got {n_heads}.")
    return n_heads


def _checked_things(widget: BindingExplorer, x: Any) -> list[int]:
    owner, n, n_items = "BindingExplorer", len(widget.things), len(widget.item_colours)
    hint = "each is the index of a thing, one for each item"
    return checked_integers(owner, "item_things", x, n_items, 0, n - 1, hint)


class BindingExplorer(Explorer):
    """Items of a colour each, and a question that names two colours: which things are they?

    Multi-head attention answers. Query and items are one-hot. Of each head one sees its weights
    over the items and what it hands on; all of that stands side by side, and `w_output` makes
    of it two answers.

    Parameters
    ----------
    params : mapping of int to MultiHeadParams
        By number of heads, 1 to 6 of these. With n colours and n things `w_query`, `w_key`
        and `w_value` have shape (2n, d), and `w_output` has shape (d, 2n); there are no biases.
    colours : sequence of str
        The n colours, 2 to 12. One-hot, they come first; in a question the one that is asked first.
    things : sequence of str
        The n things.
    item_colours : sequence of int
        The colours of the items, 2 to 8 different ones.
    item_things : sequence of int
        The thing of each item; several may have the same.
    shares : mapping of int to float, optional
        By number of heads, which share of all questions has both answers right.
    n_heads : int, optional
        At the start; the first in params by default.
    first, second : int
        Index of the item whose colour is asked first, 0 by default, and of the other, 1.

    Examples
    --------
    The same four matrices, cut between two heads and not.

    >>> one, four = np.eye(2), np.zeros((2, 2))
    >>> both, colours = np.block([[one, four], [four, one]]), np.block([[one, one], [four, four]])
    >>> params = MultiHeadParams(9 * both, 9 * colours, np.roll(colours, 2, axis=0), both)
    >>> explorer = BindingExplorer(
    ...     {1: params, 2: params}, ["red", "blue"], ["cup", "hat"], [0, 1], [0, 1]
    ... )
    >>> explorer.weights.round(2)
    array([[0.5, 0.5]])
    >>> explorer.n_heads = 2
    >>> explorer.weights.round(2)
    array([[1., 0.],
           [0., 1.]])
    >>> explorer.answers
    ['cup', 'hat']
    """

    address = Address("binding")
    colours = Trait()
    things = Trait()
    #: Numbers of heads.
    counts = Trait()
    #: For each number of heads the share of right answers; empty where there is none.
    shares = Trait()
    item_colours = Trait()
    #: Of each number of heads the four matrices, with 2n rows and d columns; W_O is transposed.
    tables = Array("counts", 4, "rows", "d", fixed=True)
    n_heads = Trait(address="H", check=_checked_heads)
    item_things = Trait(address="things", check=_checked_things)
    first = IndexOf("item_colours", "it is the index of an item", 0, address="first")
    second = IndexOf("item_colours", "it is the index of an item", 1, address="second")

    def __init__(
        self,
        params: Mapping[int, MultiHeadParams],
        colours: Sequence[str],
        things: Sequence[str],
        item_colours: Sequence[int],
        item_things: Sequence[int],
        *,
        shares: Mapping[int, float] | None = None,
        n_heads: int | None = None,
        **kwargs: Any,
    ) -> None:
        owner = type(self).__name__
        colours = word_list(owner, "colours", colours, 2, 12)
        n = len(colours)
        things = word_list(owner, "things", things, n, n)
        counts = _checked_counts(owner, params)
        tables = [_checked_params(owner, params[count], n, count) for count in counts]
        if len({table.shape for table in tables}) > 1:
            raise ValueError(f"{owner}: all params must have the same width.")
        of_items = array_of(INTEGER, owner, "item_colours", item_colours, "(items,)", "").tolist()
        fits = isinstance(of_items, list) and 2 <= len(of_items) <= min(n, MOST_ITEMS)
        if not fits or len({*of_items}) < len(of_items) or not {*of_items} <= {*range(n)}:
            raise ValueError(
                f"{owner}: item_colours must be 2 to {min(n, MOST_ITEMS)} different integers "
                f"from 0 to {n - 1}, got {item_colours!r}."
            )
        if shares is not None and {*shares} != {*counts}:
            raise ValueError(f"{owner}: shares must have the same numbers of heads as params.")
        super().__init__(
            colours=colours,
            things=things,
            counts=counts,
            shares=[] if shares is None else [_share(owner, shares[count]) for count in counts],
            item_colours=of_items,
            tables=np.stack(tables),
            n_heads=counts[0] if n_heads is None else n_heads,
            item_things=item_things,
            **kwargs,
        )

    def _projected(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """The query (1, d), the keys and the values (items, d), and the transposed w_output."""
        n = len(self.colours)
        of_query, of_key, of_value, of_output = self.tables[self.counts.index(self.n_heads)]
        colours, things = np.array(self.item_colours), n + np.array(self.item_things)
        asked = of_query[[colours[self.first], n + colours[self.second]]].sum(0, keepdims=True)
        return (
            asked,
            of_key[colours] + of_key[things],
            of_value[colours] + of_value[things],
            of_output,
        )

    def _attended(self) -> tuple[FloatArray, FloatArray]:
        """The weights (n_heads, items), and what was found (d,)."""
        query, key, value = (split_heads(x, self.n_heads) for x in self._projected()[:3])
        found, weights = attention(query, key, value)
        assert weights is not None
        return weights[:, 0], merge_heads(found)[0]

    @property
    def weights(self) -> FloatArray:
        """The weights of each head over the items, of shape (n_heads, items)."""
        return self._attended()[0]

    @property
    def found(self) -> FloatArray:
        """The outputs of the heads side by side, of shape (d,)."""
        return self._attended()[1]

    @property
    def chances(self) -> FloatArray:
        """The probability of each thing, of shape (2, n): a row for each answer."""
        return softmax((self._projected()[3] @ self.found).reshape(2, -1))

    @property
    def answers(self) -> list[str]:
        """The most probable thing of each answer."""
        return [self.things[i] for i in self.chances.argmax(-1)]


def _checked_counts(owner: str, params: Any) -> list[int]:
    """The numbers of heads."""
    if not isinstance(params, Mapping) or not 1 <= len(params) <= 6:
        raise TypeError(f"{owner}: params must be a mapping of 1 to 6 numbers of heads.")
    return [Int(1, "").check(owner, "a key of params", count) for count in params]


def _checked_params(owner: str, params: Any, n: int, n_heads: int) -> FloatArray:
    """The four matrices, one above the other: (4, 2n, d)."""
    if not isinstance(params, MultiHeadParams) or any(b is not None for b in params[4:]):
        raise TypeError(f"{owner}: params must hold MultiHeadParams without biases.")
    d = np.shape(params.w_query)[-1]
    shapes = [(2 * n, d)] * 3 + [(d, 2 * n)]
    matrices = [
        checked_array(owner, name, x, shape)
        for name, x, shape in zip(MATRICES, params, shapes, strict=False)
    ]
    if d % n_heads:
        raise ValueError(f"{owner}: {n_heads} heads cannot share out a width of {d}.")
    return np.stack([*matrices[:3], matrices[3].T])


def _share(owner: str, x: Any) -> float:
    return Number(0, "", 1).check(owner, "shares", x)
