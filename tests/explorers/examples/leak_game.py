from collections.abc import Sequence

import numpy as np

from attnbook.explorers.leak_game.explorer import LeakGame
from attnutils.worked_example import WORDS
from tests.explorers.labels import LONG


def start(words: Sequence[str] = WORDS) -> LeakGame:
    """A game with these words."""
    return LeakGame(words, np.resize([1, 2, 0.5, 1.5, 1, 1], len(words)))


def played(game: LeakGame, numbers: list[float]) -> LeakGame:
    """The game with other numbers."""
    game.numbers = np.array(numbers)
    return game


NAMED = {
    "moved": played(
        LeakGame(WORDS, start().given, box=3, seen=[0, 0, 0, 8, 0]), [1, 2, 0.5, 2, 1, 1]
    ),
    "a leak, some named": played(
        LeakGame(
            WORDS, start().given,
            box=2, seen=[32, 33, 12, 32, 0], verdicts=[1, 4, -1, 3, -1], wrong=1,
        ),
        [1, 2, 0.5, 2, 1, 1],
    ),
    "solved": played(
        LeakGame(
            WORDS, [1, 2, 0.5, 1.5, -1, 1], ["no mask", "mask after softmax"],
            box=1, seen=[32, 48], verdicts=[1, 4],
        ),
        [1, 2, 0.5, 1.5, -1, 9],
    ),
}  # fmt: skip
WIDE = [LeakGame(LONG, [-123456.78] * 12)]
