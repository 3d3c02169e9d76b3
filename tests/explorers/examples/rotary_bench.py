from attnbook.explorers.rotary_bench.explorer import RotaryBench


def start() -> RotaryBench:
    """A bench with two clocks."""
    return RotaryBench([1, 0, 2, 1], [2, 1, 0, 1], query_position=3, key_position=7)


NAMED = {
    "one pair, far apart": RotaryBench([1, 0], [0, 1], query_position=63, key_position=0),
    "four pairs": RotaryBench(
        [0, 0, 1, 2, 1, 1, 0, 1], [2, 1, 0, 1, 1, 0, 1, 0.5], base=100, query_position=9
    ),
    "same place": RotaryBench([1, 0, 2, 1], [2, 1, 0, 1], query_position=3, key_position=3),
}
WIDE = [RotaryBench([-1e6] * 8, [1e6] * 8, query_position=63)]
