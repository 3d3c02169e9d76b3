"""The stored notebooks: clean, alike, and equal to the run from which the book was built."""

import base64
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from jupyter_cache import get_cache
from jupyter_cache.cache.main import JupyterCacheBase
from nbval.plugin import coalesce_streams
from PIL import Image

from tests.conftest import exhaustive
from tools import build, execute
from tools.project import CHAPTERS

NOTEBOOKS = sorted(CHAPTERS.glob("*.ipynb"))
each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)

# What must never be printed: it differs from run to run or from machine to machine.
ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}")
ABSOLUTE_PATH = re.compile(r"(?<![\w.:/])/(?:home|root|tmp|usr|opt|Users|var|private)/\w")
# The cells of a map within a drawing, and the name that follows from them.
MAP = re.compile(r'data:image/png;base64,([^"]+)" id="image\w+"')
UUID = re.compile(r"\b[0-9a-f]{32}\b|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-")


def stored(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def text_outputs(cell: dict[str, Any]) -> str:
    """All text of a cell's outputs; pictures are left out."""
    found = []
    for output in cell["outputs"]:
        found.append("".join(output.get("text", "")))
        for kind, data in output.get("data", {}).items():
            found += [] if kind == "image/png" else ["".join(data)]
    return "\n".join(found)


def pixels(data: str) -> np.ndarray:
    with Image.open(io.BytesIO(base64.b64decode(data))) as image:
        return np.asarray(image.convert("RGB"), dtype=float)


def pictures(notebook: dict[str, Any]) -> dict[str, np.ndarray]:
    """Every stored picture as pixels, by its cell and place."""
    return {
        f"{cell['id']} {number}": pixels("".join(data))
        for cell in code_cells(notebook)
        for number, output in enumerate(cell["outputs"])
        if (data := output.get("data", {}).get("image/png"))
    }


def drawing(output: dict[str, Any]) -> str:
    return "".join(output.get("data", {}).get("image/svg+xml", ""))


def is_of_a_model_of_the_page(cell: dict[str, Any]) -> bool:
    """Whether nbval passes over it: other processors train the model a little otherwise."""
    return "nbval-ignore-output" in cell["metadata"].get("tags", [])


def maps(notebook: dict[str, Any]) -> dict[str, np.ndarray]:
    """Every map of a model of the page within a stored drawing, by its cell and place."""
    return {
        f"{cell['id']} {number} {place}": pixels(data)
        for cell in filter(is_of_a_model_of_the_page, code_cells(notebook))
        for number, output in enumerate(cell["outputs"])
        for place, data in enumerate(MAP.findall(drawing(output)))
    }


def without_pictures(notebook: dict[str, Any]) -> dict[str, Any]:
    """The same notebook with a mark in the place of each picture, and of such a map."""
    copy = json.loads(json.dumps(notebook))
    for cell in code_cells(copy):
        for output in cell["outputs"]:
            data = output.get("data", {})
            if "image/png" in data:
                data["image/png"] = "a picture"
            if is_of_a_model_of_the_page(cell):
                data["image/svg+xml"] = MAP.sub("a map", drawing(output))
    return copy


def test_there_are_notebooks():
    assert NOTEBOOKS


def test_the_set_up_cell_is_first_and_the_same_everywhere():
    cells = [code_cells(stored(path))[0] for path in NOTEBOOKS]
    assert {cell["id"] for cell in cells} == {"setup"}
    assert all(cell["metadata"] == {"tags": ["remove-cell"]} for cell in cells)
    assert len({"".join(cell["source"]) for cell in cells}) == 1


@each_notebook
def test_format_and_cell_ids(path):
    execute.read(path)  # raises where they are wrong


@each_notebook
def test_metadata_names_no_interpreter_and_no_state(path):
    metadata = stored(path)["metadata"]
    for key, value in execute.METADATA.items():
        assert metadata[key] == value
    assert set(metadata) <= {*execute.METADATA, "map", "needs", "myst", "mystnb"}
    for cell in stored(path)["cells"]:
        assert not {"execution", "scrolled", "collapsed"} & set(cell["metadata"]), cell["id"]


@each_notebook
def test_outputs_are_stored_and_clean(path):
    for cell in code_cells(stored(path)):
        where = f"{path.stem}, {cell['id']}"
        assert cell["execution_count"], f"{where} was never run"
        for output in cell["outputs"]:
            assert output["output_type"] != "error", where
            assert output.get("name") != "stderr", where
            assert execute.WIDGET_VIEW not in output.get("data", {}), where
        for pattern in (ADDRESS, ABSOLUTE_PATH, UUID):
            assert not pattern.search(text_outputs(cell)), where


@each_notebook
def test_the_file_is_written_as_make_execute_writes_it(path):
    """Its bytes follow from what it holds."""
    notebook = execute.read(path)
    execute.clean(notebook)
    assert nbformat.writes(notebook) + "\n" == path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def cache(book) -> Iterator[JupyterCacheBase]:
    """The runs that the book was built from."""
    cache = get_cache(build.CACHE)
    yield cache
    cache.db.dispose()


@pytest.fixture
def run(cache, path) -> str:
    """What `make execute` would have written of the run that the book was built from."""
    # Nothing stored may pass for a result of the run.
    notebook = execute.read(path)
    for cell in code_cells(notebook):
        cell.update(execution_count=None, outputs=[])
    _, notebook = cache.merge_match_into_notebook(notebook)
    for cell in code_cells(notebook):
        # How often a stream is flushed differs from run to run.
        cell.outputs = coalesce_streams(cell.outputs)
    execute.clean(notebook)
    return nbformat.writes(notebook) + "\n"


@each_notebook
def test_the_run_of_the_book_gives_the_stored_outputs(path, run):
    assert without_pictures(json.loads(run)) == without_pictures(stored(path))


def assert_alike(
    old: dict[str, np.ndarray], new: dict[str, np.ndarray], *, mean: float, share: float
) -> None:
    """Compare pictures: how far they are apart on average, and how much of them is far apart."""
    assert set(old) == set(new)
    for name, picture in old.items():
        assert picture.shape == new[name].shape, name
        difference = np.abs(picture - new[name])
        assert difference.mean() < mean, f"{name}: pixels differ by {difference.mean():.3f}"
        assert (difference.max(axis=-1) > 64).mean() < share, f"{name} shows something else"


@each_notebook
def test_the_run_of_the_book_draws_the_stored_pictures(path, run):
    # Text may be smoothed differently elsewhere; a moved line or cell is far above this.
    assert_alike(pictures(stored(path)), pictures(json.loads(run)), mean=0.25, share=0.001)


@each_notebook
def test_the_run_of_the_book_draws_the_stored_maps(path, run):
    assert_alike(maps(stored(path)), maps(json.loads(run)), mean=8, share=0.01)


@each_notebook
def test_nbval_passes_over_nothing_but_drawings_of_maps(path):
    for cell in filter(is_of_a_model_of_the_page, code_cells(stored(path))):
        assert all(MAP.search(drawing(output)) for output in cell["outputs"]), cell["id"]


@exhaustive
@each_notebook
def test_another_run_writes_the_same_bytes(path, run):
    assert execute.execute(path) == run
