"""The map of the pages: the directive `pagemap` lists the lessons, part by part, as in `_toc.yml`.

What a lesson is about, the words beside its name, are in its notebook's metadata under `map`.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata


class PageMap(SphinxDirective):
    """A list of the lessons of each part, numbered on from the one before.

    The map is made again when a lesson changes.
    """

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes("\n".join(self.lines()))

    def lines(self) -> Iterator[str]:
        """Yield the map as MyST."""
        site, number = self.config.external_site_map, 0
        yield "::::{container} pagemap"
        for part in site.root.subtrees:
            lessons = [name for name in part.items if self.path(name).suffix == ".ipynb"]
            if not lessons:
                continue
            yield f":::{{container}} stop\n**{part.caption}**\n"
            for name in lessons:
                number += 1
                self.env.note_dependency(str(self.path(name)))
                yield f"{number}. [](/{name}.ipynb)\n   {about(self.path(name))}"
            yield ":::"
        yield "::::"

    def path(self, name: str) -> Path:
        return Path(self.env.doc2path(name))


def about(path: Path) -> str:
    """Return what a lesson's notebook says that it is about."""
    words = json.loads(path.read_text(encoding="utf-8"))["metadata"].get("map")
    if not words:
        raise ExtensionError(
            f"{path.name} does not say what it is about: give the notebook's metadata a line "
            '"map", such as "how sharp weights are", for the map of the pages'
        )
    return words


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_directive("pagemap", PageMap)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
