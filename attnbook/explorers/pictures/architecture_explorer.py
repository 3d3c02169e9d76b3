"""The drawing of the transformer at rest, with what is at one of its places."""

from collections.abc import Sequence

from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from attnbook.explorers.pictures._drawing import MUTED, Page

ACROSS, DOWN = 78, 118  # units of the drawing an inch: flatter than on the page

Point = tuple[float, float]


def architecture_picture(
    size: Point,
    lines: Sequence[Sequence[Point]],
    places: Sequence[tuple[float, float, str]],
    at: int,
    told: Sequence[str],
) -> Figure:
    """Draw boxes and arrows, the place `at` in full ink, and below them what is told of it."""
    width, height = size[0] / ACROSS, size[1] / DOWN
    page = Page(height + 0.55)
    left, top = (page.width - width) / 2, page.height

    def to(x: float, y: float) -> Point:
        return left + x / ACROSS, top - y / DOWN

    for points in lines:
        xs, ys = zip(*(to(*point) for point in points), strict=True)
        page.axes.plot(xs[:-1], ys[:-1], "-", color=page.ink, lw=0.8)
        page.axes.annotate(
            "",
            (xs[-1], ys[-1]),
            (xs[-2], ys[-2]),
            arrowprops={
                "arrowstyle": "-|>",
                "color": page.ink,
                "lw": 0.8,
                "shrinkA": 0,
                "shrinkB": 0,
            },
        )
    for title, column in (("Encoder", 78), ("Decoder", 234)):
        page.say(*to(column, 12), title, ha="center", bold=True)
    words = ("source words", 78, 30), ("target, moved by one", 234, 30), ("memory", 117, 330)
    for label, at_x, at_y in (
        *words,
        ("the next words", 234, 484),
        ("× N", 139, 114),
        ("× N", 173, 114),
    ):
        page.say(*to(at_x, at_y), label, MUTED, ha="center")
    for i, (x, y, text) in enumerate(places):
        face, ink = (page.ink, "white") if i == at else ("white", page.ink)
        if not text:
            page.axes.plot(*to(x, y), "o", ms=5, mfc=face, mec=page.ink, mew=0.8)
            continue
        name, *more = text.split("\n")
        tall = 34 if more else 24
        corner = to(x - 56, y + tall / 2)
        style = "round,pad=0,rounding_size=" + ("0.09" if text == "add, norm" else "0.05")
        page.axes.add_patch(
            FancyBboxPatch(corner, 112 / ACROSS, tall / DOWN, style, fc=face, ec=page.ink, lw=0.8)
        )
        page.say(*to(x, y), name, ink, ha="center")
    for line, text in enumerate(told):
        page.say(0.08, 0.4 - 0.2 * line, text, bold=line == 0)
    return page.figure
