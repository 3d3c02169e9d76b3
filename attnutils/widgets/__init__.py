"""The widgets of the book. They run with a kernel and, on its pages, without one."""

from attnutils.widgets.attention_bench import AttentionBench
from attnutils.widgets.attention_explorer import AttentionExplorer
from attnutils.widgets.graph_attention_explorer import GraphAttentionExplorer
from attnutils.widgets.kernel_regression_explorer import KernelRegressionExplorer
from attnutils.widgets.online_softmax_explorer import OnlineSoftmaxExplorer
from attnutils.widgets.positional_encoding_explorer import PositionalEncodingExplorer
from attnutils.widgets.question import Question
from attnutils.widgets.temperature_explorer import TemperatureExplorer

__all__ = [
    "AttentionBench",
    "AttentionExplorer",
    "GraphAttentionExplorer",
    "KernelRegressionExplorer",
    "OnlineSoftmaxExplorer",
    "PositionalEncodingExplorer",
    "Question",
    "TemperatureExplorer",
]
