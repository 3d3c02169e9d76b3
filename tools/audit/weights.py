"""What a page weighs as it travels, and which part of that is scripts."""

import gzip
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bs4 import BeautifulSoup, Tag

from tools import limits
from tools.audit.server import LEVEL, packed

# Script elements of other types hold data.
SCRIPT_TYPES = {None, "", "module", "text/javascript", "application/javascript"}
SCRIPT_FILES = {".js", ".mjs"}


def holds_source(element: Tag) -> bool:
    """Return whether an element is a script that stands in the page."""
    types = element.get("type") in SCRIPT_TYPES
    return element.name == "script" and types and not element.get("src")


def inline_scripts(document: str) -> tuple[str, str]:
    """Return the source that stands in a page: its own, and that of its widgets.

    The scripts of widgets travel as strings in the JSON element that also holds their data.
    """
    page = BeautifulSoup(document, "html.parser")
    own = "\n".join(e.string or "" for e in page.find_all(holds_source))
    data = page.find(id="widget-data")
    held = json.loads(data.string) if data else {"shared": "", "scripts": {}}
    return own, held["shared"] + "\n".join(held["scripts"].values())


def size(text: str) -> int:
    """Return how many bytes a text takes with gzip; 0 for none."""
    return len(gzip.compress(text.encode(), LEVEL)) if text else 0


@dataclass(frozen=True)
class Weight:
    """Bytes that travel for a page; its scripts are part of the whole."""

    page: int
    scripts: int
    widget_scripts: int

    def misses(self, *, search: bool = False) -> list[str]:
        """Return a sentence for each limit that the page misses."""
        whole = limits.WIDGET_PAGE_KB if self.widget_scripts else limits.PAGE_KB
        own = limits.SEARCH_SCRIPT_KB if search else limits.SCRIPT_KB
        return [
            f"{name} {weight / limits.KB:.1f} KB, at most {limit}"
            for name, weight, limit in (
                ("all", self.page, whole),
                ("scripts", self.scripts, own),
                ("scripts of widgets", self.widget_scripts, limits.WIDGET_SCRIPT_KB),
            )
            if weight > limit * limits.KB
        ]


def weigh(document: Path, files: Iterable[Path]) -> Weight:
    """Weigh a page by all the files that a browser loads for it, itself included."""
    sizes = {path: len(packed(path)) for path in files}
    loaded = sum(number for path, number in sizes.items() if path.suffix in SCRIPT_FILES)
    own, widgets = inline_scripts(document.read_text(encoding="utf-8"))
    return Weight(sum(sizes.values()), loaded + size(own), size(widgets))
