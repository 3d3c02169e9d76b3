"""What the head of a page holds: scripts that never hold it up, and one viewport."""

import re
from typing import Any

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata


def tidy_head(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Defer every script, in its order; a deferred script runs when the page is parsed."""
    # An inline script cannot be deferred. The theme's two set options for a version switcher and
    # for search as you type, which the book does not have.
    context["script_files"][:] = [file for file in context["script_files"] if file.filename]
    for file in context["script_files"]:
        file.attributes["defer"] = "defer"
    # Sphinx's layout has a viewport; docutils writes one more.
    metatags = context.get("metatags", "")
    context["metatags"] = re.sub(r'<meta [^>]*name="viewport"[^>]*>', "", metatags)


def setup(app: Sphinx) -> ExtensionMetadata:
    app.connect("html-page-context", tidy_head, priority=990)  # when every script is named
    return {"parallel_read_safe": True, "parallel_write_safe": True}
