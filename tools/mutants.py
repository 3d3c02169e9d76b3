"""Mutation testing of the code that computes: prints how many mutants the tests kill, and the rest.

A mutant is a copy of the code with one small change. If the tests pass on it, they do not notice
what the change broke, or it broke nothing. mutmut makes and runs the mutants, in the folder
`mutants`; its settings are in pyproject.toml.

    python -m tools.mutants                      # all modules
    python -m tools.mutants normalize mechanism  # some
"""

import subprocess
import sys
from collections import Counter
from pathlib import Path

MUTMUT = [sys.executable, "-m", "tools.mutants", "mutmut"]
GOAL = 0.9
KILLED = {"killed", "timeout", "segfault"}


def mutmut(arguments):
    """Run mutmut, which leaves out what is decorated, also in functions behind a door."""
    import libcst
    from mutmut import __main__
    from mutmut.mutation import file_mutation

    skips = file_mutation.MutationVisitor._skip_node_and_children
    arrange = file_mutation.function_trampoline_arrangement

    def skip(self, node):
        has_door = isinstance(node, libcst.FunctionDef) and [
            getattr(decorator.decorator, "value", None) for decorator in node.decorators
        ] == ["door"]
        return not has_door and skips(self, node)

    def arrange_behind_door(function, mutants, class_name):
        """The door stays where it is; what it leads to is mutated."""
        bare = function.with_changes(decorators=[])
        declared, functions, assigned, names = arrange(bare, mutants, class_name)
        decorators = [*function.decorators, *functions[0].decorators]
        functions[0] = functions[0].with_changes(decorators=decorators)
        return declared, functions, assigned, names

    file_mutation.MutationVisitor._skip_node_and_children = skip
    file_mutation.function_trampoline_arrangement = arrange_behind_door
    __main__.cli(arguments)


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
    sys.exit(mutmut(sys.argv[2:]) if sys.argv[1:2] == ["mutmut"] else main(sys.argv[1:]))
