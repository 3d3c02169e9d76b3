"""The search finds what stands in a cell, a menu or a label of a drawing as a word of its own.

Sphinx takes the tags out of raw HTML and puts nothing in their place: two cells, "query" and "key",
would be found as "querykey" alone. White space between such elements shows nowhere.

It also puts every number that a cell prints into the index, which readers fetch, though its script
searches for no number.
"""

import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish
from sphinx.util.typing import ExtensionMetadata

# Where one of them ends, or the text before the first choice of a menu does.
BORDER = re.compile(r"(</(?:text|title|desc|t[dhr]|option)>)(?=[^\s])|(?<=[^\s>])(?=<select\b)")


def set_apart(app: Sphinx, document: nodes.document, name: str) -> None:
    """Put a line break at each border, before Sphinx reads the words of a page and writes it."""
    for raw in document.findall(nodes.raw):
        is_script = raw.astext().startswith("<script")
        if "html" in raw.get("format", "").split() and not is_script:
            raw.children = [nodes.Text(BORDER.sub(r"\1\n", raw.astext()))]


class Words(SearchEnglish):
    """English, without what the script drops from what is searched for."""

    def word_filter(self, word: str) -> bool:
        return super().word_filter(word) and not (word.isascii() and word.isdecimal())


def setup(app: Sphinx) -> ExtensionMetadata:
    app.connect("doctree-resolved", set_apart)
    app.add_search_language(Words)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
