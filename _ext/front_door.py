"""The page at the root of the book, which leads to the first one.

Jupyter Book writes one itself if there is none: without a title, a language or an icon, so that
browsers ask for a favicon that is not there.
"""

from collections.abc import Iterator
from typing import Any

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata


def front_door(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Add the page; its template is `_templates/front-door.html`."""
    yield "index", {}, "front-door.html"


def setup(app: Sphinx) -> ExtensionMetadata:
    app.connect("html-collect-pages", front_door)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
