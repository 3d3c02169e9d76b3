from collections.abc import Sequence

import numpy as np

from attnbook.explorers.online_softmax.explorer import OnlineSoftmaxExplorer
from attnutils.worked_example import KEYS, VALUES, WORDS
from tests.explorers.labels import LONG

ARGS = KEYS @ KEYS[5], VALUES[:, 0]


def start(words: Sequence[str] = WORDS) -> OnlineSoftmaxExplorer:
    """An explorer with these words as keys, and the numbers of the worked example."""
    n = len(words)
    numbers = np.resize(ARGS[0], n), np.resize(VALUES, n)
    return OnlineSoftmaxExplorer(*numbers, names=words, step=n - 1)


NAMED = {
    "nothing read": OnlineSoftmaxExplorer(*ARGS, names=WORDS),
    "in blocks of 4": OnlineSoftmaxExplorer(*ARGS, names=WORDS, block=4, step=1),
    "not corrected": OnlineSoftmaxExplorer(*ARGS, names=WORDS, step=5, correct=False),
    "blocks, extreme scores": OnlineSoftmaxExplorer(
        [-1000, 1000, 1000], [2, 2, 2], block=2, step=2, correct=False
    ),
}
WIDE = [
    OnlineSoftmaxExplorer(
        1e5 * np.random.default_rng(0).normal(size=16),
        1e6 * np.sin(np.arange(16)),
        names=(LONG * 2)[:16],
        step=16,
    )
]
