from collections.abc import Sequence

import numpy as np

from attnbook.explorers.bug_game.explorer import BugGame
from attnbook.models.bugs import PROBES
from attnutils.worked_example import KEYS, VALUES, WORDS
from tests.explorers.labels import LONG

ARGS = WORDS, KEYS[:, [1, 2, 0]], KEYS, VALUES[:, 0]


def start(words: Sequence[str] = WORDS) -> BugGame:
    """A game with these words."""
    _, query, key, value = ARGS
    n = len(words)
    return BugGame(words, np.resize(query, (n, 3)), np.resize(key, (n, 3)), np.resize(value, n))


NAMED = {
    "some named, right and wrong": BugGame(
        *ARGS,
        box=2,
        probe=6,
        order=[3, 2, 7, 0, 1, 4, 6, 5],
        seen=[2, 2, 0, 255, 0, 9, 0, 0],
        verdicts=[-1, 3, 1, -1, -1, -1, -1, -1],
        wrong=1,
    ),
    "an error": BugGame(*ARGS, probe=list(PROBES).index("everything twice")),
    "solved": BugGame(
        *ARGS, box=7, probe=3, seen=[3, 10, 2, 255, 64, 4, 32, 64],
        verdicts=[1, 5, 3, 0, 7, 2, 4, 6], wrong=2,
    ),
}  # fmt: skip
WIDE = [BugGame(LONG, np.full((12, 8), -9.5), np.full((12, 8), 9.5), [-123456.78] * 12)]
