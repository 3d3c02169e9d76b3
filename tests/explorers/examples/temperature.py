from collections.abc import Sequence

import numpy as np

from attnbook.explorers.temperature.explorer import TemperatureExplorer
from attnutils.worked_example import KEYS, VALUES, WORDS
from tests.explorers.labels import ATTACK, moved


def start(words: Sequence[str] = WORDS) -> TemperatureExplorer:
    """An explorer with these words, and the numbers of the worked example."""
    n = len(words)
    return TemperatureExplorer(words, np.resize(KEYS @ KEYS[5], n), np.resize(VALUES, (n, 1)))


NAMED = {
    "uniform, a tie, no values": TemperatureExplorer(
        WORDS, KEYS @ KEYS[5], temperature=np.inf, tie=True
    ),
    "T = 0, a tie": moved(start(), temperature=0, tie=True),
    "sparsemax": moved(start(), normalizer="sparsemax", temperature=3),
    "T = 5.2": moved(start(), temperature=5.2),
    "hardmax": moved(start(), normalizer="hardmax"),
}
HOSTILE = [TemperatureExplorer(ATTACK, [1, 2], [[1], [2]], tie=True)]
