"""French is marked as French, so that a screen reader says it as such.

Texts do it with a role, as in {fr}`le chat`. What a cell prints cannot: there a line that is made
of the translator's words is marked. Widgets mark their own.
"""

import re
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.typing import ExtensionMetadata

from attnutils.translation import FRENCH

WORD = "(?:" + "|".join(word for word in FRENCH if word.isalpha()) + ")"
SENTENCE = re.compile(rf"(?m)^( *)({WORD}(?: {WORD})+ \.)$")


def french(name: str, rawtext: str, text: str, *_: Any) -> tuple[list[nodes.Node], list[Any]]:
    """Return words of a text that are French; of this class docutils makes the language."""
    return [nodes.inline(rawtext, text, classes=["language-fr"])], []


class MarkOutputs(SphinxPostTransform):
    """Write outputs with such lines as Sphinx would, and mark the lines."""

    default_priority = 950  # the outputs of cells are chosen, and have their places
    formats = ("html",)

    def run(self, **_: Any) -> None:
        for block in list(self.document.findall(nodes.literal_block)):
            if "output" in block["classes"] and SENTENCE.search(block.astext()):
                text = SENTENCE.sub(
                    r'\1<span lang="fr">\2</span>', escape(block.astext(), quote=False)
                )
                classes = " ".join(block["classes"])
                html = (
                    f'<div class="{classes} notranslate"><div class="highlight"><pre>'
                    f"{text}\n</pre></div>\n</div>\n"
                )
                # replace_self would hand its classes on, for a second box.
                block.parent.replace(block, nodes.raw("", html, format="html"))


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_role("fr", french)
    app.add_post_transform(MarkOutputs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
