"""Renew every file of pins from what names the direct dependencies; print what changed.

What still fits stays. With --upgrade these packages, or all, become the newest that fit; those of
Colab never do, for they are Colab's.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tools.environments import constraints, uv
from tools.project import ROOT, npm

LOCK = ROOT / "requirements.lock"


def versions(path: Path) -> dict[str, str]:
    """Return the version of each package that a file pins, or its versions, with commas."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    if path.suffix == ".json":
        packages = json.loads(text)["packages"] if text else {}
        return {n.removeprefix("node_modules/"): p["version"] for n, p in packages.items() if n}
    found: dict[str, str] = {}
    for name, version in re.findall(r"(?m)^([^#\s=]+)==([^\s;]+)", text):
        found[name] = f"{found[name]}, {version}" if name in found else version
    return found


def pinned(names: Sequence[str], path: Path) -> list[str]:
    """Return those of these packages that a file pins."""
    found = versions(path)
    return [name for name in names if name in found]


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
    files.append(ROOT / "package-lock.json")
    before = {path: path.read_bytes() for path in files if path.exists()}
    old = {path: versions(path) for path in files}
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
    options = ("--package-lock-only", "--ignore-scripts", "--omit-lockfile-registry-resolved")
    names = pinned(upgrade or (), ROOT / "package-lock.json")
    does = ["update", *names] if names or upgrade == [] else ["install"]
    command = [*npm(), *does, *options, "--loglevel=error"]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)

    changed, moved = [path for path in files if path.read_bytes() != before.get(path)], set()
    for path in changed:
        print(f"{path.relative_to(ROOT)} has changed")
        was, now = old[path], versions(path)
        for name in sorted(name for name in was | now if was.get(name) != now.get(name)):
            moved.add(name)
            print(f"  {name}: {was.get(name, 'not there')} > {now.get(name, 'not there')}")
    for name in sorted({*(upgrade or ())} - moved):
        print(f"{name} stays as it was: no newer one fits the ranges, on every Python they allow.")
    print("Commit what has changed." if changed else "Every file of pins is up to date.")


if __name__ == "__main__":
    main()
