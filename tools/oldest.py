"""Run the tests of attnutils on the oldest versions that pyproject.toml allows."""

import subprocess
import sys

from tools import environments
from tools.project import ROOT

CONSTRAINTS = ROOT / "tests" / "constraints-oldest.txt"


def main() -> int:
    try:
        python = environments.make(".venv-oldest", CONSTRAINTS, python="python3.11", project=True)
    except environments.NoEnvironmentError as error:
        print(error, file=sys.stderr)
        return 1
    tests = "tests/attnutils"
    # Without the fixtures of tests/conftest.py, which are for the book and import a browser.
    options = ["-n", "2", f"--confcutdir={tests}"]
    command = [python, "-m", "pytest", *options, tests]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
