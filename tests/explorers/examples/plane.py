from collections.abc import Sequence

import numpy as np

from attnbook.explorers.plane.explorer import PlaneExplorer
from attnutils.worked_example import KEYS, VALUES, WORDS
from tests.explorers.labels import moved

RNG = np.random.default_rng(0)
_KEYS = [[0.0, 0], [1, 1], [1, -1], [-1, 0]]


def start(words: Sequence[str] = WORDS) -> PlaneExplorer:
    """An explorer with these words, and keys of the worked example seen from one side."""
    n = len(words)
    keys = np.resize(KEYS[:, :2], (n, 2))
    values = np.resize(np.column_stack([VALUES, KEYS[:, 2] / 5]), (n, 2))
    return PlaneExplorer(words, keys, values, [-0.6, 1])


NAMED = {
    "hull": PlaneExplorer(["The", "Child", "Reads", "A"], _KEYS, _KEYS, [2, 1], hull=True),
    "query of zeros": moved(start(), query_vector=[0, 0]),
    "all on a line": PlaneExplorer(
        ["a", "b", "c"], [[1, 1], [2, 2], [3, 3]], [[1, 0]] * 3, [0, 0], hull=True
    ),
    "all at one place": PlaneExplorer(
        ["a", "b"], np.zeros((2, 2)), [[0, 0]] * 2, [5, -7], hull=True
    ),
}
WIDE = [
    PlaneExplorer(
        [f"word {i}" for i in range(12)],
        1e5 * RNG.normal(size=(12, 2)),
        1e5 * RNG.normal(size=(12, 2)),
        1e5 * RNG.normal(size=2),
        axes=["Donaudampfschifffahrt", "Donaudampfschifffahrtsgesellschaft"],
    )
]
