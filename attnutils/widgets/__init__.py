"""The widgets of the book. They run with a kernel and, on its pages, without one.

To register an explorer, import it here, for editors and type checkers, and name it in `__all__`.
The rest follows: what `attnutils` exports, the page of functions, the bench, and the tests that
every explorer must pass.
"""

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attnutils.widgets.architecture_explorer import ArchitectureExplorer
    from attnutils.widgets.attention_bench import AttentionBench
    from attnutils.widgets.attention_explorer import AttentionExplorer
    from attnutils.widgets.bend_explorer import BendExplorer
    from attnutils.widgets.binding_explorer import BindingExplorer
    from attnutils.widgets.bug_game import BugGame
    from attnutils.widgets.graph_attention_explorer import GraphAttentionExplorer
    from attnutils.widgets.head_teaser import HeadTeaser
    from attnutils.widgets.induction_explorer import InductionExplorer
    from attnutils.widgets.kernel_regression_explorer import KernelRegressionExplorer
    from attnutils.widgets.leak_game import LeakGame
    from attnutils.widgets.memory_explorer import MemoryExplorer
    from attnutils.widgets.online_softmax_explorer import OnlineSoftmaxExplorer
    from attnutils.widgets.plane_explorer import PlaneExplorer
    from attnutils.widgets.positional_encoding_explorer import PositionalEncodingExplorer
    from attnutils.widgets.projection_explorer import ProjectionExplorer
    from attnutils.widgets.question import Question
    from attnutils.widgets.rotary_bench import RotaryBench
    from attnutils.widgets.temperature_explorer import TemperatureExplorer
    from attnutils.widgets.things_to_try import ThingsToTry
    from attnutils.widgets.training_explorer import TrainingExplorer
    from attnutils.widgets.translator_explorer import TranslatorExplorer
    from attnutils.widgets.width_explorer import WidthExplorer
    from attnutils.widgets.winner_explorer import WinnerExplorer
    from attnutils.widgets.word_order_explorer import WordOrderExplorer
    from attnutils.widgets.writing_explorer import WritingExplorer
else:

    def __getattr__(name: str) -> Any:
        """Import a widget, from the module that is named like it, when it is asked for."""
        if name in __all__:
            module = re.sub(r"\B(?=[A-Z])", "_", name).lower()
            return getattr(import_module(f"{__name__}.{module}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "ArchitectureExplorer",
    "AttentionBench",
    "AttentionExplorer",
    "BendExplorer",
    "BindingExplorer",
    "BugGame",
    "GraphAttentionExplorer",
    "HeadTeaser",
    "InductionExplorer",
    "KernelRegressionExplorer",
    "LeakGame",
    "MemoryExplorer",
    "OnlineSoftmaxExplorer",
    "PlaneExplorer",
    "PositionalEncodingExplorer",
    "ProjectionExplorer",
    "Question",
    "RotaryBench",
    "TemperatureExplorer",
    "ThingsToTry",
    "TrainingExplorer",
    "TranslatorExplorer",
    "WidthExplorer",
    "WinnerExplorer",
    "WordOrderExplorer",
    "WritingExplorer",
]
