"""Things to try in an explorer, as buttons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import traitlets
from ipywidgets import widget_serialization

from attnbook.explorers._base import Explorer, Fixed, Widget, script, style
from attnbook.explorers._texts import check_text, formulas_in, html

__all__ = ["ThingsToTry"]


class ThingsToTry(Widget):
    """Things to try in an explorer: each button sets a start, asks, and folds out what to see.

    Text between `backticks` is shown as code, TeX between dollars as a formula.
    Words of French, say, stand in backticks behind {fr}.

    Parameters
    ----------
    explorer : Explorer
        The explorer above, as it is now.
    *things : tuple of (str, str, mapping)
        What to ask, what to see, and the settings of the explorer to start from: values by the
        names of its attributes. What is not named is as it is now.

    Raises
    ------
    ValueError, TypeError
        If the explorer has no such settings.

    Examples
    --------
    >>> from attnbook import TemperatureExplorer
    >>> explorer = TemperatureExplorer(["Reads", "Book"], [7, 5])
    >>> ThingsToTry(
    ...     explorer, ("Who wins at $T = 0$?", "Reads, with all the weight.", {"temperature": 0})
    ... )
    ThingsToTry(1 thing)
    """

    _esm = script("things_to_try")
    _css = style("things_to_try")

    explorer = traitlets.Instance(Explorer).tag(sync=True, **widget_serialization)
    #: What to ask, what to see, and the traits of the explorer as they travel.
    things = Fixed()
    #: The formulas of all texts: in plain letters, by their TeX.
    formulas = Fixed()

    def __init__(
        self, explorer: Explorer, *things: tuple[str, str, Mapping[str, Any]], **kwargs: Any
    ) -> None:
        owner = type(self).__name__
        if not isinstance(explorer, Explorer):
            raise TypeError(f"{owner}: explorer must be one, got {type(explorer).__name__}.")
        if not things:
            raise ValueError(f"{owner}: there is nothing to try.")
        made = []
        for thing in things:
            if not (isinstance(thing, tuple) and len(thing) == 3 and isinstance(thing[2], Mapping)):
                raise TypeError(
                    f"{owner}: a thing must be a tuple of what to ask, what to see and settings, "
                    f"got {thing!r}."
                )
            ask, see, settings = thing
            check_text(owner, "what to ask", ask)
            check_text(owner, "what to see", see)
            made.append({"ask": ask, "see": see, "state": _state(owner, explorer, settings)})
        texts = [text for ask, see, _ in things for text in (ask, see)]
        super().__init__(explorer=explorer, things=made, formulas=formulas_in(texts), **kwargs)

    def __repr__(self) -> str:
        n = len(self.things)
        return f"ThingsToTry({n} thing{'s' if n > 1 else ''})"

    def _fallback(self) -> dict[str, str]:
        """The questions as plain HTML, each with what to see folded below."""
        items = "".join(
            f"<li>{html(thing['ask'])}<details><summary>What to see</summary>"
            f"<p>{html(thing['see'])}</p></details></li>"
            for thing in self.things
        )
        return {"text/html": f"<div><p><strong>Things to try</strong></p><ol>{items}</ol></div>"}


def _state(owner: str, explorer: Explorer, settings: Mapping[str, Any]) -> dict[str, Any]:
    """What readers move in an explorer as it travels, with these settings; it stays as it was."""
    names = explorer.moved()
    for name in settings:
        if name not in names:
            raise ValueError(
                f"{owner}: {type(explorer).__name__} has no setting {name!r}; "
                f"it has {', '.join(names)}."
            )
    before = {name: getattr(explorer, name) for name in names}
    with explorer.hold_sync():  # a view of it does not flicker
        try:
            for name in names:
                if name in settings:
                    setattr(explorer, name, settings[name])
            state: dict[str, Any] = explorer.get_state(names)
        finally:
            for name, value in before.items():
                setattr(explorer, name, value)
    return state
