"""Attention on NumPy arrays: the helpers of *Attention Layers: an interactive chapter*.

The functions that compute are imported at once and need nothing but NumPy; the layers of graphs
load SciPy when they are first called. The plots are imported when they are first asked for. The
names are those in `__all__` of the modules, each written there alone.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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
else:  # hidden from checkers of types, which shall say what there is not

    def __getattr__(name: str) -> Any:
        """Import what draws, list the public names or look up the version, when asked for."""
        if name == "__version__":
            return import_module("importlib.metadata").version("attnutils")
        if name == "__all__":
            own = [name for name, x in globals().items() if is_own(x)]
            return sorted([*own, *import_module("attnutils.plotting").__all__])
        if name.startswith("plot_") and name in import_module("attnutils.plotting").__all__:
            return getattr(import_module("attnutils.plotting"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def is_own(thing: Any) -> bool:
        """Whether a thing is defined here."""
        return getattr(thing, "__module__", "").startswith("attnutils.")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__getattr__("__all__"), "__version__"})
