"""Run again what takes too long for a page, and compare it with what is stored.

    python -m tools.experiments                  all of them, for an hour or more
    python -m tools.experiments binding          only these
    python -m tools.experiments --write binding  store what was made

A module beside this one has the file that it makes, `STORED`, `make()`, which gives what is in it,
and `agree(stored, made)`, whether two results say the same: training goes another way where numbers
are rounded otherwise.
"""

import argparse
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from tools.project import ROOT

NAMES = sorted(p.stem for p in Path(__file__).parent.glob("*.py") if not p.stem.startswith("_"))


def load(path: Path) -> Any:
    """Read a stored result: arrays, or records."""
    if path.suffix == ".json":
        return json.loads(path.read_text(encoding="utf-8"))
    with np.load(path, allow_pickle=False) as file:
        return dict(file)


def store(path: Path, made: Any) -> None:
    """Write a result: arrays, or records, one a line."""
    if path.suffix == ".json":
        lines = ",\n".join(json.dumps(each) for each in made)
        path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    else:
        np.savez_compressed(path, **made)


def run(name: str, *, write: bool) -> bool:
    """Run one; return whether it agrees with what is stored, or was stored."""
    module = import_module(f"{__package__}.{name}")
    path: Path = module.STORED
    shown = path.relative_to(ROOT)
    made = module.make()
    if write:
        store(path, made)
        print(f"Wrote {shown}, {path.stat().st_size / 1000:.0f} kB.")
        return True
    if module.agree(load(path), made):
        print(f"{shown} agrees with what was just made.")
        return True
    print(
        f"{shown} does not agree with what was just made. It stays as it is; "
        f"`python -m tools.experiments --write {name}` stores the new one.",
        file=sys.stderr,
    )
    return False


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the stored experiments again.")
    parser.add_argument("--write", action="store_true", help="store what was made")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    options = parser.parse_args()
    if unknown := sorted(set(options.names) - set(NAMES)):
        parser.error(f"there is no {', '.join(unknown)}; there are {', '.join(NAMES)}")
    agreed = [run(name, write=options.write) for name in options.names or NAMES]
    return int(not all(agreed))


if __name__ == "__main__":
    sys.exit(main())
