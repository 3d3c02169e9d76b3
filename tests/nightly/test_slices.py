"""Every code cell puts out what its notebook stores, after only the cells that it needs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from _ext.python import WORKER, cell_data
from tests.nightly import stored_cells
from tools.project import ROOT, environment

NEEDED = f"import {{ needed }} from {json.dumps((ROOT / '_python/page/plan.js').as_uri())};"
PROGRAM = Path(__file__).with_name("run_slices.py")


@pytest.mark.parametrize("page", stored_cells.NAMES)
def test_a_cell_needs_no_more_than_its_slice(page, run_node):
    cells = stored_cells.cells(page)
    data = [cell_data(cell) for cell in cells]
    print_slices = "console.log(JSON.stringify(input.map((_, at) => needed(input, at))));"
    done = subprocess.run(
        [sys.executable, PROGRAM],
        input=json.dumps([data, run_node(NEEDED, print_slices, data)]),
        capture_output=True,
        encoding="utf-8",
        env=environment()
        | {"PYTHONPATH": f"{WORKER / 'py'}:{ROOT}", "MPLBACKEND": "module://attnutils._figures"},
    )
    assert done.returncode == 0, done.stderr
    answers = dict(map(json.loads, done.stdout.splitlines()))
    problems = {cell["id"]: stored_cells.difference(cell, answers[cell["id"]]) for cell in cells}
    assert {name: told for name, told in problems.items() if told} == {}
