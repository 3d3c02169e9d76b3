"""What keeps readers on the path: where a page is in a transformer, and how far they must read.

The directive `you-are-here` draws one transformer block, always the same, with a part of it lit;
`stop-line` is a rule with what the next pages need, and what stands behind it.
"""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book.portable import HERE
from book.sphinx.theme import FOLDER

# Where the words "you are here" have room, in the drawing.
LABEL = {"positions": (200, 126), "network": (185, 40), "norm": (200, 13), "whole": (200, 13)}
DRAWING = (FOLDER / "block.svg").read_text(encoding="utf-8")


class YouAreHere(SphinxDirective):
    """The drawing; which part is lit, the style says (`.here-heads` and so on)."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        place = self.arguments[0]
        if place not in HERE:
            raise self.error(f"you-are-here knows {', '.join(HERE)}, not {place}")
        self.env.note_dependency(str(FOLDER / "block.svg"))
        x, y = LABEL.get(place, (185, 69))
        text = f"You are here: {HERE[place]}."
        drawing = DRAWING.format(place=place, text=text, x=x, y=y)
        return [nodes.raw("", drawing, format="html")]


class StopLine(SphinxDirective):
    """A rule with text."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        return [nodes.container("", *self.parse_content_to_nodes(), classes=["stop-line"])]


def setup(app: Sphinx) -> None:
    app.add_directive("you-are-here", YouAreHere)
    app.add_directive("stop-line", StopLine)
