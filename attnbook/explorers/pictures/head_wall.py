"""The wall as those see it who cannot press a tile: one head's arcs, and the bars of all."""

from collections.abc import Sequence

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from attnbook.explorers.pictures._drawing import MUTED, Page
from attnutils._checks import FloatArray
from attnutils.plotting import ROLE_COLORS

LEFT, RIGHT, GAP = 0.08, 4.92, 0.03
ARCS, TILE = 1.0, 0.2  # inches: the room of arcs, a tile's height


def wall_picture(
    tokens: Sequence[str], asks: int, weights: FloatArray, head: int, across: int
) -> Figure:
    """Draw the tokens in one line with arcs above them, and below it a tile for each head."""
    n, rows = len(tokens), -(-len(weights) // across)
    page = Page(ARCS + 0.65 + rows * (TILE + GAP))
    base = page.height - ARCS - 0.1
    names = [{"[CLS]": "start", "[SEP]": "end"}.get(token, token) for token in tokens]
    lengths = np.array([max(2.0, len(name)) for name in names])
    letter = (RIGHT - LEFT) / (lengths.sum() + n - 1)
    xs = LEFT + letter * (np.cumsum(lengths + 1) - 1 - lengths / 2)
    query, key = (np.array(to_rgb(ROLE_COLORS[role])) for role in "qk")
    t = np.linspace(0, 1, 41)[:, None]
    for x, w in zip(xs, weights[head], strict=True):
        if w < 0.015 or x == xs[asks]:
            continue
        high = min(ARCS - 0.1, 0.2 + 0.42 * abs(x - xs[asks])) * 4 / 3
        along = xs[asks] + (x - xs[asks]) * (3 * t**2 - 2 * t**3)
        path = np.hstack([along, base + high * 3 * t * (1 - t)])
        lines = np.stack([path[:-2], path[2:]], axis=1)  # they overlap: no seams
        colors = query + (key - query) * t[1:-1]
        ink = [(*color, min(1, 0.35 + w)) for color in colors]
        page.axes.add_collection(LineCollection(list(lines), colors=ink, linewidths=0.3 + 7 * w))
    top = weights[head].argmax()
    for j, (x, name) in enumerate(zip(xs, names, strict=True)):
        color = "q" if j == asks else "k" if j == top else MUTED if name != tokens[j] else None
        bold = j in (asks, top)
        page.say(x, base - 0.13, name, color, cut=14, bold=bold, ha="center")
    wide = (RIGHT - LEFT + GAP) / across
    for i, row in enumerate(weights):
        x, y = LEFT + i % across * wide, base - 0.35 - (i // across + 1) * (TILE + GAP)
        edge = {"ec": "black", "lw": 1.2} if i == head else {"lw": 0}
        page.box(x, y + TILE / 2, wide - GAP, TILE, fc="#f3f5f7", **edge)
        bar = (wide - GAP) / n
        for j, w in enumerate(row):
            tall = max(0.012, w * TILE)
            role = ROLE_COLORS["q" if j == asks else "k"]
            page.box(
                x + j * bar, y + tall / 2, 0.8 * bar, tall, fc=role, lw=0, alpha=0.25 + 0.75 * w
            )
    return page.figure
