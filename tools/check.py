"""Run every check, the quick ones first; stop at the first that fails and say which."""

import subprocess
import sys
import time

from tools import browser
from tools.project import ROOT, environment


def steps() -> list[tuple[str, list[str]]]:
    """Return the checks in their order: what each is, and its command."""
    python = [sys.executable, "-m"]
    node = ["node"]
    # Not the notebooks: their arrays are aligned by hand.
    folders = ["_ext", "attnutils", "benchmarks", "tests", "tools"]
    typescript = str(ROOT / "node_modules" / "typescript" / "bin" / "tsc")
    pytest = [*python, "pytest", "-n", "2", "--dist", "loadfile"]
    apart = [f"--ignore=tests/{name}" for name in ("attnutils", "colab", "live")]
    scripts = sorted(str(p) for p in (ROOT / "tests" / "javascript").glob("*.test.*js"))
    return [
        ("style (ruff check)", [*python, "ruff", "check"]),
        ("format (ruff format)", [*python, "ruff", "format", "--check", *folders]),
        ("spelling (codespell)", [*python, "codespell_lib"]),
        ("types of Python (mypy)", [*python, "mypy"]),
        ("types of JavaScript (tsc)", [*node, typescript, "--project", "tsconfig.json"]),
        ("tests of JavaScript (node)", [*node, "--test", *scripts]),
        ("the book, from clean", [*python, "tools.build", "--clean"]),
        # Apart from the notebooks: under --cov, nbval measures inside its kernels too, and hangs.
        (
            "tests of attnutils (pytest)",
            [*pytest, "--cov=attnutils", "attnutils", "tests/attnutils"],
        ),
        # The rest of the tests and every notebook; the last line of this run is the verdict. Tests
        # on other versions have targets of their own.
        (
            "tests of the book (pytest)",
            [*pytest, "--nbval", *apart, "tests", "chapters"],
        ),
    ]


def main() -> int:
    variables = environment()
    try:
        variables["CHROME_PATH"] = browser.path()
    except browser.NoBrowserError as error:
        print(error, file=sys.stderr)
        return 1
    for name, command in steps():
        print(f"\n== {name}", flush=True)
        start = time.monotonic()
        status = subprocess.run(command, cwd=ROOT, env=variables, check=False).returncode
        if status:
            print(f"\nFAILED: {name} ({' '.join(command)})", file=sys.stderr)
            return 1
        if command[-1] != "chapters":
            print(f"   ok, {time.monotonic() - start:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
