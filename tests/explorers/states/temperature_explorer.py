import numpy as np

from attnbook import TemperatureExplorer
from attnutils.worked_example import KEYS, VALUES, WORDS
from tests.explorers.states._texts import ATTACK, moved

NAMED = {
    "uniform, a tie, no values": TemperatureExplorer(
        WORDS, KEYS @ KEYS[5], temperature=np.inf, tie=True
    ),
    "T = 0": moved(TemperatureExplorer.example(), temperature=0),
    "T = 0, a tie": moved(TemperatureExplorer.example(), temperature=0, tie=True),
    "sparsemax": moved(TemperatureExplorer.example(), normalizer="sparsemax", temperature=3),
    "simple": TemperatureExplorer(WORDS, KEYS @ KEYS[5], VALUES, simple=True),
    "hardmax": moved(TemperatureExplorer.example(), normalizer="hardmax"),
}
HOSTILE = [TemperatureExplorer(ATTACK, [1, 2], [[1], [2]], tie=True)]
