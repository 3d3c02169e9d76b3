"""The page of functions: docstrings get the shapes of the signatures, citations and links."""

import inspect as python_inspect
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType, NoneType, UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import inspect
from sphinx.util.docutils import SphinxDirective

import attnutils
from attnbook import explorers, models
from attnutils._checked import Fields, part_of
from attnutils._checks import ArrayLike, Option
from attnutils._shapes import Array, Broadcast, Index, Mask

# A line of a section of references: a key of the bibliography, and what it is the source of.
SOURCE = re.compile(r"(?P<key>[a-z]+\d{4}[a-z]?)(?: : (?P<what>.+))?")
PAGE = re.compile(r"([Tt]aught on (?:the page )?)\*([\w\s-]+)\*")


def cited(lines: list[str]) -> list[str]:
    """Return a section of references as citations; an indented line continues the one before."""
    lines = re.sub(r"\n +", " ", "\n".join(lines)).splitlines()
    found = [SOURCE.fullmatch(line) for line in lines]
    if None in found:
        wrong = lines[found.index(None)]
        raise ValueError(f"not a source, which reads 'key' or 'key : what it says': {wrong!r}")
    return [f"* :cite:t:`{s['key']}`" + f": {s['what']}" * bool(s["what"]) for s in found]


def shape_of(spec: Array) -> str:
    """Say a shape, also without the axis that may be missing; one vector has no leading axes."""
    axes = ["*".join(filter(None, factors)) for *factors, mark in spec.axes if "?" not in mark]
    return spec.text + f" or {Array(' '.join(axes)).text}" * bool(spec.maybe)


def described(hint: Any, like: str = "ndarray") -> str:
    """Say what a type hint says: of an array its shape, of an option what it must be."""
    part = part_of(hint)
    if isinstance(part, Broadcast):
        by_head = f", or to {part.by_head.text}" if part.by_head else ""
        kind = "array_like of bool" if isinstance(part, Mask) else "array_like"
        return f"{kind} that broadcasts to {part.text}{by_head}"
    if isinstance(part, Array):
        return f"{like}{' of int' * isinstance(part, Index)} of shape {shape_of(part)}"
    if isinstance(part, Option):
        return part.text
    kind = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    if kind in (ArrayLike, ArrayLike | None):
        return "array_like"
    if isinstance(kind, UnionType):
        return " or ".join(described(one, like) for one in get_args(kind))
    kind = get_origin(kind) or kind
    return {Callable: "callable", Any: "anything", NoneType: "None"}.get(kind) or kind.__name__


def returned(hint: Any) -> dict[str, str]:
    """Say what is returned, by the line of the docstring that stands for it."""
    part = part_of(hint)
    if isinstance(part, Array):
        kinds = ("ndarray", "ndarray of bool")
        return {kind: f"{kind} of shape {shape_of(part)}" for kind in kinds}
    hints = part.hints if isinstance(part, Fields) else {}
    shapes = {n: s for n, hint in hints.items() if isinstance(s := part_of(hint), Array)}
    types = {n: described(hint) for n, hint in hints.items()}
    types |= {n: f"ndarray of shape {shape_of(spec)}" for n, spec in shapes.items()}
    return {name: f"{name} : {what}" for name, what in types.items()}


def with_shapes(thing: Any, lines: list[str]) -> list[str]:
    """Write behind each parameter, field of a tuple and result what the signature says of it."""
    hints = get_type_hints(inspect.unwrap(thing), include_extras=True)
    if hasattr(thing, "_fields"):
        optional = {name: ", optional" for name in thing._field_defaults}
        fields = [f"{name} : {described(h)}{optional.get(name, '')}" for name, h in hints.items()]
        return [*lines, "Attributes", "----------", *fields, ""]
    if not hasattr(thing, "__wrapped__"):
        return lines
    parameters, results = inspect.signature(thing).parameters, returned(hints["return"])
    amended, section = [], ""
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        section = line if below.startswith("---") else section
        name = line.partition(", ")[0]
        if section == "Parameters" and name in parameters and name in hints:
            optional = ", optional" * (str(parameters[name].default) == "None")
            line = f"{line} : {described(hints[name], 'array_like')}{optional}"
        amended.append(results.get(line, line) if section == "Returns" else line)
    return amended


