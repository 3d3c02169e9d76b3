"""The attention explorer at rest: the heatmap of its slice, and its token's row as bars."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from attnutils.plotting import ROLE_COLORS
from attnutils.widgets.pictures._drawing import (
    HATCH,
    ROW,
    bar,
    fixed,
    page_axes,
    rule,
    say,
    short,
    weight_text,
)

if TYPE_CHECKING:
    from attnutils.widgets.attention_explorer import AttentionExplorer

MOST_NUMBERS = 8  # columns with a number in each cell
MOST_BARS = 16
DARK_TEXT_FROM = 0.434  # the weight from which black reads better on viridis than white
TALLEST = 4.4  # inches, of the heatmap
LEFT, RIGHT = 0.86, 3.05  # of the heatmap


def explorer_picture(explorer: AttentionExplorer) -> Figure:
    """Draw the slice that is chosen as a heatmap, and the row of the token as bars."""
    tokens, order = explorer.tokens, explorer.order
    keys = explorer.key_tokens or tokens
    columns = list(range(len(keys))) if explorer.key_tokens else order
    row = min(ROW, TALLEST / len(order))
    cell = (RIGHT - LEFT) / len(columns)
    weights, chosen = explorer.weights, explorer.weights[explorer.token]
    is_open = explorer.may_attend & ~np.isneginf(explorer.scores[tuple(explorer.index)])

    # With many keys only the heaviest have bars.
    shown = columns
    if len(keys) > MOST_BARS:
        heaviest = np.argsort(-chosen, kind="stable")[:MOST_BARS]
        shown = [j for j in columns if j in heaviest and is_open[explorer.token, j]]
    rows = max(row * len(order), ROW * len(shown))
    height = rows + 1.3
    floor = rows + 0.1
    figure = Figure(figsize=(5, height))
    page = page_axes(figure)

    where = [
        f"{axis['name']} {axis['labels'][i]}"
        for axis, i in zip(explorer.axes, explorer.index, strict=True)
    ]
    masked = [] if explorer.mask == "none" else [f"mask {explorer.mask}"]
    title = ", ".join([*where, *masked, f"temperature {short(explorer.temperature)}"])
    say(page, 0.08, height - 0.7 * ROW, title[0].upper() + title[1:], cut=60, bold=True)
    rule(page, height - 1.3 * ROW, 4.92)
    say(page, LEFT - 0.08, floor + 0.1, "q", color=ROLE_COLORS["q"], ha="right")
    every = math.ceil(0.13 / cell)  # inches that a name takes
    for place, j in enumerate(columns):
        if place % every == 0:
            say(
                page,
                LEFT + (place + 0.5) * cell,
                floor + 0.06,
                keys[j],
                color=ROLE_COLORS["k"],
                ha="center",
                va="bottom",
                rotation=90,
                cut=8,
            )

    for place, i in enumerate(order):
        y = floor - (place + 0.5) * row
        is_token = i == explorer.token
        say(
            page,
            LEFT - 0.08,
            y,
            tokens[i],
            color=ROLE_COLORS["q"],
            ha="right",
            bold=is_token,
            cut=10,
        )
        for at, j in enumerate(columns):
            box = (LEFT + at * cell, y - row / 2), cell, row
            if not is_open[i, j]:
                page.add_patch(Rectangle(*box, fc="none", ec=HATCH, hatch="////", lw=0))
                continue
            w = float(weights[i, j])
            fill = matplotlib.colormaps["viridis"](w)
            page.add_patch(Rectangle(*box, fc=fill, ec="white", lw=0.4))
            if len(columns) <= MOST_NUMBERS:
                ink = "white" if w < DARK_TEXT_FROM else "black"
                say(page, LEFT + (at + 0.5) * cell, y, cell_text(w), color=ink, ha="center")
    y = floor - (order.index(explorer.token) + 1) * row
    for color, width in (("black", 2.6), ("white", 0.9)):
        frame = Rectangle((LEFT, y), RIGHT - LEFT, row, fc="none", ec=color, lw=width)
        page.add_patch(frame)

    say(
        page,
        3.3,
        floor + 0.12,
        f"{tokens[explorer.token]} attends {'to' if shown == columns else 'most to'} …",
        cut=22,
    )
    for place, j in enumerate(shown):
        y = floor - (place + 0.5) * ROW
        hidden = not is_open[explorer.token, j]
        bold = not hidden and chosen[j] == chosen.max()
        say(page, 3.3, y, keys[j], color=ROLE_COLORS["k"], bold=bold, cut=7)
        bar(page, 3.86, y, 0.56, chosen[j], len(keys), hidden)
        text = "hidden" if hidden else weight_text(chosen[j])
        say(page, 4.92, y, text, ha="right", bold=bold)
    return figure


def cell_text(w: float) -> str:
    """A weight in a cell: two digits, no zero in front; "0" and "1" are exact."""
    return f"{w:g}" if w in (0, 1) else fixed(w, 2).removeprefix("0")
