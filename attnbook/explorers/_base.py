"""What every widget of the book stands on: its files, its constructor, its things to try.

A widget is an anywidget class in a folder of its own. Python checks the facts and carries them as
traits (_traits.py); the script draws them and recomputes at every step of a slider, so that the
same widget works with a kernel and on a static page. The script, `widget.js`, imports what it needs
of `core/`; it exports a function of the table of traits, which returns an anywidget. A static page
and a notebook cell load one text: the modules joined (_modules.py), and the styles beside them.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import traitlets

from attnbook.explorers._modules import joined, name_of, order, styles
from attnbook.explorers._texts import check_text, formulas_in, html
from attnbook.explorers._traits import REQUIRED, Trait

CORE = Path(__file__).parent / "core"
#: What nearly every script needs: a page loads these and what they import once, as one file.
SHARED = [CORE / f"{name}.js" for name in ("explorer", "drawing", "labels", "plot")]


def core_script() -> str:
    """The script that all widgets share."""
    return joined(order(*SHARED))


def core_style() -> str:
    """The style that all widgets share."""
    return styles(order(*SHARED))


class Widget(anywidget.AnyWidget):
    """A widget of the book."""

    #: The trait that says what others may be. Of what the page sends together, it is taken first.
    _first = ""
    #: Its own part of the script and of the style.
    own_script = own_style = ""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        main = Path(str(sys.modules[cls.__module__].__file__)).with_name("widget.js")
        if main.exists() and "_esm" not in vars(cls):
            shared = order(*SHARED)
            own = [path for path in order(*SHARED, main) if path not in shared]
            table = json.dumps({name: trait.described() for name, trait in cls.declared().items()})
            cls.own_script = f"{joined(own)}export default {name_of(main)}.default({table});\n"
            cls.own_style = styles(own)
            cls._esm = f"{core_script()}{cls.own_script}"
            cls._css = f"{core_style()}\n{cls.own_style}"
        super().__init_subclass__(**kwargs)

    @classmethod
    def declared(cls) -> dict[str, Trait]:
        """Return the traits that the class declares, in their order."""
        return {
            name: trait
            for base in reversed(cls.__mro__)
            for name, trait in vars(base).items()
            if isinstance(trait, Trait)
        }

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take what the page sends, in whatever order it names the traits."""
        super().set_state(dict(sorted(sync_data.items(), key=lambda item: item[0] != self._first)))

    def _fallback(self) -> dict[str, str]:
        """Return what stands in for the widget where no script runs, by MIME type."""
        return {}

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        if bundle is None:
            return None
        data, metadata = bundle
        return {**data, "text/plain": repr(self), **self._fallback()}, metadata


class Explorer(Widget):
    """A widget to look around in.

    Its traits are declared (_traits.py). What readers do not move is given to the constructor in
    the order of the declaration, the rest by name; a class with facts to compute from what it is
    given has a constructor of its own. Every explorer also takes

    address : str
        Its name in the address of a page. Where a page has two of a kind, one needs another.
    things_to_try : sequence of (str, str, mapping)
        What to ask, what to see, and settings to start from: values by the names of attributes.
        What is not named is as it is at the start. Text between `backticks` is code, TeX between
        dollars a formula; words of French stand in backticks behind {fr}.
    """

    #: What to try, as the page shows it.
    tries: Any = traitlets.List().tag(sync=True)
    #: The formulas in these texts: in plain letters, by their TeX.
    formulas = traitlets.Dict().tag(sync=True)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__init__" not in vars(cls):
            cls.__signature__ = inspect.Signature(list(cls._parameters().values()))

    @classmethod
    def _parameters(cls) -> dict[str, inspect.Parameter]:
        kinds = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
        return {
            name: inspect.Parameter(
                name,
                kinds[bool(trait.address)],
                default=inspect.Parameter.empty if trait.start is REQUIRED else trait.start,
            )
            for name, trait in sorted(
                cls.declared().items(),
                key=lambda each: (bool(each[1].address), each[1].start is not REQUIRED),
            )
        }

    def __init__(
        self,
        *args: Any,
        things_to_try: Sequence[tuple[str, str, Mapping[str, Any]]] = (),
        **kwargs: Any,
    ) -> None:
        owner, parameters = type(self).__name__, self._parameters()
        named = {name: kwargs.pop(name) for name in [*kwargs] if name in parameters}
        for name in kwargs:
            if not self.has_trait(name):
                raise TypeError(
                    f"{owner}: there is no {name!r}; there are {', '.join(parameters)}."
                )
        try:
            bound = inspect.Signature(list(parameters.values())).bind(*args, **named)
        except TypeError as error:
            raise TypeError(f"{owner}: {error}.") from None
        bound.apply_defaults()
        values = {name: bound.arguments[name] for name in parameters}
        super().__init__(**kwargs, **values)
        self.tries = [self._thing(each) for each in _listed(owner, things_to_try)]
        texts = [text for thing in self.tries for text in (thing["ask"], thing["see"])]
        self.formulas = formulas_in(texts)

    def _thing(self, thing: Any) -> dict[str, Any]:
        owner = type(self).__name__
        if not (isinstance(thing, tuple) and len(thing) == 3 and isinstance(thing[2], Mapping)):
            raise TypeError(
                f"{owner}: each of things_to_try must be a tuple of what to ask, what to see and "
                f"settings, got {thing!r}."
            )
        ask, see, settings = thing
        check_text(owner, "what to ask", ask)
        check_text(owner, "what to see", see)
        return {"ask": ask, "see": see, "state": self.state_with(settings)}

    def state_with(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """What readers move as it travels, with these settings; the explorer stays as it was."""
        owner, names = type(self).__name__, self.settable()
        for name in settings:
            if name not in names:
                raise ValueError(f"{owner} has no setting {name!r}; it has {', '.join(names)}.")
        before = {name: getattr(self, name) for name in names}
        with self.hold_sync():  # a view of it does not flicker
            try:
                for name in names:
                    if name in settings:
                        setattr(self, name, settings[name])
                state: dict[str, Any] = self.get_state(names)
            finally:
                for name, value in before.items():
                    setattr(self, name, value)
        return state

    def settable(self) -> list[str]:
        """The names of what readers move, in an order in which they can be set."""
        declared = [*self.declared()]
        names: list[str] = self.trait_names(settable=True)
        index = {name: i for i, name in enumerate(declared)}
        return sorted(names, key=lambda name: (name != self._first, index.get(name, -1)))

    def __repr__(self) -> str:
        parts = []
        for name in self.declared():
            value = getattr(self, name)
            if name in self.settable() and isinstance(value, str | int | float):
                text = f"{value:g}" if isinstance(value, float) else repr(value)
                parts.append(f"{name}={text}")
        return f"{type(self).__name__}({', '.join(parts)})"


def _listed(owner: str, things: Any) -> list[Any]:
    if isinstance(things, str) or not np.iterable(things):
        raise TypeError(f"{owner}: things_to_try must be a list of tuples, got {things!r}.")
    return list(things)


def things_as_html(things: Sequence[Mapping[str, Any]]) -> str:
    """Things to try where no script runs: each with what to see folded below."""
    items = "".join(
        f"<li>{html(thing['ask'])}<details><summary>What to see</summary>"
        f"<p>{html(thing['see'])}</p></details></li>"
        for thing in things
    )
    return f"<p><strong>Things to try</strong></p><ol>{items}</ol>" if items else ""
