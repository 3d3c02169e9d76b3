"""Helpers of the book *Attention Layers: an interactive chapter*.

The functions that compute are imported at once and need nothing but NumPy. What draws
(`plot_weights`, the widgets) is imported when it is first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from attnutils.exercises import check
from attnutils.mechanism import Attention, attention
from attnutils.normalize import entropy, hardmax, masked_softmax, softmax, sparsemax
from attnutils.scores import dot_scores, gaussian_scores, scaled_dot_scores

if TYPE_CHECKING:
    from attnutils.plotting import plot_weights
    from attnutils.widgets import AttentionBench, Question, TemperatureExplorer

__all__ = [
    "Attention",
    "AttentionBench",
    "Question",
    "TemperatureExplorer",
    "attention",
    "check",
    "dot_scores",
    "entropy",
    "gaussian_scores",
    "hardmax",
    "masked_softmax",
    "plot_weights",
    "scaled_dot_scores",
    "softmax",
    "sparsemax",
]

_LAZY = {
    "plot_weights": "attnutils.plotting",
    "AttentionBench": "attnutils.widgets",
    "TemperatureExplorer": "attnutils.widgets",
    "Question": "attnutils.widgets",
}


def __getattr__(name: str) -> Any:
    """Import what draws, or look up the version, when it is asked for."""
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    if name == "__version__":
        return import_module("importlib.metadata").version("attnutils")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY, "__version__"})
