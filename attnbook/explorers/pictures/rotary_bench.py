"""The rotary bench at rest: a clock for each pair, and the score by offset."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from attnbook.explorers.pictures._drawing import MUTED, ROW, RULE, SIZE, Page, fixed
from attnutils._checks import FloatArray
from attnutils.plotting import ROLE_COLORS


def rotary_picture(
    turned: FloatArray, places: tuple[int, int], score: float, by_offset: FloatArray
) -> Figure:
    """Draw the query and the key (2, d) as hands that have turned, and the curve of the scores."""
    i, j = places
    pairs = turned.reshape(2, -1, 2).swapaxes(0, 1)
    rows = -(-len(pairs) // 3)
    page = Page(
        1.9 * (rows + 1),
        title=f"Query at {i}, key at {j}: offset {fixed(j - i, 0)}, score {fixed(score, 4)}",
    )
    wide = 1.55
    radius = max(float(np.hypot(*np.moveaxis(pairs, -1, 0)).max()), 1e-9)
    for r, hands in enumerate(pairs):
        x = 0.85 + (r % 3) * wide
        y = page.height - 3.2 * ROW - 0.55 - (r // 3) * 1.75
        page.axes.add_patch(Circle((x, y), 0.62, fill=False, ec=RULE, lw=0.6))
        for hand, role in zip(hands, "qk", strict=True):
            tip = np.array([x, y]) + 0.55 * hand / radius
            page.axes.plot([x, tip[0]], [y, tip[1]], "-", color=ROLE_COLORS[role], lw=2)
            away = 0.14 * hand / max(float(np.hypot(*hand)), 1e-9)
            page.say(tip[0] + away[0], tip[1] + away[1], role, role, ha="center")
        page.say(x, y + 0.78, f"pair {r}, adds {fixed(hands[0] @ hands[1], 2)}", MUTED, ha="center")
    ends = len(by_offset) // 2
    ax = page.panel(0.6, 0.5, 4.2, 1.15, xlim=(-ends, ends))
    ax.plot(np.arange(-ends, ends + 1), by_offset, "-", color=page.ink, lw=0.9)
    ax.plot([j - i], [score], "o", color=page.ink, ms=4)
    ax.set_xticks([-ends, 0, ends], [f"−{ends}", "0", f"+{ends}"])
    ax.set_xlabel("offset", fontsize=SIZE, labelpad=0)
    ax.set_ylabel("score", fontsize=SIZE)
    return page.figure
