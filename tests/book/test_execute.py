"""The writer of stored outputs: what it refuses, and that it never leaves half a file."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools import execute
from tools.project import ROOT


def write(path: Path, *cells: tuple[str, str], minor: int = 5) -> Path:
    """Write a notebook of these ids and sources, valid or not."""
    notebook = {"metadata": execute.METADATA, "nbformat": 4, "nbformat_minor": minor}
    notebook["cells"] = [
        {
            "cell_type": "code",
            "execution_count": None,
            "id": name,
            "metadata": {},
            "outputs": [],
            "source": source,
        }
        for name, source in cells
    ]
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


def run(*paths: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tools.execute", *paths]
    ours = {name: value for name, value in os.environ.items() if name != "MPLCONFIGDIR"}
    return subprocess.run(
        command, cwd=ROOT, env=ours | variables, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("name", ["8f3a1c2e", "12345678", "Cell One", "cell_1", "7", ""])
def test_made_up_ids_are_refused(tmp_path, name):
    with pytest.raises(execute.NotebookError, match="not readable"):
        execute.read(write(tmp_path / "page.ipynb", (name, "1")))


def test_repeated_ids_are_refused(tmp_path):
    path = write(tmp_path / "page.ipynb", ("one", "1"), ("two", "2"), ("one", "3"))
    with pytest.raises(execute.NotebookError, match=r"used twice: one$"):
        execute.read(path)


def test_other_formats_are_refused(tmp_path):
    path = write(tmp_path / "page.ipynb", ("one", "1"), minor=4)
    with pytest.raises(execute.NotebookError, match=r"nbformat 4\.5"):
        execute.read(path)


def test_outputs_are_written_and_a_failing_notebook_is_left_alone(tmp_path):
    prints = "import sys\nfor i in range(3):\n    print(i)\n    sys.stdout.flush()"
    good = write(tmp_path / "good.ipynb", ("prints", prints))
    bad = write(tmp_path / "bad.ipynb", ("works", "print(1)"), ("fails", "1 / 0"))
    before = bad.read_bytes()

    result = run(good, bad)

    assert result.returncode == 1
    assert "bad.ipynb is left as it was" in result.stderr
    assert "ZeroDivisionError" in result.stderr
    assert bad.read_bytes() == before
    (cell,) = json.loads(good.read_text(encoding="utf-8"))["cells"]
    assert [("".join(output["text"])) for output in cell["outputs"]] == ["0\n1\n2\n"]
    assert good.read_bytes().endswith(b"}\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.ipynb", "good.ipynb"]

    once = good.read_bytes()
    assert "good.ipynb: unchanged" in run(good).stdout
    assert good.read_bytes() == once


def test_a_warning_is_not_stored(tmp_path):
    warns = write(tmp_path / "page.ipynb", ("warns", "import warnings\nwarnings.warn('Beware')"))
    before = warns.read_bytes()
    result = run(warns)
    assert result.returncode == 1
    assert "the cell warns wrote to stderr" in result.stderr
    assert "Beware" in result.stderr
    assert warns.read_bytes() == before


def test_a_home_without_room_changes_no_output(tmp_path):
    draws = write(tmp_path / "page.ipynb", ("draws", "import matplotlib.pyplot"))
    result = run(draws, HOME="/dev/null", TMPDIR=str(long_folder(tmp_path)))
    assert result.returncode == 0, result.stderr
    (cell,) = json.loads(draws.read_text(encoding="utf-8"))["cells"]
    assert cell["outputs"] == []


def long_folder(folder: Path) -> Path:
    """Return a new folder in which no socket can be: its path is too long."""
    folder = folder / ("a-long-name" * 10)
    folder.mkdir()
    return folder
