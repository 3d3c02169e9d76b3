import numpy as np

from attnbook import BindingExplorer
from attnbook.lessons.binding import load_binding_runs
from attnutils import MultiHeadParams

COLOURS = ["red", "blue", "green", "pink", "grey", "gold"]
COLOURS += ["black", "white", "brown", "lime", "teal", "plum"]
THINGS = ["cup", "hat", "key", "pen", "bag", "egg", "map", "box", "fan", "pin", "toy", "jar"]


def trained(**options: object) -> BindingExplorer:
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
