"""The package is typed: what a checker of types says of right and of wrong calls."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from attnutils import widgets
from tools.project import ROOT

FOLDER = Path(__file__).parent / "typing"


@pytest.fixture(scope="module")
def said(tmp_path_factory) -> str:
    """What mypy says of all calls, and of the classes of the widgets: one run of it."""
    lines = ["from typing import reveal_type", "import attnutils", "from attnutils import widgets"]
    lines += [
        f"reveal_type(attnutils.{name}.__init__)\nreveal_type(widgets.{name}.__init__)"
        for name in widgets.__all__
    ]
    classes = tmp_path_factory.mktemp("types") / "classes.py"
    classes.write_text("\n".join(lines), encoding="utf-8")
    options = ["--strict", "--config-file=", "--python-version=3.11", "--follow-imports=silent"]
    command = [sys.executable, "-m", "mypy", *options, *FOLDER.glob("*.py"), classes]
    variables = {**os.environ, "MYPYPATH": str(ROOT)}
    run = subprocess.run(
        command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False
    )
    assert run.returncode < 2, run.stdout + run.stderr
    return run.stdout


@pytest.mark.parametrize(("name", "many"), [("right_calls", 0), ("wrong_calls", 12)])
def test_calls_are_refused_where_they_are_wrong(said, name, many):
    path = FOLDER / f"{name}.py"
    lines = path.read_text(encoding="utf-8").splitlines()
    wrong = {number for number, line in enumerate(lines, 1) if "# wrong" in line}
    file = re.escape(str(path.relative_to(ROOT)))
    refused = re.findall(rf"^{file}:(\d+): error:", said, re.MULTILINE)
    assert {int(line) for line in refused} == wrong
    assert len(wrong) == many


def test_a_type_checker_sees_the_classes_of_the_widgets(said):
    assert "classes.py" in said
    assert not re.search(r"classes\.py:\d+: error:", said)
    for name in widgets.__all__:
        seen = re.findall(rf'Revealed type is "def \(self: [\w.]+\.{name},', said)
        assert len(seen) == 2, f"a type checker does not see {name}; it says\n{said}"
