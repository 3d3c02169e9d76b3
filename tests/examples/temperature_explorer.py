"""More examples of TemperatureExplorer."""

import numpy as np

from attnutils import TemperatureExplorer
from attnutils.worked_example import KEYS, WORDS
from tests.examples._texts import ATTACK

STATES = [
    TemperatureExplorer(WORDS, KEYS @ KEYS[5], temperature=np.inf, tie=True),
]

HOSTILE = [
    TemperatureExplorer(ATTACK, [1, 2], [[1], [2]], tie=True),
]
