"""Figures in the page itself, in its colours and its letters (attnbook/page/drawings.py).

A notebook stores them as SVG, black on white. Its text stands in for a figure as before, and its
caption below it.
"""

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.transforms import SphinxTransform

from attnbook.page.drawings import FigureError, on_page
from book.sphinx.python import code_cells


class Figures(SphinxTransform):
    """Put the drawing where myst-nb has left an image that is to be fetched."""

    default_priority = 10  # before images are collected

    def apply(self, **_: Any) -> None:
        page = Path(self.env.doc2path(self.env.docname))
        if page.suffix != ".ipynb":
            return
        cells = {index: cell["id"] for index, cell in code_cells(page)}
        for cell in list(self.document.findall(nodes.container)):
            if cell.get("nb_element") != "cell_code":
                continue
            images = [i for i in cell.findall(nodes.image) if i["uri"].endswith(".svg")]
            for number, image in enumerate(images):
                name = f"{cells[cell['cell_index']]}-{number}"
                _, svg = self.env.relfn2path(image["uri"])
                try:
                    text = Path(svg).read_text(encoding="utf-8")
                    html = on_page(text, name, image.get("alt", ""))
                except FigureError as error:
                    raise ExtensionError(f"{page.name}, {name}: {error}") from error
                image.parent.replace(image, nodes.raw("", html, format="html"))


def setup(app: Sphinx) -> None:
    app.add_transform(Figures)
