"""Widgets that many tests try: in usual and unusual states, too wide, with labels that attack.

A new widget adds an example of itself to each list.
"""

import numpy as np

from attnutils import (
    AttentionBench,
    AttentionExplorer,
    KernelRegressionExplorer,
    PositionalEncodingExplorer,
    Question,
    TemperatureExplorer,
)
from attnutils.worked_example import KEYS, VALUES, WORDS

HOSTILE = "<img src=x onerror=alert(1)>"

_RNG = np.random.default_rng(0)
_LONG = [*(f"word{i}" for i in range(11)), "Donaudampfschifffahrt"]
_ATTACK = [HOSTILE, "$x$ & <b>y</b>"]

_X, _Y = _RNG.uniform(0, 5, 20).round(2), _RNG.normal(size=20).round(2)

USUAL = [
    AttentionBench(WORDS, KEYS, VALUES, query=5),
    TemperatureExplorer(WORDS, KEYS @ KEYS[5], VALUES),
    AttentionExplorer(WORDS, KEYS @ KEYS.T, token=5),
    KernelRegressionExplorer(_X, _Y, query=2, bandwidth=0.5),
    PositionalEncodingExplorer(),
]

STATES = [
    AttentionBench(WORDS, KEYS, VALUES, temperature=0, mask=[True] * 3 + [False] * 3),
    AttentionBench(WORDS, KEYS, VALUES, mask=[False] * 6, score="gaussian"),
    TemperatureExplorer(WORDS, KEYS @ KEYS[5], temperature=np.inf, tie=True),
    AttentionExplorer(
        WORDS, _RNG.normal(size=(2, 3, 6, 6)), axes=("layer", "head"), mask="causal", temperature=0
    ),
    AttentionExplorer(WORDS, np.full((6, 6), -np.inf), n_real=0, mask="padding"),
    KernelRegressionExplorer([3, 1, 1], [0.5, -2, 4], query=2, bandwidth=0),
    KernelRegressionExplorer(1e5 * _X, 1e5 * _Y, query=-20, bandwidth=np.inf),
    KernelRegressionExplorer([1, 1], [2, 2], bandwidth=1e-9),
    PositionalEncodingExplorer(length=2, dim=2),
    PositionalEncodingExplorer(encoding="alibi", head=7),
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
    KernelRegressionExplorer(1e5 * _RNG.normal(size=64), 1e5 * _RNG.normal(size=64)),
    PositionalEncodingExplorer(length=128, dim=128, base=1e300, position=127),
]

HOSTILE_WIDGETS = [
    AttentionBench(_ATTACK, [[1], [2]], [[1], [2]]),
    TemperatureExplorer(_ATTACK, [1, 2], [[1], [2]], tie=True),
    AttentionExplorer(_ATTACK, [[[1, 2], [3, 4]]] * 2, axes={HOSTILE: _ATTACK}),
    AttentionExplorer(_ATTACK, [[1, 2], [3, 4]], key_tokens=_ATTACK),
    Question(HOSTILE, {HOSTILE: HOSTILE, f"`{HOSTILE}`": HOSTILE}, HOSTILE),
]
