from attnbook import BendExplorer
from tests.explorers.states._texts import ATTACK, IMAGE, LONG_WORD

NAMED = {
    "falling, left end": BendExplorer(list("ABCD"), [1, 4, 3, 2], receiver_part=-10, slope=-0.5),
    "straight, right end": BendExplorer(list("ABCD"), [1, 4, 3, 2], receiver_part=10, slope=1),
    "flat, all alike": BendExplorer(list("ABCD"), [0, 0, 0, 0], slope=0),
}
WIDE = [
    BendExplorer(
        [LONG_WORD * 2, *(f"word{i}" for i in range(7))], [-10, -10, 10, 10, 0, 0, 0.001, 1]
    )
]
HOSTILE = [BendExplorer([*ATTACK[:1], IMAGE], [0, 1])]
