import numpy as np

from attnbook import GraphAttentionExplorer
from tests.explorers.states._texts import ATTACK, IMAGE, LONG_WORD, moved

# A triangle in which A hears from all, itself too, B from C alone, C from none.
_ENDS = {"senders": [0, 1, 2, 2], "receivers": [0, 0, 0, 1]}
_CORNERS = [[0, 0], [1, 0], [0, 1]]
_CIRCLE = 2 * np.pi * np.arange(24) / 24
_ALL = np.indices((24, 24)).reshape(2, -1)

NAMED = {
    "one hidden at T = 0": GraphAttentionExplorer(
        list("ABC"), _CORNERS, **_ENDS, scores={"dot": [-np.inf, 1, 1, 1]}, temperature=0
    ),
    "no senders": GraphAttentionExplorer(
        list("ABC"), _CORNERS, **_ENDS, scores={"dot": np.ones((4, 2)), "mean": [1] * 4}, receiver=2
    ),
    "other head, uniform": moved(GraphAttentionExplorer.example(), head=1, temperature=np.inf),
    "24 nodes": GraphAttentionExplorer(
        [str(i) for i in range(24)],
        np.c_[np.sin(_CIRCLE), np.cos(_CIRCLE)],
        *_ALL,
        {"dot": np.sin(np.arange(576))},
        temperature=np.inf,
        notes={"dot": "The note."},
    ),
}
WIDE = [
    GraphAttentionExplorer(
        [LONG_WORD * 2, *(f"word{i}" for i in range(23))],
        np.zeros((24, 2)),
        *_ALL,
        {LONG_WORD: 1e6 * np.sin(np.arange(576)), "b": [0] * 576},
        notes={"b": LONG_WORD * 3},
    )
]
HOSTILE = [
    GraphAttentionExplorer(
        ATTACK, [[0, 0], [1, 1]], [0, 1], [1, 0], {IMAGE: [1, 2]}, notes={IMAGE: IMAGE}
    )
]
