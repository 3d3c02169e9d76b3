import numpy as np

from attnbook.explorers.induction.explorer import InductionExplorer
from attnbook.models.induction import LETTERS, init_attention_only, load_induction_runs

PARAMS = load_induction_runs().params


def start() -> InductionExplorer:
    """What was trained, and letters that come twice."""
    return InductionExplorer(PARAMS, "gbalcegbalce", place=8)


NAMED = {
    "layer 0 off": InductionExplorer(PARAMS, (LETTERS + LETTERS)[:32], place=25, heads=[0, 1]),
    "right by luck": InductionExplorer(PARAMS, "dpmhaktcgsfibdpmh", place=12),
    "layer 1 off": InductionExplorer(PARAMS, "stopthatcat", heads=[1, 0]),
    "untrained, one letter": InductionExplorer(
        init_attention_only(np.random.default_rng(1)), "m", place=0
    ),
}
WIDE = [InductionExplorer(PARAMS, "m" * 32)]
