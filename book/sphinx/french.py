"""French is marked as French, so that a screen reader says it as such: {fr}`le chat`."""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata


def french(name: str, rawtext: str, text: str, *_: Any) -> tuple[list[nodes.Node], list[Any]]:
    """Return words of a text that are French; of this class docutils makes the language."""
    return [nodes.inline(rawtext, text, classes=["language-fr"])], []


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_role("fr", french)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
