"""The width explorer at rest: ten scores, and their weights for three divisors."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from attnbook.explorers.pictures._drawing import MUTED, ROW, Page, fixed, short
from attnutils._checks import FloatArray

NAMES = [r"$q \cdot k$", r"$q \cdot k \,/\, \sqrt{d}$", r"$q \cdot k \,/\, d$"]


def width_picture(
    width: int, draw: int, scores: FloatArray, divisors: Sequence[float], weights: FloatArray
) -> Figure:
    """Draw a row for each key: its score, and a bar for its weight under each divisor."""
    n = len(scores)
    page = Page(ROW * (n + 4.4), title=f"width d = {width}, draw {draw}")
    y = page.height - 2 * ROW
    starts = [1.35, 2.6, 3.85]
    for start, name, divisor in zip(starts, NAMES, divisors, strict=True):
        page.say(start, y, name)
        page.say(start, y - ROW, f"$T$ = {short(divisor)}", MUTED)
    y -= ROW
    page.say(0.08, y, "key $k$", "k")
    page.end(1.2, y, r"$q \cdot k$", MUTED)
    page.rule(y - 0.6 * ROW, 4.92)
    for j, score in enumerate(scores):
        y -= ROW * (1.3 if j == 0 else 1)
        page.say(0.08, y, str(j + 1))
        page.end(1.2, y, fixed(score, 1))
        for start, row in zip(starts, weights, strict=True):
            page.weight((start, 0.54, start + 1.02), y, row[j], n, bold=row[j] == row.max())
    return page.figure
