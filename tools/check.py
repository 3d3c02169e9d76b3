"""Run every check, the quick ones first; stop at the first that fails and say which.

Checks of a round run at the same time; what they print comes when they end. With EXHAUSTIVE=1 in
the environment nothing is thinned out.
"""

import os
import subprocess
import sys
import time
from contextlib import ExitStack
from tempfile import TemporaryFile

from tools import browser
from tools.project import ROOT, environment

Step = tuple[str, list[str]]


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def rounds() -> list[list[Step]]:
    """Return the checks, what each is and its command: those of a round run at the same time."""
    is_exhaustive = os.environ.get("EXHAUSTIVE") == "1"
    python = [sys.executable, "-m"]
    node = ["node"]
    # Not the notebooks: their arrays are aligned by hand.
    folders = ["_ext", "_python", "attnutils", "benchmarks", "tests", "tools"]
    typescript = str(ROOT / "node_modules" / "typescript" / "bin" / "tsc")
    pytest = [*python, "pytest"]
    apart = [f"--ignore=tests/{name}" for name in ("attnutils", "colab", "live")]
    scripts = sorted(str(p) for p in (ROOT / "tests" / "javascript").glob("*.test.*js"))
    return [
        [
            ("style (ruff check)", [*python, "ruff", "check"]),
            ("format (ruff format)", [*python, "ruff", "format", "--check", *folders]),
            ("spelling (codespell)", [*python, "codespell_lib"]),
            ("types of Python (mypy)", [*python, "mypy"]),
            ("types of JavaScript (tsc)", [*node, typescript, "--project", "tsconfig.json"]),
            ("tests of JavaScript (node)", [*node, "--test", "--test-reporter=dot", *scripts]),
        ],
        [
            # One that is up to date is not built again.
            ("the book", [*python, "tools.build", *(["--clean"] if is_exhaustive else [])]),
            # Apart from the notebooks: under --cov, nbval measures inside its kernels too, and
            # hangs. To measure takes half as long again.
            (
                "tests of attnutils (pytest)",
                [
                    *pytest,
                    *(["--cov=attnutils"] if is_exhaustive else []),
                    "attnutils",
                    "tests/attnutils",
                ],
            ),
            # The build goes on longest: a core is left to it.
            (
                "notebooks (pytest --nbval)",
                [
                    *pytest,
                    "-n",
                    str(max(1, cores() - 1)),
                    "--dist",
                    "loadscope",
                    "--nbval",
                    "chapters",
                ],
            ),
        ],
        # The rest of the tests; the last line of this run is the verdict. Tests on other versions
        # have targets of their own. Who waits for a browser leaves a core free.
        [
            (
                "tests of the book (pytest)",
                [*pytest, "-n", str(cores() + 1), *apart, "tests"],
            ),
        ],
    ]


def run(steps: list[Step], variables: dict[str, str]) -> str:
    """Run these checks at the same time; return the first that fails, or nothing."""
    start, failed = time.monotonic(), ""
    with ExitStack() as files:
        running = []
        for name, command in steps:
            # One alone prints as it goes.
            output = files.enter_context(TemporaryFile()) if len(steps) > 1 else None
            process = subprocess.Popen(
                command, cwd=ROOT, env=variables, stdout=output, stderr=output
            )
            running.append((name, command, process, output))
        for name, command, process, output in running:
            print(f"\n== {name}", flush=True)
            status = process.wait()
            if output:
                output.seek(0)
                print(output.read().decode(), end="")
                print(f"   {'failed' if status else 'ok'}, {time.monotonic() - start:.0f} s")
            if status and not failed:
                failed = f"{name} ({' '.join(command)})"
    return failed


def main() -> int:
    variables = environment()
    # What is compiled is kept, also in a container that wants none of it: each of the processes
    # that test would compile all tests again, which takes longer than to import them.
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    try:
        variables["CHROME_PATH"] = browser.path()
    except browser.NoBrowserError as error:
        print(error, file=sys.stderr)
        return 1
    for steps in rounds():
        if failed := run(steps, variables):
            print(f"\nFAILED: {failed}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
