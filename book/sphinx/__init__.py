"""Sphinx extensions of this book only: a module for each job."""

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

MODULES = (
    "theme",
    "typesetting",
    "styles",
    "static_widgets",
    "embeds",
    "answers",
    "veils",
    "figures",
    "launch_links",
    "downloads",
    "margin",
    "pagemap",
    "page_markup",
    "folded",
    "front_door",
    "punctuation",
    "bibliography",
    "words",
    "path",
    "due",
    "reports",
    "api",
    "python",
    "python_page",
    "search",
)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Load every module."""
    for module in MODULES:
        app.setup_extension(f"{__name__}.{module}")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
