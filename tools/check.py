"""Run every check, the quick ones first; stop at the first that fails and say which.

Checks of a round run at the same time; what they print comes when they end. With EXHAUSTIVE=1 in
the environment nothing is thinned out. With --only the name of a page or of an explorer: what is
quick, and what is asked of that one.
"""

import argparse
import os
import subprocess
import sys
import time
from contextlib import ExitStack
from tempfile import TemporaryFile

from tools import browser, build
from tools.project import CHAPTERS, ROOT, environment

Step = tuple[str, list[str]]
PYTHON = [sys.executable, "-m"]
PYTEST = [*PYTHON, "pytest"]
WIDGETS = ROOT / "attnutils" / "widgets"


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def quick() -> list[Step]:
    """Return the checks that take seconds, what each is and its command."""
    # Not the notebooks: their arrays are aligned by hand.
    folders = ["_ext", "_python", "attnutils", "benchmarks", "tests", "tools"]
    typescript = str(ROOT / "node_modules" / "typescript" / "bin" / "tsc")
    scripts = sorted(str(p) for p in (ROOT / "tests" / "javascript").glob("*.test.*js"))
    return [
        ("style (ruff check)", [*PYTHON, "ruff", "check"]),
        ("format (ruff format)", [*PYTHON, "ruff", "format", "--check", *folders]),
        ("spelling (codespell)", [*PYTHON, "codespell_lib"]),
        ("types of Python (mypy)", [*PYTHON, "mypy"]),
        ("types of JavaScript (tsc)", ["node", typescript, "--project", "tsconfig.json"]),
        ("tests of JavaScript (node)", ["node", "--test", "--test-reporter=dot", *scripts]),
    ]


def notebooks(*paths: str) -> Step:
    """Return the check of printed outputs. The build goes on longest: a core is left to it."""
    options = ["-n", str(max(1, cores() - 1)), "--dist", "loadscope", "--nbval"]
    return "notebooks (pytest --nbval)", [*PYTEST, *options, *paths]


def of_the_book(*options: str) -> Step:
    """Return the tests that ask the built pages. Who waits for a browser leaves a core free."""
    return "tests of the book (pytest)", [*PYTEST, "-n", str(cores() + 1), *options]


def every_round() -> list[list[Step]]:
    """Return all checks: those of a round run at the same time."""
    is_exhaustive = os.environ.get("EXHAUSTIVE") == "1"
    apart = [f"--ignore=tests/{name}" for name in ("attnutils", "colab", "live")]
    # Apart from the notebooks: under --cov, nbval measures inside its kernels too, and hangs. To
    # measure takes half as long again.
    measured = ["--cov=attnutils"] if is_exhaustive else []
    return [
        quick(),
        [
            # One that is up to date is not built again.
            ("the book", [*PYTHON, "tools.build", *(["--clean"] if is_exhaustive else [])]),
            ("tests of attnutils (pytest)", [*PYTEST, *measured, "attnutils", "tests/attnutils"]),
            notebooks("chapters"),
        ],
        # The rest of the tests; the last line of this run is the verdict. Tests on other versions
        # have targets of their own.
        [of_the_book(*apart, "tests")],
    ]


def rounds_of(name: str) -> list[list[Step]]:
    """Return what is asked of one page or one explorer; raise a ValueError where there is none."""
    snake = name.replace("-", "_")
    pages = {path.stem: path for path in CHAPTERS.iterdir() if path.suffix in build.PAGES}
    explorers = {path.stem for path in WIDGETS.glob("[!_]*.py")}
    if name not in pages and snake not in explorers:
        raise ValueError(
            f"ONLY is to name one page or one explorer, not {name!r}.\n"
            f"Pages: {', '.join(sorted(pages))}.\nExplorers: {', '.join(sorted(explorers))}."
        )
    words = " or ".join(dict.fromkeys([name, snake, snake.title().replace("_", "")]))
    where = ["tests/book", "tests/page", "tests/widgets", "tests/attnutils/test_exercises.py"]
    page = pages.get(name)
    outputs = [notebooks(f"chapters/{page.name}")] if page and page.suffix == ".ipynb" else []
    return [
        quick(),
        [("the book", [*PYTHON, "tools.build"]), *outputs],
        [of_the_book(*where, "-k", words)],
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
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", metavar="NAME", help="a page or an explorer")
    only = parser.parse_args().only
    try:
        rounds = rounds_of(only) if only is not None else every_round()
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    variables = environment()
    # What is compiled is kept, also in a container that wants none of it: each of the processes
    # that test would compile all tests again, which takes longer than to import them.
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    try:
        variables["CHROME_PATH"] = browser.path()
    except browser.NoBrowserError as error:
        print(error, file=sys.stderr)
        return 1
    for steps in rounds:
        if failed := run(steps, variables):
            print(f"\nFAILED: {failed}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
