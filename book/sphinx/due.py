"""Questions of earlier pages that come back, and what a reader mixes up: for `due.js`.

`_static/asked.js` holds the questions of the chapter's pages, as their notebooks store them, and
what is mixed up where which words are told. It is fetched when a question is due or an answer was
wrong. A page of the chapter names those before it, the front page all of them.
"""

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.typing import ExtensionMetadata

from attnbook.exercises import all_exercises
from attnbook.mix_ups import MIX_UPS
from book.sphinx.answers import CHECK
from book.sphinx.static_widgets import answer_name
from book.sphinx.typesetting import typeset

FILE = "_static/asked.js"


def chapter(app: Sphinx) -> list[str]:
    """Return the pages of the first part, in their order; a book without parts has no chapter."""
    return [
        str(name) for part in app.config.external_site_map.root.subtrees[:1] for name in part.items
    ]


def cells(path: Path) -> Iterator[tuple[str, dict[str, Any] | None]]:
    """Yield the code of a notebook's cells, each with the question that it stores, if any."""
    if path.suffix != ".ipynb":
        return
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        saved = [each.get("metadata", {}).get("widget", {}) for each in cell.get("outputs", ())]
        asked = [each["state"] for each in saved if each.get("widget", "").endswith(".Question")]
        yield "".join(cell["source"]), asked[0] if asked else None


def questions(path: Path, title: str) -> Iterator[dict[str, Any]]:
    """Yield the questions that a notebook stores."""
    for source, state in cells(path):
        if state:
            yield {
                "answer": answer_name(path.stem, state["prompt"]),
                "title": title,
                "ordered": "ordered=True" in source,
                "state": state,
                "formulas": "".join(
                    typeset(tex, display=False) for tex in sorted(state["formulas"])
                ),
            }


def mixes(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the names of answers, each with what is mixed up by whom something is told."""
    for source, state in cells(path):
        if state and "mixed=" in source:
            told = dict(state["choices"] or state["hints"])
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.keyword) and node.arg == "mixed":
                    kinds = ast.literal_eval(node.value).items()
                    name = answer_name(path.stem, state["prompt"])
                    yield name, {told[wrong]: kind for wrong, kind in kinds}
        for key in CHECK.findall(source):
            if mixed := all_exercises()[key].mixed:
                yield f"{path.stem}/{key}", dict(mixed)


def write(app: Sphinx, env: BuildEnvironment) -> None:
    """Write the questions of the chapter, and what is mixed up in its answers."""
    if app.builder.format != "html":
        return
    pages = [Path(env.doc2path(name)) for name in chapter(app)]
    asked = {
        "questions": [
            question
            for name, path in zip(chapter(app), pages, strict=True)
            for question in questions(path, env.titles[name].astext())
        ],
        "mixed": dict(found for path in pages for found in mixes(path)),
        "kinds": MIX_UPS,
    }
    text = f"globalThis.dueBook = {json.dumps(asked, ensure_ascii=False)};\n"
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
