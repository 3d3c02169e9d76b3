"""Python in the pages: lays it into the book, and marks the cells that it can run.

What it is made of is in `_python`; Pyodide's files come from who builds, in the setting `pyodide`.
Without them pages are as they are without scripts. What a page needs is in `_static/python`:

    worker.js        the worker, which the page starts
    files.json       what the worker fetches, with sizes
    python-*.zip     Python's own side of it
    attnutils-*.zip  a package like those of Pyodide
    pyodide-*/       Pyodide and its packages
    minilm-*/        the trained model, a package in parts, from the setting `model`
    pages/*.json     the code cells of each page, with the names that link them
"""

import ast
import hashlib
import io
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.typing import ExtensionMetadata
from sphinx.writers.html5 import HTML5Translator

ROOT = Path(__file__).resolve().parent.parent
WORKER = ROOT / "_python" / "worker"
PACKAGE = ROOT / "attnutils"
COMPILE = ROOT / "_python" / "compile.mjs"
FOLDER = "_static/python"

sys.path.insert(0, str(WORKER / "py"))
from names import names  # noqa: E402  # the worker's own

sys.path.remove(str(WORKER / "py"))

#: Cells that answer an exercise. Others take of them what is there beside the answer.
ANSWERS = ("ex-", "sol-")


