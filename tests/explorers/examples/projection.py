from collections.abc import Sequence

import numpy as np

from attnbook.explorers.projection.explorer import ProjectionExplorer
from attnutils.worked_example import KEYS, WORDS
from tests.explorers.labels import ATTACK, LONG, moved

RNG = np.random.default_rng(0)


def start(words: Sequence[str] = WORDS) -> ProjectionExplorer:
    """An explorer with these words, and the vectors of the worked example."""
    return ProjectionExplorer(words, np.resize(KEYS, (len(words), 3)), token=len(words) - 1)


SEEK = [[2, 0, 2], [-1, 2, -2], [0, 0, -2]], [[0, 0, 2], [0, 0, -1], [-1, 2, -2]]
NAMED = {
    "opposite, not scaled": ProjectionExplorer(WORDS, KEYS, -np.eye(3), scaled=False, token=5),
    "seek nouns": ProjectionExplorer(WORDS, KEYS, *SEEK, presets={"seek nouns": SEEK}, token=3),
    "in the plane": ProjectionExplorer(
        WORDS, KEYS[:, :2], [[0, 1], [-1, 0]], np.eye(2), scaled=False, token=1
    ),
    "one column of zeros": ProjectionExplorer(
        WORDS, KEYS[:, :2], np.ones((2, 1)), np.zeros((2, 1)), presets={}
    ),
    "a vector of zeros": moved(start(), token=0),
}
WIDE = [
    ProjectionExplorer(
        LONG, RNG.normal(size=(12, 3)).round(2), RNG.normal(scale=1e5, size=(3, 3)).round(3)
    )
]
HOSTILE = [ProjectionExplorer(ATTACK, [[1], [2]], presets={ATTACK[0]: ([[1]], [[2]])})]
