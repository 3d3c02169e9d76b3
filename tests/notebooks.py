"""The notebooks as they are stored. Each is read once in a process: change nothing in them."""

import ast
import json
import re
from functools import cache
from typing import Any

import yaml

from book.portable import numbers_of
from tools.project import CHAPTERS, ROOT

Cell = dict[str, Any]

#: The names of all notebooks, and of the lessons in the order of the book.
NAMES = sorted(path.stem for path in CHAPTERS.glob("*.ipynb"))
PARTS = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]
PAGES = [page["file"].partition("/")[2] for part in PARTS for page in part["chapters"]]
LESSONS = [name for name in PAGES if name in NAMES]
#: Those with a number, which is their place here, counted from 1.
NUMBERED = [*numbers_of(f"{name}.ipynb" for name in LESSONS)]


@cache
def notebook(name: str) -> dict[str, Any]:
    return json.loads((CHAPTERS / f"{name}.ipynb").read_text(encoding="utf-8"))


def cells(name: str, kind: str = "") -> list[Cell]:
    """The cells of a notebook; `kind` is "code" or "markdown"."""
    return [cell for cell in notebook(name)["cells"] if kind in ("", cell["cell_type"])]


def cell(name: str, cell_id: str) -> Cell:
    (found,) = (cell for cell in cells(name) if cell["id"] == cell_id)
    return found


def source(cell: Cell) -> str:
    return "".join(cell["source"])


def printed(cell: Cell) -> str:
    return "".join("".join(output.get("text", "")) for output in cell.get("outputs", []))


def prose(name: str) -> str:
    return "\n\n".join(map(source, cells(name, "markdown")))


def code_of(name: str, word: str) -> list[Cell]:
    """The code cells that hold this word."""
    return [cell for cell in cells(name, "code") if re.search(word, source(cell))]


def shown(cell: Cell, **given: Any) -> Any:
    """Run a cell alone and return what it shows: the value of its last line."""
    tree = ast.parse(source(cell))
    last = ast.Expression(tree.body.pop().value)
    exec(compile(tree, cell["id"], "exec"), given)
    return eval(compile(last, cell["id"], "eval"), given)


def functions(name: str, cell_id: str, **given: Any) -> dict[str, Any]:
    """The functions that a cell defines; `given` are names that they take from other cells."""
    tree = ast.parse(source(cell(name, cell_id)))
    tree.body = [statement for statement in tree.body if isinstance(statement, ast.FunctionDef)]
    exec(compile(tree, cell_id, "exec"), given)
    return given