def code_cells(notebook: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the code cells of a page and their places; what sets up Colab is none of them."""
    for place, cell in enumerate(json.loads(notebook.read_text(encoding="utf-8"))["cells"]):
        if cell["cell_type"] == "code" and cell["id"] != "setup":
            yield place, cell


def answers(statement: ast.stmt) -> bool:
    """Return whether a statement is an answer, or does something with one."""
    targets = getattr(statement, "targets", [])
    is_answer = any(isinstance(name, ast.Name) and name.id == "answer" for name in targets)
    return is_answer or isinstance(statement, ast.Expr)


def cell_data(cell: dict[str, Any]) -> dict[str, Any]:
    """Return what a page needs to run a cell, and those before it that it needs."""
    source = part = "".join(cell["source"])
    if cell["id"].startswith(ANSWERS):
        lines = ast.parse(source).body
        part = "\n".join(ast.unparse(line) for line in lines if not answers(line))
    # What it takes when it is run itself, and what it defines for others.
    data = {"id": cell["id"], "source": source, **names(source)}
    if part != source:
        data |= {"part": part, "defines": names(part)["defines"]}
    return data


def page_data(notebook: Path, kept: Path) -> str:
    """Return the code cells of a page as JSON, which is kept: the names of all take half a second.

    What else it is made from throws away what is kept (tools/build.py).
    """
    path = kept / f"{notebook.stem}.{digest(notebook.read_bytes())}.json"
    if not path.exists():
        for old in kept.glob(f"{notebook.stem}.*.json"):
            old.unlink()
        cells = [cell_data(cell) for _, cell in code_cells(notebook)]
        path.write_text(json.dumps(cells), encoding="utf-8")
    return path.read_text(encoding="utf-8")


def archive(folder: Path, root: Path) -> bytes:
    """Return the files of a folder, named from a root on, the same bytes each time."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(root)
            is_left = "__pycache__" in name.parts or name.name.startswith(".")
            if path.is_file() and not is_left:
                entry = zipfile.ZipInfo(name.as_posix())
                entry.compress_type = zipfile.ZIP_DEFLATED
                # A widget is shown by the page's own script and style.
                packed.writestr(entry, b"" if "static" in name.parts else path.read_bytes())
    return out.getvalue()


def archives(folder: Path, pyodide: str) -> tuple[Path, Path]:
    """Return the archives of Python's own side and of attnutils, written unless they are there."""
    own, package = archive(WORKER / "py", WORKER / "py"), archive(PACKAGE, ROOT)
    made_by = COMPILE.read_bytes(), pyodide.encode()
    paths = (
        folder / f"python-{digest(own, *made_by)}.zip",
        folder / f"{PACKAGE.name}-{digest(package, *made_by)}.zip",
    )
    for old in [*folder.glob("python-*.zip"), *folder.glob(f"{PACKAGE.name}-*.zip")]:
        if old not in paths:
            old.unlink()
    if not all(path.exists() for path in paths):
        all_own = (path.stem for path in (WORKER / "py").glob("*.py"))
        paths[0].write_bytes(compiled(own, all_own))
        paths[1].write_bytes(compiled(package, first_modules()))
    return paths


def first_modules() -> list[str]:
    """Return the modules of attnutils that its import brings."""
    code = "import attnutils, sys; print(*sys.modules)"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    return [name for name in done.stdout.split() if name.partition(".")[0] == PACKAGE.name]


def compiled(data: bytes, modules: Iterable[str]) -> bytes:
    """Return an archive in which Pyodide's Python has compiled these modules."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "archive.zip")
        path.write_bytes(data)
        node = ["node", COMPILE, path, *modules]
        done = subprocess.run(node, capture_output=True, encoding="utf-8", cwd=ROOT)
        if done.returncode:
            raise ExtensionError(f"Pyodide could not compile the book's modules:\n{done.stderr}")
        return path.read_bytes()


def size(path: Path) -> dict[str, int]:
    """Return the bytes of an archive, and those that travel: it is packed."""
    return {"size": path.stat().st_size, "sent": path.stat().st_size}


def digest(*parts: bytes) -> str:
    return hashlib.sha256(b"".join(parts)).hexdigest()[:8]


def lay_in(app: Sphinx, env: BuildEnvironment) -> None:
    """Write what all pages share, and the cells of each, when the pages are read."""
    app.python = ""
    if not app.config.pyodide or app.builder.format != "html":
        return
    source, target = Path(app.config.pyodide), Path(app.outdir, FOLDER)
    (target / "pages").mkdir(parents=True, exist_ok=True)
    served = [source, *([Path(app.config.model)] if app.config.model else [])]
    for old in [*target.glob("pyodide-*"), *target.glob("minilm-*")]:
        if old.name not in [each.name for each in served]:  # its name holds its digest
            shutil.rmtree(old)
    for each in served:
        if not (target / each.name).exists():
            shutil.copytree(each, target / each.name)
    for old in target.glob("*.zip"):
        old.unlink()
    kept = Path(app.doctreedir, "python")  # it compiles for seconds; pages are written anew
    kept.mkdir(exist_ok=True)
    own, package = (Path(shutil.copy(path, target)) for path in archives(kept, source.name))
    told = json.loads((source / "files.json").read_text(encoding="utf-8"))
    told["first"].append(PACKAGE.name)
    told["packages"][PACKAGE.name] = {
        "file": f"../{package.name}",
        "imports": [PACKAGE.name],
        "depends": [],
        "library": False,
        **size(package),
    }
    files = {
        "pyodide": f"{source.name}/",
        "python": own.name,
        "size": size(own),
        "files": told,
    }
    if app.config.model:
        files["files"]["packages"] |= json.loads(Path(app.config.model, "files.json").read_text())
    (target / "files.json").write_text(json.dumps(files), encoding="utf-8")
    shutil.copy(WORKER / "worker.js", target)
    pages = []
    for name in sorted(env.found_docs):
        path = Path(env.doc2path(name))
        if path.suffix == ".ipynb":
            page = page_data(path, kept)
            (target / "pages" / f"{path.stem}.json").write_text(page, encoding="utf-8")
            pages.append(page)
    worker = (WORKER / "worker.js").read_bytes()
    app.python = digest(json.dumps(files).encode(), worker, *map(str.encode, pages))


class code_cell(nodes.container):
    """A code cell of a page that Python can run there."""


def visit_code_cell(translator: HTML5Translator, node: code_cell) -> None:
    names = {"data-cell": node["cell"]}
    if "answer" in node:  # _ext/python_page.py
        names["data-answer"] = node["answer"]
    translator.body.append(translator.starttag(node, "div", CLASS="docutils container", **names))


def depart_code_cell(translator: HTML5Translator, node: code_cell) -> None:
    translator.body.append("</div>\n")


class MarkCells(SphinxPostTransform):
    """Name the code cells of a page by their ids."""

    default_priority = 900  # when others have found the cells
    formats = ("html",)

    def run(self, **_: Any) -> None:
        path = Path(self.env.doc2path(self.env.docname))
        if not self.app.config.pyodide or path.suffix != ".ipynb":
            return
        ids = {place: cell["id"] for place, cell in code_cells(path)}
        for node in list(self.document.findall(nodes.container)):
            if node.get("nb_element") == "cell_code" and node["cell_index"] in ids:
                marked = code_cell("", *node.children, **node.attributes)
                marked["cell"] = ids[node["cell_index"]]
                node.parent.replace(node, marked)


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_config_value("pyodide", "", "")
    app.add_config_value("model", "", "")
    app.add_node(code_cell, html=(visit_code_cell, depart_code_cell))
    app.add_post_transform(MarkCells)
    app.connect("env-updated", lay_in)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
