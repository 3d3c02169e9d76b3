"""The widgets of the book. They run with a kernel and, on its pages, without one.

Each is the class in the module that is named like it, and imported when it is first asked for.
"""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

#: The modules by the names of their widgets.
MODULES = {
    module.name.title().replace("_", ""): f"{__name__}.{module.name}"
    for module in iter_modules(__path__)
    if not (module.ispkg or module.name.startswith("_"))
}


def __getattr__(name: str) -> Any:
    if name in MODULES:
        return getattr(import_module(MODULES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
