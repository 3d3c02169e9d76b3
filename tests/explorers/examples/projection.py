from collections.abc import Sequence

import numpy as np

from attnbook.explorers.projection.explorer import ProjectionExplorer
from attnutils.worked_example import POINTS, WORDS
from tests.explorers.labels import ATTACK, LONG, moved

RNG = np.random.default_rng(0)


def start(words: Sequence[str] = WORDS) -> ProjectionExplorer:
    """An explorer with these words, and the vectors of the worked example."""
    return ProjectionExplorer(words, np.resize(POINTS, (len(words), 2)), token=len(words) - 1)


PARTNERS = [[-1, 0], [0, 1]], [[1, 0], [-1, 1]]
NAMED = {
    "opposite": ProjectionExplorer(WORDS, POINTS, -np.eye(2), token=5),
    "partners": ProjectionExplorer(
        WORDS, POINTS, *PARTNERS, presets={"partners": PARTNERS}, token=3
    ),
    "larger than the square": ProjectionExplorer(
        WORDS, POINTS, [[0, 3], [-3, 0.5]], np.eye(2), token=1
    ),
    "keys of zeros": ProjectionExplorer(WORDS, POINTS, None, np.zeros((2, 2)), presets={}),
    "a vector of zeros": moved(start(), token=0),
}
WIDE = [
    ProjectionExplorer(
        LONG, RNG.normal(size=(12, 2)).round(2), RNG.normal(scale=1e5, size=(2, 2)).round(3)
    )
]
HOSTILE = [
    ProjectionExplorer(
        ATTACK, [[1, 0], [2, 1]], presets={ATTACK[0]: ([[1, 0], [0, 2]], [[1, 0], [0, 1]])}
    )
]
