"""Renew every file of pins from what names the direct dependencies; print which changed.

What still fits stays. With --upgrade these packages, or all, become the newest that fit; those of
Colab never do, for they are Colab's.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tools.environments import constraints, uv
from tools.project import ROOT, npm

LOCK = ROOT / "requirements.lock"
#: The folders with a package.json.
NODE = (ROOT, ROOT / "tools" / "audit")


def pinned(names: Sequence[str], path: Path) -> list[str]:
    """Return those of these packages that a file pins."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    forms = {name: rf'(?m)^{re.escape(name)}==|"node_modules/{re.escape(name)}":' for name in names}
    return [name for name, form in forms.items() if re.search(form, text)]


def compiled(*options: str | Path, output: Path, upgrade: Sequence[str] | None) -> None:
    """Let uv write a file of pins, with these packages, or all, raised; it names no index."""
    upgrades = [f"--upgrade-package={name}" for name in pinned(upgrade or (), output)]
    every = ["--upgrade"] if upgrade == [] else upgrades
    result = uv("pip", "compile", "--quiet", *options, *every, "--output-file", output)
    if result.returncode:
        sys.exit(f"{output.name} could not be renewed:\n{result.stderr.strip()}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--upgrade", nargs="*", metavar="PACKAGE", help="take the newest that fits")
    upgrade: list[str] | None = parser.parse_args().upgrade
    named = sorted((ROOT / "tests").glob("constraints-*.in"))
    files = [LOCK, *(path.with_suffix(".txt") for path in named)]
    files += [folder / "package-lock.json" for folder in NODE]
    before = {path: path.read_bytes() for path in files if path.exists()}
    for name in upgrade or ():
        if not any(pinned([name], path) for path in files):
            sys.exit(f"No file of pins has {name}, so it cannot be raised. Nothing was renewed.")

    plain = ("--no-header", "--python-version", "3.11")
    universal = ("--universal", "--fork-strategy", "fewest", "--generate-hashes")
    options = (*plain, *universal, "--no-strip-extras", "requirements.txt")
    compiled(*options, output=LOCK, upgrade=upgrade)
    for path in named:
        output = constraints(path.stem.removeprefix("constraints-"))
        options = (*plain, "--no-annotate", path.relative_to(ROOT))
        compiled(*options, output=output, upgrade=upgrade)
    for folder in NODE:
        options = ("--package-lock-only", "--ignore-scripts", "--omit-lockfile-registry-resolved")
        names = pinned(upgrade or (), folder / "package-lock.json")
        does = ["update", *names] if names or upgrade == [] else ["install"]
        command = [*npm(), *does, *options, "--loglevel=error"]
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)

    changed = [path for path in files if path.read_bytes() != before.get(path)]
    for path in changed:
        print(f"{path.relative_to(ROOT)} has changed")
    print("Every file of pins is up to date." if not changed else "Commit what has changed.")


if __name__ == "__main__":
    main()
