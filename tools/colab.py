"""Run every notebook as Google Colab would: with its versions, alone, installing attnutils."""

import subprocess
import sys
from pathlib import Path

from tools import environments
from tools.project import ROOT

CONSTRAINTS = ROOT / "tests" / "constraints-colab.txt"


def environment() -> Path:
    """Make or reuse the environment with Colab's versions; return its Python program."""
    return environments.make(".venv-colab", CONSTRAINTS)


def main() -> int:
    try:
        environment()
    except environments.NoEnvironmentError as error:
        print(error, file=sys.stderr)
        return 1
    tests = "tests/colab"
    # Two notebooks at once. Without tests/conftest.py, which shares tests out by their files.
    options = ["-n", "2", "--dist", "load", f"--confcutdir={tests}"]
    command = [sys.executable, "-m", "pytest", *options, tests]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
