"""A page of its own for each explorer, which a lecturer frames in slides or a learning platform.

It holds the title, the explorer and a link back: no sidebar, no search. Its state is in its address
as on the page, and it tells its host its height and nothing else (`static/embed.js`).
"""

from collections.abc import Iterator
from typing import Any

from sphinx.application import Sphinx

from book.sphinx.static_widgets import script_files, widget_data, widget_slot


def collect(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Note the explorers of a page that is written; those of other pages are written already."""
    for slot in doctree.findall(widget_slot) if doctree else ():
        if slot["address"]:
            title = context["title"]
            models = {slot["model"]: doctree["widget_models"][slot["model"]]}
            slot["shared"] = False  # the page itself is written, with what leads here
            explorer = app.builder.render_partial(slot)["fragment"]
            app.embeds[f"embed/{slot['place']}"] = {
                "lesson": pagename,
                "title": title,
                "description": f"An explorer of the page {title}, to be framed by others.",
                "explorer": explorer + widget_data(models).astext(),
                "scripts": [f"_static/{name}" for name in script_files(models)],
            }


def write(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Add the pages."""
    for name, context in app.embeds.items():
        yield name, context, "embed.html"


def setup(app: Sphinx) -> None:
    app.embeds = {}
    app.connect("html-page-context", collect)
    app.connect("html-collect-pages", write)
