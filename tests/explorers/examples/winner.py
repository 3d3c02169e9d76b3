from collections.abc import Sequence

import numpy as np

from attnbook.explorers.winner.explorer import WinnerExplorer
from attnutils.worked_example import KEYS, WORDS

RNG = np.random.default_rng(0)
_WORDS, _KEYS = ["The", "Child", "Reads", "A"], [[0.0, 0], [1, 1], [1, -1], [-1, 0]]


def start(words: Sequence[str] = WORDS) -> WinnerExplorer:
    """An explorer with these words, and the first two numbers of each key of the example."""
    return WinnerExplorer(words, np.resize(KEYS[:, :2], (len(words), 2)), [-1.5, 2])


NAMED = {
    "dot alone": WinnerExplorer(WORDS, KEYS[:, :2], KEYS[5, :2], dot_only=True),
    "Gaussian, far": WinnerExplorer(_WORDS, _KEYS, [2, 1], score="Gaussian", zoom=6),
    "Gaussian, hard": WinnerExplorer(WORDS, KEYS[:, :2], [1, 1], score="Gaussian", temperature=0),
    "cosine, query of zeros": WinnerExplorer(_WORDS, _KEYS, [0, 0], score="cosine", zoom=1),
    "all on a line": WinnerExplorer(["a", "b", "c"], [[1, 1], [2, 2], [3, 3]], [0, 0]),
    "all at one place": WinnerExplorer(["a", "b"], np.zeros((2, 2)), [5, -7], score="Gaussian"),
}
WIDE = [
    WinnerExplorer(
        [f"word {i}" for i in range(12)],
        1e5 * RNG.normal(size=(12, 2)),
        1e5 * RNG.normal(size=2),
        score=score,
    )
    for score in ("dot", "cosine", "Gaussian")
]