def linked(page: re.Match[str]) -> str:
    return f"{page[1]}:doc:`/chapters/{'-'.join(page[2].split())}`"


def amend(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Put shapes, citations and links into a docstring, before its sections are read."""
    if what in ("function", "class"):
        lines[:] = with_shapes(thing, lines)
    if "References" in lines:
        start = lines.index("References") + 2
        stop = next((i for i in range(start, len(lines)) if not lines[i]), len(lines))
        lines[start:stop] = cited(lines[start:stop])
    lines[:] = PAGE.sub(linked, "\n".join(lines)).split("\n")


def sign(app: Sphinx, what: str, name: str, thing: Any, *_: Any) -> tuple[str, str] | None:
    """Show what a widget is made of; traitlets hides it behind arguments of any name."""
    if what != "class" or "__init__" not in vars(thing):
        return None
    found = inspect.signature(thing.__init__, bound_method=True)
    return inspect.stringify_signature(found, show_annotation=False), ""


def of_module(module: ModuleType, home: str) -> Iterator[str]:
    """The section of a module: its docstring, and each public name."""
    title = re.split("[:.,]", module.__doc__ or "")[0]
    yield from (title, "-" * len(title), "", f".. automodule:: {module.__name__}", "")
    if home == module.__name__:
        yield from (f"Imported from ``{home}``.", "")
    yield from (f".. currentmodule:: {home}", "")
    for name in sorted(module.__all__, key=lambda name: (name[0].isupper(), name)):
        thing = getattr(module, name)
        is_data = not hasattr(thing, "__module__") or not callable(thing)
        kind = "data" if is_data else "class" if python_inspect.isclass(thing) else "function"
        yield f".. auto{kind}:: {name}"
        yield from ["   :no-value:", ""] if is_data else [""]


class Functions(SphinxDirective):
    """Document what the packages export, module by module."""

    def run(self) -> list[nodes.Node]:
        lines = [line for part in attnutils.PARTS for line in of_module(part, "attnutils")]
        for name in ("attnutils.plotting", "attnutils.worked_example"):
            home = "attnutils" if name.endswith("plotting") else name
            lines += of_module(import_module(name), home)
        for found in iter_modules(models.__path__, "attnbook.models."):
            module = import_module(found.name)
            if hasattr(module, "__all__"):
                lines += of_module(module, module.__name__)
        lines += ["Exercises", "---------", "", ".. currentmodule:: attnbook", ""]
        shown = ("check", "grade", "draw_split", "put_to_work")
        lines += [*(f".. autofunction:: {name}" for name in shown), ""]
        lines += ["Explorers", "---------", ""]
        lines += ["They have a page of their own, :doc:`widgets`.", ""]
        lines += [f"* :class:`~attnbook.{name}`" for name in explorers.__all__]
        return self.parse_text_to_nodes("\n".join(lines), allow_section_headings=True)


class Widgets(SphinxDirective):
    """Document the widgets of `attnbook.explorers` with their methods."""

    def run(self) -> list[nodes.Node]:
        lines = []
        for name in explorers.__all__:
            things = vars(getattr(explorers, name)).items()
            methods = [key for key, x in things if key[0] != "_" and inspect.isfunction(x)]
            members = [f"   :members: {', '.join(methods)}"] if methods else []
            lines += [f".. autoclass:: {name}", *members]
        return self.parse_text_to_nodes("\n".join(lines))


def setup(app: Sphinx) -> None:
    app.connect("autodoc-process-docstring", amend, priority=400)  # napoleon comes at 500
    app.connect("autodoc-process-signature", sign)
    app.add_directive("widgets", Widgets)
    app.add_directive("functions", Functions)
