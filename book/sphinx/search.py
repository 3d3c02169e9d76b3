"""The search: the words of every section, as a script, so that it works from a folder, too.

Sphinx's own search knows pages as a whole and no numbers, and shows nothing of what it finds.
`book/theme/static/search.js` looks for what is asked.
"""

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

from attnbook.explorers._texts import plain
from book.portable import strip_colours

FILE = "_static/sections.js"
START = "globalThis.sections = "
# What is no text, and tags.
MARKUP = re.compile(r"<(script|style|svg|template|math)\b.*?</\1>|<[^>]*>", re.DOTALL)
#: What is told elsewhere.
APART = (nodes.section, nodes.comment, addnodes.desc, addnodes.desc_signature)


def is_section(node: nodes.Node) -> bool:
    return isinstance(node, nodes.section)


def words(node: nodes.Node) -> Iterator[str]:
    """Yield what a node says, without the sections and functions in it."""
    for child in node.children:
        if isinstance(child, nodes.Text):
            yield child.astext()
        elif isinstance(child, nodes.math | nodes.math_block):
            tex = strip_colours(child.astext())
            yield "…" if "\\" in tex else plain(tex)
        elif isinstance(child, nodes.raw):
            yield unescape(MARKUP.sub(" ", child.astext()))
        elif not isinstance(child, (*APART, nodes.title) if is_section(node) else APART):
            yield from words(child)
        if not isinstance(child, nodes.Text | nodes.Inline):
            yield " "


def sections(doctree: nodes.document, page: str) -> Iterator[dict[str, str]]:
    """Yield the sections of a page and the functions on it: where each is, and what it says."""
    for node in doctree.findall(lambda n: isinstance(n, nodes.section | addnodes.desc)):
        head = node.next_node(nodes.title if is_section(node) else addnodes.desc_signature)
        if head is None or not (ids := node["ids"] or head["ids"]):
            continue  # the body of an exercise has no heading
        text = " ".join("".join(words(node)).split())
        title = head.astext() if is_section(node) else ids[0]
        yield {"page": page, "id": ids[0], "title": title, "text": text}


def collect(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Note the sections of a page that is written."""
    if doctree:
        app.sections[pagename] = [*sections(doctree, app.env.titles[pagename].astext())]


def start(app: Sphinx) -> None:
    """Take over the sections of pages that are not written again, and leave out Sphinx's search."""
    path = Path(app.outdir, FILE)
    text = path.read_text(encoding="utf-8") if path.exists() else f"{START}{{}}"
    app.sections = json.loads(text.removeprefix(START))
    app.builder.search = False


def write(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Write what was noted, and the page of the search."""
    there = {name: app.sections[name] for name in sorted(app.env.found_docs & {*app.sections})}
    text = START + json.dumps(there, ensure_ascii=False)
    Path(app.outdir, FILE).write_text(text, encoding="utf-8")
    yield "search", {}, "search.html"


def setup(app: Sphinx) -> None:
    app.connect("builder-inited", start)
    app.connect("html-page-context", collect)
    app.connect("html-collect-pages", write)
