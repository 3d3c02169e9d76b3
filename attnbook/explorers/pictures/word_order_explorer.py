"""Words in another order, at rest: each with the bars of its output."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from attnbook.explorers.pictures._drawing import MUTED, ROW, RULE, Page, fixed
from attnutils._checks import FloatArray
from attnutils.plotting import ROLE_COLORS

LEFT, RIGHT = 0.1, 4.9


def order_picture(
    words: Sequence[str],
    order: Sequence[int],
    outputs: FloatArray,
    before: FloatArray,
    *,
    has_positions: bool,
    is_causal: bool,
) -> Figure:
    """Draw a column for each place; a line marks what each number was in the first order."""
    n, d = outputs.shape
    page = Page(
        ROW * (d + 4.6),
        title=f"Added: {'positions' if has_positions else 'nothing'}; "
        f"{'a causal mask' if is_causal else 'no mask'}",
    )
    wide = (RIGHT - LEFT) / n
    most = 1.1 * max(float(np.abs([outputs, before]).max()), 1e-9)
    top = page.height - 2.2 * ROW
    for place, word in enumerate(order):
        middle = LEFT + (place + 0.5) * wide
        page.say(middle, top, words[word], ha="center", cut=max(3, int(10 * 6 / n)), bold=True)
        page.axes.plot(
            [middle] * 2, [top - 0.6 * ROW, top - (d + 0.6) * ROW], "-", color=RULE, lw=0.6
        )
        for c in range(d):
            y = top - (c + 1.1) * ROW
            unit = 0.46 * wide / most
            start, end = sorted([0.0, unit * outputs[word, c]])
            page.box(middle + start, y, end - start, 0.16, fc=ROLE_COLORS["o"], lw=0)
            mark = middle + unit * before[word, c]
            page.axes.plot([mark, mark], [y - 0.11, y + 0.11], "-", color=page.ink, lw=1.2)
        gap = np.abs(outputs[word] - before[word]).max()
        text = "0" if gap < 5e-4 else fixed(gap, 2)
        page.say(middle, top - (d + 1.2) * ROW, text, MUTED, ha="center")
    return page.figure
