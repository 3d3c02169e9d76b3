"""What the pictures of the widgets are made of: words, numbers, rules, bars and panels on a page.

Each picture is 5 inches wide, so that its numbers stay readable on a phone. Lengths are inches.
A picture is drawn from plain data: this package knows nothing of the widgets.
"""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import TYPE_CHECKING, Any

import matplotlib
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from attnutils.plotting import GREYS, ROLE_COLORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from attnutils._checks import FloatArray

ROW = 0.27
SIZE = 8.5
MUTED, RULE, HATCH = GREYS["ink-2"], GREYS["field"], GREYS["hatch"]


class Page:
    """A figure on which everything has its place, in inches from the lower left corner."""

    def __init__(self, height: float, width: float = 5, *, title: str = "") -> None:
        self.height, self.width = height, width
        self.figure = Figure(figsize=(width, height))
        self.figure.set_layout_engine("none")
        self.axes = self.figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(0, height))
        self.axes.set_axis_off()
        self.ink: str = matplotlib.rcParams["text.color"]
        if title:  # over a rule
            self.say(0.08, height - 0.7 * ROW, title, cut=60, bold=True)
            self.rule(height - 1.3 * ROW, width - 0.08)

    def say(
        self,
        x: float,
        y: float,
        text: str,
        color: str | None = None,
        *,
        bold: bool = False,
        cut: int | None = None,
        ha: str = "left",
        va: str = "center",
        rotation: float = 0,
    ) -> None:
        """Write text. A word of the reader's is cut where it is too long, and is never a formula.

        The colour may be the letter of a role.
        """
        if cut and len(text) > cut:
            text = text[: cut - 1] + "…"
        color = ROLE_COLORS.get(color or "", color or self.ink)
        style: dict[str, Any] = {"color": color, "ha": ha, "va": va, "rotation": rotation}
        weight = "bold" if bold else "normal"
        self.axes.text(x, y, text, weight=weight, size=SIZE, parse_math=cut is None, **style)

    def end(
        self, x: float, y: float, text: str, color: str | None = None, *, bold: bool = False
    ) -> None:
        """Write text that ends at `x`."""
        self.say(x, y, text, color, bold=bold, ha="right")

    def rule(self, y: float, end: float) -> None:
        """Draw a line from the left margin."""
        self.axes.plot([0.08, end], [y, y], "-", color=RULE, lw=0.6)

    def box(self, x: float, y: float, width: float, height: float, **style: Any) -> None:
        """Draw a rectangle around the middle of its left edge; without a face, only its edge."""
        corner = x, y - height / 2
        self.axes.add_patch(Rectangle(corner, width, height, **{"fc": "none", **style}))

    def bar(self, x: float, y: float, width: float, weight: float) -> None:
        """Draw a weight as length and colour."""
        self.box(x, y, width * weight, 0.16, fc=ink(weight), ec="black", lw=0.6)

    def weight(
        self,
        xs: tuple[float, float, float],
        y: float,
        weight: float,
        n: int,
        *,
        hidden: bool = False,
        bold: bool = False,
    ) -> None:
        """Draw a weight as a bar, with a mark at the uniform weight, and write it.

        `xs` are where the bar starts, how wide a weight of 1 is, and where the number ends.
        """
        x, width, end = xs
        if hidden:
            self.box(x, y, width, 0.16, ec=HATCH, hatch="////", lw=0)
        else:
            self.bar(x, y, width, weight)
        bottom = y - 0.08
        top = bottom + 0.16
        self.axes.plot([x, x], [bottom, top], "-", color=RULE, lw=0.8)
        mark = x + width / n
        self.axes.plot([mark, mark], [bottom - 0.03, top + 0.03], ":", color=MUTED, lw=0.8)
        self.end(end, y, "hidden" if hidden else weight_text(weight), bold=bold)

    def panel(self, left: float, bottom: float, width: float, height: float, **limits: Any) -> Axes:
        """Return axes for a chart."""
        size = left / self.width, bottom / self.height, width / self.width, height / self.height
        ax = self.figure.add_axes(size, **limits)
        ax.tick_params(labelsize=SIZE)
        return ax


def ink(weight: FloatArray | float) -> Any:
    """The colour of a weight."""
    return matplotlib.colormaps["binary"](weight)


def fixed(x: float, digits: int) -> str:
    """Fixed decimals with a true minus sign and no minus zero; .125 is .13, as in the widget."""
    with localcontext(rounding=ROUND_HALF_UP):
        return f"{Decimal(float(x)):z.{digits}f}".replace("-", "−")


def weight_text(x: float, digits: int = 3) -> str:
    """A weight; one that would read as nothing is "<.001"."""
    least = 10**-digits
    return f"<{least:.{digits}f}".replace("0.", ".") if 0 < x < least / 2 else fixed(x, digits)


def short(x: float) -> str:
    return "∞" if math.isinf(x) else f"{x:z.4g}".replace("-", "−")
