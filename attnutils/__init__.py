"""Helpers of the book *Attention Layers: an interactive chapter*.

The functions that compute are imported at once and need nothing but NumPy; the layers of graphs
load SciPy when they are first called. What draws (the plots, the widgets) is imported when it is
first asked for.

The names are those in `__all__` of the modules, each written there alone.
"""

from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, Any

from attnutils.exercises import check as check
from attnutils.gradients import *
from attnutils.graph import *
from attnutils.heads import *
from attnutils.language import *
from attnutils.longer_texts import *
from attnutils.masks import *
from attnutils.mechanism import *
from attnutils.normalize import *
from attnutils.positional import *
from attnutils.scores import *
from attnutils.sentence_encoder import *
from attnutils.toy_tasks import *
from attnutils.trained_heads import *
from attnutils.transformer import *

if TYPE_CHECKING:
    from attnutils.plotting import *
    from attnutils.widgets import *
else:  # hidden from checkers of types, which shall say what there is not

    def __getattr__(name: str) -> Any:
        """Import what draws, list the public names or look up the version, when asked for."""
        if name == "__version__":
            return import_module("importlib.metadata").version("attnutils")
        if name == "__all__":
            things = globals().items()
            own = [
                name for name, x in things if getattr(x, "__module__", "").startswith("attnutils.")
            ]
            drawn = (
                import_module(f"attnutils.{module}").__all__ for module in ("plotting", "widgets")
            )
            return sorted(chain(own, *drawn))
        module = f"attnutils.{'plotting' if name.startswith('plot_') else 'widgets'}"
        if not name.startswith("_") and name in import_module(module).__all__:
            return getattr(import_module(module), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__getattr__("__all__"), "__version__"})
