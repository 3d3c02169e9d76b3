"""The book's own scripts travel without comments and blanks."""

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from _ext import answers, static_widgets, theme
from _ext.esbuild import minified


def lighten(app: Sphinx, error: Exception | None) -> None:
    """Replace the scripts by what travels."""
    folders = (theme.FOLDER / "static", static_widgets.STATIC)
    own = {path.name for folder in folders for path in folder.glob("*.js")}
    for name in own.union(answers.SCRIPTS):
        path = Path(app.outdir) / "_static" / name
        if error is None and path.exists():
            path.write_text(minified(path.read_text(encoding="utf-8"), "js"), encoding="utf-8")


def setup(app: Sphinx) -> ExtensionMetadata:
    app.connect("build-finished", lighten)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
