"""Make virtual environments next to .venv, for versions of packages other than the book's own.

An environment holds exactly what its constraints file pins, so it is the same next year. It is
made once and made again when one of its inputs has changed.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tools.project import ROOT

#: The supported Pythons; the first is the one that Colab runs.
PYTHONS = ("python3.13", "python3.12", "python3.11")
RUNNING = f"python{sys.version_info.major}.{sys.version_info.minor}"
# Needs the venv module, which Debian packages apart; says which Python it is.
PROBE = "import sys, venv, ensurepip; print('{}.{}.{}'.format(*sys.version_info))"


class NoEnvironmentError(RuntimeError):
    """An environment cannot be made."""


def candidates(names: tuple[str, ...]) -> Iterator[str]:
    """Give the programs that may be one of these Pythons: this one, the path's, pyenv's."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for name in names:
        if name == RUNNING:
            yield sys.executable
        if found := shutil.which(name):
            yield found
        yield from map(str, sorted(pyenv.glob(f"*/bin/{name}"), reverse=True))


def find(python: str | None) -> tuple[str, str]:
    """Return the program and the version of the Python that is wanted, or of the nearest to 3.13.

    PYTHON, which `make ... PYTHON=python3.12` sets, counts where nothing is wanted in the code.
    """
    named = python or os.environ.get("PYTHON")
    names = (named,) if named else PYTHONS
    for program in candidates(names):
        probe = subprocess.run([program, "-c", PROBE], capture_output=True, text=True)
        if probe.returncode == 0:
            return program, probe.stdout.strip()
    wanted = " or ".join(names)
    raise NoEnvironmentError(
        f"This needs {wanted} with its venv module and found none that starts: install it, or put "
        "it on the PATH."
    )


def run(name: str, *command: str | Path) -> None:
    """Run a step; where it fails, say what it said and which environment is missing."""
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode:
        step = " ".join(map(str, command[1:]))
        raise NoEnvironmentError(f"{name} could not be made at `{step}`:\n{result.stdout.strip()}")


def make(name: str, constraints: Path, *, python: str | None = None, project: bool = False) -> Path:
    """Make or reuse the environment `name` in this checkout; return its Python program.

    `constraints` pins every package. `python` is a program ("python3.11"); without it, the nearest
    to Python 3.13. `project` adds the attnutils of this checkout, editable.
    """
    venv = ROOT / name
    program = venv / "bin" / "python"
    stamp = venv / "stamp"
    base, version = find(python)
    with constraints.open("rb") as file:
        # Whoever else wants it at this moment waits until it is made.
        fcntl.flock(file, fcntl.LOCK_EX)
        inputs = [f"{version} {ROOT} {project}".encode(), file.read()]
        if project:
            inputs.append((ROOT / "pyproject.toml").read_bytes())
        wanted = hashlib.sha256(b"\n".join(inputs)).hexdigest()
        if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
            return program
        print(f"Setting up {name} (a few minutes the first time) ...", flush=True)
        run(name, base, "-m", "venv", "--clear", venv)
        pip = (program, "-m", "pip", "-qq", "--disable-pip-version-check")
        # Nothing but what the file pins; `check` says what it forgot.
        run(name, *pip, "install", "--no-deps", "-r", constraints)
        if project:
            run(name, *pip, "install", "--no-deps", "-e", ROOT)
        run(name, *pip, "check")
        stamp.write_text(wanted, encoding="utf-8")
    return program
