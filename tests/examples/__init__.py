"""Widgets that many tests try: in usual and unusual states, too wide, with labels that attack.

Each widget has its examples in the module here that is named like its own.
"""

from importlib import import_module
from pathlib import Path
from typing import Any

WIDGETS = Path(__file__).parents[2] / "attnutils" / "widgets"
NAMES = [path.stem for path in sorted(WIDGETS.glob("[!_]*.py"))]


def gathered(kind: str) -> list[Any]:
    """Return the examples of a kind, of every widget."""
    modules = (import_module(f"{__name__}.{name}") for name in NAMES)
    return [widget for module in modules for widget in getattr(module, kind)]


USUAL = gathered("USUAL")
STATES = gathered("STATES")
WIDE_WIDGETS = gathered("WIDE")
HOSTILE_WIDGETS = gathered("HOSTILE")
