"""The bug game at rest: the outputs of a box beside what they should be, and what is known."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from attnbook.explorers.pictures._drawing import MUTED, ROW, Page, fixed
from attnbook.lessons.bugs import Probed
from attnutils.plotting import ROLE_COLORS

LEFT, RIGHT = 1.1, 4.1  # of the bars
LINE = 0.2  # of the board
MARKS = {"keeps": "–", "breaks": "●", "NaN": "?", "error": "!", "": ""}


def bug_picture(
    title: str,
    words: Sequence[str],
    probed: Probed | None,
    board: Sequence[Sequence[str]],
    probes: Sequence[str],
) -> Figure:
    """Draw bars of outputs with marks where they should end; below them what each box does."""
    n = len(words)
    page = Page(
        ROW * (n + 3) + LINE * (len(probes) + 1), title=f"{title}: output, and where it should end"
    )
    top = page.height - 1.8 * ROW
    if probed is None:
        page.say(0.08, top - 0.5 * ROW, "The layer raises an error: its shapes do not fit.")
    else:
        both = np.nan_to_num(np.hstack(probed))  # (n, 2)
        low, high = min(0.0, both.min()), max(0.0, both.max())
        unit = (RIGHT - LEFT) / ((high - low) or 1)
        zero = LEFT - low * unit
        for i, word in enumerate(words):
            y = top - (i + 0.5) * ROW
            output, wanted = both[i]
            page.say(0.08, y, word, cut=12)
            page.box(min(zero, zero + output * unit), y, abs(output) * unit, 0.16,
                     fc=ROLE_COLORS["o"])  # fmt: skip
            page.box(zero + wanted * unit - 0.01, y, 0.02, ROW, fc=page.ink)
            page.end(4.92, y, fixed(probed.output[i, 0], 3), "o", bold=True)
    top -= (n + 0.5) * ROW + LINE
    for b in range(len(board)):
        page.say(1.75 + 0.38 * b, top + 0.5 * LINE, "ABCDEFGH"[b], MUTED, ha="center")
    for p, probe in enumerate(probes):
        y = top - (p + 0.5) * LINE
        page.say(0.08, y, probe)
        for b, row in enumerate(board):
            page.say(1.75 + 0.38 * b, y, MARKS[row[p]], ha="center")
    return page.figure
