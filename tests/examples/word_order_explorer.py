"""More examples of WordOrderExplorer."""

import numpy as np

from attnutils.widgets import WordOrderExplorer
from attnutils.worked_example import KEYS, VALUES, WORDS
from tests.examples._texts import LONG


def reordered(**traits: bool) -> WordOrderExplorer:
    """An explorer in its second order."""
    rng = np.random.default_rng(0)
    x, second = np.hstack([KEYS, VALUES]), [4, 5, 3, 0, 1, 2]
    made = WordOrderExplorer(WORDS, x, rng.normal(size=(3, 4, 4)) / 2, second, **traits)
    made.order = second
    return made


STATES = [reordered(), reordered(has_positions=True), reordered(is_causal=True)]

WIDE = [WordOrderExplorer(LONG, np.full((12, 8), -1e6))]
