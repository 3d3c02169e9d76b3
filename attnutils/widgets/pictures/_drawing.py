"""What the pictures of the widgets share: their sizes and colours, words, numbers, rules and bars.

Each picture is 5 inches wide, so that its numbers stay readable on a phone. Lengths are inches.
"""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import TYPE_CHECKING

import matplotlib
from matplotlib.patches import Rectangle

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from attnutils._shapes import FloatArray

ROW = 0.27
SIZE = 8.5
MUTED = "#59636e"
RULE = "#868f99"
HATCH = "#a9b0b8"


def page_axes(figure: Figure) -> Axes:
    """Axes over the whole figure, in inches; what is on them has its place already."""
    figure.set_layout_engine("none")
    width, height = figure.get_size_inches()
    ax = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(0, height))
    ax.set_axis_off()
    return ax


def say(
    page: Axes,
    x: float,
    y: float,
    text: str,
    *,
    color: str | None = None,
    ha: str = "left",
    va: str = "center",
    rotation: float = 0,
    bold: bool = False,
    cut: int | None = None,
) -> None:
    """Write text. A word of the reader's is cut where it is too long, and is never a formula."""
    if cut and len(text) > cut:
        text = text[: cut - 1] + "…"
    page.text(
        x,
        y,
        text,
        color=color or matplotlib.rcParams["text.color"],
        ha=ha,
        va=va,
        rotation=rotation,
        weight="bold" if bold else "normal",
        size=SIZE,
        parse_math=cut is None,
    )


def say_numbers(
    page: Axes, end: float, step: float, y: float, numbers: FloatArray, color: str
) -> None:
    """Write a row of numbers in columns of width `step`, the last of which ends at `end`."""
    for column, number in enumerate(reversed(numbers)):
        say(page, end - step * column, y, short(number), color=color, ha="right")


def rule(page: Axes, y: float, end: float) -> None:
    page.plot([0.08, end], [y, y], "-", color=RULE, lw=0.6)


def bar(page: Axes, x: float, y: float, width: float, weight: float, n: int, hidden: bool) -> None:
    """Draw a weight as length and colour, with a dotted mark at the uniform weight."""
    bottom, height = y - 0.08, 0.16
    if hidden:
        box = Rectangle((x, bottom), width, height, fc="none", ec=HATCH, hatch="////", lw=0)
    else:
        color = matplotlib.colormaps["viridis"](float(weight))
        box = Rectangle((x, bottom), width * weight, height, fc=color, ec="black", lw=0.6)
    page.add_patch(box)
    page.plot([x, x], [bottom, bottom + height], "-", color=RULE, lw=0.8)
    mark = x + width / n
    page.plot([mark, mark], [bottom - 0.03, bottom + height + 0.03], ":", color=MUTED, lw=0.8)


def fixed(x: float, digits: int) -> str:
    """Fixed decimals with a true minus sign and no minus zero; .125 is .13, as in the widget."""
    with localcontext(rounding=ROUND_HALF_UP):
        return f"{Decimal(float(x)):z.{digits}f}".replace("-", "−")


def weight_text(x: float) -> str:
    return "<.001" if 0 < x < 0.0005 else fixed(x, 3)


def short(x: float) -> str:
    return "∞" if math.isinf(x) else f"{x:z.4g}".replace("-", "−")
