"""More examples of AttentionBench."""

import numpy as np

from attnutils import AttentionBench
from attnutils.worked_example import KEYS, VALUES, WORDS
from tests.examples._texts import LONG

RNG = np.random.default_rng(0)

STATES = [
    AttentionBench(WORDS, KEYS, VALUES, temperature=0, mask=[True] * 3 + [False] * 3),
    AttentionBench(WORDS, KEYS, VALUES, mask=[False] * 6, score="gaussian"),
    AttentionBench(WORDS, KEYS, VALUES, query=5, challenge=("Book", "Child")),
]

WIDE = [
    AttentionBench(LONG, RNG.normal(size=(12, 6)).round(2), RNG.normal(size=(12, 1))),
]
