"""Environments next to .venv: which Python they get, and that they hold what their file pins."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tools import environments


def test_without_a_python_one_sentence_says_what_is_needed():
    with pytest.raises(environments.NoEnvironmentError) as error:
        environments.find("3.2", "3.3")
    assert str(error.value) == (
        "This needs Python 3.2 or 3.3 and found none that starts: install it, or put it on the "
        "PATH."
    )


def test_the_first_version_that_is_here_is_taken():
    found = environments.find("3.2", environments.RUNNING, "3.3")
    assert found == (environments.RUNNING, sys.executable)


def test_a_python_of_pyenv_is_found_where_its_shim_fails(monkeypatch, tmp_path):
    version = "{}.{}.{}".format(*sys.version_info)
    base = Path(os.path.realpath(sys.executable))
    (tmp_path / "versions" / version).mkdir(parents=True)
    (tmp_path / "versions" / version / "bin").symlink_to(base.parent)
    shim = tmp_path / f"python{version[:4]}"
    shim.write_text("#!/bin/sh\nexit 127\n")
    shim.chmod(0o755)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(environments, "RUNNING", "3.2")
    _, program = environments.find(version)
    assert subprocess.check_output([program, "-V"], text=True) == f"Python {version}\n"


def wheel(folder: Path, name: str, *requirements: str) -> str:
    """Write a package of one empty module; return the line that pins it."""
    path = folder / f"{name}-1-py3-none-any.whl"
    about = ["Metadata-Version: 2.1", f"Name: {name}", "Version: 1"]
    about += [f"Requires-Dist: {other}" for other in requirements]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{name}.py", "")
        archive.writestr(f"{name}-1.dist-info/METADATA", "\n".join(about))
        archive.writestr(f"{name}-1.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any")
        archive.writestr(f"{name}-1.dist-info/RECORD", "")
    return f"{name} @ {path.as_uri()}"


def test_an_environment_holds_what_its_file_pins_and_nothing_else(monkeypatch, tmp_path, capfd):
    monkeypatch.setattr(environments, "ROOT", tmp_path)
    monkeypatch.setenv("UV_OFFLINE", "1")
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "tests").mkdir()
    one, two = wheel(tmp_path, "one", "two"), wheel(tmp_path, "two")
    code = "from importlib.util import find_spec as f; print(*filter(f, ['one', 'two']))"

    def make(*lines: str) -> tuple[int, str, str]:
        environments.constraints("scratch").write_text("\n".join(lines))
        return environments.main("scratch", "-c", code), *capfd.readouterr()

    made = f"Making .venv-scratch-{environments.RUNNING} (a few minutes the first time) ..."
    assert make(one, two) == (0, "one two\n", f"{made}\n")
    assert make(two) == (0, "two\n", "")
    # What the file forgot is said, and the command does not run.
    status, out, error = make(one)
    assert (status, out) == (1, "")
    assert "The package `one` requires `two`" in error
    # Nor does it where a package cannot be had.
    status, out, error = make("three==1")
    assert (status, out) == (1, "")
    assert "three" in error
