import numpy as np

from attnbook.explorers import BugGame
from attnbook.lessons.bugs import PROBES
from attnutils.worked_example import KEYS, VALUES, WORDS
from tests.explorers.states._texts import LONG, moved

ARGS = WORDS, KEYS[:, [1, 2, 0]], KEYS, VALUES[:, 0]

NAMED = {
    "some named, right and wrong": moved(
        BugGame(*ARGS, box=2, probe=6),
        order=[3, 2, 7, 0, 1, 4, 6, 5],
        seen=[2, 2, 0, 255, 0, 9, 0, 0],
        verdicts=[-1, 3, 1, -1, -1, -1, -1, -1],
    ),
    "an error": BugGame(*ARGS, probe=list(PROBES).index("everything twice")),
}
WIDE = [BugGame(LONG, np.full((12, 8), -9.5), np.full((12, 8), 9.5), [-123456.78] * 12)]
