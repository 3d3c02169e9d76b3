"""Examples of TemperatureExplorer."""

import numpy as np

from attnutils import TemperatureExplorer
from attnutils.worked_example import KEYS, VALUES, WORDS
from tests.examples._texts import ATTACK, LONG

RNG = np.random.default_rng(0)

USUAL = [
    TemperatureExplorer(WORDS, KEYS @ KEYS[5], VALUES),
]

STATES = [
    TemperatureExplorer(WORDS, KEYS @ KEYS[5], temperature=np.inf, tie=True),
]

WIDE = [
    TemperatureExplorer(LONG, RNG.normal(size=12).round(2), RNG.normal(size=(12, 1))),
]

HOSTILE = [
    TemperatureExplorer(ATTACK, [1, 2], [[1], [2]], tie=True),
]
