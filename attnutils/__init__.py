"""Helpers of the book *Attention Layers: an interactive chapter*.

The functions that compute are imported at once and need nothing but NumPy; `gelu` and the layers
of graphs load SciPy when they are first called. What draws (the plots, the widgets) is
imported when it is first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from attnutils import widgets
from attnutils.exercises import check
from attnutils.graph import (
    GATParams,
    GATv2Params,
    gat_layer,
    gatv2_layer,
    graph_attention,
    segment_softmax,
)
from attnutils.heads import MultiHeadParams, merge_heads, multi_head_attention, split_heads
from attnutils.masks import causal_mask, padding_mask, window_mask
from attnutils.mechanism import Attention, attention
from attnutils.normalize import entropy, hardmax, masked_softmax, softmax, sparsemax
from attnutils.positional import alibi_bias, rotary_embedding, sinusoidal_encoding
from attnutils.scores import (
    additive_scores,
    bilinear_scores,
    dot_scores,
    gaussian_scores,
    scaled_dot_scores,
)
from attnutils.trained_heads import TrainedHeads, load_trained_heads
from attnutils.training import (
    AdamState,
    AttentionGradients,
    ClassifierGradients,
    ClassifierOutput,
    ClassifierParams,
    CrossEntropy,
    Training,
    adam_init,
    adam_step,
    attention_backward,
    classifier_gradients,
    cross_entropy,
    init_classifier,
    numerical_gradient,
    softmax_backward,
    token_classifier,
)
from attnutils.transformer import (
    DecoderOutput,
    DecoderParams,
    EncoderParams,
    FeedForwardParams,
    LayerNormParams,
    decoder_block,
    encoder_block,
    feed_forward,
    gelu,
    layer_norm,
    relu,
)

if TYPE_CHECKING:
    from attnutils.plotting import (
        plot_encoding,
        plot_graph_attention,
        plot_scores,
        plot_weights,
    )
    from attnutils.widgets import *  # noqa: F403

__all__ = [
    "AdamState",
    "Attention",
    "AttentionGradients",
    "ClassifierGradients",
    "ClassifierOutput",
    "ClassifierParams",
    "CrossEntropy",
    "DecoderOutput",
    "DecoderParams",
    "EncoderParams",
    "FeedForwardParams",
    "GATParams",
    "GATv2Params",
    "LayerNormParams",
    "MultiHeadParams",
    "TrainedHeads",
    "Training",
    "adam_init",
    "adam_step",
    "additive_scores",
    "alibi_bias",
    "attention",
    "attention_backward",
    "bilinear_scores",
    "causal_mask",
    "check",
    "classifier_gradients",
    "cross_entropy",
    "decoder_block",
    "dot_scores",
    "encoder_block",
    "entropy",
    "feed_forward",
    "gat_layer",
    "gatv2_layer",
    "gaussian_scores",
    "gelu",
    "graph_attention",
    "hardmax",
    "init_classifier",
    "layer_norm",
    "load_trained_heads",
    "masked_softmax",
    "merge_heads",
    "multi_head_attention",
    "numerical_gradient",
    "padding_mask",
    "plot_encoding",
    "plot_graph_attention",
    "plot_scores",
    "plot_weights",
    "relu",
    "rotary_embedding",
    "scaled_dot_scores",
    "segment_softmax",
    "sinusoidal_encoding",
    "softmax",
    "softmax_backward",
    "sparsemax",
    "split_heads",
    "token_classifier",
    "window_mask",
]
__all__ += widgets.__all__

_LAZY = {
    "plot_encoding": "attnutils.plotting",
    "plot_graph_attention": "attnutils.plotting",
    "plot_scores": "attnutils.plotting",
    "plot_weights": "attnutils.plotting",
    **dict.fromkeys(widgets.__all__, "attnutils.widgets"),
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
