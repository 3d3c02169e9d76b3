"""More examples of InductionExplorer."""

import numpy as np

from attnutils.induction import LETTERS, init_attention_only, load_induction_runs
from attnutils.widgets import InductionExplorer

PARAMS = load_induction_runs().params


def untrained() -> InductionExplorer:
    """One letter, and a model that has learned nothing."""
    return InductionExplorer(init_attention_only(np.random.default_rng(1)), "m", place=0)


STATES = [
    InductionExplorer(PARAMS, (LETTERS + LETTERS)[:32], place=25, heads=[0, 1]),
    InductionExplorer(PARAMS, "stopthatcat", heads=[1, 0]),
    untrained(),
]

WIDE = [InductionExplorer(PARAMS, "m" * 32)]
