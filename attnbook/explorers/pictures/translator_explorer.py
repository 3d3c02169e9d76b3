"""The translator explorer at rest: weights over the source, the next word, what is written."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from attnbook.explorers.pictures._drawing import MUTED, ROW, Page
from attnutils._checks import FloatArray

MOST_BARS = 12


def translator_picture(
    source: Sequence[str],
    weights: FloatArray | None,
    before: Sequence[str],
    offered: Sequence[tuple[str, float]],
) -> Figure:
    """Draw a row for each source word, the heaviest of many, beside the words on offer."""
    shown = np.arange(len(source))
    if len(source) > MOST_BARS:
        order = np.argsort(-(np.zeros(len(source)) if weights is None else weights), kind="stable")
        shown = np.sort(order[:MOST_BARS])
    page = Page(ROW * (len(shown) + 5.5), title=f"Step {len(before)} of a translation")
    top = page.height - 2.2 * ROW
    page.say(0.08, top, "source", MUTED)
    page.say(3.0, top, "next word", MUTED)
    for place, j in enumerate(shown):
        y = top - (place + 1) * ROW
        page.say(0.08, y, source[int(j)], "k")
        if weights is not None:
            bold = bool(weights[j] == weights.max())
            page.weight((1.0, 1.1, 2.7), y, float(weights[j]), len(source), bold=bold)
    for place, (word, chance) in enumerate(offered):
        y = top - (place + 1) * ROW
        page.say(3.0, y, word, bold=place == 0)
        page.bar(3.8, y, 0.6, chance)
        page.end(4.92, y, f"{chance:.3f}", bold=place == 0)
    lines = " ".join([*before[-9:], f"[{offered[0][0]}]"])
    page.say(0.08, 1.2 * ROW, ("… " if len(before) > 9 else "") + lines, cut=64)
    return page.figure
