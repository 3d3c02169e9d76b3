from attnbook.explorers import RotaryBench
from tests.explorers.states._texts import moved

NAMED = {
    "one pair, far apart": RotaryBench(
        [1, 0], [0, 1], query_position=63, key_position=0, together=True
    ),
    "four pairs": RotaryBench(
        [0, 0, 1, 2, 1, 1, 0, 1], [2, 1, 0, 1, 1, 0, 1, 0.5], base=100, query_position=9
    ),
    "same place": moved(RotaryBench.example(), key_position=3),
}
WIDE = [RotaryBench([-1e6] * 8, [1e6] * 8, query_position=63)]
