"""The page of functions: docstrings get the shapes of the signatures, citations and links."""

import re
from collections.abc import Callable
from html import escape
from types import NoneType, UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from docutils import nodes
from numpy.typing import ArrayLike
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import inspect
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata
from sphinx.writers.html5 import HTML5Translator

from attnutils import widgets
from attnutils._door import Fields, Option, part_of
from attnutils._letters import Broadcast, Integers, Spec

SOURCE = re.compile(r"(?P<key>[a-z]+\d{4}[a-z]?)(?: : (?P<what>.+))?")
PAGE = re.compile(r"(?<=[Tt]aught on )(the page )?\*([\w\s-]+)\*")


def cite(lines: list[str]) -> list[str]:
    """Return the lines of a References section as a list of citations.

    A line is a key of the bibliography, mostly with what it is the source of; an indented line
    continues the one before.
    """
    joined = re.sub(r"\n +", " ", "\n".join(lines))
    cited = []
    for line in joined.splitlines():
        found = SOURCE.fullmatch(line)
        if found is None:
            raise ValueError(f"not a source, which reads 'key' or 'key : what it says': {line!r}")
        what = f": {found['what']}" if found["what"] else ""
        cited.append(f"* :cite:t:`{found['key']}`{what}")
    return cited


def shape_of(spec: Spec) -> str:
    """Say a shape, also without the axis that may be missing; one vector has no leading axes."""
    axes = ["*".join(filter(None, factors)) for mark, *factors, _ in spec.axes if not mark]
    return spec.text + f" or {Spec('', '', ' '.join(axes)).text}" * bool(spec.maybe)


def described(hint: Any, like: str) -> str:
    """Say what a type hint says: of an array its shape, of an option what it must be."""
    part = part_of(hint)
    if isinstance(part, Broadcast):
        what = "array_like of bool" if part.is_mask else "array_like"
        by_head = f", or to {part.by_head.text}" if part.by_head else ""
        return f"{what} that broadcasts to {part.text}{by_head}"
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
    if not isinstance(part, Fields):
        return {}
    hints = get_type_hints(part.kind, include_extras=True)
    return {
        field: f"{field} : ndarray of shape {shape_of(own)}"
        if isinstance(own, Spec)
        else f"{field} : {described(hints[field], 'ndarray')}"
        for field, own in ((field, part.fields.parts.get(field)) for field in hints)
    }


def with_shapes(thing: Any, lines: list[str]) -> list[str]:
    """Write behind each parameter, field of a tuple and result what the signature says of it."""
    hints = get_type_hints(getattr(thing, "formula", thing), include_extras=True)
    if hasattr(thing, "_fields"):
        optional = {name: ", optional" for name in thing._field_defaults}
        fields = [
            f"{name} : {described(hint, 'ndarray')}{optional.get(name, '')}"
            for name, hint in hints.items()
        ]
        return [*lines, "Attributes", "----------", *fields, ""]
    if not hasattr(thing, "formula"):
        return lines
    parameters = inspect.signature(thing).parameters
    results = returned(hints["return"])
    amended, section = [], ""
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        section = line if below.startswith("---") else section
        name = line.partition(", ")[0]
        if section == "Parameters" and name in parameters and name in hints:
            optional = ", optional" * (str(parameters[name].default) == "None")
            line = f"{line} : {described(hints[name], 'array_like')}{optional}"
        elif section == "Returns":
            line = results.get(line, line)
        amended.append(line)
    return amended


