"""The plane explorer at rest: query and keys as arrows, and the output among the values."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure
from scipy.spatial import ConvexHull, QhullError

from attnbook.explorers.pictures._drawing import MUTED, RULE, SIZE, Page, fixed, weight_text
from attnutils._checks import FloatArray
from attnutils.plotting import ROLE_COLORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def corners(points: FloatArray) -> FloatArray:
    """The corners of the polygon around points, in order; none where they lie on a line."""
    try:
        return np.asarray(points[ConvexHull(points).vertices])
    except QhullError:
        return points[:0]


def plane_picture(
    words: Sequence[str],
    query: FloatArray,
    keys: FloatArray,
    values: FloatArray,
    *,
    axes: Sequence[str],
    hull: bool,
    weights: FloatArray,
    output: FloatArray,
) -> Figure:
    """Draw the arrows, each as thick as its weight, and beside them the values."""
    q, k, v, o = (ROLE_COLORS[role] for role in "qkvo")
    page, top = Page(2.6), int(weights.argmax())
    page.say(0.08, 2.42, words[top], cut=20, bold=True)
    at = ", ".join(fixed(x, 3) for x in output)
    share = f"weight {weight_text(weights[top])}; output $o$ = ({at})"
    page.end(4.92, 2.42, share)

    plane = page.panel(0.08, 0.1, 2.95, 2.1)
    room = np.maximum(1.3 * np.abs([*keys, query]).max(axis=0), 0.5)
    _frame(plane, -room, room, 2.95 / 2.1)
    if hull:
        plane.fill(*corners(keys).T, fc=(*_rgb(k), 0.1), ec=k, lw=1)
    if np.any(query):
        across = np.array([-query[1], query[0]]) / np.hypot(*query)
        ends = keys[top] + 4 * np.abs(room).sum() * np.outer([-1, 1], across)
        plane.plot(*ends.T, "--", color=q, lw=0.8)
    for word, key, weight in zip(words, keys, weights, strict=True):
        plane.plot([0, key[0]], [0, key[1]], "-", color=k, lw=0.8 + 8 * weight)
        plane.plot(*key, "o", color=k, ms=5 + 4 * weight)
        _name(plane, f"{word[:8]} {weight_text(weight)}", key, k, key)
    plane.annotate(
        "", (query[0], query[1]), (0, 0), arrowprops={"arrowstyle": "-|>", "color": q, "lw": 1.6}
    )
    _name(plane, "query q", query, q, np.array([0.0, -1.2]))

    mean = page.panel(3.2, 0.1, 1.72, 2.1)
    low, high = values.min(axis=0), values.max(axis=0)
    margin = np.maximum(0.3 * (high - low), 1e-3)
    _frame(mean, np.minimum(low, 0) - margin, np.maximum(high, 0) + margin, 1.72 / 2.1)
    mean.fill(*corners(values).T, fc=(*_rgb(v), 0.1), ec=v, lw=1)
    for value, weight in zip(values, weights, strict=True):
        mean.plot(*np.array([value, output]).T, "-", color=v, lw=8 * weight, alpha=0.5)
    mean.plot(*values.T, "o", color=v, ms=5)
    for value in np.unique(values, axis=0):
        same = [word for word, other in zip(words, values, strict=True) if (other == value).all()]
        _name(mean, ", ".join(same)[:14], value, v, value - values.mean(axis=0))
    mean.plot(*output, "o", color=o, ms=8, mec="white")
    style: dict[str, Any] = {"size": SIZE - 1, "color": MUTED, "parse_math": False}
    mean.text(mean.get_xlim()[1], 0, axes[0][:20], ha="right", va="bottom", **style)
    mean.text(0, mean.get_ylim()[1], f" {axes[1][:20]}", va="top", **style)
    return page.figure


def _rgb(color: str) -> tuple[float, float, float]:
    from matplotlib.colors import to_rgb

    return to_rgb(color)


def _frame(ax: "Axes", low: FloatArray, high: FloatArray, shape: float) -> None:
    """Show at least this room, with one unit for both axes; `shape` is width over height."""
    wide, tall = high - low
    room = np.maximum([wide, tall], [tall * shape, wide / shape]) / 2
    (left, bottom), (right, top) = (low + high) / 2 - room, (low + high) / 2 + room
    ax.set(xlim=(left, right), ylim=(bottom, top), xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    ax.axhline(0, color=RULE, lw=0.5, zorder=0)
    ax.axvline(0, color=RULE, lw=0.5, zorder=0)


def _name(ax: "Axes", text: str, at: FloatArray, color: str, way: FloatArray) -> None:
    """Write beside a point, on the side that it points to; where there is no side, below left."""
    x, y = way / np.hypot(*way) if np.any(way) else (-0.7, -0.7)
    left, right = ax.get_xlim()
    crowded = x > 0 and at[0] > left + 0.8 * (right - left)
    ha = "right" if x < -0.4 or crowded else "left" if x > 0.4 else "center"
    up = 14.0 if crowded else 8 * y
    place: dict[str, Any] = {"xytext": (0 if crowded else 7 * x, up), "ha": ha, "va": "center"}
    style: dict[str, Any] = {"textcoords": "offset points", "size": SIZE - 1, "color": color}
    ax.annotate(text, (at[0], at[1]), parse_math=False, **place, **style)
