"""Make virtual environments next to .venv, for versions of packages other than the book's own.

uv makes them. `tests/constraints-NAME.txt` pins all that is in the environment NAME, so it is the
same next year; where it holds that already, nothing is changed and no network is needed.

`python -m tools.environments NAME -m pytest` makes NAME and runs a command of its Python there.
"""

import os
import subprocess
import sys
from pathlib import Path

from uv import find_uv_bin

from tools.project import ROOT

#: The Python that runs this, as a version.
RUNNING = f"{sys.version_info.major}.{sys.version_info.minor}"
#: The Pythons of environments that need a certain one, the best first: that of Colab, the oldest.
PYTHONS = {"colab": ("3.13", RUNNING), "oldest": ("3.11",)}


class NoEnvironmentError(RuntimeError):
    """An environment cannot be made."""


def uv(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run uv, which downloads no Python and also finds those of pyenv."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    path = [*map(str, pyenv.glob("*/bin")), os.environ.get("PATH", os.defpath)]
    variables = os.environ | {"PATH": os.pathsep.join(path), "UV_PYTHON_DOWNLOADS": "never"}
    command = [find_uv_bin(), *arguments]
    return subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True)


def run(*arguments: str | Path) -> None:
    """Run uv; where it fails, say at what and why."""
    result = uv(*arguments)
    if result.returncode:
        step = " ".join(map(str, arguments))
        raise NoEnvironmentError(f"`uv {step}` failed:\n{result.stdout}{result.stderr}".strip())


def constraints(name: str) -> Path:
    """Return the file that pins an environment."""
    return ROOT / "tests" / f"constraints-{name}.txt"


def find(*versions: str) -> tuple[str, str]:
    """Return the first of these versions of Python that is here, and its program."""
    for version in versions:
        if version == RUNNING:
            return version, sys.executable
        found = uv("python", "find", "--system", version)
        if found.returncode == 0:
            return version, found.stdout.strip()
    raise NoEnvironmentError(
        f"This needs Python {' or '.join(versions)} and found none that starts: install it, or put "
        "it on the PATH."
    )


def make(name: str) -> Path:
    """Make or reuse the environment `name` in this checkout; return its Python program."""
    version, base = find(*PYTHONS.get(name, [RUNNING]))
    folder = ROOT / f".venv-{name}-{version}"
    program = folder / "bin" / "python"
    if not program.exists():
        print(f"Making {folder.name} (a few minutes the first time) ...", file=sys.stderr)
        run("venv", "--clear", "--python", base, folder)
    # Nothing but what the file pins; `check` says what it forgot.
    run("pip", "sync", "--python", program, constraints(name))
    run("pip", "check", "--python", program)
    return program


def main(name: str, *command: str) -> int:
    try:
        program = make(name)
    except NoEnvironmentError as error:
        print(error, file=sys.stderr)
        return 1
    # The attnutils of this checkout.
    variables = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run([program, *command], cwd=ROOT, env=variables).returncode if command else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
