from collections.abc import Sequence

import numpy as np

from attnbook.explorers.head_teaser.explorer import HeadTeaser
from attnutils.scores import dot_scores, gaussian_scores
from attnutils.worked_example import KEYS, WORDS
from tests.explorers.labels import ATTACK, LONG


def start(words: Sequence[str] = WORDS) -> HeadTeaser:
    """A teaser with these words and a guess, and two scores of the worked example."""
    keys = np.resize(KEYS, (len(words), 3))
    scores = [dot_scores(keys[-1], keys), gaussian_scores(keys[-1], keys)]
    return HeadTeaser(words, scores, len(words) - 1, heads=["dot product", "Gaussian"], guess=0)


def made(guess: int = -1) -> HeadTeaser:
    """Three heads on a sentence between marks."""
    scores = 3 * np.random.default_rng(1).normal(size=(3, 8))
    return HeadTeaser(
        ["[CLS]", *WORDS, "[SEP]"], scores, 6, heads=["one", "two", "three"], guess=guess
    )


NAMED = {
    "four heads, 32 words": HeadTeaser(
        [f"word{i}" for i in range(32)],
        3 * np.random.default_rng(0).normal(size=(4, 32)),
        31,
        heads=["one", "two", "three", "four"],
        guess=0,
    ),
    "one head, guessed right": HeadTeaser(["a", "b"], [[0, 1e6]], 1, heads=["sure"], guess=1),
    "no guess": made(),
    "three heads": made(guess=4),
}
WIDE = [HeadTeaser(LONG, np.zeros((2, 12)), 0, heads=LONG[-2:], guess=1)]
HOSTILE = [HeadTeaser(ATTACK, np.zeros((2, 2)), 0, heads=ATTACK, guess=1)]
