"""Deliberate mistakes: each is made in a copy of the checkout, and one check must notice it.

`mistakes.toml` lists them. A check that is red without a mistake would prove nothing, so each is
run on the copy as it is, first. What has been found is kept for as long as the checkout stays as
it is: a run that was interrupted goes on where it was.

    python -m tools.mistakes                    # all
    python -m tools.mistakes --only NAME NAME   # some
    python -m tools.mistakes --whole            # a few, each with all of `make test`
"""

import argparse
import json
import shlex
import shutil
import subprocess
import sys
import time
import tomllib
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from tools import browser, build, pyodide
from tools.project import BUILD, ROOT, VENV, environment, kept_files

LIST = Path(__file__).with_suffix(".toml")
FOLDER = ROOT / ".mistakes"
COPY = FOLDER / "checkout"
REBUILD = ["python", "-m", "tools.build"]
WHOLE = "python -m tools.check"


@dataclass(frozen=True)
class Mistake:
    """A text of a file that becomes another, and the command that must notice it."""

    name: str
    file: str
    old: str
    new: str
    check: str
    #: Whether the check looks at the built book, which is built again with the mistake.
    book: bool = False
    #: Whether it is one of the few that are tried with all of `make test`.
    whole: bool = False

    def text(self, root: Path) -> str:
        """Return the file with the mistake in it."""
        text = (root / self.file).read_text(encoding="utf-8")
        if text.count(self.old) != 1 or self.old == self.new:
            raise ValueError(f"{self.name} is stale: {self.file} has not its old text once.")
        return text.replace(self.old, self.new)


def listed() -> list[Mistake]:
    """Return all mistakes."""
    with LIST.open("rb") as file:
        return [Mistake(**item) for item in tomllib.load(file)["mistake"]]


def copy() -> None:
    """Copy the checkout; only the environment, the npm packages and Pyodide are shared."""
    shutil.rmtree(COPY, ignore_errors=True)
    for path in kept_files():
        (COPY / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, COPY / path)
    for name in (VENV.name, "node_modules", pyodide.CACHE.name):
        if (ROOT / name).exists():
            (COPY / name).symlink_to(ROOT / name)
    # Some tests ask git which files there are.
    git = ["git", "-c", "user.name=mistakes", "-c", "user.email=mistakes@localhost"]
    for command in ("init --quiet", "add --all", "commit --quiet --message copy"):
        subprocess.run([*git, *command.split()], cwd=COPY, check=True)


@cache
def variables() -> dict[str, str]:
    """Return the environment of the checks: that of `make test`, but for the copy."""
    own = {"PYTHONPATH": str(COPY), "CHROME_PATH": browser.path(), "PYTEST_ADDOPTS": "--exitfirst"}
    return {**environment(), **own}


def run(*commands: list[str]) -> bool:
    """Run commands in the copy; say whether all of them end well."""
    with (FOLDER / "log.txt").open("w", encoding="utf-8") as log:
        return all(
            subprocess.run(
                command, cwd=COPY, env=variables(), stdout=log, stderr=log, check=False
            ).returncode
            == 0
            for command in commands
        )


class Results:
    """What went as it should on this checkout, with the seconds that it took.

    The list of mistakes is no part of the checkout here: an edit of one forgets that one alone.
    """

    def __init__(self) -> None:
        ours = {LIST.relative_to(ROOT), Path(__file__).relative_to(ROOT)}
        files = {str(path): path for path in kept_files() if path not in ours}
        digests = {name: build.digest((ROOT / path).read_bytes()) for name, path in files.items()}
        state = build.digest(json.dumps(digests).encode())
        self.known: dict[str, float] = {}
        self.file = FOLDER / f"results-{state}.json"
        if self.file.exists():
            self.known = json.loads(self.file.read_text(encoding="utf-8"))

    def green(self, mistake: Mistake | None, check: str, book: bool) -> tuple[bool, float]:
        """Whether a check is green, and the seconds that it took; from the file, or by running."""
        key = json.dumps([mistake and asdict(mistake), check, book])
        should = mistake is None
        if key in self.known:
            return should, self.known[key]
        start = time.monotonic()
        green = run(*([REBUILD] if book else []), shlex.split(check))
        seconds = round(time.monotonic() - start, 1)
        if green == should:
            self.known[key] = seconds
            self.file.write_text(json.dumps(self.known, indent=1), encoding="utf-8")
        return green, seconds


def give_book() -> None:
    """Copy the built book, if it is up to date; else the first check builds it."""
    if not (COPY / BUILD.name).exists() and build.stamped() == build.wanted():
        shutil.copytree(BUILD, COPY / BUILD.name, symlinks=True)


def checks(mistakes: list[Mistake]) -> list[str]:
    """Return the checks of mistakes."""
    return [mistake.check for mistake in mistakes]


def try_all(mistakes: list[Mistake]) -> int:
    """Make each mistake and print what its check says; return how many were not noticed."""
    results, unnoticed = Results(), 0
    plain, book = ([m for m in mistakes if m.book is of_book] for of_book in (False, True))
    # Of the checks that look at the book, all are tried without a mistake while it has none.
    groups = [[m for m in plain if m.check == check] for check in dict.fromkeys(checks(plain))]
    for group in [*groups, book]:
        if group is book and book:
            give_book()
        for check in dict.fromkeys(checks(group)):
            green, seconds = results.green(None, check, group is book)
            if not green:
                raise SystemExit(f"Without any mistake this is red, see {FOLDER}/log.txt: {check}")
            print(f"green {seconds:7.1f} s  {'no mistake':<34} {check}", flush=True)
        for mistake in group:
            path = COPY / mistake.file
            right = path.read_text(encoding="utf-8")
            path.write_text(mistake.text(COPY), encoding="utf-8")
            try:
                green, seconds = results.green(mistake, mistake.check, mistake.book)
            finally:
                path.write_text(right, encoding="utf-8")
            unnoticed += green
            verdict = "GREEN" if green else "red"
            print(f"{verdict:<6}{seconds:7.1f} s  {mistake.name:<34} {mistake.check}", flush=True)
    print(f"{len(mistakes) - unnoticed} of {len(mistakes)} mistakes are noticed.")
    return unnoticed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", metavar="NAME", help="default: all")
    parser.add_argument("--whole", action="store_true", help="a few, each with all of make test")
    options = parser.parse_args()
    mistakes = listed()
    if unknown := set(options.only or ()) - {mistake.name for mistake in mistakes}:
        parser.error(f"no such mistake: {', '.join(sorted(unknown))}")
    if options.only:
        mistakes = [mistake for mistake in mistakes if mistake.name in options.only]
    elif options.whole:
        mistakes = [mistake for mistake in mistakes if mistake.whole]
    if options.whole:
        fields = {"check": WHOLE, "book": False}
        mistakes = [Mistake(**{**asdict(mistake), **fields}) for mistake in mistakes]
    copy()
    return 1 if try_all(mistakes) else 0


if __name__ == "__main__":
    sys.exit(main())
