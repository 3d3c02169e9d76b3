from typing import Any

import numpy as np

from attnbook.explorers.head_wall.explorer import HeadWall
from attnbook.models.trained_heads import (
    PronounHeads,
    TrainedHeads,
    load_pronoun_heads,
    load_trained_heads,
)
from tests.explorers.labels import ATTACK, LONG, moved

CAT = "The cat slept because it was tired"
_PAIR = dict(list(load_pronoun_heads().items())[:2])
TIRED, WIDE_STREET = _PAIR
_STEPS = [("On", TIRED, "Look."), ("Further", WIDE_STREET, "Look again.")]


def start() -> HeadWall:
    """The game of the front page, without what comes after it."""
    return HeadWall({CAT: load_trained_heads()[CAT]}, asks=5, find=2, head=26)


def made(**given: Any) -> HeadWall:
    """The game with what comes after it."""
    heads: dict[str, TrainedHeads | PronounHeads] = {CAT: load_trained_heads()[CAT], **_PAIR}
    return HeadWall(heads, asks=5, find=2, steps=_STEPS, **given)


NAMED = {
    "not yet": moved(made(head=12), tried=[12]),
    "found": moved(made(head=71), tried=[12, 71]),
    "one word can ask": moved(made(head=71), sentence=WIDE_STREET),
    "another word": moved(made(head=2), asks=0),
}


def _two(words: list[str]) -> HeadWall:
    n = len(words)
    scores = np.zeros((1, 3, n, n))
    scores[0, 1, 0, 1] = 9
    heads = {name: TrainedHeads(tuple(words), scores, scores[..., 0]) for name in words[:2]}
    return HeadWall(heads, asks=0, find=1, steps=[(words[0], words[1], words[0])], head=1)


WIDE, HOSTILE = [_two(LONG)], [_two(ATTACK)]
