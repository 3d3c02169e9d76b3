"""The reader's side of Python in the pages: the button at rest, the editor, what runs the cells.

A page at rest has `run.js` alone. The first press fetches the rest: `notebook.js` and `editor.js`,
which esbuild makes of `book/python/page` and of the npm packages that they import, and their style.
"""

import json
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from book.sphinx.esbuild import esbuild
from book.sphinx.python import FOLDER, ROOT, code_cell, digest

SOURCE = ROOT / "book" / "python" / "page"
MODULES = ROOT / "book" / "node_modules"
SCRIPTS = ("notebook.js", "editor.js")
PACKAGE = re.compile(r"node_modules/((?:@[^/]+/)?[^/]+)/")


def pack(source: Path, target: Path, *options: str) -> None:
    """Write a script without what only its readers need."""
    esbuild(target.name, source, f"--outfile={target}", "--minify", "--target=es2022", *options)


def bundle(target: Path) -> None:
    """Write the scripts of the page's notebook, their style and their licences."""
    bundle = target / "bundle.json"
    # A package is known by where it is looked for, also where node_modules is a link.
    options = ("--bundle", "--preserve-symlinks", "--format=esm", f"--metafile={bundle}")
    packages: set[str] = set()
    for name in SCRIPTS:
        pack(SOURCE / name, target / name, *options)
        inputs = json.loads(bundle.read_text(encoding="utf-8"))["inputs"]
        packages |= {found[1] for path in inputs if (found := PACKAGE.match(path))}
    bundle.unlink()
    shutil.copy(SOURCE / "notebook.css", target)
    (target / "LICENSES.txt").write_text(licences(packages), encoding="utf-8")


def licences(packages: Iterable[str]) -> str:
    """Return the licences of npm packages."""
    texts = []
    for name in sorted(packages):
        version = json.loads((MODULES / name / "package.json").read_bytes())["version"]
        text = next((MODULES / name).glob("LICEN[CS]E*")).read_text(encoding="utf-8")
        texts.append(f"{name} {version}\n\n{text.strip()}\n")
    return f"\n{'-' * 80}\n\n".join(texts)


def copy_assets(app: Sphinx, env: BuildEnvironment) -> None:
    """Write what a press fetches, when the cells are there; pages name the digest of it all."""
    if app.python:
        target = Path(app.outdir, FOLDER)
        for name in ("run.js", "lines.js"):
            pack(SOURCE / name, target.parent / name)
        bundle(target)
        files = [(target / name).read_bytes() for name in (*SCRIPTS, "notebook.css")]
        app.python = digest(app.python.encode(), *files)


def offer(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Offer to run the cells of a page that has some."""
    context["python"] = ""
    if app.python and doctree and any(doctree.findall(code_cell)):
        address = context["pathto"](f"{FOLDER}/notebook.js", 1)
        context["python"] = f"{address}?v={app.python}"
        app.add_js_file("lines.js", priority=899)
        app.add_js_file("run.js", priority=900)


def setup(app: Sphinx) -> None:
    app.setup_extension("book.sphinx.python")
    app.connect("env-updated", copy_assets, priority=600)  # after book.sphinx.python's
    app.connect("html-page-context", offer)
