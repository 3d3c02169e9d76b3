"""The reader's side of Python in the pages: the button at rest, the editor, what runs the cells.

A page at rest has `run.js` alone. The first press fetches the rest: `notebook.js` and `editor.js`,
which esbuild makes of `_python/page` and of the npm packages that they import, and their style.
Scripts and styles of all widgets lie beside them, since a cell may make one that its page does not
show.
"""

import hashlib
import json
import re
import shutil
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.typing import ExtensionMetadata

import attnutils.widgets
from _ext.answers import CHECK
from _ext.esbuild import esbuild
from _ext.python import FOLDER, ROOT, code_cell
from attnutils.widgets._base import Widget

SOURCE = ROOT / "_python" / "page"
MODULES = ROOT / "node_modules"
SCRIPTS = ("notebook.js", "editor.js")


def pack(source: Path, target: Path, *options: str) -> None:
    """Write a script without what only its readers need."""
    esbuild(target.name, source, f"--outfile={target}", "--minify", "--target=es2022", *options)


def bundle(target: Path) -> None:
    """Write the scripts of the page's notebook, their style and their licences."""
    told = target / "bundle.json"
    # A package is known by where it is looked for, also where node_modules is a link.
    options = ("--bundle", "--preserve-symlinks", "--format=esm", f"--metafile={told}")
    inputs = {}
    for name in SCRIPTS:
        pack(SOURCE / name, target / name, *options)
        inputs |= json.loads(told.read_text(encoding="utf-8"))["inputs"]
    shutil.copy(SOURCE / "notebook.css", target)
    told.unlink()
    (target / "LICENSES.txt").write_text(licences(inputs), encoding="utf-8")


def licences(inputs: dict[str, Any]) -> str:
    """Return the licences of the npm packages among the files of a bundle."""
    texts = {}
    for path in inputs:
        if path.startswith("node_modules/"):
            parts = path.split("/")[1:]
            name = "/".join(parts[: 1 + parts[0].startswith("@")])
            folder = MODULES / name
            text = next(folder.glob("LICEN[CS]E*")).read_text(encoding="utf-8")
            version = json.loads((folder / "package.json").read_text(encoding="utf-8"))["version"]
            texts[name] = f"{name} {version}\n\n{text.strip()}\n"
    return f"\n{'-' * 80}\n\n".join(texts[name] for name in sorted(texts))


def widgets(target: Path) -> None:
    """Write the script and the style of each widget, named like its class."""
    target.mkdir(exist_ok=True)
    for name in attnutils.widgets.__all__:
        found = getattr(attnutils.widgets, name)
        if issubclass(found, Widget):
            (target / f"{name}.js").write_text(found._esm, encoding="utf-8")
            (target / f"{name}.css").write_text(found._css, encoding="utf-8")


def lay_in(app: Sphinx, env: BuildEnvironment) -> None:
    """Write what a press fetches, when the cells are there; pages name the digest of it all."""
    if not app.python:
        return
    target = Path(app.outdir, FOLDER)
    pack(SOURCE / "run.js", target.parent / "run.js")
    bundle(target)
    widgets(target / "widgets")
    names = [*SCRIPTS, "notebook.css"]
    files = [*(target / name for name in names), *(target / "widgets").iterdir()]
    whole = hashlib.sha256(app.python.encode())
    for path in sorted(files):
        whole.update(path.read_bytes())
    app.python = whole.hexdigest()[:8]


# A cell with such a line has a form: as in Colab, which reads it, too.
PARAM = re.compile(r'^(\w+) = ".*"  # @param \{type:"string"\}$', re.MULTILINE)
LONGEST = 2000  # characters that the field takes
WITHOUT = "This copy of the book was built without the model: only the sentences above are there."


def form(name: str, field_id: str, fetched: int) -> str:
    """Return the form of a cell, hidden until the script is there; it says what a press fetches."""
    return (
        f'<form class="run-form" hidden><label for="{field_id}">Your {escape(name)}</label>'
        f'<input id="{field_id}" name="{escape(name)}" maxlength="{LONGEST}" autocomplete="off">'
        f"<button>Fetch Python and the model ({fetched / 1e6:.0f} MB) and look</button></form>\n"
    )


def sent(app: Sphinx) -> int:
    """Return what Python and the model are together, in bytes as they travel."""
    files = json.loads(Path(app.outdir, FOLDER, "files.json").read_text(encoding="utf-8"))
    packages, model = (
        files["files"]["packages"],
        json.loads(Path(app.config.model, "files.json").read_text(encoding="utf-8")),
    )
    core = [files["files"]["core"][name] for name in ("pyodide.asm.wasm", "python_stdlib.zip")]
    parts = [*core, *(packages[n] for n in files["files"]["first"]), files["size"], *model.values()]
    return sum(part["sent"] for part in parts)


class MarkForms(SphinxPostTransform):
    """Put a form in front of a cell that takes a text, or say that the model is missing."""

    default_priority = 910  # the cells are marked
    formats = ("html",)

    def run(self, **_: Any) -> None:
        for cell in list(self.document.findall(nodes.container)):
            if cell.get("nb_element") != "cell_code" or not (found := PARAM.search(cell.astext())):
                continue
            if isinstance(cell, code_cell) and self.app.config.model:
                own = form(found[1], f"form-{cell['cell']}", sent(self.app))
            else:
                own = f'<p class="run-note">{WITHOUT}</p>\n'
            cell.insert(0, nodes.raw("", own, format="html"))


def offer(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Offer to run the cells of a page that has some."""
    context["python"] = ""
    if app.python and doctree and any(doctree.findall(code_cell)):
        address = context["pathto"](f"{FOLDER}/notebook.js", 1)
        context["python"] = f"{address}?v={app.python}"
        app.add_js_file("run.js", priority=900)


class MarkAnswers(SphinxPostTransform):
    """Name the exercise that a cell answers: what is right is noted under this name."""

    default_priority = 910  # the cells are marked
    formats = ("html",)

    def run(self, **_: Any) -> None:
        page = self.env.docname.rpartition("/")[2]
        for cell in self.document.findall(code_cell):
            found = CHECK.search(cell.astext())
            if found and cell["cell"].startswith("ex-"):
                cell["answer"] = f"{page}/{found[1]}"


def setup(app: Sphinx) -> ExtensionMetadata:
    app.setup_extension("_ext.python")
    app.add_post_transform(MarkAnswers)
    app.add_post_transform(MarkForms)
    app.connect("env-updated", lay_in, priority=600)  # after _ext.python's
    app.connect("html-page-context", offer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
