"""Explorers that many tests try: in usual and unusual states, too wide, with labels that attack.

Every explorer that is registered gives an example of itself, with any words. What only one of them
has, such as its unusual states, may stand in the module here that is named like its own.
"""

import inspect
import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

from attnutils import widgets
from attnutils.widgets._base import Explorer
from tests.examples._texts import ATTACK, LONG
from tools.project import CHAPTERS

REGISTERED = [getattr(widgets, name) for name in widgets.__all__]
EXPLORERS = [each for each in REGISTERED if issubclass(each, Explorer)]
# A test says so where one gives none.
WITH_EXAMPLE = [each for each in EXPLORERS if "example" in vars(each)]
WITH_WORDS = [each for each in WITH_EXAMPLE if inspect.signature(each.example).parameters]
MODULES = [
    import_module(f"{__name__}.{path.stem}")
    for path in sorted(Path(__file__).parent.glob("[!_]*.py"))
]


def more(kind: str) -> list[Any]:
    """The examples of a kind that the modules here add."""
    return [widget for module in MODULES for widget in getattr(module, kind, [])]


USUAL = [each.example() for each in WITH_EXAMPLE]
STATES = USUAL + more("STATES")
WIDE_WIDGETS = [each.example(LONG) for each in WITH_WORDS] + more("WIDE")
HOSTILE_WIDGETS = [each.example(ATTACK) for each in WITH_WORDS] + more("HOSTILE")


def places() -> list[tuple[str, str]]:
    """Where explorers stand, as the stored outputs say: the name of each, and its page."""
    names = "|".join(each.__name__ for each in EXPLORERS)
    found = []
    for path in sorted(CHAPTERS.glob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            for output in cell.get("outputs", []):
                text = "".join(output.get("data", {}).get("text/plain", ""))
                if shown := re.match(rf"({names})\(", text):
                    found.append((shown[1], path.stem))
    return found


PLACES = places()
