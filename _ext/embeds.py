"""A page of its own for each explorer, which a lecturer frames in slides or a learning platform.

It holds the title, the explorer and a link back: no sidebar, no search. Its state is in its address
as on the page, and it tells its host its height and nothing else (`static/embed.js`).

An explorer that has moved leaves its old page to embed behind, which leads on. The page where it
was says so in its metadata, as in `moved-bench: attention-mechanism`, which `static/addresses.js`
reads as well.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from _ext.static_widgets import script, script_files, travelling, widget_slot

MOVED = "moved-"


def moved(doctree: nodes.document) -> dict[str, str]:
    """Return the addresses of explorers that were on a page, and the pages where they are now."""
    told = {meta.get("name", ""): meta["content"] for meta in doctree.findall(nodes.meta)}
    return {name.removeprefix(MOVED): page for name, page in told.items() if name.startswith(MOVED)}


def collect(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Note the explorers of a page that is written; those of other pages are written already."""
    if not doctree:
        return
    lesson = pagename.rpartition("/")[2]
    for file in Path(app.outdir, "embed").glob(f"{lesson}-*.html"):
        file.unlink()
    context["moved"] = moved(doctree)
    for address, page in context["moved"].items():
        app.embeds[f"embed/{lesson}-{address}"] = {
            "template": "moved.html",
            "to": f"{page}-{address}.html",
        }
    for slot in doctree.findall(lambda node: isinstance(node, widget_slot) and node["address"]):
        data = doctree["widget_data"]
        model = data["models"][slot["model"]]
        alone = slot.deepcopy()
        alone["shared"] = False
        only = {
            "shared": data["shared"],
            "scripts": {model["widget"]: data["scripts"][model["widget"]]},
            "models": {slot["model"]: model},
        }
        saved = script("application/json", travelling(only), id="widget-data").astext()
        app.embeds[f"embed/{lesson}-{slot['address']}"] = {
            "template": "embed.html",
            "lesson": pagename,
            "title": context["title"],
            "description": f"An explorer of the page {context['title']}, to be framed by others.",
            "explorer": app.builder.render_partial(alone)["fragment"] + saved,
            "style": context["widget_style"],
            "scripts": [*script_files(only)],
        }


def write(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Add the pages."""
    for name, context in app.embeds.items():
        yield name, context, context["template"]


def start(app: Sphinx) -> None:
    """Nothing is noted yet."""
    app.embeds = {}


def setup(app: Sphinx) -> ExtensionMetadata:
    app.connect("builder-inited", start)
    app.connect("html-page-context", collect, priority=950)  # when the style is named
    app.connect("html-collect-pages", write)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
