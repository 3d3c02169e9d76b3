from attnbook.explorers import LeakGame
from attnutils.worked_example import WORDS
from tests.explorers.states._texts import LONG, moved

NAMED = {
    "moved": moved(LeakGame.example(), numbers=[1, 2, 0.5, 2, 1, 1], box=3),
    "solved": moved(
        LeakGame(WORDS, [1, 2, 0.5, 1.5, -1, 1], ["no mask", "mask after softmax"], box=1),
        numbers=[1, 2, 0.5, 1.5, -1, 9],
        verdicts=[1, 1],
    ),
}
WIDE = [LeakGame(LONG, [-123456.78] * 12)]
