from collections.abc import Sequence

import numpy as np

from attnbook.explorers.word_order.explorer import WordOrderExplorer
from attnutils.worked_example import KEYS, VALUES, WORDS
from tests.explorers.labels import LONG

SECOND = [4, 5, 3, 0, 1, 2]


def start(words: Sequence[str] = WORDS) -> WordOrderExplorer:
    """An explorer with these words, each beside its value as in the worked example."""
    return WordOrderExplorer(words, np.resize(np.hstack([KEYS, VALUES]), (len(words), 4)))


def reordered(**traits: bool) -> WordOrderExplorer:
    """An explorer in its second order."""
    matrices = np.random.default_rng(0).normal(size=(3, 4, 4)) / 2
    x = np.hstack([KEYS, VALUES])
    return WordOrderExplorer(WORDS, x, matrices, order=SECOND, **traits)


NAMED = {
    "second order": reordered(),
    "with positions": reordered(has_positions=True),
    "causal": reordered(is_causal=True),
}
WIDE = [WordOrderExplorer(LONG, np.full((12, 8), -1e6))]
