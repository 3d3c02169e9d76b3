"""Questions of earlier pages that come back: `book/theme/static/due.js` asks them.

`_static/asked.js` holds the questions of the chapter's pages, as their notebooks store them; it is
fetched when one is due. A page of the chapter names those before it, the front page all of them.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.typing import ExtensionMetadata

from book.sphinx.static_widgets import answer_name
from book.sphinx.typesetting import typeset

FILE = "_static/asked.js"


def chapter(app: Sphinx) -> list[str]:
    """Return the pages of the first part, in their order; a book without parts has no chapter."""
    return [
        str(name) for part in app.config.external_site_map.root.subtrees[:1] for name in part.items
    ]


def questions(path: Path, title: str) -> Iterator[dict[str, Any]]:
    """Yield the questions that a notebook stores."""
    if path.suffix != ".ipynb":
        return
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        for output in cell.get("outputs", ()):
            saved = output.get("metadata", {}).get("widget", {})
            if not saved.get("widget", "").endswith(".Question"):
                continue
            state = saved["state"]
            formulas = "".join(typeset(tex, display=False) for tex in sorted(state["formulas"]))
            yield {
                "answer": answer_name(path.stem, state["prompt"]),
                "title": title,
                "ordered": "ordered=True" in "".join(cell["source"]),
                "state": state,
                "formulas": formulas,
            }


def write(app: Sphinx, env: BuildEnvironment) -> None:
    """Write the questions of the chapter."""
    if app.builder.format != "html":
        return
    asked = [
        question
        for name in chapter(app)
        for question in questions(Path(env.doc2path(name)), env.titles[name].astext())
    ]
    text = f"globalThis.asked = {json.dumps(asked, ensure_ascii=False)};\n"
    target = Path(app.outdir, FILE)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


def name_earlier(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Say which pages are earlier."""
    pages = chapter(app)
    earlier = pages if pagename == app.config.root_doc else []
    if pagename in pages:
        earlier = pages[: pages.index(pagename)]
    context["due"] = " ".join(Path(name).name for name in earlier)


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_js_file("due.js", priority=102)
    app.connect("env-updated", write)
    app.connect("html-page-context", name_earlier)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
