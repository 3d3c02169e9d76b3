"""The attention explorer at rest: the heatmap of its slice, and its token's row as bars."""

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from attnbook.explorers.pictures._drawing import HATCH, ROW, Page, fixed, ink
from attnutils._checks import BoolArray, FloatArray
from attnutils.plotting import ink_on

MOST_NUMBERS = 8  # columns with a number in each cell
MOST_BARS = 16
TALLEST = 4.4  # inches, of the heatmap
LEFT, RIGHT = 0.86, 3.05  # of the heatmap


def explorer_picture(
    title: str,
    queries: Sequence[str],
    keys: Sequence[str],
    weights: FloatArray,
    is_open: BoolArray,
    token: int,
) -> Figure:
    """Draw weights as a heatmap, and the row of a token as bars; what is not open is hidden."""
    row = min(ROW, TALLEST / len(queries))
    cell = (RIGHT - LEFT) / len(keys)
    chosen, sees = weights[token], is_open[token]

    # With many keys only the heaviest have bars.
    shown = list(range(len(keys)))
    if len(keys) > MOST_BARS:
        heaviest = np.argsort(-chosen, kind="stable")[:MOST_BARS]
        shown = [j for j in shown if j in heaviest and sees[j]]
    floor = max(row * len(queries), ROW * len(shown)) + 0.1
    page = Page(floor + 1.2, title=title)
    page.end(LEFT - 0.08, floor + 0.1, "q", "q")
    every = math.ceil(0.13 / cell)  # inches that a name takes
    for j, key in list(enumerate(keys))[::every]:
        x = LEFT + (j + 0.5) * cell
        page.say(x, floor + 0.06, key, "k", ha="center", va="bottom", rotation=90, cut=8)

    for i, query in enumerate(queries):
        y = floor - (i + 0.5) * row
        page.say(LEFT - 0.08, y, query, "q", ha="right", bold=i == token, cut=10)
        for j, w in enumerate(weights[i]):
            x = LEFT + j * cell
            if not is_open[i, j]:
                page.box(x, y, cell, row, ec=HATCH, hatch="////", lw=0)
                continue
            page.box(x, y, cell, row, fc=ink(w), ec="white", lw=0.4)
            if len(keys) <= MOST_NUMBERS:
                page.say(x + cell / 2, y, cell_text(w), ink_on(ink(w)), ha="center")
    y = floor - (token + 0.5) * row
    for color, width in (("black", 2.6), ("white", 0.9)):
        page.box(LEFT, y, RIGHT - LEFT, row, ec=color, lw=width)

    to = "to" if len(shown) == len(keys) else "most to"
    page.say(3.3, floor + 0.12, f"{queries[token]} attends {to} …", cut=22)
    for place, j in enumerate(shown):
        y = floor - (place + 0.5) * ROW
        bold = bool(sees[j] and chosen[j] == chosen.max())
        page.say(3.3, y, keys[j], "k", bold=bold, cut=7)
        xs = 3.86, 0.56, 4.92
        page.weight(xs, y, chosen[j], len(keys), hidden=not sees[j], bold=bold)
    return page.figure


def cell_text(w: float) -> str:
    """A weight in a cell: two digits, no zero in front; "0" and "1" are exact."""
    return f"{w:g}" if w in (0, 1) else fixed(w, 2).removeprefix("0")
