"""More examples of OnlineSoftmaxExplorer."""

import numpy as np

from attnutils import OnlineSoftmaxExplorer
from attnutils.worked_example import KEYS, VALUES, WORDS
from tests.examples._texts import LONG

RNG = np.random.default_rng(0)

STATES = [
    OnlineSoftmaxExplorer(KEYS @ KEYS[5], VALUES[:, 0], names=WORDS),
    OnlineSoftmaxExplorer(KEYS @ KEYS[5], VALUES[:, 0], names=WORDS, step=5, correct=False),
    OnlineSoftmaxExplorer([-1000, 1000, 1000], [2, 2, 2], block=2, step=2, correct=False),
]

WIDE = [
    OnlineSoftmaxExplorer(
        1e5 * RNG.normal(size=16), 1e6 * np.sin(np.arange(16)), names=(LONG * 2)[:16], step=16
    ),
]
