"""`make test`: every check, the quick ones first; it stops where one fails and says which.

Checks of a round run at the same time; what they print comes when they end, with their seconds.
"""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from tools import browser
from tools.project import ROOT, environment

PYTHON = [sys.executable, "-m"]
# The cells of a notebook stay in one process, and so do tests that share what is dear.
PYTEST = [*PYTHON, "pytest", "--dist", "loadfile", "-n", str(os.cpu_count() or 1)]
TSC = ["node", "book/node_modules/typescript/bin/tsc", "-p"]
FOLDERS = ["attnutils", "attnbook", "benchmarks", "book", "tests", "tools"]
SCRIPTS = sorted(str(path) for path in (ROOT / "tests").glob("*/*.test.mjs"))

ROUNDS = [
    {
        "style": [*PYTHON, "ruff", "check"],
        # Not the notebooks: their arrays are aligned by hand.
        "format": [*PYTHON, "ruff", "format", "--check", *FOLDERS],
        "format of scripts": [
            *("node", "book/node_modules/prettier/bin/prettier.cjs", "--check"),
            *("--log-level=warn", "**/*.{js,mjs,css}"),
        ],
        "spelling": [*PYTHON, "codespell_lib"],
        "types of Python": [*PYTHON, "mypy"],
        "types of JavaScript": [*TSC, "book"],
        "types of explorers": [*TSC, "attnbook/explorers"],
        "JavaScript": ["node", "--test", "--test-reporter=dot", *SCRIPTS],
    },
    {
        "book": [*PYTHON, "tools.build"],
        "notebooks": [*PYTEST, "--nbval", "chapters"],
        "numerics and exercises": [
            *(*PYTHON, "pytest", "attnutils", "attnbook", "tests/numerics", "tests/exercises"),
        ],
    },
    {"explorers and pages": [*PYTEST, "tests/explorers", "tests/pages"]},
]


def run(name: str, command: list[str], variables: dict[str, str], *, is_alone: bool) -> bool:
    """Run a check; say how it ended and how long it took. One alone prints as it goes."""
    start = time.monotonic()
    pipe = {} if is_alone else {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    done = subprocess.run(command, cwd=ROOT, env=variables, text=True, check=False, **pipe)
    verdict = "FAILED" if done.returncode else "ok"
    seconds = time.monotonic() - start
    print(f"{done.stdout or ''}== {name}: {verdict}, {seconds:.0f} s\n", flush=True)
    return done.returncode == 0


def main() -> int:
    variables = environment()
    # What is compiled is kept, also in a container that wants none of it: each process would
    # compile all tests again.
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    try:
        variables["CHROME_PATH"] = browser.path()
    except browser.NoBrowserError as error:
        print(error, file=sys.stderr)
        return 1
    for checks in ROUNDS:
        with ThreadPoolExecutor() as pool:
            once = partial(run, variables=variables, is_alone=len(checks) == 1)
            is_right = [*pool.map(once, checks, checks.values())]
        if not all(is_right):
            failed = [name for name, right in zip(checks, is_right, strict=True) if not right]
            print(f"FAILED: {', '.join(failed)}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\nInterrupted.")
