"""More examples of PlaneExplorer."""

import numpy as np

from attnutils import PlaneExplorer

RNG = np.random.default_rng(0)

_KEYS = [[0.0, 0], [1, 1], [1, -1], [-1, 0]]

STATES = [
    PlaneExplorer(["The", "Child", "Reads", "A"], _KEYS, _KEYS, [2, 1], hull=True),
    # A query of zeros; all on one line; all at one place.
    PlaneExplorer(["a", "b", "c"], [[1, 1], [2, 2], [3, 3]], [[1, 0]] * 3, [0, 0], hull=True),
    PlaneExplorer(["a", "b"], [[0, 0], [0, 0]], [[0, 0], [0, 0]], [5, -7], hull=True),
]

WIDE = [
    PlaneExplorer(
        [f"word {i}" for i in range(12)],
        1e5 * RNG.normal(size=(12, 2)),
        1e5 * RNG.normal(size=(12, 2)),
        1e5 * RNG.normal(size=2),
        axes=["Donaudampfschifffahrt", "Donaudampfschifffahrtsgesellschaft"],
    ),
]
