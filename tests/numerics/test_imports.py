"""What `import attnutils` brings in, and what it leaves alone."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import attnbook
import attnutils


def test_import_loads_nothing_but_numpy_and_changes_nothing():
    code = """
import random, sys, warnings
import numpy as np
def state():
    return str((random.getstate(), np.geterr(), warnings.filters))
before = state()
import attnbook, attnutils
assert state() == before
print(*{name.split(".")[0] for name in sys.modules}, *sys.modules)
attnutils.plot_weights
print("matplotlib" in sys.modules)
"""
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd="/")
    loaded, drawn = done.stdout.splitlines()
    heavy = {"matplotlib", "anywidget", "scipy", "tqdm", "numpy.random"}
    assert not set(loaded.split()) & heavy
    assert drawn == "True"


def test_every_public_name_is_documented_and_an_unknown_one_is_an_error():
    for home in (attnutils, attnbook):
        for name in home.__all__:
            assert getattr(home, name).__doc__, name
    with pytest.raises(AttributeError, match=r"^module 'attnutils' has no attribute 'sofmax'$"):
        attnutils.sofmax  # noqa: B018


ROOT = Path(__file__).parents[2]
OUTSIDE = {"numpy", "scipy", "matplotlib"}
#: What a part of the house may import of the house.
MAY = {
    "attnutils": {"attnutils"},
    "attnbook/models": {"attnutils", "attnbook.models"},
    "attnbook/exercises": {
        "attnutils",
        "attnbook.mix_ups",
        "attnbook.models",
        "attnbook.exercises",
    },
    "attnbook/explorers": {
        "attnutils",
        "attnbook.mix_ups",
        "attnbook.models",
        "attnbook.explorers",
    },
    "attnbook/page": {"attnutils", "attnbook.page", "attnbook.check"},
    "book": {"attnutils", "attnbook", "book"},
}


def imported(path):
    """The modules that a file names in its imports, wherever they stand."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{each.name}" for each in node.names)


@pytest.mark.parametrize("part", MAY)
def test_no_arrow_runs_back_up(part):
    for path in (ROOT / part).rglob("*.py"):
        for name in imported(path) if "node_modules" not in path.parts else ():
            top = name.partition(".")[0]
            if top in ("attnutils", "attnbook", "book", "tools", "tests"):
                assert name.startswith(tuple(MAY[part])), f"{path.relative_to(ROOT)} imports {name}"
            elif part == "attnutils":
                assert top in OUTSIDE | sys.stdlib_module_names, f"{path.name} imports {name}"
