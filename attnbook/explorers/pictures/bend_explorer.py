"""The LeakyReLU explorer at rest: the curve, the senders on it, and their weights."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from attnbook.explorers.pictures._drawing import MUTED, ROW, RULE, Page, fixed, short
from attnutils._checks import FloatArray
from attnutils.plotting import ROLE_COLORS


def bend_picture(
    names: Sequence[str],
    parts: FloatArray,
    receiver: float,
    slope: float,
    scores: FloatArray,
    weights: FloatArray,
) -> Figure:
    """Draw the curve with a point for each sender, and a row for each, the largest sum first."""
    n, order = len(names), np.argsort(-parts, kind="stable")
    page = Page(ROW * (n + 3.4) + 2.1, title=f"r = {short(receiver)}, slope {short(slope)} below 0")
    low, high = parts.min() - 10, parts.max() + 10
    curve = page.panel(0.35, ROW * (n + 1.4) + 0.45, 4.5, 1.45, xlim=(low, high))
    at = np.array([low, 0, high])
    curve.axhline(0, color=RULE, lw=0.6)
    curve.axvline(0, color=RULE, lw=0.6)
    curve.plot(at, np.where(at > 0, at, slope * at), "-", color=page.ink, lw=1.2)
    curve.plot(receiver + parts, scores, "o", color=ROLE_COLORS["k"], ms=5)
    curve.set_xlabel("r + t", size=8.5, labelpad=1)

    y = ROW * (n + 0.6)
    ends = (1.5, 2.2, 2.9)
    page.say(0.08, y, "sender $j$", "k")
    for end, text in zip(ends, ("$t$", "$r + t$", "score"), strict=True):
        page.end(end, y, text, MUTED)
    for j in order:
        y -= ROW
        page.say(0.08, y, names[j], "k", cut=12)
        for end, text in zip(
            ends,
            (short(parts[j]), fixed(receiver + parts[j], 1), fixed(scores[j], 2)),
            strict=True,
        ):
            page.end(end, y, text)
        bold = bool(weights[j] == weights.max())
        page.weight((3.1, 1.2, 4.92), y, weights[j], n, bold=bold)
    return page.figure
