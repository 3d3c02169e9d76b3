"""The map of the pages: the directive `pagemap` lists the lessons, part by part, as in `_toc.yml`.

What a lesson is about, the words beside its name, are in its notebook's metadata under `map`; its
picture is in `book/theme/glyphs.svg`. The finish line has no number: it stands below the first
part, with the text of the directive. With the option `part` the list is that of one part alone.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from book.portable import numbers_of, read
from book.sphinx.theme import FOLDER

GLYPHS = FOLDER / "glyphs.svg"
GLYPH = re.compile(r'<g id="([\w-]+)">(.*)</g>')


class PageMap(SphinxDirective):
    """A list of the lessons of each part, numbered on from the one before.

    The map is made again when a lesson changes.
    """

    has_content = True
    option_spec: ClassVar = {"part": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(GLYPHS))
        return self.parse_text_to_nodes("\n".join(self.lines()))

    def lines(self) -> Iterator[str]:
        """Yield the map as MyST."""
        glyphs = dict(GLYPH.findall(GLYPHS.read_text(encoding="utf-8")))
        wanted = self.options.get("part")
        parts = self.config.external_site_map.root.subtrees
        numbers = numbers_of(self.env.doc2path(name) for part in parts for name in part.items)
        yield "::::{container} pagemap"
        for part in parts:
            paths = [Path(self.env.doc2path(name)) for name in part.items]
            lessons = [path for path in paths if path.suffix == ".ipynb"]
            is_shown = wanted in (None, part.caption) and lessons
            if is_shown:
                yield ":::{container} stop\n"
            if is_shown and not wanted:
                yield f"**{part.caption}**\n"
            for path in lessons:
                self.env.note_dependency(str(path))
                about = what_it_says(path)
                if not is_shown:
                    continue
                glyph = glyphs.get(path.stem, "")
                drawing = f'<svg viewBox="0 0 64 40" aria-hidden="true">{glyph}</svg>'
                entry = f"{drawing} [](/chapters/{path.name})"
                if path.stem in numbers:
                    start = f"{numbers[path.stem]}. "
                    yield f"{start}{entry}\n{' ' * len(start)}{about}\n"
                else:
                    yield from ["{.finish}", entry, *(self.content or [about]), ""]
            if is_shown:
                yield ":::"
        yield "::::"


def what_it_says(path: Path) -> str:
    """Return what a lesson is about."""
    about: str = read(path)["metadata"].get("map", "")
    if not about:
        raise ExtensionError(
            f"{path.name} does not say what it is about: give the notebook's metadata a line "
            '"map", such as "how sharp weights are", for the map of the pages'
        )
    return about


def setup(app: Sphinx) -> None:
    app.add_directive("pagemap", PageMap)
