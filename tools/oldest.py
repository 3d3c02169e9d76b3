"""Run the tests of attnutils on the oldest versions that pyproject.toml allows."""

import hashlib
import shutil
import subprocess
import sys

from tools.project import ROOT

VENV = ROOT / ".venv-oldest"
STAMP = VENV / "stamp"
CONSTRAINTS = ROOT / "tests" / "constraints-oldest.txt"
PROJECT = ROOT / "pyproject.toml"


def find_python() -> str | None:
    """Return a Python 3.11 with its venv module: this one, or the one on the path."""
    for python in (sys.executable, shutil.which("python3.11")):
        check = "import sys, venv, ensurepip; sys.exit(sys.version_info[:2] != (3, 11))"
        if python and subprocess.run([python, "-c", check], capture_output=True).returncode == 0:
            return python
    return None


def make() -> bool:
    """Make .venv-oldest where it is missing or out of date; return whether it is there."""
    wanted = hashlib.sha256(CONSTRAINTS.read_bytes() + PROJECT.read_bytes()).hexdigest()
    if STAMP.exists() and STAMP.read_text(encoding="utf-8") == wanted:
        return True
    python = find_python()
    if python is None:
        print("The oldest versions need Python 3.11 with its venv module.", file=sys.stderr)
        return False
    print(f"Setting up {VENV.name} (a few minutes the first time) ...", flush=True)
    subprocess.run([python, "-m", "venv", "--clear", VENV], check=True)
    pip = [VENV / "bin" / "python", "-m", "pip", "-qq", "--disable-pip-version-check", "install"]
    subprocess.run([*pip, "-r", CONSTRAINTS], check=True)
    subprocess.run([*pip, "--no-deps", "-e", ROOT], check=True)
    STAMP.write_text(wanted, encoding="utf-8")
    return True


def main() -> int:
    if not make():
        return 1
    tests = "tests/attnutils"
    # Without the fixtures of tests/conftest.py, which are for the book and import a browser.
    options = ["-n", "2", f"--confcutdir={tests}"]
    command = [VENV / "bin" / "python", "-m", "pytest", *options, tests]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
