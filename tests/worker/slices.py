"""Run each cell of a page after its slice: the earlier cells that it needs, and nothing else.

Run as a program, with the worker's Python first on the path; what it reads are the cells and their
slices as JSON, what it writes a line of JSON for each cell. Slices that begin alike share that
beginning: the process forks where they part.
"""

import json
import os
import sys
from typing import Any

import runner
import show

Tree = dict[int, "Tree"]


def tree(slices: list[list[int]]) -> Tree:
    """The slices, each with its cell at the end, as a tree of what runs after what."""
    root: Tree = {}
    for at, before in enumerate(slices):
        branch = root
        for i in [*before, at]:
            branch = branch.setdefault(i, {})
    return root


def main() -> None:
    page = json.load(sys.stdin)
    cells, slices = page["cells"], page["slices"]
    out = sys.stdout.fileno()
    parts: list[dict[str, Any]] = []
    runner.connect(lambda message, buffers=(): parts.append(message))
    show.drawing = lambda figure: "-"  # that there is one is enough

    def forked(work: Any) -> None:
        if child := os.fork():
            _, status = os.waitpid(child, 0)
            if status:
                os._exit(1)
            return
        try:
            work()
        except BaseException:  # what is written here is seen by the test
            sys.__excepthook__(*sys.exc_info())
            os._exit(1)
        os._exit(0)

    def run_last(at: int) -> None:
        parts.clear()
        answer = runner.run(cells[at]["source"], cells[at]["id"])
        line = json.dumps({"id": cells[at]["id"], "parts": parts, **answer}) + "\n"
        os.write(out, line.encode())

    def run_branch(at: int, branch: Tree) -> None:
        cell = cells[at]
        if slices[at] == path:
            forked(lambda: run_last(at))
        if branch:
            runner.run(cell.get("part", cell["source"]), cell["id"], silent=True)
            path.append(at)
            walk(branch)

    def walk(branch: Tree) -> None:
        for at, rest in branch.items():
            forked(lambda at=at, rest=rest: run_branch(at, rest))

    path: list[int] = []
    walk(tree(slices))


if __name__ == "__main__":
    main()
