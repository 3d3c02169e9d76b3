"""The answer below a question stays hidden until the question is answered.

`Question(..., veil=True)` hides what follows its cell, to the end of the section or to the comment
`<!-- the veil ends -->`. Searching in the page, a link to something inside, paper and a reader
without scripts find it open, and so does a browser that cannot open it for a search.
"""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.typing import ExtensionMetadata
from sphinx.writers.html5 import HTML5Translator

from _ext.static_widgets import widget_slot

END = "<!-- the veil ends -->"
# Before the browser has drawn what follows; static/answers.js opens it, unless that never comes.
HIDE = """
{
  const veil = document.currentScript.parentElement;
  const { book } = document.documentElement.dataset;
  if ("onbeforematch" in veil && localStorage.getItem(`${book}veils`) !== "off") {
    veil.hidden = "until-found";
    addEventListener("load", () => "watched" in veil.dataset || veil.removeAttribute("hidden"));
  }
}
"""


class veil(nodes.General, nodes.Element):
    """What is hidden until the question above it is answered."""


def visit_veil(translator: HTML5Translator, node: veil) -> None:
    translator.body.append('<div class="veil">')
    translator.body.append(f"<script>{HIDE}</script>\n")


def depart_veil(translator: HTML5Translator, node: veil) -> None:
    translator.body.append("</div>\n")


class Veils(SphinxPostTransform):
    """Put what follows a question with a veil under it."""

    default_priority = 700
    formats = ("html",)

    def run(self, **_: Any) -> None:
        for slot in list(self.document.findall(widget_slot)):
            if not slot["veil"]:
                continue
            cell = slot
            while not isinstance(cell.parent, nodes.section):
                cell = cell.parent
            section, start = cell.parent, cell.parent.index(cell) + 1
            below = section.children[start:]
            stop = next(
                (
                    at
                    for at, node in enumerate(below)
                    if isinstance(node, nodes.section) or node.astext().strip() == END
                ),
                len(below),
            )
            section[start : start + stop] = [veil("", *below[:stop])]
            self.document["has_veils"] = True


def allow(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Name the script in the policy of a page that has it."""
    if doctree and doctree.get("has_veils"):
        context["inline"] = [*context.get("inline", ()), HIDE]


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_node(veil, html=(visit_veil, depart_veil))
    app.add_post_transform(Veils)
    app.connect("html-page-context", allow)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
