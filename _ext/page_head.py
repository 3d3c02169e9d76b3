"""What the head of a page holds: what the page is, where it is, and no script that holds it up.

The elements themselves are in `_templates/head.html`. sphinxext-opengraph would write most of
them, but it describes a page by its first words in place of the page's own description, knows
nothing of the pages that are no documents (search, the root, the page for a wrong address), and
leaves `<` and `&` in titles as they are.
"""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util.typing import ExtensionMetadata

from tools import address

# What docutils writes: one more viewport than Sphinx's layout has, and the description.
WRITTEN = re.compile(r'<meta [^>]*name="(?:viewport|description)"[^>]*>\s*')


def set_address(app: Sphinx, config: Config) -> None:
    """Say where the book will be, from the address of its repository."""
    config.html_baseurl = address.current().pages


def complete_head(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Hand the template what it needs, and defer every script, in its order.

    A deferred script runs when the page is parsed.
    """
    # An inline script cannot be deferred. The theme's two set options for a version switcher and
    # for search as you type, which the book does not have.
    context["script_files"][:] = [file for file in context["script_files"] if file.filename]
    for file in context["script_files"]:
        file.attributes["defer"] = "defer"

    context["metatags"] = WRITTEN.sub("", context.get("metatags", ""))
    context["site"] = app.config.html_baseurl
    if doctree:
        context["description"] = next(
            (meta["content"] for meta in doctree.findall(nodes.meta) if is_description(meta)), None
        )


def is_description(meta: nodes.meta) -> bool:
    return meta.get("name") == "description"


def setup(app: Sphinx) -> ExtensionMetadata:
    app.connect("config-inited", set_address)
    app.connect("html-page-context", complete_head, priority=990)  # when every script is named
    return {"parallel_read_safe": True, "parallel_write_safe": True}
