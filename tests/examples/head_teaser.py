"""More examples of HeadTeaser."""

import numpy as np

from attnutils import HeadTeaser
from tests.examples._texts import ATTACK, LONG

_RNG = np.random.default_rng(0)
_MANY = [f"word{i}" for i in range(32)]
_SCORES = 3 * _RNG.normal(size=(2, 4, 32))

STATES = [
    HeadTeaser(
        {"first": _MANY, "second": _MANY[::-1]},
        {"first": _SCORES[0], "second": _SCORES[1]},
        31,
        heads=["one", "two", "three", "four"],
        guess=0,
    ),
    HeadTeaser(["a", "b"], [[0, 1e6]], 1, heads=["sure"], guess=1),
]

WIDE = [
    HeadTeaser(
        {LONG[0]: LONG, LONG[1]: LONG},
        {name: np.zeros((2, len(LONG))) for name in LONG[:2]},
        0,
        heads=LONG[:2],
        guess=1,
    ),
]

HOSTILE = [
    HeadTeaser(
        {ATTACK[0]: ATTACK, ATTACK[1]: ATTACK},
        {name: np.zeros((2, len(ATTACK))) for name in ATTACK[:2]},
        0,
        heads=ATTACK[:2],
        guess=1,
    ),
]
