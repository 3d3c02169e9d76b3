"""Widgets that many tests try: in usual and unusual states, too wide, with labels that attack.

A new widget adds an example of itself to each list.
"""

import numpy as np

from attnutils import (
    AttentionBench,
    AttentionExplorer,
    GraphAttentionExplorer,
    KernelRegressionExplorer,
    OnlineSoftmaxExplorer,
    PositionalEncodingExplorer,
    Question,
    TemperatureExplorer,
)
from attnutils.worked_example import KEYS, VALUES, WORDS

HOSTILE = "<img src=x onerror=alert(1)>"

_RNG = np.random.default_rng(0)
_LONG = [*(f"word{i}" for i in range(11)), "Donaudampfschifffahrt"]
_ATTACK = [HOSTILE, "$x$ & <b>y</b>"]

# A triangle in which A hears from all, itself too, B from C alone, C from none.
_ENDS = {"senders": [0, 1, 2, 2], "receivers": [0, 0, 0, 1]}
_CORNERS = [[0, 0], [1, 0], [0, 1]]
_CIRCLE = 2 * np.pi * np.arange(24) / 24
_ALL = np.indices((24, 24)).reshape(2, -1)

_X, _Y = _RNG.uniform(0, 5, 20).round(2), _RNG.normal(size=20).round(2)

USUAL = [
    AttentionBench(WORDS, KEYS, VALUES, query=5),
    TemperatureExplorer(WORDS, KEYS @ KEYS[5], VALUES),
    AttentionExplorer(WORDS, KEYS @ KEYS.T, token=5),
    KernelRegressionExplorer(_X, _Y, query=2, bandwidth=0.5),
    PositionalEncodingExplorer(),
    GraphAttentionExplorer(
        list("ABC"), _CORNERS, **_ENDS, scores={"dot": np.eye(4)[:, :2], "mean": [0] * 4}
    ),
    OnlineSoftmaxExplorer(KEYS @ KEYS[5], VALUES[:, 0], names=WORDS, step=5),
]

STATES = [
    AttentionBench(WORDS, KEYS, VALUES, temperature=0, mask=[True] * 3 + [False] * 3),
    AttentionBench(WORDS, KEYS, VALUES, mask=[False] * 6, score="gaussian"),
    TemperatureExplorer(WORDS, KEYS @ KEYS[5], temperature=np.inf, tie=True),
    AttentionExplorer(
        WORDS, _RNG.normal(size=(2, 3, 6, 6)), axes=("layer", "head"), mask="causal", temperature=0
    ),
    AttentionExplorer(WORDS, np.full((6, 6), -np.inf), n_real=0, mask="padding"),
    AttentionExplorer(
        {"short": ["a", "b"], "long": WORDS},
        {"short": np.zeros((3, 2, 2)), "long": _RNG.normal(size=(3, 6, 6))},
        axes=("head",),
    ),
    KernelRegressionExplorer([3, 1, 1], [0.5, -2, 4], query=2, bandwidth=0),
    KernelRegressionExplorer(1e5 * _X, 1e5 * _Y, query=-20, bandwidth=np.inf),
    KernelRegressionExplorer([1, 1], [2, 2], bandwidth=1e-9),
    PositionalEncodingExplorer(length=2, dim=2),
    PositionalEncodingExplorer(encoding="alibi", head=7),
    GraphAttentionExplorer(
        list("ABC"), _CORNERS, **_ENDS, scores={"dot": [-np.inf, 1, 1, 1]}, temperature=0
    ),
    GraphAttentionExplorer(
        list("ABC"), _CORNERS, **_ENDS, scores={"dot": np.ones((4, 2)), "mean": [1] * 4}, receiver=2
    ),
    GraphAttentionExplorer(
        [str(i) for i in range(24)],
        np.c_[np.sin(_CIRCLE), np.cos(_CIRCLE)],
        *_ALL,
        {"dot": np.sin(np.arange(576))},
        temperature=np.inf,
        notes={"dot": "The note."},
    ),
    OnlineSoftmaxExplorer(KEYS @ KEYS[5], VALUES[:, 0], names=WORDS),
    OnlineSoftmaxExplorer(KEYS @ KEYS[5], VALUES[:, 0], names=WORDS, step=5, correct=False),
    OnlineSoftmaxExplorer([-1000, 1000, 1000], [2, 2, 2], block=2, step=2, correct=False),
    Question("Is it?", answer=1),
    Question("`a`?", {"b": "", "c": ""}, "c"),
]

WIDE_WIDGETS = [
    AttentionBench(WORDS, KEYS, VALUES, query=5),
    AttentionBench(_LONG, _RNG.normal(size=(12, 6)).round(2), _RNG.normal(size=(12, 1))),
    TemperatureExplorer(_LONG, _RNG.normal(size=12).round(2), _RNG.normal(size=(12, 1))),
    AttentionExplorer(_LONG, _RNG.normal(size=(64, 12, 12)), axes={"step": range(0, 6400, 100)}),
    AttentionExplorer(
        _LONG[:5],
        _RNG.normal(size=(2, 5, 32)),
        key_tokens=[f"word{i}" for i in range(32)],
        axes={"head": ["Rechtsschutzversicherungsgesellschaften", "b"]},
    ),
    AttentionExplorer(["Rechtsschutzversicherungsgesellschaften" * 2, "b"], np.eye(2)),
    AttentionExplorer(
        {"Rechtsschutzversicherungsgesellschaften " * 3: _LONG, "b": ["a", "b"]},
        {
            "Rechtsschutzversicherungsgesellschaften " * 3: np.zeros((6, 12, 12, 12)),
            "b": np.zeros((6, 12, 2, 2)),
        },
        axes=("layer", "head"),
        sentence="b",
    ),
    KernelRegressionExplorer(1e5 * _RNG.normal(size=64), 1e5 * _RNG.normal(size=64)),
    PositionalEncodingExplorer(length=128, dim=128, base=1e300, position=127),
    GraphAttentionExplorer(
        ["Rechtsschutzversicherungsgesellschaften" * 2, *(f"word{i}" for i in range(23))],
        np.zeros((24, 2)),
        *_ALL,
        {"Rechtsschutzversicherungsgesellschaften": 1e6 * np.sin(np.arange(576)), "b": [0] * 576},
        notes={"b": "Rechtsschutzversicherungsgesellschaften" * 3},
    ),
    OnlineSoftmaxExplorer(
        1e5 * _RNG.normal(size=16), 1e6 * np.sin(np.arange(16)), names=(_LONG * 2)[:16], step=16
    ),
]

HOSTILE_WIDGETS = [
    AttentionBench(_ATTACK, [[1], [2]], [[1], [2]]),
    TemperatureExplorer(_ATTACK, [1, 2], [[1], [2]], tie=True),
    AttentionExplorer(_ATTACK, [[[1, 2], [3, 4]]] * 2, axes={HOSTILE: _ATTACK}),
    AttentionExplorer(_ATTACK, [[1, 2], [3, 4]], key_tokens=_ATTACK),
    AttentionExplorer({HOSTILE: _ATTACK, "b": _ATTACK}, {HOSTILE: np.eye(2), "b": np.eye(2)}),
    GraphAttentionExplorer(
        _ATTACK, [[0, 0], [1, 1]], [0, 1], [1, 0], {HOSTILE: [1, 2]}, notes={HOSTILE: HOSTILE}
    ),
    OnlineSoftmaxExplorer([1, 2], [1, 2], names=_ATTACK, step=1),
    Question(HOSTILE, {HOSTILE: HOSTILE, f"`{HOSTILE}`": HOSTILE}, HOSTILE),
]
