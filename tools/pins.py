"""Renew every file of pins from what names the direct dependencies; print which changed.

What still fits stays. With --upgrade all become the newest that fit; those of Colab never do, for
they are Colab's.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from tools.environments import constraints, uv
from tools.project import ROOT, npm

LOCK = ROOT / "requirements.lock"
#: The folders with a package.json.
NODE = (ROOT, ROOT / "tools" / "audit")


def compiled(*options: str | Path, output: Path, upgrade: bool) -> None:
    """Let uv write a file of pins; what it writes names no index."""
    upgrades = ["--upgrade"] if upgrade else []
    result = uv("pip", "compile", "--quiet", *options, *upgrades, "--output-file", output)
    if result.returncode:
        sys.exit(f"{output.name} could not be renewed:\n{result.stderr.strip()}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--upgrade", action="store_true", help="take the newest that fits")
    upgrade = parser.parse_args().upgrade
    named = sorted((ROOT / "tests").glob("constraints-*.in"))
    files = [LOCK, *(path.with_suffix(".txt") for path in named)]
    files += [folder / "package-lock.json" for folder in NODE]
    before = {path: path.read_bytes() for path in files if path.exists()}

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
        command = [*npm(), "update" if upgrade else "install", *options, "--loglevel=error"]
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)

    changed = [path for path in files if path.read_bytes() != before.get(path)]
    for path in changed:
        print(f"{path.relative_to(ROOT)} has changed")
    print("Every file of pins is up to date." if not changed else "Commit what has changed.")


if __name__ == "__main__":
    main()
