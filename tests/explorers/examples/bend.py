from collections.abc import Sequence

import numpy as np

from attnbook.explorers.bend.explorer import BendExplorer
from tests.explorers.labels import ATTACK, IMAGE, LONG_WORD


def start(names: Sequence[str] = ("A", "B", "C")) -> BendExplorer:
    """An explorer with these senders."""
    return BendExplorer(names, np.linspace(-1, 2, len(names)), receiver_part=-0.5)


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
