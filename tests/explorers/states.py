"""Explorers in named states: the start of each, usual and unusual ones, then hard cases.

The module of an explorer in `examples` holds up to four things: start, a function that makes one,
with any words if it shows words; NAMED, states by name; WIDE, explorers with as much as fits in;
HOSTILE, explorers whose labels attack. All is made once and shared: a test that moves a widget
moves its own copy.
"""

import inspect
import json
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from attnbook import explorers as widgets
from attnbook.explorers._base import Explorer, Widget
from tests.explorers.labels import ATTACK, LONG
from tools.project import CHAPTERS

REGISTERED = [getattr(widgets, name) for name in widgets.__all__]
EXPLORERS: list[type[Explorer]] = [each for each in REGISTERED if issubclass(each, Explorer)]
EXAMPLES = Path(__file__).with_name("examples")


def folder(kind: type[Widget]) -> str:
    """The name of the folder of an explorer, and of its module in `examples`."""
    return kind.__module__.split(".")[-2]


MODULES: dict[str, ModuleType] = {
    each.__name__: import_module(f"tests.explorers.examples.{folder(each)}")
    for each in REGISTERED
    if (EXAMPLES / f"{folder(each)}.py").exists()
}


def starting(kind: type[Explorer]) -> Any:
    """The function that makes an explorer to look at."""
    made = getattr(MODULES.get(kind.__name__), "start", None)
    return made or getattr(kind, "example", None)


def example(kind: type[Explorer], *words: Any) -> Any:
    """An explorer to look at. One that shows words takes any: example(kind, words)."""
    return starting(kind)(*words)


WITH_EXAMPLE = [each for each in EXPLORERS if starting(each)]
WITH_WORDS = [each for each in WITH_EXAMPLE if inspect.signature(starting(each)).parameters]

#: For each explorer its states by name, the start first.
NAMED: dict[str, dict[str, Explorer]] = {
    each.__name__: {"start": example(each), **getattr(MODULES.get(each.__name__), "NAMED", {})}
    for each in WITH_EXAMPLE
}


def more(kind: str) -> list[Widget]:
    """The widgets of a kind in all modules."""
    return [widget for module in MODULES.values() for widget in getattr(module, kind, [])]


WIDE_WIDGETS = [example(each, LONG) for each in WITH_WORDS] + more("WIDE")
HOSTILE_WIDGETS = [example(each, ATTACK) for each in WITH_WORDS] + more("HOSTILE")


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
