import numpy as np

from attnbook import OnlineSoftmaxExplorer
from attnutils.worked_example import KEYS, VALUES, WORDS
from tests.explorers.states._texts import LONG

ARGS = KEYS @ KEYS[5], VALUES[:, 0]

NAMED = {
    "nothing read": OnlineSoftmaxExplorer(*ARGS, names=WORDS),
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
