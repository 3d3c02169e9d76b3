"""The package is typed: what a checker of types says of right and of wrong calls."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tools.project import ROOT

FOLDER = Path(__file__).parent / "typing"


def refused(path: Path) -> set[int]:
    """The lines in which mypy finds an error."""
    options = ["--strict", "--config-file=", "--python-version=3.11", "--follow-imports=silent"]
    command = [sys.executable, "-m", "mypy", *options, str(path)]
    variables = {**os.environ, "MYPYPATH": str(ROOT)}
    run = subprocess.run(
        command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False
    )
    assert run.returncode < 2, run.stdout + run.stderr
    name = re.escape(str(path.relative_to(ROOT)))
    return {int(line) for line in re.findall(rf"^{name}:(\d+): error:", run.stdout, re.MULTILINE)}


@pytest.mark.parametrize("name", ["right_calls.py", "wrong_calls.py"])
def test_calls_are_refused_where_they_are_wrong(name):
    path = FOLDER / name
    lines = path.read_text(encoding="utf-8").splitlines()
    wrong = {number for number, line in enumerate(lines, 1) if "# wrong" in line}
    assert refused(path) == wrong
    assert len(wrong) == (0 if name == "right_calls.py" else 12)
