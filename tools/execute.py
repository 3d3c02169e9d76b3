"""Execute every notebook in place: the only writer of stored outputs.

What is stored is the same bytes each time, on every supported Python: no timings, no widget
state (the picture and the text of a widget stay), no interpreter version. A notebook that fails
is left as it is.
"""

import argparse
import json
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from tools.project import CHAPTERS, environment

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
# Words joined by hyphens; tools that make ids up write eight hexadecimal digits or a UUID.
READABLE = re.compile(r"(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*")
MADE_UP = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){0,3}(-[0-9a-f]{12})?|[0-9a-f]{32}")


class NotebookError(Exception):
    """A notebook cannot be executed as it is."""


def read(path: Path) -> Any:
    """Return a notebook of the format that has cell ids, each of them readable and unique."""
    text = path.read_text(encoding="utf-8")
    raw = json.loads(text)
    if (raw.get("nbformat"), raw.get("nbformat_minor")) != (4, 5):
        raise NotebookError("it is not in nbformat 4.5")
    ids = [cell.get("id", "") for cell in raw["cells"]]
    bad = [name for name in ids if not READABLE.fullmatch(name) or MADE_UP.fullmatch(name)]
    if bad:
        raise NotebookError(f"these cell ids are not readable words: {', '.join(map(repr, bad))}")
    if twice := sorted({name for name in ids if ids.count(name) > 1}):
        raise NotebookError(f"these cell ids are used twice: {', '.join(twice)}")
    return nbformat.reads(text, as_version=4)


def clean(notebook: Any) -> None:
    """Drop what differs from run to run or only means something to a running kernel."""
    notebook.metadata.pop("widgets", None)
    notebook.metadata.update(nbformat.from_dict(METADATA))
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(WIDGET_VIEW, None)


def execute(path: Path) -> str:
    """Return the text of the notebook's file with the outputs of a fresh run."""
    notebook = read(path)
    client = NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        store_widget_state=False,
        record_timing=False,
        # How often a stream is flushed differs from run to run.
        coalesce_streams=True,
        resources={"metadata": {"path": str(path.parent)}},
    )
    try:
        client.execute(env=environment())
    except CellExecutionError as error:
        raise NotebookError(f"a cell failed\n{error}") from error
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            # A warning of a program about this machine is no output; a page's own is printed.
            if output.get("name") == "stderr":
                raise NotebookError(f"the cell {cell.id} wrote to stderr:\n{output.text}")
    clean(notebook)
    return nbformat.writes(notebook) + "\n"


def write(path: Path, text: str) -> None:
    """Replace a file as a whole: whoever reads it sees the old text or the new."""
    temporary = path.with_name(f".{path.name}.new")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, path)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="*", type=Path, help="default: all in chapters/")
    paths = parser.parse_args().notebooks or sorted(CHAPTERS.glob("*.ipynb"))
    os.environ.update(environment())  # this process asks for a home, too
    failed = 0
    with ThreadPoolExecutor(max_workers=2) as pool:
        for path, result in [(path, pool.submit(execute, path)) for path in paths]:
            try:
                text = result.result()
            except NotebookError as error:
                print(f"{path.name} is left as it was: {error}", file=sys.stderr)
                failed += 1
                continue
            changed = text != path.read_text(encoding="utf-8")
            if changed:
                write(path, text)
            print(f"{path.name}: {'new outputs' if changed else 'unchanged'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
