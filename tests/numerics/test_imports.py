"""What `import attnutils` brings in, and what it leaves alone."""

import subprocess
import sys

import pytest

import attnutils


def test_import_loads_nothing_but_numpy_and_changes_nothing():
    code = """
import random, sys, warnings
import numpy as np
def state():
    return str((random.getstate(), np.geterr(), warnings.filters))
before = state()
import attnutils
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
    for name in attnutils.__all__:
        assert getattr(attnutils, name).__doc__, name
    with pytest.raises(AttributeError, match=r"^module 'attnutils' has no attribute 'sofmax'$"):
        attnutils.sofmax  # noqa: B018
