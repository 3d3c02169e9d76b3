"""The widgets of the book. They run with a kernel and, on its pages, without one.

Each has a folder here, with `explorer.py`, `widget.js` and `widget.css`. That folder, and examples
for its tests, are all there is to make: what `attnbook` exports and the page of widgets follow.
An argument that does not fit is a `TypeError` or a `ValueError` that says what is expected.
"""

import re
from importlib import import_module
from pathlib import Path
from typing import Any

_CLASS = re.compile(r"^class (\w+)\((?:Explorer|Widget)\b", re.MULTILINE)
_FOLDERS = {
    name: path.parent.name
    for path in sorted(Path(__file__).parent.glob("*/explorer.py"))
    for name in _CLASS.findall(path.read_text(encoding="utf-8"))
}

__all__ = sorted(_FOLDERS)


def __getattr__(name: str) -> Any:
    """Import a widget when it is asked for."""
    if name in _FOLDERS:
        return getattr(import_module(f"{__name__}.{_FOLDERS[name]}.explorer"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
