"""More examples of LeakGame."""

from attnutils.widgets import LeakGame
from attnutils.worked_example import WORDS
from tests.examples._texts import LONG


def solved() -> LeakGame:
    """A game with moved numbers, in which a box is named right and one wrong."""
    game = LeakGame(WORDS, [1, 2, 0.5, 1.5, -1, 1], ["no mask", "mask after softmax"], box=1)
    game.numbers = [1, 2, 0.5, 1.5, -1, 9]
    game.verdicts = [1, 1]
    return game


STATES = [solved()]

WIDE = [LeakGame(LONG, [-123456.78] * 12)]
