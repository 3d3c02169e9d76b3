"""Widgets that many tests try: in unusual states, with more than fits, with labels that attack.

A new widget adds an example of itself to each list.
"""

import numpy as np

from attnutils import AttentionBench, Question, TemperatureExplorer
from attnutils.worked_example import KEYS, VALUES, WORDS

HOSTILE = "<img src=x onerror=alert(1)>"

_RNG = np.random.default_rng(0)
_LONG = [*(f"word{i}" for i in range(11)), "Donaudampfschifffahrt"]
_ATTACK = [HOSTILE, "$x$ & <b>y</b>"]

STATES = [
    AttentionBench(WORDS, KEYS, VALUES, temperature=0, mask=[True] * 3 + [False] * 3),
    AttentionBench(WORDS, KEYS, VALUES, mask=[False] * 6, score="gaussian"),
    TemperatureExplorer(WORDS, KEYS @ KEYS[5], temperature=np.inf, tie=True),
    Question("Is it?", answer=1),
    Question("`a`?", {"b": "", "c": ""}, "c"),
]

WIDE_WIDGETS = [
    AttentionBench(WORDS, KEYS, VALUES, query=5),
    AttentionBench(_LONG, _RNG.normal(size=(12, 6)).round(2), _RNG.normal(size=(12, 1))),
    TemperatureExplorer(_LONG, _RNG.normal(size=12).round(2), _RNG.normal(size=(12, 1))),
]

HOSTILE_WIDGETS = [
    AttentionBench(_ATTACK, [[1], [2]], [[1], [2]]),
    TemperatureExplorer(_ATTACK, [1, 2], [[1], [2]], tie=True),
    Question(HOSTILE, {HOSTILE: HOSTILE, f"`{HOSTILE}`": HOSTILE}, HOSTILE),
]