def amend(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Put shapes, citations and links into a docstring, before its sections are read."""
    if what in ("function", "class"):
        lines[:] = with_shapes(thing, lines)
    if "References" in lines:
        start = lines.index("References") + 2
        stop = next((i for i in range(start, len(lines)) if not lines[i]), len(lines))
        lines[start:stop] = cite(lines[start:stop])

    def link(found: re.Match[str]) -> str:
        slug = "-".join(found[2].split())
        there = f"chapters/{slug}" in app.env.found_docs  # it may not be written yet
        return f"{found[1] or ''}:doc:`/chapters/{slug}`" if there else found[0]

    lines[:] = PAGE.sub(link, "\n".join(lines)).split("\n")


def sign(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, signature: str, returned: str
) -> tuple[str, str] | None:
    """Show what a widget is made of; traitlets hides it behind arguments of any name."""
    if what != "class" or "__init__" not in vars(thing):
        return None
    found = inspect.signature(thing.__init__, bound_method=True)
    return inspect.stringify_signature(found, show_annotation=False), ""


def registered() -> dict[str, list[str]]:
    """Return the widgets that `attnutils.widgets` names, with the methods that each has."""
    return {
        name: [
            key
            for key, thing in vars(getattr(widgets, name)).items()
            if key[0] != "_" and inspect.isfunction(thing)
        ]
        for name in widgets.__all__
    }


class Registered(SphinxDirective):
    """Document the widgets."""

    def run(self) -> list[nodes.Node]:
        lines = []
        for name, methods in registered().items():
            lines.append(f".. autoclass:: {name}")
            lines += [f"   :members: {', '.join(methods)}"] if methods else []
        return self.parse_text_to_nodes("\n".join(lines))


class Named(SphinxDirective):
    """Name the widgets with links to where they are documented.

    Addresses that led to one of them on this page lead to its name.
    """

    def run(self) -> list[nodes.Node]:
        items = nodes.bullet_list(classes=["names"])
        for name, methods in registered().items():
            link, _ = self.parse_inline(f":class:`~attnutils.{name}`")
            named = [name, *(f"{name}.{method}" for method in methods)]
            ids = [f"attnutils.{one}" for one in named]
            items += nodes.list_item("", Words("", "", *link), ids=ids)
        return [items]


class Words(nodes.TextElement):
    """Words that need no element around them."""


class Lists(SphinxPostTransform):
    """Take a list out of the paragraph that Sphinx puts it into, where HTML has no place for it.

    A paragraph that is all of an item becomes its words.
    """

    default_priority = 700
    formats = ("html",)

    def run(self, **_: Any) -> None:
        for content in self.document.findall(addnodes.desc_content):
            for paragraph in list(content.findall(nodes.paragraph)):
                item = paragraph.parent
                if any(isinstance(child, nodes.bullet_list) for child in paragraph):
                    paragraph.replace_self(paragraph.children)
                elif isinstance(item, nodes.list_item) and len(item) == 1:
                    item.replace(paragraph, Words("", "", *paragraph.children))


def depart_field_name(translator: HTML5Translator, node: nodes.field_name) -> None:
    """Close the name of a field, which stands on a line of its own and needs no colon."""
    translator.body.append("</dt>\n")


def visit_parameters(translator: HTML5Translator, node: addnodes.desc_parameterlist) -> None:
    """Write the parameters of a signature: only their defaults are elements, which are paler."""
    written = []
    for parameter in node:
        name, equals, default = parameter.astext().partition("=")
        written.append(escape(name) + f"<em>{escape(equals + default)}</em>" * bool(equals))
    translator.body.append(f"({', '.join(written)})")
    raise nodes.SkipNode


def visit_annotation(translator: HTML5Translator, node: addnodes.desc_annotation) -> None:
    """Write what a signature says beside names as one element."""
    translator.body.append(f"<em>{escape(node.astext())}</em>")
    raise nodes.SkipNode


def visit_name(translator: HTML5Translator, node: addnodes.desc_name) -> None:
    """Write the name in a signature as one element."""
    translator.body.append(f'<strong class="descname">{escape(node.astext())}</strong>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> ExtensionMetadata:
    app.connect("autodoc-process-docstring", amend, priority=400)  # napoleon comes at 500
    app.connect("autodoc-process-signature", sign)
    app.add_directive("widgets", Registered)
    app.add_directive("widget-names", Named)
    app.add_node(Words, html=(lambda *_: None, lambda *_: None))
    field_name = HTML5Translator.visit_field_name, depart_field_name
    app.add_node(nodes.field_name, override=True, html=field_name)
    app.add_node(addnodes.desc_parameterlist, override=True, html=(visit_parameters, None))
    app.add_node(addnodes.desc_annotation, override=True, html=(visit_annotation, None))
    app.add_node(addnodes.desc_name, override=True, html=(visit_name, None))
    app.add_post_transform(Lists)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
