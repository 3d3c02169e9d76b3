"""The answer below a question stays hidden until the question is answered.

`Question(..., veil=True)` hides what follows its cell, to the end of the section or to the comment
`<!-- the veil ends -->`. Searching in the page, a link to something inside, paper and a reader
without scripts find it open, and so does a browser that cannot open it for a search.
"""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from book.sphinx.static_widgets import widget_slot

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
BEGIN = f'<div class="veil"><script>{HIDE}</script>\n'


def ends(node: nodes.Node) -> bool:
    return isinstance(node, nodes.section) or node.astext().strip() == END


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
            end = next((i for i in range(start, len(section)) if ends(section[i])), len(section))
            section.insert(end, nodes.raw("", "</div>\n", format="html"))
            section.insert(start, nodes.raw("", BEGIN, format="html"))
            self.document["has_veils"] = True


def allow(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Name the script in the policy of a page that has it."""
    if doctree and doctree.get("has_veils"):
        context["inline"] = [*context.get("inline", ()), HIDE]


def setup(app: Sphinx) -> None:
    app.add_post_transform(Veils)
    app.connect("html-page-context", allow)
