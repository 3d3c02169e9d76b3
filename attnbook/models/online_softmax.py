"""Softmax in one pass over blocks of keys, step by step. Used on the page *efficient attention*."""

import math
from typing import NamedTuple

import numpy as np

from attnutils._checks import FloatArray
from attnutils.blocks import OnlineSoftmax, online_step


class State(NamedTuple):
    """What is kept after some blocks. `terms` are the parts of `total`, one for each key read."""

    maximum: float
    correction: float
    terms: FloatArray
    total: float
    output: float


def read_blocks(scores: FloatArray, values: FloatArray, block: int, correct: bool) -> list[State]:
    """The state before any block, and after each."""
    states = [State(-math.inf, 1.0, np.zeros(0), 0.0, 0.0)]
    kept = OnlineSoftmax(np.array([-math.inf]), np.zeros(1), np.zeros(1))
    for start in range(0, len(scores), block):
        before, new = states[-1], slice(start, start + block)
        maximum = max(before.maximum, float(scores[new].max()))
        # Old terms stay as they are if they seem to be measured from the new maximum already. The
        # first block has nothing before it that could be left uncorrected.
        if not correct and before.total:
            kept = kept._replace(maximum=np.array([maximum]))
        correction = math.exp(kept.maximum.item() - maximum)
        kept = online_step(kept, scores[new], values[new, None])
        terms = np.concatenate([correction * before.terms, np.exp(scores[new] - maximum)])
        total, output = kept.total.item(), (kept.weighted / kept.total).item()
        states.append(State(maximum, correction, terms, total, output))
    return states
