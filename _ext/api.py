"""The page of functions: in its docstrings, sources become citations and names of pages links."""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import inspect
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from attnutils import widgets

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


def amend(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Put citations and links into a docstring, before its sections are read."""
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


class Registered(SphinxDirective):
    """Document the widgets that `attnutils.widgets` names, with the methods that each has."""

    def run(self) -> list[nodes.Node]:
        lines = []
        for name in widgets.__all__:
            own = vars(getattr(widgets, name)).items()
            methods = [key for key, thing in own if key[0] != "_" and inspect.isfunction(thing)]
            lines.append(f".. autoclass:: {name}")
            lines += [f"   :members: {', '.join(methods)}"] if methods else []
        return self.parse_text_to_nodes("\n".join(lines))


class FieldBodies(SphinxPostTransform):
    """Take a list out of the paragraph that Sphinx puts it into, where HTML has no place for it."""

    default_priority = 700
    formats = ("html",)

    def run(self, **_: Any) -> None:
        for paragraph in list(self.document.findall(nodes.paragraph)):
            if any(isinstance(child, nodes.bullet_list) for child in paragraph):
                paragraph.replace_self(paragraph.children)


def setup(app: Sphinx) -> ExtensionMetadata:
    app.connect("autodoc-process-docstring", amend, priority=400)  # napoleon comes at 500
    app.connect("autodoc-process-signature", sign)
    app.add_directive("widgets", Registered)
    app.add_post_transform(FieldBodies)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
