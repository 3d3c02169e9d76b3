"""More examples of WinnerExplorer."""

import numpy as np

from attnutils import WinnerExplorer

RNG = np.random.default_rng(0)

_KEYS = [[0.0, 0], [1, 1], [1, -1], [-1, 0]]

STATES = [
    WinnerExplorer(["The", "Child", "Reads", "A"], _KEYS, [2, 1], score="Gaussian", zoom=6),
    WinnerExplorer(["The", "Child", "Reads", "A"], _KEYS, [0, 0], score="cosine", zoom=1),
    # All on one line; all at one place.
    WinnerExplorer(["a", "b", "c"], [[1, 1], [2, 2], [3, 3]], [0, 0]),
    WinnerExplorer(["a", "b"], [[0, 0], [0, 0]], [5, -7], score="Gaussian"),
]

WIDE = [
    WinnerExplorer(
        [f"word {i}" for i in range(12)],
        1e5 * RNG.normal(size=(12, 2)),
        1e5 * RNG.normal(size=2),
        score=score,
    )
    for score in ("dot", "cosine", "Gaussian")
]
