"""Words with a mark: {fr}`le chat` is French, {q}`queries`, {k}, {v} and {o} have their colours.

A screen reader says French as such; of a colour it says nothing (`.q` in the style of the book).
"""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

COLOURED = ("q", "k", "v", "o")
CLASSES = {name: name for name in COLOURED} | {"fr": "language-fr"}  # docutils makes the language


def plain(title: nodes.Element) -> nodes.Element:
    """Return titles without the colours that words have in the text."""
    title = title.deepcopy()
    for word in list(title.findall(nodes.inline)):
        if {*COLOURED} & {*word["classes"]}:
            word.parent.replace(word, word.children)
    return title


def marked(name: str, rawtext: str, text: str, *_: Any) -> tuple[list[nodes.Node], list[Any]]:
    """Return words of a text with the class of their role."""
    return [nodes.inline(rawtext, text, classes=[CLASSES[name]])], []


def setup(app: Sphinx) -> None:
    for name in CLASSES:
        app.add_role(name, marked)
