"""Explorers in named states: the start of each, usual and unusual ones, then hard cases.

Each module here is named like the module of an explorer and holds up to three things: NAMED, states
by name; WIDE, explorers with as much as fits in; HOSTILE, explorers whose labels attack. All is
made once, in about a second, and shared: a test that moves a widget moves its own copy.
"""

import inspect
import json
from importlib import import_module
from pathlib import Path

from attnbook import explorers as widgets
from attnbook.explorers._base import Explorer, Widget
from tests.explorers.states._texts import ATTACK, LONG
from tools.project import CHAPTERS

REGISTERED = [getattr(widgets, name) for name in widgets.__all__]
EXPLORERS: list[type[Explorer]] = [each for each in REGISTERED if issubclass(each, Explorer)]
WITH_EXAMPLE = [each for each in EXPLORERS if "example" in vars(each)]
WITH_WORDS = [each for each in WITH_EXAMPLE if inspect.signature(each.example).parameters]
MODULES = {
    path.stem: import_module(f"{__name__}.{path.stem}")
    for path in sorted(Path(__file__).parent.glob("[!_]*.py"))
}


#: For each explorer its states by name, the start first.
NAMED: dict[str, dict[str, Explorer]] = {}
for each in WITH_EXAMPLE:
    module = MODULES.get(each.__module__.rpartition(".")[2])
    NAMED[each.__name__] = {"start": each.example(), **getattr(module, "NAMED", {})}


def more(kind: str) -> list[Widget]:
    """The widgets of a kind in all modules."""
    return [widget for module in MODULES.values() for widget in getattr(module, kind, [])]


WIDE_WIDGETS = [each.example(LONG) for each in WITH_WORDS] + more("WIDE")
HOSTILE_WIDGETS = [each.example(ATTACK) for each in WITH_WORDS] + more("HOSTILE")


#: Where explorers stand, as the stored outputs say: the name of each, and its page.
PLACES = [
    (text.partition("(")[0], path.stem)
    for path in sorted(CHAPTERS.glob("*.ipynb"))
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
    for output in cell.get("outputs", [])
    if (text := "".join(output.get("data", {}).get("text/plain", ""))).partition("(")[0] in NAMED
]
USUAL = [states["start"] for states in NAMED.values()]
STATES = [*(widget for states in NAMED.values() for widget in states.values()), *more("STATES")]
