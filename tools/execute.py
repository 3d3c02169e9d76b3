"""Execute every notebook in place: the only writer of stored outputs.

What is stored is the same bytes each time, on every supported Python: no timings, no interpreter
version, and of a widget its picture (pictures.py), its text and, in the metadata of its output,
the state that its page shows (`book/sphinx/static_widgets.py`). A notebook that fails is left as
it is.
"""

import argparse
import os
import re
import signal
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from book import portable
from tools import pictures
from tools.project import CHAPTERS, environment

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
WIDGET_STATE = "application/vnd.jupyter.widget-state+json"
REFERENCE = "IPY_MODEL_"  # begins what names another model
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python", "pygments_lexer": "ipython3"},
}
# Words joined by hyphens; tools that make ids up write eight hexadecimal digits or a UUID.
READABLE = re.compile(r"(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*")
MADE_UP = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){0,3}(-[0-9a-f]{12})?|[0-9a-f]{32}")

# Whose kernels are to be ended with this program.
CLIENTS: list[NotebookClient] = []


class NotebookError(Exception):
    """A notebook cannot be executed as it is."""


def read(path: Path) -> Any:
    """Return a notebook of the format that has cell ids, each of them readable and unique."""
    raw = portable.read(path)
    if (raw.get("nbformat"), raw.get("nbformat_minor")) != (4, 5):
        raise NotebookError("it is not in nbformat 4.5")
    ids = [cell.get("id", "") for cell in raw["cells"]]
    bad = [name for name in ids if not READABLE.fullmatch(name) or MADE_UP.fullmatch(name)]
    if bad:
        raise NotebookError(f"these cell ids are not readable words: {', '.join(map(repr, bad))}")
    if twice := sorted({name for name in ids if ids.count(name) > 1}):
        raise NotebookError(f"these cell ids are used twice: {', '.join(twice)}")
    return nbformat.read(path, as_version=4)


def rounded(x: Any) -> Any:
    """Return what a trait holds with 15 digits: the last one differs from run to run."""
    if isinstance(x, dict):
        return {key: rounded(value) for key, value in x.items()}
    if isinstance(x, list):
        return [rounded(value) for value in x]
    return float(f"{x:.15g}") if isinstance(x, float) else x


def kept(record: Any, names: dict[str, str]) -> dict[str, Any]:
    """Return what a page needs of a widget; others are named as they are there."""
    kind, traits = record["state"]["_anywidget_id"], record["state"]
    # Private traits name Python classes, or are read from their class when the page is made.
    wanted = {key for key in traits if not key.startswith("_")} - {"layout"}
    if kind.startswith("__main__."):  # a class of the notebook's own
        wanted |= {"_esm", "_css"}
    state = {key: named(traits[key], names) for key in traits if key in wanted}
    return {"widget": kind, "state": state, "buffers": record.get("buffers", [])}


def named(value: Any, names: dict[str, str]) -> Any:
    """Return the value of a trait; another model goes by its name on the page."""
    if isinstance(value, str) and value.startswith(REFERENCE):
        return REFERENCE + names[value.removeprefix(REFERENCE)]
    return rounded(value)


def clean(notebook: Any) -> None:
    """Drop what differs from run to run or only means something to a running kernel.

    The names of models are random; here they are numbers, in the order of the page.
    """
    saved = notebook.metadata.pop("widgets", {}).get(WIDGET_STATE, {}).get("state", {})
    names: dict[str, str] = {}
    notebook.metadata.update(nbformat.from_dict(METADATA))
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", []):
            if view := output.get("data", {}).pop(WIDGET_VIEW, None):
                model = view["model_id"]
                if saved[model]["model_module"] != "anywidget":
                    name = saved[model]["model_name"]
                    raise NotebookError(f"{name} is not an anywidget, which a page needs")
                name = names.setdefault(model, f"widget-{len(names)}")
                output.metadata["widget"] = {"name": name, **kept(saved[model], names)}


def code(path: Path) -> list[str]:
    """Return the code of a notebook; of a file that is none, what is wrong with it."""
    try:
        cells = portable.read(path)["cells"]
    except portable.PortableError as error:
        return [str(error)]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def execute(path: Path) -> str:
    """Return the text of the notebook's file with the outputs of a fresh run."""
    notebook = read(path)
    client = NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        record_timing=False,
        # How often a stream is flushed differs from run to run.
        coalesce_streams=True,
        resources={"metadata": {"path": str(path.parent)}},
    )
    CLIENTS.append(client)
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
    pictures.add(notebook, nbformat.read(path, as_version=4))
    return nbformat.writes(notebook) + "\n"


def renew(path: Path) -> str:
    """Execute a notebook and replace its file as a whole; return what became of it."""
    before = path.read_text(encoding="utf-8")
    after = execute(path)
    if path.read_text(encoding="utf-8") != before:
        raise NotebookError("it was edited while it ran")
    if after == before:
        return "unchanged"
    temporary = path.with_name(f".{path.name}.new")
    temporary.write_text(after, encoding="utf-8")
    os.replace(temporary, path)
    return "new outputs"


def run(paths: Sequence[Path]) -> int:
    """Execute notebooks, two at a time; return how many could not be."""
    failed = 0
    with ThreadPoolExecutor(max_workers=2) as pool:
        try:
            for path, result in [(path, pool.submit(renew, path)) for path in paths]:
                try:
                    print(f"{path.name}: {result.result()}", flush=True)
                except (NotebookError, portable.PortableError) as error:
                    print(f"{path.name} is left as it was: {error}", file=sys.stderr)
                    failed += 1
        except KeyboardInterrupt:
            print("\nInterrupted.", file=sys.stderr, flush=True)
            # A kernel is in a group of its own, and the threads wait for it.
            for process in (c.km.provisioner for c in CLIENTS if c.km and c.km.has_kernel):
                with suppress(OSError):
                    os.killpg(process.pgid, signal.SIGKILL)
            os._exit(130)
    return failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="*", type=Path, help="default: all in chapters/")
    paths = parser.parse_args().notebooks or sorted(CHAPTERS.glob("*.ipynb"))
    os.environ.update(environment())  # this process asks for a home, too
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    return min(1, run(paths))


if __name__ == "__main__":
    sys.exit(main())
