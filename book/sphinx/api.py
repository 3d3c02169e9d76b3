"""The page of functions: docstrings get the shapes of the signatures, citations and links."""

import re
from collections.abc import Callable
from types import NoneType, UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from docutils import nodes
from numpy.typing import ArrayLike
from sphinx.application import Sphinx
from sphinx.util import inspect
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from attnbook import explorers
from attnutils._door import Fields, Option, part_of
from attnutils._letters import Broadcast, Integers, Spec

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


def shape_of(spec: Spec) -> str:
    """Say a shape, also without the axis that may be missing; one vector has no leading axes."""
    axes = ["*".join(filter(None, factors)) for mark, *factors, _ in spec.axes if not mark]
    return spec.text + f" or {Spec('', '', ' '.join(axes)).text}" * bool(spec.maybe)


def described(hint: Any, like: str = "ndarray") -> str:
    """Say what a type hint says: of an array its shape, of an option what it must be."""
    part = part_of(hint)
    if isinstance(part, Broadcast):
        by_head = f", or to {part.by_head.text}" if part.by_head else ""
        return f"array_like{' of bool' * part.is_mask} that broadcasts to {part.text}{by_head}"
    if isinstance(part, Spec):
        return f"{like}{' of int' * isinstance(part, Integers)} of shape {shape_of(part)}"
    if isinstance(part, Option) and part.text:
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
    if isinstance(part, Spec):
        kinds = ("ndarray", "ndarray of bool")
        return {kind: f"{kind} of shape {shape_of(part)}" for kind in kinds}
    hints = get_type_hints(part.kind, include_extras=True) if isinstance(part, Fields) else {}
    shapes = {n: s for n in hints if isinstance(s := part.fields.parts.get(n), Spec)}
    told = {n: described(hint) for n, hint in hints.items()}
    told |= {n: f"ndarray of shape {shape_of(spec)}" for n, spec in shapes.items()}
    return {name: f"{name} : {what}" for name, what in told.items()}


def with_shapes(thing: Any, lines: list[str]) -> list[str]:
    """Write behind each parameter, field of a tuple and result what the signature says of it."""
    hints = get_type_hints(getattr(thing, "formula", thing), include_extras=True)
    if hasattr(thing, "_fields"):
        optional = {name: ", optional" for name in thing._field_defaults}
        fields = [f"{name} : {described(h)}{optional.get(name, '')}" for name, h in hints.items()]
        return [*lines, "Attributes", "----------", *fields, ""]
    if not hasattr(thing, "formula"):
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


class Widgets(SphinxDirective):
    """Name the widgets of `attnbook.explorers`, or document them with their methods."""

    def run(self) -> list[nodes.Node]:
        lines = []
        for name in explorers.__all__:
            things = vars(getattr(explorers, name)).items()
            methods = [key for key, x in things if key[0] != "_" and inspect.isfunction(x)]
            members = [f"   :members: {', '.join(methods)}"] if methods else []
            names = [f"* :class:`~attnbook.{name}`"]
            is_list = self.name == "widget-names"
            lines += names if is_list else [f".. autoclass:: {name}", *members]
        return self.parse_text_to_nodes("\n".join(lines))


def setup(app: Sphinx) -> ExtensionMetadata:
    app.connect("autodoc-process-docstring", amend, priority=400)  # napoleon comes at 500
    app.connect("autodoc-process-signature", sign)
    app.add_directive("widgets", Widgets)
    app.add_directive("widget-names", Widgets)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
