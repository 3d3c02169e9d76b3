"""The theme in `book/theme`, and what its templates need to know of a page.

Jupyter Book brings a theme of its own, which is installed and not used.
"""

import base64
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment.adapters.toctree import TocTree

from book import address
from book.portable import numbers_of
from book.sphinx.words import plain

NAME = "attention-layers"
FOLDER = Path(__file__).resolve().parent.parent / "theme"
STYLE = "book.css"
# Sphinx's own scripts, for its search: the book has another.
SPHINXS = ("documentation_options.js", "doctools.js", "sphinx_highlight.js")


def set_address(app: Sphinx) -> None:
    """Say where the book is published, if it is."""
    app.config.html_baseurl = address.pages()


def list_pages(app: Sphinx) -> Iterator[dict[str, Any]]:
    """Yield the pages in their order. Lessons have numbers as on the map."""
    parts = app.config.external_site_map.root.subtrees
    part_of = {name: part.caption for part in parts for name in part.items}
    names = app.env.toctree_includes.get(app.config.root_doc, ())
    numbers = numbers_of(map(app.env.doc2path, names))
    for name in names:
        title = app.builder.render_partial(plain(app.env.titles[name]))["title"]
        yield {
            "name": name,
            "title": title,
            "number": numbers.get(Path(name).name),
            "part": part_of[name],
        }


def contents(app: Sphinx, pagename: str) -> str:
    """Return the list of the sections of a page, empty if there is none."""
    page = TocTree(app.env).get_toc_for(pagename, app.builder)
    lists = list(page.findall(nodes.bullet_list))[1:2]  # the first holds the title alone
    return app.builder.render_partial(plain(lists[0]))["fragment"] if lists else ""


def digest(script: str) -> str:
    """Return what the policy of a page says of a script that stands in the page."""
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"


def complete(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Hand the templates what they need: one style, every script deferred, in its order."""
    styles, scripts = context["css_files"], context["script_files"]
    styles[:] = [file for file in styles if file.filename == f"_static/{STYLE}"]
    scripts[:] = [file for file in scripts if Path(str(file.filename)).name not in SPHINXS]
    for file in scripts:
        file.attributes["defer"] = "defer"  # it runs when the page is parsed

    context["digest"] = digest
    context["site"] = app.config.html_baseurl
    context["author"] = app.config.author
    context["pages"] = list(list_pages(app))
    # Who publishes the book puts these there (publish.yml); elsewhere the links would be dead.
    context["downloads"] = os.environ.get("BOOK_DOWNLOADS", "").split()
    # Every lesson can be shown as slides (static/present.js).
    is_lesson = pagename in app.env.found_docs and app.env.doc2path(pagename).endswith(".ipynb")
    context["presents"] = is_lesson and pagename != app.config.root_doc
    if doctree:
        context["contents"] = contents(app, pagename)
        texts = {meta.get("name"): meta["content"] for meta in doctree.findall(nodes.meta)}
        context["description"] = texts.get("description", "")


def setup(app: Sphinx) -> None:
    app.add_html_theme(NAME, str(FOLDER))
    app.add_js_file("theme.js", priority=100)  # before Sphinx's
    app.add_js_file("progress.js", priority=101)
    app.add_js_file("retell.js", priority=102)
    app.connect("builder-inited", set_address)
    app.connect("html-page-context", complete, priority=990)  # when every script is named
