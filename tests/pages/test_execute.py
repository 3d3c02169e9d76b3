"""The writer of stored outputs: what it refuses, and that it never leaves half a file."""

import json
import os
import subprocess
import sys

import nbformat
import pytest

from tools import execute
from tools.project import ROOT


def write(path, *sources, ids=("one", "two"), minor=5):
    """Write a notebook of these code cells, valid or not."""
    code = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    written = [
        code | {"id": name, "source": text} for name, text in zip(ids, sources, strict=False)
    ]
    notebook = {"metadata": execute.METADATA, "nbformat": 4, "nbformat_minor": minor}
    path.write_text(json.dumps(notebook | {"cells": written}), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("options", "message"),
    [
        *(({"ids": (name, "two")}, "not readable") for name in ("8f3a1c2e", "Cell One", "7", "")),
        ({"ids": ("one", "one")}, "used twice: one$"),
        ({"minor": 4}, r"nbformat 4\.5"),
    ],
)
def test_a_notebook_is_refused(tmp_path, options, message):
    with pytest.raises(execute.NotebookError, match=message):
        execute.read(write(tmp_path / "page.ipynb", "1", "2", **options))


def test_views_of_widgets_are_not_stored():
    data = {execute.WIDGET_VIEW: {}, "text/plain": "a widget"}
    output = nbformat.v4.new_output("display_data", data=data)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(outputs=[output])])
    execute.clean(notebook)
    assert notebook.cells[0].outputs[0].data == {"text/plain": "a widget"}


def test_outputs_are_written_and_a_notebook_that_fails_is_left_alone(tmp_path):
    good = write(tmp_path / "good.ipynb", "import matplotlib.pyplot\nfor i in range(3): print(i)")
    bad = write(tmp_path / "bad.ipynb", "print(1)", "1 / 0")
    warns = write(tmp_path / "warns.ipynb", "import warnings\nwarnings.warn('Beware')")
    before = bad.read_bytes(), warns.read_bytes()
    command = [sys.executable, "-m", "tools.execute", good, bad, warns]
    variables = {**os.environ, "HOME": "/dev/null"}  # a home without room changes no output
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True)
    assert done.returncode == 1
    for told in ("bad.ipynb is left as", "ZeroDivisionError", "the cell one wrote to stderr"):
        assert told in done.stderr
    assert (bad.read_bytes(), warns.read_bytes()) == before
    (cell,) = json.loads(good.read_text(encoding="utf-8"))["cells"]
    assert ["".join(output["text"]) for output in cell["outputs"]] == ["0\n1\n2\n"]
    assert len(list(tmp_path.iterdir())) == 3
