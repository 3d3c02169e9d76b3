"""GAT and GATv2, trained on the dictionary lookup by 20 seeds.

The training is that of the page on attention on graphs: its cells are read and run, so what is
stored is what a reader can run and change. It takes a quarter of an hour on one core.
"""

import ast
import json
from itertools import product
from typing import Any

import numpy as np

import attnbook
import attnutils
from tools.project import CHAPTERS, ROOT

PAGE = CHAPTERS / "graph-attention.ipynb"
CELLS = ("gat-code", "lookup-training")
STORED = ROOT / "attnbook" / "models" / "data" / "lookup_runs.npz"

MS, READOUTS, KINDS, SEEDS = (4, 8), (1, 2), ("GAT", "GATv2"), range(20)
STEPS, EVERY = 600, 25
# Where numbers are rounded otherwise, a run takes another way; on the mean of 20 it tells little.
LARGEST_ERROR = 0.05


def functions() -> dict[str, Any]:
    """The functions that the page's cells define."""
    cells = json.loads(PAGE.read_text(encoding="utf-8"))["cells"]
    sources = {cell["id"]: "".join(cell["source"]) for cell in cells}
    defined: dict[str, Any] = {"np": np, "attnbook": attnbook, "attnutils": attnutils}
    for name in CELLS:
        tree = ast.parse(sources[name])
        tree.body = [part for part in tree.body if isinstance(part, ast.FunctionDef)]
        exec(compile(tree, name, "exec"), defined)
    return defined


def make(steps: int = STEPS, seeds: range = SEEDS) -> dict[str, np.ndarray]:
    """The share of right answers, (m, readout, kind, seed, look), and the steps of the looks."""
    train = functions()["train"]
    shape = len(MS), len(READOUTS), len(KINDS), len(seeds), steps // EVERY + 1
    answers = np.empty(shape, np.float16)
    rows = answers.reshape(-1, *shape[-2:])
    for row, (m, n_layers, kind) in zip(rows, product(MS, READOUTS, KINDS), strict=True):
        for seed in seeds:
            row[seed] = train(kind, n_layers, m, seed, steps, EVERY)[:, 0]
        print(f"m = {m}, {n_layers} layer(s), {kind}: {row[:, -1].min():.3f}", end="")
        print(f" to {row[:, -1].max():.3f}", flush=True)
    return {"steps": np.arange(0, steps + 1, EVERY), "answers": answers}


def agree(stored: dict[str, np.ndarray], made: dict[str, np.ndarray]) -> bool:
    """Whether two results have the same shape, and in the end the same means over the seeds."""
    if stored["answers"].shape != made["answers"].shape:
        return False
    one, other = (x["answers"][..., -1].astype(np.float64).mean(axis=-1) for x in (stored, made))
    return bool(np.abs(one - other).max() < LARGEST_ERROR)
