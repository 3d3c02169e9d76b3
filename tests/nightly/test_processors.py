"""Notebooks print the same on a processor without the wide instructions of this one."""

import os
import subprocess
import sys

import pytest
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

from tools.project import ROOT, environment


def test_notebooks_print_the_same_on_an_older_processor():
    here = [name for name in __cpu_dispatch__ if __cpu_features__.get(name)]
    if not here:
        pytest.skip("NumPy has nothing here that it could switch off")
    older = {"NPY_DISABLE_CPU_FEATURES": " ".join(here)}  # NumPy refuses to switch off others
    if "X86_V3" in here:
        older["OPENBLAS_CORETYPE"] = "Nehalem"
    command = [sys.executable, "-m", "pytest", "-q", "-n", str(os.cpu_count()), "--dist=loadfile"]
    done = subprocess.run(
        [*command, "--nbval", "chapters"],
        cwd=ROOT,
        env=environment() | older,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]
