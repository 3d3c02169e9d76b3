import numpy as np

from attnbook import HeadTeaser
from tests.explorers.states._texts import ATTACK, LONG, moved

_MANY = [f"word{i}" for i in range(32)]
_SCORES = 3 * np.random.default_rng(0).normal(size=(2, 4, 32))

NAMED = {
    "four heads, 32 words": HeadTeaser(
        {"first": _MANY, "second": _MANY[::-1]},
        {"first": _SCORES[0], "second": _SCORES[1]},
        31,
        heads=["one", "two", "three", "four"],
        guess=0,
    ),
    "guessed right": HeadTeaser(["a", "b"], [[0, 1e6]], 1, heads=["sure"], guess=1),
    "no guess": moved(HeadTeaser.example(), guess=-1),
}


def _two(words: list[str]) -> HeadTeaser:
    texts = {name: np.zeros((2, len(words))) for name in words[:2]}
    return HeadTeaser(dict.fromkeys(texts, words), texts, 0, heads=words[:2], guess=1)


WIDE, HOSTILE = [_two(LONG)], [_two(ATTACK)]
