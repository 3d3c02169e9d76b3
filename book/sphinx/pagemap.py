"""The map of the pages: the directive `pagemap` lists the lessons, part by part, as in `_toc.yml`.

What a lesson is about, the words beside its name, are in its notebook's metadata under `map`. What
it takes from earlier pages stands there under `needs`, as in {"self-attention": "masks"}. The text
of the directive is the finish line, below the first part. With the option `part` the list is that
of one part alone, without what its lessons need.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata


class PageMap(SphinxDirective):
    """A list of the lessons of each part, numbered on from the one before.

    The map is made again when a lesson changes.
    """

    has_content = True
    option_spec: ClassVar = {"part": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes("\n".join(self.lines()))

    def lines(self) -> Iterator[str]:
        """Yield the map as MyST."""
        numbers: dict[str, int] = {}
        finish, wanted = list(self.content), self.options.get("part")
        yield "::::{container} pagemap"
        for part in self.config.external_site_map.root.subtrees:
            lessons = [name for name in part.items if self.path(name).suffix == ".ipynb"]
            if not lessons:
                continue
            is_shown = wanted in (None, part.caption)
            if is_shown:
                yield ":::{container} stop\n"
            if not wanted:
                yield f"**{part.caption}**\n"
            for name in lessons:
                path = self.path(name)
                self.env.note_dependency(str(path))
                about, needs = what_it_says(path, numbers)
                numbers[path.stem] = len(numbers) + 1
                if not is_shown:
                    continue
                first = f"{numbers[path.stem]}. "
                below = " " * len(first)
                yield f"{first}[](/{name}.ipynb)\n{below}{about}\n"
                if needs and not wanted:
                    yield f"{below}*{needs}*\n"
            if finish:
                yield from ["{.finish}", *finish]
                finish = []
            if is_shown:
                yield ":::"
        yield "::::"

    def path(self, name: str) -> Path:
        return Path(self.env.doc2path(name))


def what_it_says(path: Path, numbers: dict[str, int]) -> tuple[str, str]:
    """Return what a lesson is about, and what it needs of those before it, by their numbers."""
    metadata: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["metadata"]
    if not metadata.get("map"):
        raise ExtensionError(
            f"{path.name} does not say what it is about: give the notebook's metadata a line "
            '"map", such as "how sharp weights are", for the map of the pages'
        )
    needs: dict[str, str] = metadata.get("needs", {})
    for page in needs:
        if page not in numbers:
            raise ExtensionError(
                f"{path.name} needs {page}, which is no lesson before it: "
                'see "needs" in the notebook\'s metadata, and _toc.yml'
            )
    told = [f"{needs[page]} ({numbers[page]})" for page in sorted(needs, key=numbers.__getitem__)]
    return metadata["map"], f"Needs {', '.join(told)}" if told else ""


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_directive("pagemap", PageMap)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
