from collections.abc import Sequence
from typing import Any

import numpy as np

from attnbook.explorers.graph_attention.explorer import GraphAttentionExplorer
from tests.explorers.labels import ATTACK, IMAGE, LONG_WORD


def start(names: Sequence[str] = ("A", "B", "C"), **moved: Any) -> GraphAttentionExplorer:
    """An explorer with these nodes: the first hears from all, the second from the last."""
    n = len(names)
    angles = 2 * np.pi * np.arange(n) / n
    scores = {"dot": np.eye(n + 1)[:, :2], "mean": np.zeros(n + 1)}
    senders, receivers = [*range(n), n - 1], [0] * n + [1]
    places = np.c_[np.cos(angles), np.sin(angles)]
    return GraphAttentionExplorer(names, places, senders, receivers, scores, **moved)


# A triangle in which A hears from all, itself too, B from C alone, C from none.
_ENDS: dict[str, Any] = {"senders": [0, 1, 2, 2], "receivers": [0, 0, 0, 1]}
_CORNERS = [[0, 0], [1, 0], [0, 1]]
_CIRCLE = 2 * np.pi * np.arange(24) / 24
_ALL = np.indices((24, 24)).reshape(2, -1)
_ROWS = [[i, 2] for i in range(4)] + [[i, 0] for i in range(4)] + [[4, 1]]

NAMED = {
    "topics": GraphAttentionExplorer(
        ["Ann", "Ben", "Cem", "Dia", "Eli", "Fay", "Gus", "Hal", "Ida"],
        _ROWS,
        [4, 5, 6, 7, 0, 0, 8],
        [0, 0, 0, 0, 0, 4, 3],
        {"dot": [4, 0, 0, 0, 0, 1, 1]},
        wants=["maps"] * 9,
        knows=["herbs", "stars", "birds", "birds", "maps", "birds", "stars", "herbs", "maps"],
        notes={"dot": "query (what i wants) times key (what j knows)"},
    ),
    "one hidden at T = 0": GraphAttentionExplorer(
        list("ABC"), _CORNERS, **_ENDS, scores={"dot": [-np.inf, 1, 1, 1]}, temperature=0
    ),
    "no senders": GraphAttentionExplorer(
        list("ABC"), _CORNERS, **_ENDS, scores={"dot": np.ones((4, 2)), "mean": [1] * 4}, receiver=2
    ),
    "other head, uniform": start(head=1, temperature=np.inf),
    "orders of four senders": GraphAttentionExplorer(
        list("ABCDEF"),
        [[i, 1] for i in range(2)] + [[i, 0] for i in range(4)],
        [2, 3, 4, 5] * 2,
        [0] * 4 + [1] * 4,
        {"dot": [3, 1, 1, 0, 0, 1, 2, 3], "mean": [0] * 8},
        receiver=1,
    ),
    "24 nodes": GraphAttentionExplorer(
        [str(i) for i in range(24)],
        np.c_[np.sin(_CIRCLE), np.cos(_CIRCLE)],
        _ALL[0],
        _ALL[1],
        {"dot": np.sin(np.arange(576))},
        temperature=np.inf,
        notes={"dot": "The note."},
    ),
}
WIDE = [
    GraphAttentionExplorer(
        [LONG_WORD * 2, *(f"word{i}" for i in range(23))],
        np.zeros((24, 2)),
        _ALL[0],
        _ALL[1],
        {LONG_WORD: 1e6 * np.sin(np.arange(576)), "b": [0] * 576},
        notes={"b": LONG_WORD * 3},
    )
]
HOSTILE = [
    GraphAttentionExplorer(
        ATTACK, [[0, 0], [1, 1]], [0, 1], [1, 0], {IMAGE: [1, 2]}, notes={IMAGE: IMAGE}
    )
]
