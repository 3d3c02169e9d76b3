"""Markup that docutils and the extensions write and that checkers rightly object to, put right."""

from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode, depart_HideCellInput
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.images import get_image_size
from sphinx.util.typing import ExtensionMetadata
from sphinx.writers.html5 import HTML5Translator


def visit_citation(translator: HTML5Translator, node: nodes.citation) -> None:
    """Open a bibliography entry as a list item: its parent is a list, and the role is retired."""
    HTML5Translator.visit_citation(translator, node)
    translator.body[-1] = translator.body[-1].replace("doc-biblioentry", "listitem")


def visit_entry(translator: HTML5Translator, node: nodes.entry) -> None:
    """Open a table cell; an empty one heads nothing, so it is no heading."""
    HTML5Translator.visit_entry(translator, node)
    if not node.astext().strip() and translator.context[-1] == "</th>\n":
        translator.body[-1] = translator.body[-1].replace("<th", "<td", 1)
        translator.context[-1] = "</td>\n"


def visit_table(translator: HTML5Translator, node: nodes.table) -> None:
    """Open a table in a box, in which a wide one scrolls."""
    translator.body.append('<div class="table">')
    HTML5Translator.visit_table(translator, node)


def depart_table(translator: HTML5Translator, node: nodes.table) -> None:
    HTML5Translator.depart_table(translator, node)
    translator.body.append("</div>\n")


def visit_image(translator: HTML5Translator, node: nodes.image) -> None:
    """Write an image with its size, so that the text below it stays put while it loads."""
    size = get_image_size(Path(translator.builder.srcdir, node["uri"]))
    HTML5Translator.visit_image(translator, node)
    if size and not {"width", "height", "scale"} & set(node.attributes):
        width, height = size
        sized = f'<img width="{width}" height="{height}" '
        translator.body[-1] = translator.body[-1].replace("<img ", sized, 1)


def visit_literal(translator: HTML5Translator, node: nodes.literal) -> None:
    """Open code in a line. Sphinx puts each word of it into an element, which no style names."""
    HTML5Translator.visit_literal(translator, node)
    translator.context.append(translator.protect_literal_text)
    translator.protect_literal_text = 0


def depart_literal(translator: HTML5Translator, node: nodes.literal) -> None:
    translator.protect_literal_text = translator.context.pop()
    HTML5Translator.depart_literal(translator, node)


def visit_hidden_cell(translator: HTML5Translator, node: HideCodeCellNode) -> None:
    """Open a folded cell; its summary holds spans (no `<p>`) and is named by what it shows."""
    translator.body.append(translator.starttag(node, "details", classes=["hide"]))
    translator.body.append("<summary>")
    for state, prompt in (("collapsed", "prompt_show"), ("expanded", "prompt_hide")):
        translator.body.append(f'<span class="{state}">{escape(node[prompt])}</span>')
    translator.body.append("</summary>\n")


class ExerciseBodies(SphinxPostTransform):
    """Make the body of an exercise a plain block.

    sphinx-exercise writes a section without a heading, with the same id in every exercise.
    """

    default_priority = 700
    formats = ("html",)

    def run(self, **_: Any) -> None:
        for section in list(self.document.findall(nodes.section)):
            if section["ids"] in (["exercise-content"], ["solution-content"]):
                # Not replace_self, which would hand the id on.
                section.parent.replace(section, nodes.container("", *section.children))


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_node(
        nodes.citation, override=True, html=(visit_citation, HTML5Translator.depart_citation)
    )
    app.add_node(nodes.image, override=True, html=(visit_image, HTML5Translator.depart_image))
    app.add_node(nodes.table, override=True, html=(visit_table, depart_table))
    app.add_node(nodes.entry, override=True, html=(visit_entry, HTML5Translator.depart_entry))
    app.add_node(nodes.literal, override=True, html=(visit_literal, depart_literal))
    app.add_node(HideCodeCellNode, override=True, html=(visit_hidden_cell, depart_HideCellInput))
    app.add_post_transform(ExerciseBodies)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
