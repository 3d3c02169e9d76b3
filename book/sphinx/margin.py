"""Notes in the margin: the directive `margin`, with or without a title.

The style puts a note beside the paragraph after it, or above that where there is no room.
"""

from docutils import nodes
from docutils.parsers.rst.directives.body import Sidebar
from sphinx.application import Sphinx


class Margin(Sidebar):
    """A sidebar of docutils with a class of its own."""

    def run(self) -> list[nodes.Node]:
        (note,) = super().run()
        note["classes"].append("margin")
        return [note]


def setup(app: Sphinx) -> None:
    app.add_directive("margin", Margin)
