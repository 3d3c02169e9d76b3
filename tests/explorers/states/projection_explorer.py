import numpy as np

from attnbook.explorers import ProjectionExplorer
from attnutils.worked_example import KEYS, WORDS
from tests.explorers.states._texts import ATTACK, LONG, moved

RNG = np.random.default_rng(0)

NAMED = {
    "opposite, not scaled": ProjectionExplorer(WORDS, KEYS, -np.eye(3), scaled=False, token=5),
    "one column of zeros": ProjectionExplorer(
        WORDS, KEYS[:, :2], np.ones((2, 1)), np.zeros((2, 1)), presets={}
    ),
    "a vector of zeros": moved(ProjectionExplorer.example(), token=0),
}
WIDE = [
    ProjectionExplorer(
        LONG, RNG.normal(size=(12, 3)).round(2), RNG.normal(scale=1e5, size=(3, 3)).round(3)
    )
]
HOSTILE = [ProjectionExplorer(ATTACK, [[1], [2]], presets={ATTACK[0]: ([[1]], [[2]])})]
