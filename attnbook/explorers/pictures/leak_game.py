"""The leak game at rest: numbers above, outputs at the side, and what has moved with what."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from attnbook.explorers.pictures._drawing import HATCH, MUTED, ROW, Page, fixed, short
from attnutils._checks import BoolArray, FloatArray

LEFT, RIGHT = 0.9, 4.2  # of the grid


def leak_picture(
    words: Sequence[str],
    numbers: FloatArray,
    output: FloatArray,
    evidence: Sequence[BoolArray | None],
    box: int,
) -> Figure:
    """Draw a column for each token and a row for each output; the future is hatched."""
    n = len(words)
    page = Page(ROW * (n + 4), title=f"Box {'ABCDEFGH'[box]}: which outputs move with which token?")
    cell = (RIGHT - LEFT) / n
    top = page.height - 3.4 * ROW
    most = max(3, int(9 * 6 / n))
    page.end(4.92, top + 0.5 * ROW, "output", "o")
    for t, (word, x) in enumerate(zip(words, numbers, strict=True)):
        middle = LEFT + (t + 0.5) * cell
        page.say(middle, top + 1.3 * ROW, word, MUTED, ha="center", cut=most)
        page.say(middle, top + 0.5 * ROW, short(x), "k", ha="center")
    for i, (word, o) in enumerate(zip(words, output, strict=True)):
        y = top - (i + 0.5) * ROW
        page.say(0.08, y, word, cut=9)
        page.end(4.92, y, fixed(o, 3), "o", bold=True)
        for t, moved in enumerate(evidence):
            later = {"hatch": "////", "ec": HATCH} if t > i else {"ec": MUTED}
            page.box(LEFT + t * cell, y, cell, ROW, lw=0.4, **later)
            if moved is not None:
                sign = "●" if moved[i] else "–"
                page.say(LEFT + (t + 0.5) * cell, y, sign, ha="center")
    return page.figure
