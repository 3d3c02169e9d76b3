"""Mutation testing of the code that computes: prints how many mutants the tests kill, and the rest.

A mutant is a copy of the code with one small change. If the tests pass on it, they do not notice
what the change broke, or it broke nothing. mutmut makes and runs the mutants, in the folder
`mutants`; its settings are in pyproject.toml.

    python tools/mutants.py                      # all modules
    python tools/mutants.py normalize mechanism  # some
"""

import subprocess
import sys
from collections import Counter
from pathlib import Path

MUTMUT = [sys.executable, "-m", "mutmut"]
GOAL = 0.9
KILLED = {"killed", "timeout", "segfault"}


def results(modules):
    """What became of each mutant of the modules, by its name."""
    command = [*MUTMUT, "results", "--all", "true"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    pairs = (line.strip().split(": ", 1) for line in printed.splitlines() if ": " in line)
    found = {name: fate for name, fate in pairs if name.startswith("attnutils.")}
    return {
        name: fate for name, fate in found.items() if not modules or name.split(".")[1] in modules
    }


def change(name):
    """The lines that a mutant changes."""
    command = [*MUTMUT, "show", name]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = [line for line in printed.splitlines() if line[:1] in "+-"]
    return "\n".join(line for line in lines if not line.startswith(("+++", "---")))


def main(modules):
    patterns = [f"attnutils.{module}.*" for module in modules]
    subprocess.run([*MUTMUT, "run", *patterns], check=True, cwd=Path.cwd())
    fates = results(modules)
    for name, fate in fates.items():
        if fate not in KILLED:
            print(f"\n{name}: {fate}\n{change(name)}")
    print()
    total, dead = Counter(), Counter()
    for name, fate in fates.items():
        total[name.split(".")[1]] += 1
        dead[name.split(".")[1]] += fate in KILLED
    for module in total:
        print(f"{module:12} {dead[module]:5} of {total[module]:5} killed")
    share = dead.total() / total.total()
    print(f"{'all':12} {dead.total():5} of {total.total():5} killed: {share:.1%}")
    return share < GOAL


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
