"""The kernel regression explorer at rest: the fit, and the weights on the same axis."""

import math
from collections.abc import Callable

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from attnbook.explorers.pictures._drawing import MUTED, RULE, SIZE, Page, fixed, ink, short
from attnutils._checks import FloatArray
from attnutils.plotting import ROLE_COLORS


def regression_picture(
    x: FloatArray,
    y: FloatArray,
    query: float,
    bandwidth: float,
    weights_at: Callable[[FloatArray], FloatArray],
    largest: float,
) -> Figure:
    """Draw the points with the curve through them, and under it the weights as bars.

    `weights_at` takes queries that are at most as large as `largest`.
    """
    temperature, (weights,) = bandwidth * bandwidth, weights_at(np.array([query]))
    q, k, v, o = (ROLE_COLORS[role] for role in "qkvo")
    page, output = Page(3.9), float(weights @ y)
    sizes = rf"$\sigma$ = {short(bandwidth)}, $T$ = $\sigma^2$ = {short(temperature)}"
    page.say(0.55, 3.72, f"At $q$ = {short(query)} with {sizes}: $o$ = {fixed(output, 4)}")
    page.say(0.55, 3.48, "value $v$", "v")
    page.end(4.9, 3.48, "estimate $o$", "o")
    page.say(0.55, 1.45, r"weight $\alpha$", MUTED)

    low, high = min(x.min(), query), max(x.max(), query)
    room = 0.03 * (high - low) or 1.0
    xlim = low - room, high + room
    queries = np.linspace(*xlim, 1001).clip(-largest, largest)
    upper = page.panel(0.55, 1.6575, 4.35, 1.716, xlim=xlim)
    upper.plot(queries, weights_at(queries) @ y, "-", color=o)
    share = np.sqrt(weights / weights.max())
    faces = [(*matplotlib.colors.to_rgb(v), alpha) for alpha in share]
    upper.scatter(x, y, s=18, c=faces, ec=v, lw=1, zorder=3)
    upper.scatter([query], [output], s=32, c=o, ec="white", zorder=4)
    upper.set_xticklabels([])

    lower = page.panel(0.55, 0.5265, 4.35, 0.78, xlim=xlim)
    order = np.argsort(x, kind="stable")
    keys, first, counts = np.unique(x[order], return_index=True, return_counts=True)
    rank = np.arange(x.size) - np.repeat(first, counts)  # bars at one key are stacked
    heights = weights[order]
    width = min(0.018, 0.5 / x.size) * (xlim[1] - xlim[0])
    lower.bar(x[order], heights, width, heights * rank, color=ink(heights), ec="black", lw=0.6)
    most = float((heights * rank + heights).max())
    if 0 < temperature < math.inf:
        nearest = np.argmax(weights)
        wide = query + math.sqrt(temperature) * np.linspace(-5, 5, 121)
        places = np.union1d(queries, wide.clip(*xlim))
        with np.errstate(over="ignore"):
            peak = weights[nearest] * np.exp((query - x[nearest]) ** 2 / 2 / temperature)
            shape = np.exp(-((query - places) ** 2) / 2 / temperature)
        # Where it would leave the panel it is lowered as a whole, as in the widget.
        lower.plot(places, min(peak, most) * shape, "-", color=MUTED, lw=1)
    lower.axhline(1 / x.size, ls=":", color=MUTED, lw=0.8)
    lower.set_ylim(0, most * 1.1)
    lower.set_yticks([0, most], ["0", short(round(most, 3))])
    lower.plot(keys, np.zeros(keys.size), "|", color=k, ms=7, clip_on=False)
    lower.set_xlabel("key $k$", fontsize=SIZE, color=k, labelpad=1)

    for ax in (upper, lower):
        ax.axvline(query, color=q, lw=1.2, zorder=2)
        ax.spines[:].set_color(RULE)
    side, ha = (-4, "right") if query > sum(xlim) / 2 else (4, "left")
    upper.annotate(
        f"$q$ = {short(query)}",
        (query, 1),
        xytext=(side, -8),
        ha=ha,
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        color=q,
        size=SIZE,
    )
    return page.figure
