"""More examples of BugGame."""

import numpy as np

from attnutils.bugs import PROBES
from attnutils.widgets import BugGame
from attnutils.worked_example import KEYS, VALUES, WORDS
from tests.examples._texts import LONG


def begun() -> BugGame:
    """A game in another order: some boxes are probed, one is named right and one wrong."""
    game = BugGame(WORDS, KEYS[:, [1, 2, 0]], KEYS, VALUES[:, 0], box=2, probe=6)
    game.order = [3, 2, 7, 0, 1, 4, 6, 5]
    game.seen = [2, 2, 0, 255, 0, 9, 0, 0]
    game.verdicts = [-1, 3, 1, -1, -1, -1, -1, -1]
    return game


def failing() -> BugGame:
    """A box that raises an error."""
    return BugGame(
        WORDS, KEYS[:, [1, 2, 0]], KEYS, VALUES[:, 0], probe=list(PROBES).index("everything twice")
    )


STATES = [begun(), failing()]

WIDE = [BugGame(LONG, np.full((12, 8), -9.5), np.full((12, 8), 9.5), [-123456.78] * 12)]
