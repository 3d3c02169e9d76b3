"""What `import attnutils` brings in, and what it leaves alone."""

import importlib
import importlib.metadata
import pkgutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import attnutils

ROOT = Path(__file__).parents[2]


def run(code):
    """What a fresh interpreter prints."""
    command = [sys.executable, "-W", "error", "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd="/").stdout


def test_import_loads_nothing_but_numpy_and_changes_nothing():
    printed = run(
        "import random, sys, warnings\n"
        "import numpy as np\n"
        "def state():\n"
        "    generators = random.getstate(), np.random.get_state()\n"
        "    return str((generators, np.geterr(), warnings.filters))\n"
        "before = state()\n"
        "import attnutils\n"
        "assert state() == before\n"
        "print(*sorted({name.split('.')[0] for name in sys.modules}))"
    )
    loaded = set(printed.split())
    assert "numpy" in loaded
    heavy = {"matplotlib", "ipywidgets", "anywidget", "scipy", "IPython", "traitlets", "tqdm"}
    assert not loaded & heavy


def test_random_numbers_and_exercises_are_loaded_by_who_takes_them():
    code = "import attnutils, sys; print(*sys.modules); {}; print(*sys.modules)"
    printed = run(code.format("attnutils.check('reads-odds', 1)"))
    before, _, after = (set(line.split()) for line in printed.splitlines())
    assert not {"numpy.random", "attnutils.exercises.temperature"} & before
    assert "attnutils.exercises.temperature" in after
    assert not {"difflib", "attnutils.exercises.training"} & after


def test_names_that_draw_are_imported_when_asked_for():
    names = "plot_encoding", "plot_graph_attention", "plot_scores", "plot_weights"
    code = f"import attnutils; print(*{{getattr(attnutils, name).__module__ for name in {names}}})"
    assert run(code) == "attnutils.plotting\n"
    assert "matplotlib\n" not in run(
        "import sys; from attnutils import Question; print(*sys.modules, sep='\\n')"
    )


@pytest.mark.parametrize("name", attnutils.__all__)
def test_every_public_name_is_there_and_documented(name):
    assert name in dir(attnutils)
    assert getattr(attnutils, name).__doc__


def test_public_names_are_those_of_the_modules():
    """Each is written once, in the module that has it."""
    modules = [
        importlib.import_module(module.name)
        for module in pkgutil.iter_modules(attnutils.__path__, "attnutils.")
        if not module.name.startswith("attnutils._")
    ]
    alone = (
        "binding",
        "bugs",
        "exercises",
        "induction",
        "translation",
        "translator",
        "worked_example",
    )
    apart = {f"attnutils.{name}" for name in alone}
    names = [name for m in modules if m.__name__ not in apart for name in getattr(m, "__all__", ())]
    assert attnutils.__all__ == sorted([*names, "check"])
    assert len(names) == len(set(names))
    for module in modules:
        for name in set(getattr(module, "__all__", ())) & set(names):
            assert getattr(attnutils, name) is getattr(module, name)


@pytest.mark.parametrize("name", ["train", "progress", "reversal_batch", "lookup_batch"])
def test_what_belongs_to_one_page_is_not_a_name_of_the_package(name):
    assert not hasattr(attnutils, name)
    assert getattr(attnutils.toy_tasks, name).__doc__


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"^module 'attnutils' has no attribute 'sofmax'$"):
        attnutils.sofmax  # noqa: B018


def test_the_version_is_written_once():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert attnutils.__version__ == importlib.metadata.version("attnutils") == project["version"]
    assert "__version__" in dir(attnutils)
