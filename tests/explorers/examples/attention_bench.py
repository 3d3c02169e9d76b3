from collections.abc import Sequence

import numpy as np

from attnbook.explorers.attention_bench.explorer import AttentionBench
from attnutils.worked_example import KEYS, VALUES, WORDS
from tests.explorers.labels import LONG, moved

RNG = np.random.default_rng(0)


def start(words: Sequence[str] = WORDS) -> AttentionBench:
    """A bench with these words, and the numbers of the worked example."""
    n = len(words)
    return AttentionBench(words, np.resize(KEYS, (n, 3)), np.resize(VALUES, (n, 1)), query=n - 1)


def challenged() -> AttentionBench:
    """A bench as the first page has it."""
    pair = ("Book", "Child")
    return AttentionBench(WORDS, KEYS, VALUES, query=5, scores=["dot"], challenge=pair)


NAMED = {
    "three keys at T = 0": AttentionBench(
        WORDS, KEYS, VALUES, temperature=0, mask=[True] * 3 + [False] * 3
    ),
    "all keys hidden": AttentionBench(WORDS, KEYS, VALUES, mask=[False] * 6, score="gaussian"),
    "challenge": challenged(),
    "challenge met": moved(challenged(), query_vector=-KEYS[5]),
    "uniform": moved(start(), temperature=np.inf, score="scaled_dot"),
}
WIDE = [AttentionBench(LONG, RNG.normal(size=(12, 6)).round(2), RNG.normal(size=(12, 1)))]
