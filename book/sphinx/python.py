"""Python in the pages: lays it into the book, and marks the cells that it can run.

It is made of what `book/python/worker` holds and of Pyodide's files, whose folder who builds names
in the setting `pyodide`. Without these, pages are as they are without scripts. What a page needs is
in `_static/python`:

    worker.js      the worker, which the page starts
    files.json     what the worker fetches, with sizes
    python.zip     the book's packages, and what stands in for IPython
    pyodide-*/     Pyodide and its packages
    minilm-*/      the trained model, a package in parts, from the setting `model`
    pages/*.json   the code cells of each page, with the names that link them
"""

import ast
import functools
import hashlib
import json
import re
import shutil
import zipfile
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.writers.html5 import HTML5Translator

from attnbook.page.names import names
from book.portable import read
from book.sphinx.answers import CHECK

ROOT = Path(__file__).resolve().parents[2]
WORKER = ROOT / "book" / "python" / "worker"
#: What Python finds in a page: the book's packages, and what stands in for others.
OWN = (ROOT / "attnutils", ROOT / "attnbook", *sorted((WORKER / "fakes").glob("[!_]*")))
FOLDER = "_static/python"

#: Cells that answer an exercise. Others take of them what is there beside the answer.
ANSWERS = ("ex-", "sol-")
# A cell with such a line has a form: as in Colab, which reads it, too.
PARAM = re.compile(r'^(\w+) = ".*"  # @param \{type:"string"\}$', re.MULTILINE)
FORM = (
    '<form class="run-form" hidden><label for="form-{id}">Your {name}</label>'
    '<input id="form-{id}" name="{name}" maxlength="2000" autocomplete="off">'
    "<button>Fetch Python and the model ({mb:.0f} MB) and look</button></form>\n"
)
WITHOUT = (
    '<p class="run-note">This copy of the book was built without the model: '
    "only the sentences above are there.</p>\n"
)


