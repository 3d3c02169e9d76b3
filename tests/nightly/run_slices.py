"""Run each cell of a page after its slice, in the worker's Python, which is first on the path.

Cells and slices come as JSON. Slices that begin alike share that: the process forks where they
part.
"""

import json
import os
import sys
import traceback
from collections.abc import Callable
from typing import Any

Tree = dict[int, "Tree"]


def forked(work: Callable[..., object], *arguments: Any) -> None:
    """Do something in a process of its own, and wait for it."""
    if child := os.fork():
        if os.waitpid(child, 0)[1]:
            os._exit(1)
        return
    try:
        work(*arguments)
    except BaseException:  # what is written here is seen by the test
        traceback.print_exc(file=sys.__stderr__)
        os._exit(1)
    os._exit(0)


def main() -> None:
    import runner  # the worker's own
    import show

    cells, slices = json.load(sys.stdin)
    out = sys.stdout.fileno()
    parts: list[dict[str, Any]] = []
    runner.connect(lambda message, buffers=(): parts.append(message))
    show.drawing = lambda figure: "-"  # that there is one is enough
    tree: Tree = {}
    for at, before in enumerate(slices):
        branch = tree
        for i in [*before, at]:
            branch = branch.setdefault(i, {})

    def answer(at: int) -> None:
        parts.clear()
        told = runner.run(cells[at]["source"], cells[at]["id"])
        os.write(out, (json.dumps([cells[at]["id"], told | {"parts": parts}]) + "\n").encode())

    def grow(at: int, rest: Tree, path: list[int]) -> None:
        if slices[at] == path:
            forked(answer, at)
        if rest:
            runner.run(cells[at].get("part", cells[at]["source"]), cells[at]["id"], silent=True)
        for i, branch in rest.items():
            forked(grow, i, branch, [*path, at])

    for i, branch in tree.items():
        forked(grow, i, branch, [])


if __name__ == "__main__":
    main()
