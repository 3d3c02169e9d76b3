"""What the examples share: long texts, texts that attack, and a helper."""

from typing import Any, TypeVar

from attnbook.explorers._base import Explorer

T = TypeVar("T", bound=Explorer)

LONG = [*(f"word{i}" for i in range(11)), "Donaudampfschifffahrt"]
LONG_WORD = "Rechtsschutzversicherungsgesellschaften"
IMAGE = "<img src=x onerror=alert(1)>"
ATTACK = [IMAGE, "$x$ & <b>y</b>"]


def moved(widget: T, **traits: Any) -> T:
    """Set traits of a widget, one after the other, as a reader does."""
    for name, value in traits.items():
        setattr(widget, name, value)
    return widget
