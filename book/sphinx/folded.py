"""Admonitions of the class `dropdown` as native details: they fold without a script."""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.writers.html5 import HTML5Translator


class folded(nodes.General, nodes.Element):
    """A block that the reader opens."""


class folded_title(nodes.General, nodes.TextElement):
    """What the reader sees of a folded block before it is opened."""


def visit_folded(translator: HTML5Translator, node: folded) -> None:
    translator.body.append(translator.starttag(node, "details", CLASS="admonition"))


def depart_folded(translator: HTML5Translator, node: folded) -> None:
    translator.body.append("</details>\n")


def visit_folded_title(translator: HTML5Translator, node: folded_title) -> None:
    translator.body.append(translator.starttag(node, "summary", "", CLASS="admonition-title"))


def depart_folded_title(translator: HTML5Translator, node: folded_title) -> None:
    translator.body.append("</summary>\n")


class FoldDropdowns(SphinxPostTransform):
    """Replace each admonition of the class `dropdown`."""

    default_priority = 800  # sphinx-exercise has written its titles by then
    formats = ("html",)

    def run(self, **_: Any) -> None:
        for admonition in list(self.document.findall(nodes.Admonition)):
            if "dropdown" not in admonition["classes"]:
                continue
            title, *body = admonition.children
            block = folded("", ids=admonition["ids"], classes=admonition["classes"])
            block += folded_title("", "", *title.children)
            block += body
            admonition.replace_self(block)


def setup(app: Sphinx) -> None:
    app.add_node(folded, html=(visit_folded, depart_folded))
    app.add_node(folded_title, html=(visit_folded_title, depart_folded_title))
    app.add_post_transform(FoldDropdowns)
