"""The notebooks that readers download: plain ones, in the place of the sources of the pages."""

from pathlib import Path

from sphinx.application import Sphinx

from book import address
from book.portable import Book


def read(app: Sphinx) -> None:
    """Read the notebooks; a file that is none stops the build here, with its name."""
    app.plain = Book(online=address.pages(), install=address.install())


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the plain notebooks over what Sphinx has copied."""
    if not exception and app.builder.format == "html":
        for page in app.plain.notebooks:
            path = Path(app.outdir, f"_sources/chapters/{page}.ipynb")
            path.write_text(app.plain.notebook(page), encoding="utf-8")


def setup(app: Sphinx) -> None:
    app.connect("builder-inited", read, priority=1)
    app.connect("build-finished", write)
