from collections.abc import Sequence
from typing import Any

import numpy as np

from attnbook.explorers.binding.explorer import MOST_ITEMS, BindingExplorer
from attnbook.models.binding import load_binding_runs
from attnutils import MultiHeadParams
from attnutils.worked_example import WORDS

COLOURS = ["red", "blue", "green", "pink", "grey", "gold"]
COLOURS += ["black", "white", "brown", "lime", "teal", "plum"]
THINGS = ["cup", "hat", "key", "pen", "bag", "egg", "map", "box", "fan", "pin", "toy", "jar"]


def start(words: Sequence[str] = WORDS) -> BindingExplorer:
    """An explorer with these words as colours and as things, and matrices made by hand."""
    n = len(words)
    one, none = np.eye(n), np.zeros((n, n))
    both, colours = np.block([[one, none], [none, one]]), np.block([[one, one], [none, none]])
    params = MultiHeadParams(9 * both, 9 * colours, 9 * np.roll(colours, n, axis=0), both)
    items = list(range(min(n, MOST_ITEMS)))
    shares = {1: 0.1, 2: 1.0}
    return BindingExplorer({1: params, 2: params}, words, words, items, items[::-1], shares=shares)


def trained(**options: Any) -> BindingExplorer:
    """What the page shows: layers that were trained."""
    runs = load_binding_runs()
    shares = {n_heads: runs.shares[8, n_heads].mean() for n_heads in runs.params}
    args = runs.params, COLOURS, THINGS, range(6), [0, 1, 2, 3, 4, 1]
    return BindingExplorer(*args, **{"shares": shares, "second": 3, **options})


def without_shares() -> BindingExplorer:
    """The fewest colours and items, one number of heads, and large numbers."""
    rng = np.random.default_rng(0)
    params = MultiHeadParams(*(50 * rng.normal(size=shape) for shape in [(4, 3)] * 3 + [(3, 4)]))
    return BindingExplorer({3: params}, ["a", "b"], ["c", "d"], [1, 0], [1, 1], first=1, second=1)


NAMED = {
    "trained": trained(),
    "eight heads": trained(n_heads=8, first=5, second=2),
    "without shares": without_shares(),
}
