"""Each notebook alone in Colab: it installs attnutils, changes nothing else, prints the same."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from tests.colab.conftest import Repository, Runtime
from tools import address, publish
from tools.execute import WIDGET_VIEW
from tools.project import CHAPTERS

FIGURES = {"image/svg+xml", "image/png"}
NOTEBOOKS = sorted(CHAPTERS.glob("*.ipynb"))


def set_up_cell(text: str) -> str:
    """Return the code of a notebook's first cell."""
    cell = nbformat.reads(text, as_version=4).cells[0]
    assert cell.id == "setup"
    return cell.source


def agree(stored: Any, fresh: Any) -> bool:
    """Return whether an output is what is stored: a figure is a figure, a widget can be shown."""
    if "data" not in fresh or "data" not in stored:
        return stored == fresh
    if WIDGET_VIEW in fresh.data:
        # anywidget cuts long texts short.
        text = fresh.data["text/plain"].removesuffix("…")
        return bool(text) and stored.data["text/plain"].startswith(text)
    # Colab draws figures in another form and size than is stored.
    figures = [not FIGURES.isdisjoint(output.data) for output in (stored, fresh)]
    if all(figures):
        return True
    return figures[0] == figures[1] and stored.data == fresh.data


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_alone_installs_attnutils_and_prints_what_is_stored(
    path: Path, new_runtime: Callable[..., Runtime], repository: Repository
) -> None:
    runtime = new_runtime(google_colab=True)
    before = runtime.versions()
    assert "attnutils" not in before
    stored = nbformat.read(path, as_version=4)
    notebook = nbformat.read(path, as_version=4)

    runtime.execute(notebook)

    after = runtime.versions()
    assert after.keys() - before.keys() == {"attnutils"}
    assert {name: after[name] for name in before} == before
    assert runtime.installed_from() == (address.current().url, repository.tip)
    for old, new in zip(stored.cells, notebook.cells, strict=True):
        outputs, fresh = old.get("outputs", []), new.get("outputs", [])
        assert len(outputs) == len(fresh), f"cell {old.id} gave {fresh}"
        for output, result in zip(outputs, fresh, strict=True):
            assert agree(output, result), f"cell {old.id} gave {result}, and stored is {output}"
    # Colab shows widgets that did not come with it only where it was asked to.
    assert (runtime.packages / "google" / "colab" / "asked").exists()
    assert [path.name for path in runtime.folder.iterdir()] == []


def test_a_launch_copy_installs_its_own_commit(
    new_runtime: Callable[..., Runtime], repository: Repository
) -> None:
    url = address.current().url
    path = NOTEBOOKS[0]
    copy = publish.launch_copy(path.read_bytes(), f"{url}@{repository.commit}", path.name)
    runtime = new_runtime(google_colab=True)

    result = runtime.run(set_up_cell(copy.decode()))

    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert runtime.installed_from() == (url, repository.commit)


def test_elsewhere_the_set_up_cell_says_what_to_install(
    new_runtime: Callable[..., Runtime],
) -> None:
    runtime = new_runtime(google_colab=False)
    before = runtime.versions()

    result = runtime.run(set_up_cell(NOTEBOOKS[0].read_text(encoding="utf-8")))

    assert result.returncode == 1
    assert result.stdout == ""
    *traceback, message = result.stderr.splitlines()
    assert message == (
        "ModuleNotFoundError: This notebook needs the package attnutils: run "
        f"`pip install git+{address.current().url}`, then restart the kernel."
    )
    assert sum(line.startswith("Traceback") for line in traceback) == 1
    assert runtime.versions() == before


@pytest.mark.parametrize("google_colab", [True, False])
def test_the_set_up_cell_does_nothing_where_attnutils_is_there(
    google_colab: bool, new_runtime: Callable[..., Runtime]
) -> None:
    runtime = new_runtime(google_colab=google_colab)
    runtime.package("attnutils.__init__")
    # Without what it would call pip with.
    code = "import subprocess\ndel subprocess.run\n"

    result = runtime.run(code + set_up_cell(NOTEBOOKS[0].read_text(encoding="utf-8")))

    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
