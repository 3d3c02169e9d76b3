import numpy as np

from attnbook.explorers import WordOrderExplorer
from attnutils.worked_example import KEYS, VALUES, WORDS
from tests.explorers.states._texts import LONG, moved

SECOND = [4, 5, 3, 0, 1, 2]


def reordered(**traits: bool) -> WordOrderExplorer:
    """An explorer in its second order."""
    matrices = np.random.default_rng(0).normal(size=(3, 4, 4)) / 2
    made = WordOrderExplorer(WORDS, np.hstack([KEYS, VALUES]), matrices, SECOND, **traits)
    return moved(made, order=SECOND)


NAMED = {
    "second order": reordered(),
    "with positions": reordered(has_positions=True),
    "causal": reordered(is_causal=True),
}
WIDE = [WordOrderExplorer(LONG, np.full((12, 8), -1e6))]
