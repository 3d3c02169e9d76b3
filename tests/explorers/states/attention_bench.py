import numpy as np

from attnbook import AttentionBench
from attnutils.worked_example import KEYS, VALUES, WORDS
from tests.explorers.states._texts import LONG, moved

RNG = np.random.default_rng(0)

NAMED = {
    "three keys at T = 0": AttentionBench(
        WORDS, KEYS, VALUES, temperature=0, mask=[True] * 3 + [False] * 3
    ),
    "all keys hidden": AttentionBench(WORDS, KEYS, VALUES, mask=[False] * 6, score="gaussian"),
    "challenge": AttentionBench(WORDS, KEYS, VALUES, query=5, challenge=("Book", "Child")),
    "challenge met": moved(
        AttentionBench(WORDS, KEYS, VALUES, query=5, challenge=("Book", "Child")),
        query_vector=-KEYS[5],
    ),
    "uniform": moved(AttentionBench.example(), temperature=np.inf, score="scaled_dot"),
}
WIDE = [AttentionBench(LONG, RNG.normal(size=(12, 6)).round(2), RNG.normal(size=(12, 1)))]
