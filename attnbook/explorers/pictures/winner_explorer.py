"""The winner explorer at rest: the plane of queries, and the key that wins at each."""

import colorsys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from attnbook.explorers.pictures._drawing import MUTED, SIZE, Page, weight_text
from attnutils._checks import FloatArray
from attnutils.plotting import ROLE_COLORS

#: The same angle between neighbours as in the widget.
_HUES = [(137.5 * i / 360) % 1 for i in range(12)]
_TINTS = ListedColormap([0.22 * np.array(colorsys.hls_to_rgb(h, 0.5, 0.7)) + 0.78 for h in _HUES])


def winner_picture(
    words: Sequence[str],
    query: FloatArray,
    keys: FloatArray,
    score: str,
    zoom: int,
    weights: FloatArray,
    scores_at: Callable[[FloatArray], FloatArray],
) -> Figure:
    """Draw the plane, the keys with their weights, and the query."""
    page, top = Page(3.1), int(weights.argmax())
    page.say(0.08, 2.92, f"{score}: {words[top]}", cut=40, bold=True)
    page.end(4.92, 2.92, f"weight {weight_text(weights[top])}")

    plane = page.panel(0.08, 0.1, 4.84, 2.6)
    shape = 4.84 / 2.6
    base = 1.2 * np.maximum(np.abs([*keys, query]).max(axis=0), 0.5) * 2**zoom
    high = max(base[1], base[0] / shape)
    wide = high * shape
    x, y = np.linspace(-wide, wide, 484), np.linspace(-high, high, 260)
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    scores = scores_at(grid)
    winners = scores.argmax(axis=-1)
    span: dict[str, Any] = {"extent": (-wide, wide, -high, high), "origin": "lower"}
    cells = winners.reshape(len(y), len(x))
    plane.imshow(cells, cmap=_TINTS, vmin=0, vmax=11, aspect="auto", **span)
    plane.set(xlim=(-wide, wide), ylim=(-high, high), xticks=[], yticks=[])
    plane.spines[:].set_visible(False)

    style: dict[str, Any] = {"size": SIZE - 1, "parse_math": False, "va": "center"}
    for i in np.unique(winners):
        left, up = grid[winners == i].mean(axis=0)
        plane.text(left, up, f"{words[i][:8]} wins", color=MUTED, ha="center", **style)
    near: dict[str, Any] = {"textcoords": "offset points", "xytext": (7, 5)}
    for i, (word, key) in enumerate(zip(words, keys, strict=True)):
        wins = i in winners
        face = _TINTS(i) if wins else "white"
        plane.plot(*key, "o", mfc=face, mec=ROLE_COLORS["k"], ms=5 + 4 * weights[i])
        text = f"{word[:8]} {weight_text(weights[i])}"
        plane.annotate(text, (key[0], key[1]), color=ROLE_COLORS["k"], **near, **style)
    plane.plot(*query, "P", color=ROLE_COLORS["q"], ms=8, mec="white")
    label = {**near, "xytext": (0, -11), "ha": "center"}
    plane.annotate("query q", (query[0], query[1]), color=ROLE_COLORS["q"], **label, **style)
    return page.figure
