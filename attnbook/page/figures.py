"""Figures of the book as SVG whose text is text.

Notebooks store them (`backend`). Pages show them in colours of their own (`drawings`). A phone is
390 px wide and has 358 px for a figure; a letter is to be 11 px there. So a letter has 10 points,
and a figure, or each of its panels, at most 325.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterator

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import PathEffectRenderer
from matplotlib.text import Text
from matplotlib.transforms import Bbox

#: Points: the smallest letter, and the widest drawing of which a phone shows such letters in 11 px.
SMALLEST, WIDEST = 10.0, 325.0
DECIMALS = re.compile(r"-?\d+\.\d{3,}")
#: An id of matplotlib's: what it is of, and a hash of numbers that are not rounded.
HASHED = re.compile(r"(?<=[\"#])(p|m|h|image|C[0-9a-f]+_[0-9a-f]+_)[0-9a-f]{10}(?=[\")])")
#: Points: a cell with a number of two digits.
CELL = 18.0
#: More panels than these are cells of one picture.
MOST_PANELS = 8


def draw(figure: Figure) -> str:
    """Return a figure as SVG, the same text each time, in the size that pages have room for."""
    figure.set_dpi(72)  # that of SVG
    for text in figure.findobj(Text):
        if isinstance(text, Text) and float(text.get_fontsize()) < SMALLEST:
            text.set_fontsize(SMALLEST)
    panels = list(panels_of(figure))
    # Heat maps are compared cell by cell, and stay together where their numbers have room.
    if all(panel[0].images for panel in panels) and narrowed(figure, beside=bool(panels)):
        panels = []
    for panel in panels:
        complete(panel[0])
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # it stays as it is now
    drawing = figure.get_tightbbox().padded(0.02)
    for number, (panel, box) in enumerate(zip(panels, boxes(panels, drawing), strict=True)):
        for i, ax in enumerate(panel):
            ax.set_gid("_".join(["panel", str(number), str(i), *map(str, box)]))
    buffer = io.StringIO()
    metadata = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(buffer, format="svg", bbox_inches=drawing, metadata=metadata)
    # A thousandth of a point is not seen, and may be another on another machine.
    svg = DECIMALS.sub(lambda found: f"{round(float(found[0]), 2) + 0.0:.2f}", buffer.getvalue())
    # So ids are numbers, in order, and a digest of the rest: a viewer may join several figures.
    digest = hashlib.sha256(HASHED.sub("", svg).encode()).hexdigest()[:6]
    names: dict[str, str] = {}
    svg = HASHED.sub(
        lambda found: names.setdefault(found[0], f"{found[1]}{len(names)}-{digest}"), svg
    )
    svg = svg.replace("'DejaVu Sans'", "'DejaVu Sans', sans-serif")  # where a reader has none
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


def panels_of(figure: Figure) -> Iterator[list[Axes]]:
    """Yield the axes of each panel, its own first, where a figure has several beside each other."""
    spread: dict[Axes, list[Axes]] = {}
    for ax in figure.axes:
        bar = getattr(ax, "_colorbar", None)
        owner = bar.mappable.axes if bar is not None else ax
        spread.setdefault(owner, []).append(ax)
    specs = [ax.get_subplotspec() for ax in spread]
    columns = {spec.colspan.start for spec in specs if spec is not None}
    if None not in specs and len(columns) > 1 and len(spread) <= MOST_PANELS:
        yield from spread.values()


def complete(ax: Axes) -> None:
    """Give a panel the labels that it shares with others: it may stand alone."""
    figure = ax.figure
    if len(ax.get_shared_x_axes().get_siblings(ax)) > 1:
        ax.tick_params("x", labelbottom=True)
    if len(ax.get_shared_y_axes().get_siblings(ax)) > 1:
        ax.tick_params("y", labelleft=True)
    for label, put in (
        (figure.get_supxlabel(), ax.set_xlabel),
        (figure.get_supylabel(), ax.set_ylabel),
    ):
        if label:
            put(label)
            for text in figure.texts:
                text.set_visible(text.get_visible() and text.get_text() != label)


def narrowed(figure: Figure, *, beside: bool) -> bool:
    """Draw a figure that is too wide for a phone less wide; what is drawn by hand stays as it is.

    Say of heat maps beside each other whether their numbers have room; else all is as it was.
    """
    if not any(ax.axison for ax in figure.axes):
        return True
    size = wide, high = tuple(figure.get_size_inches().tolist())
    together = all(ax.images for ax in figure.axes if not hasattr(ax, "_colorbar"))
    if together and len(figure.axes) > 1:
        figure.set_layout_engine("compressed")  # no gaps between squares
    for _ in range(4):
        figure.draw_without_rendering()
        spare = WIDEST / 72 - 0.06 - figure.get_tightbbox().width
        if spare >= 0:
            break
        figure.set_size_inches(wide + spare, high * (1 + spare / wide) if together else high)
        wide, high = figure.get_size_inches().tolist()
    if beside and any(
        ax.texts and ax.bbox.width < CELL * image.get_size()[1]
        for ax in figure.axes
        for image in ax.images
    ):
        figure.set_size_inches(size)
        figure.set_layout_engine("constrained")
        return False
    return True


def boxes(panels: list[list[Axes]], drawing: Bbox) -> Iterator[list[float]]:
    """Yield where each panel is in the drawing: x, y, width, height, alike in a row and a column.

    So what stands level, or below each other, does so on the page.
    """
    specs = [spec for panel in panels if (spec := panel[0].get_subplotspec()) is not None]
    around = [
        Bbox.union([found for ax in panel if (found := ax.get_tightbbox()) is not None]).padded(2)
        for panel in panels
    ]
    for here in specs:
        level, above = [], []
        for other, box_of in zip(specs, around, strict=True):
            level += [box_of] if other.rowspan.start == here.rowspan.start else []
            above += [box_of] if other.colspan.start == here.colspan.start else []
        row, column = Bbox.union(level), Bbox.union(above)
        corner = column.x0 - 72 * drawing.x0, 72 * drawing.y1 - row.y1
        yield [round(float(x), 1) for x in (*corner, column.width, row.height)]


if "close_group" not in vars(PathEffectRenderer):  # matplotlib 3.8 lets such groups stay open
    PathEffectRenderer.close_group = (  # type: ignore[method-assign]
        lambda self, s: self._renderer.close_group(s)  # type: ignore[attr-defined]
    )
