"""Markup that docutils and the extensions write and that checkers rightly object to, put right."""

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.images import get_image_size
from sphinx.writers.html5 import HTML5Translator

MENDED = {
    # An entry of the bibliography is in a list, and its role is retired.
    r'role="doc-biblioentry"': 'role="listitem"',
    # An empty cell heads nothing.
    r"<th\b([^>]*)>\s*(?:<p>\s*</p>)?\s*</th>": r"<td\1></td>",
    # A wide table scrolls in a box.
    r'(?s)<table class="docutils.*?</table>': r'<div class="table">\g<0></div>',
    # The summary of a folded cell holds no paragraphs, and is named by what it shows.
    r'<details class="admonition hide': '<details class="hide',
    r'<summary aria-label="Toggle hidden content">': "<summary>",
    r'<p class="(collapsed|expanded) admonition-title">(.*?)</p>': r'<span class="\1">\2</span>',
    # The name of a field stands on a line of its own.
    r'<span class="colon">:</span></dt>': "</dt>",
    # Code and what it prints, signatures and drawings are not to be translated.
    r'class="[^"]*\b(?:notranslate|sig|drawing)\b[^"]*"': r'\g<0> translate="no"',
}


def fix_markup(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Put the text of a page right."""
    for wrong, right in MENDED.items() if doctree else ():
        context["body"] = re.sub(wrong, right, context["body"])


def visit_image(translator: HTML5Translator, node: nodes.image) -> None:
    """Write an image with its size, so that the text below it stays put while it loads."""
    HTML5Translator.visit_image(translator, node)
    size = get_image_size(Path(translator.builder.srcdir, node["uri"]))
    if size and not {"width", "height", "scale"} & set(node.attributes):
        sized = '<img width="{}" height="{}" '.format(*size)
        translator.body[-1] = translator.body[-1].replace("<img ", sized, 1)


class ExerciseBodies(SphinxPostTransform):
    """Make the body of an exercise a plain block: sphinx-exercise gives each the same id."""

    default_priority = 700
    formats = ("html",)

    def run(self, **_: Any) -> None:
        for section in list(self.document.findall(nodes.section)):
            if section["ids"] in (["exercise-content"], ["solution-content"]):
                # Not replace_self, which would hand the id on.
                section.parent.replace(section, nodes.container("", *section.children))


def setup(app: Sphinx) -> None:
    app.add_node(nodes.image, override=True, html=(visit_image, HTML5Translator.depart_image))
    app.add_post_transform(ExerciseBodies)
    app.connect("html-page-context", fix_markup)
