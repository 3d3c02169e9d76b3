"""The widgets of the book. They run with a kernel and, on its pages, without one.

To register an explorer, import it here, for editors and type checkers, and name it in `__all__`.
The rest follows: what `attnutils` exports, the page of functions, the bench, and the tests that
every explorer must pass.
"""

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attnbook.explorers.architecture_explorer import ArchitectureExplorer
    from attnbook.explorers.attention_bench import AttentionBench
    from attnbook.explorers.attention_explorer import AttentionExplorer
    from attnbook.explorers.bend_explorer import BendExplorer
    from attnbook.explorers.binding_explorer import BindingExplorer
    from attnbook.explorers.bug_game import BugGame
    from attnbook.explorers.cache_explorer import CacheExplorer
    from attnbook.explorers.graph_attention_explorer import GraphAttentionExplorer
    from attnbook.explorers.head_teaser import HeadTeaser
    from attnbook.explorers.head_wall import HeadWall
    from attnbook.explorers.induction_explorer import InductionExplorer
    from attnbook.explorers.kernel_regression_explorer import KernelRegressionExplorer
    from attnbook.explorers.leak_game import LeakGame
    from attnbook.explorers.live_cards import LiveCards
    from attnbook.explorers.memory_explorer import MemoryExplorer
    from attnbook.explorers.online_softmax_explorer import OnlineSoftmaxExplorer
    from attnbook.explorers.plane_explorer import PlaneExplorer
    from attnbook.explorers.positional_encoding_explorer import PositionalEncodingExplorer
    from attnbook.explorers.projection_explorer import ProjectionExplorer
    from attnbook.explorers.question import Question
    from attnbook.explorers.rotary_bench import RotaryBench
    from attnbook.explorers.temperature_explorer import TemperatureExplorer
    from attnbook.explorers.things_to_try import ThingsToTry
    from attnbook.explorers.training_explorer import TrainingExplorer
    from attnbook.explorers.translator_explorer import TranslatorExplorer
    from attnbook.explorers.width_explorer import WidthExplorer
    from attnbook.explorers.winner_explorer import WinnerExplorer
    from attnbook.explorers.word_order_explorer import WordOrderExplorer
    from attnbook.explorers.writing_explorer import WritingExplorer
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
    "CacheExplorer",
    "GraphAttentionExplorer",
    "HeadTeaser",
    "HeadWall",
    "InductionExplorer",
    "KernelRegressionExplorer",
    "LeakGame",
    "LiveCards",
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
