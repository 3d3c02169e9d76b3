from collections.abc import Sequence

import numpy as np

from attnbook.explorers.attention.explorer import AttentionExplorer
from attnutils.worked_example import KEYS, WORDS
from tests.explorers.labels import ATTACK, IMAGE, LONG, LONG_WORD, moved

RNG = np.random.default_rng(0)


def start(words: Sequence[str] = WORDS) -> AttentionExplorer:
    """An explorer with these words, and the scores and lengths of the worked example's keys."""
    keys = np.resize(KEYS, (len(words), 3))
    norms = np.linalg.norm(keys, axis=-1)
    return AttentionExplorer(words, keys @ keys.T, token=len(words) - 1, value_norms=norms)


NAMED = {
    "heads of layers at T = 0": AttentionExplorer(
        WORDS, RNG.normal(size=(2, 3, 6, 6)), axes=("layer", "head"), mask="causal", temperature=0
    ),
    "all keys hidden": AttentionExplorer(WORDS, np.full((6, 6), -np.inf), n_real=0, mask="padding"),
    "two texts": AttentionExplorer(
        {"short": ["a", "b"], "long": WORDS},
        {"short": np.zeros((3, 2, 2)), "long": RNG.normal(size=(3, 6, 6))},
        axes=("head",),
    ),
    "by length": AttentionExplorer(
        WORDS,
        RNG.normal(size=(2, 6, 6)),
        axes={"head": ["alike", "nouns"]},
        value_norms=RNG.uniform(size=(2, 6)),
        by_length=True,
    ),
    "shuffled, causal, uniform": moved(
        start(), order=[3, 5, 0, 2, 4, 1], mask="causal", temperature=np.inf
    ),
    "other keys": AttentionExplorer(WORDS[:3], RNG.normal(size=(3, 6)), key_tokens=WORDS),
}
WIDE = [
    AttentionExplorer(LONG, RNG.normal(size=(64, 12, 12)), axes={"step": range(0, 6400, 100)}),
    AttentionExplorer(
        LONG[:5],
        RNG.normal(size=(2, 5, 32)),
        key_tokens=[f"word{i}" for i in range(32)],
        axes={"head": [LONG_WORD, "b"]},
    ),
    AttentionExplorer([LONG_WORD * 2, "b"], np.eye(2)),
    AttentionExplorer(
        [f"token {i}" for i in range(32)], RNG.normal(size=(12, 32, 32)), axes=("head",)
    ),
    AttentionExplorer(
        {f"{LONG_WORD} " * 3: LONG, "b": ["a", "b"]},
        {f"{LONG_WORD} " * 3: np.zeros((6, 12, 12, 12)), "b": np.zeros((6, 12, 2, 2))},
        axes=("layer", "head"),
        sentence="b",
    ),
]
HOSTILE = [
    AttentionExplorer(ATTACK, [[[1, 2], [3, 4]]] * 2, axes={IMAGE: ATTACK}),
    AttentionExplorer(ATTACK, [[1, 2], [3, 4]], key_tokens=ATTACK),
    AttentionExplorer(
        {IMAGE: ATTACK, "b": ATTACK},
        {IMAGE: np.eye(2), "b": np.eye(2)},
        elsewhere=(IMAGE, "#main"),
    ),
]
