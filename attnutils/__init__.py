"""Attention on NumPy arrays: the helpers of *Attention Layers: an interactive chapter*.

Everything is a function of arrays. Rows of `query` (..., n_q, d_k) ask, rows of `key`
(..., n_k, d_k) answer, rows of `value` (..., n_k, d_v) are averaged. A mask is boolean, and True
means *may attend*.

``help`` shows shapes in letters. A letter has one size in a call; ``...`` stands for any leading
axes; ``n_q?`` is an axis that may be missing, as that of a single query; ``n_k+`` has at least one
entry; ``n_heads*d_head`` is cut into equal parts.

Importing it needs NumPy alone. SciPy is loaded by the layers of graphs and by `gelu`, matplotlib
by the plots.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from attnutils import (
    gradients,
    graph,
    heads,
    masks,
    mechanism,
    normalize,
    positional,
    scores,
    transformer,
)
from attnutils.gradients import *
from attnutils.graph import *
from attnutils.heads import *
from attnutils.masks import *
from attnutils.mechanism import *
from attnutils.normalize import *
from attnutils.positional import *
from attnutils.scores import *
from attnutils.transformer import *

if TYPE_CHECKING:
    from attnutils.plotting import *

PARTS = mechanism, normalize, scores, masks, heads, positional, transformer, gradients, graph
_PLOTS = ["plot_encoding", "plot_graph_attention", "plot_scores", "plot_weights"]
__all__ = sorted([*(name for part in PARTS for name in part.__all__), *_PLOTS])


def __getattr__(name: str) -> Any:
    """Import what draws, or look up the version, when asked for."""
    if name == "__version__":
        return import_module("importlib.metadata").version("attnutils")
    if name in _PLOTS:
        return getattr(import_module("attnutils.plotting"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