def code_cells(notebook: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the code cells of a page by their indices; what sets up Colab is none of them."""
    for index, cell in enumerate(read(notebook)["cells"]):
        if cell["cell_type"] == "code" and cell["id"] != "setup":
            yield index, cell


def beside_answer(source: str) -> str:
    """Return what a cell does beside giving an answer, which it gives only where that needs it."""
    lines = [line for line in ast.parse(source).body if not isinstance(line, ast.Expr)]
    others = [line for line in lines if not ast.unparse(line).startswith("answer = ")]
    used = {name.id for line in others for name in ast.walk(line) if isinstance(name, ast.Name)}
    return "\n".join(map(ast.unparse, lines if "answer" in used else others))


def cell_data(cell: dict[str, Any]) -> dict[str, Any]:
    """Return what a page needs to run a cell, and those before it that it needs."""
    source = "".join(cell["source"])
    part = beside_answer(source) if cell["id"].startswith(ANSWERS) else source
    # What it takes when it is run itself, and what it defines for others.
    data = {"id": cell["id"], "source": source, **names(source)}
    if part != source:
        gives = names(part)
        data |= {"part": part, "defines": [n for n in gives["defines"] if n != "answer"]}
        data |= {"sure": [n for n in gives["sure"] if n != "answer"], "imports": gives["imports"]}
    return data


@functools.cache
def page_data(notebook: Path, written: int) -> str:
    """Return the code cells of a page, as it was then, as JSON."""
    return json.dumps([cell_data(cell) for _, cell in code_cells(notebook)])


def archive(path: Path, parts: Iterable[Path]) -> dict[str, Any]:
    """Pack files and folders, the same bytes each time; return the archive's address and sizes."""
    with zipfile.ZipFile(path, "w") as packed:
        found = [(file, part.parent) for part in parts for file in (part, *part.rglob("*"))]
        for file, root in sorted(found):
            name = file.relative_to(root)
            if file.is_file() and "__pycache__" not in name.parts and name.name[0] != ".":
                entry = zipfile.ZipInfo(name.as_posix())
                entry.compress_type = zipfile.ZIP_DEFLATED
                # A widget is shown by the page's own script and style.
                packed.writestr(entry, b"" if name.suffix in (".js", ".css") else file.read_bytes())
    size = path.stat().st_size
    return {"file": f"{path.name}?v={digest(path.read_bytes())}", "size": size, "sent": size}


def digest(*parts: bytes) -> str:
    return hashlib.sha256(b"".join(parts)).hexdigest()[:8]


def copy_assets(app: Sphinx, env: BuildEnvironment) -> None:
    """Write what all pages share, and the cells of each, when the pages are read."""
    app.python = ""
    if not app.config.pyodide or app.builder.format != "html":
        return
    target = Path(app.outdir, FOLDER)
    (target / "pages").mkdir(parents=True, exist_ok=True)
    served = [Path(name) for name in (app.config.pyodide, app.config.model) if name]
    for old in [*target.glob("pyodide-*"), *target.glob("minilm-*")]:
        if old.name not in [each.name for each in served]:  # its name holds its digest
            shutil.rmtree(old)
    for each in served:
        if not (target / each.name).exists():
            shutil.copytree(each, target / each.name)
    files = json.loads((served[0] / "files.json").read_text(encoding="utf-8"))
    for each in served[1:]:
        files["packages"] |= json.loads((each / "files.json").read_text(encoding="utf-8"))
    python = archive(target / "python.zip", OWN)
    table = json.dumps({"pyodide": f"{served[0].name}/", "python": python, "files": files})
    (target / "files.json").write_text(table, encoding="utf-8")
    shutil.copy(WORKER / "worker.js", target)
    parts = [table.encode(), (WORKER / "worker.js").read_bytes()]
    for path in map(Path, map(env.doc2path, sorted(env.found_docs))):
        if path.suffix == ".ipynb":
            page = page_data(path, path.stat().st_mtime_ns)
            (target / "pages" / f"{path.stem}.json").write_text(page, encoding="utf-8")
            parts.append(page.encode())
    app.python = digest(*parts)


def megabytes(app: Sphinx) -> float:
    """Return what Python and the model are together, as they travel."""
    table = json.loads(Path(app.outdir, FOLDER, "files.json").read_text(encoding="utf-8"))
    model = json.loads(Path(app.config.model, "files.json").read_text(encoding="utf-8"))
    files, packages = table["files"], table["files"]["packages"]
    core = [files["core"][name] for name in ("pyodide.asm.wasm", "python_stdlib.zip")]
    parts = [*core, *(packages[name] for name in files["first"]), table["python"], *model.values()]
    return sum(part["sent"] for part in parts) / 1e6


class code_cell(nodes.container):
    """A code cell of a page that Python can run there."""


def visit_code_cell(translator: HTML5Translator, node: code_cell) -> None:
    names = {name: node[name] for name in ("data-cell", "data-answer") if name in node}
    translator.body.append(translator.starttag(node, "div", CLASS="docutils container", **names))


def depart_code_cell(translator: HTML5Translator, node: code_cell) -> None:
    translator.body.append("</div>\n")


class MarkCells(SphinxPostTransform):
    """Name the code cells of a page by their ids, and put a form in front of one that takes a text.

    A cell that answers an exercise also says which: what is right is noted under this name.
    """

    default_priority = 900  # when others have found the cells
    formats = ("html",)

    def run(self, **_: Any) -> None:
        path = Path(self.env.doc2path(self.env.docname))
        if path.suffix != ".ipynb":
            return
        ids = {index: cell["id"] for index, cell in code_cells(path)}
        for cell in list(self.document.findall(nodes.container)):
            if cell.get("nb_element") != "cell_code" or cell["cell_index"] not in ids:
                continue
            name, text = ids[cell["cell_index"]], cell.astext()
            if takes := PARAM.search(text):
                form = WITHOUT
                if self.app.config.pyodide and self.app.config.model:
                    form = FORM.format(id=name, name=escape(takes[1]), mb=megabytes(self.app))
                cell.insert(0, nodes.raw("", form, format="html"))
            if self.app.config.pyodide:
                marked = code_cell("", *cell.children, **cell.attributes)
                marked["data-cell"] = name
                if name.startswith("ex-") and (found := CHECK.search(text)):
                    marked["data-answer"] = f"{path.stem}/{found[1]}"
                cell.parent.replace(cell, marked)


def setup(app: Sphinx) -> None:
    app.add_config_value("pyodide", "", "")
    app.add_config_value("model", "", "")
    app.add_node(code_cell, html=(visit_code_cell, depart_code_cell))
    app.add_post_transform(MarkCells)
    app.connect("env-updated", copy_assets)
