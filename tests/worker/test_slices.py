"""Every code cell puts out what its notebook stores, after only the cells that it needs."""

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from _ext.python import WORKER, cell_data
from tests.conftest import some
from tests.worker import pages
from tools.project import ROOT, environment

#: Pages whose cells take no time; with EXHAUSTIVE=1 all.
QUICK = ["pitfalls", "positional-encoding"]
NEEDED = f"""import {{ needed }} from "{(ROOT / "_python/page/plan.js").as_uri()}";"""
RUNNER = ROOT / "tests" / "worker" / "slices.py"


def run_slices(data: list[dict[str, Any]], slices: list[list[int]]) -> dict[str, Any]:
    """The answers of the worker's Python to each cell, by its id."""
    path = [str(WORKER / "py"), str(ROOT)]
    variables = environment() | {
        "PYTHONPATH": ":".join(path),
        "MPLBACKEND": "module://attnutils._figures",
    }
    done = subprocess.run(
        [sys.executable, RUNNER],
        input=json.dumps({"cells": data, "slices": slices}),
        capture_output=True,
        encoding="utf-8",
        env=variables,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers = map(json.loads, done.stdout.splitlines())
    return {answer["id"]: answer for answer in answers}


@pytest.mark.parametrize("page", some(pages.NAMES, *QUICK))
def test_a_cell_needs_no_more_than_its_slice(page: str, run_node: Callable[..., Any]) -> None:
    cells = pages.cells(page)
    data = [cell_data(cell) for cell in cells]
    slices = run_node(
        NEEDED, "console.log(JSON.stringify(input.map((_, at) => needed(input, at))));", data
    )
    answers = run_slices(data, slices)
    wrong = {}
    for cell in cells:
        if problem := pages.differences(cell, answers[cell["id"]], draws=False):
            wrong[cell["id"]] = problem
    assert not wrong, "\n".join(f"{name}: {problem}" for name, problem in wrong.items())
