"""The kernel regression explorer at rest: the fit, and the weights on the same axis."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from attnutils.plotting import ROLE_COLORS
from attnutils.widgets._base import LARGEST
from attnutils.widgets.pictures._drawing import MUTED, RULE, SIZE, fixed, page_axes, say, short

if TYPE_CHECKING:
    from attnutils.widgets.kernel_regression_explorer import KernelRegressionExplorer


def regression_picture(explorer: KernelRegressionExplorer) -> Figure:
    """Draw the points with the curve through them, and under it the weights as bars."""
    x, y, query, weights = explorer.x, explorer.y, explorer.query, explorer.weights
    figure = Figure(figsize=(5, 3.9))
    ends = min(x.min(), query), max(x.max(), query)
    room = 0.03 * (ends[1] - ends[0]) or 1.0
    xlim = ends[0] - room, ends[1] + room
    page = page_axes(figure)
    sigma, temperature = short(explorer.bandwidth), short(explorer.temperature)
    text = rf"At $q$ = {short(query)} with $\sigma$ = {sigma}, $T$ = $\sigma^2$ = {temperature}:"
    say(page, 0.55, 3.72, f"{text} $o$ = {fixed(explorer.output, 4)}")
    say(page, 0.55, 3.48, "value $v$", color=ROLE_COLORS["v"])
    say(page, 4.9, 3.48, "estimate $o$", color=ROLE_COLORS["o"], ha="right")
    say(page, 0.55, 1.45, r"weight $\alpha$", color=MUTED)

    upper = figure.add_axes((0.11, 0.425, 0.87, 0.44), xlim=xlim)
    queries = np.linspace(*xlim, 1001).clip(-LARGEST, LARGEST)
    upper.plot(queries, explorer.weights_at(queries) @ y, "-", color=ROLE_COLORS["o"])
    share = np.sqrt(weights / weights.max())
    faces = [(*matplotlib.colors.to_rgb(ROLE_COLORS["v"]), alpha) for alpha in share]
    upper.scatter(x, y, s=18, c=faces, ec=ROLE_COLORS["v"], lw=1, zorder=3)
    upper.scatter([query], [explorer.output], s=32, c=ROLE_COLORS["o"], ec="white", zorder=4)
    upper.set_xticklabels([])

    lower = figure.add_axes((0.11, 0.135, 0.87, 0.2), xlim=xlim)
    order = np.argsort(x, kind="stable")
    keys, first, counts = np.unique(x[order], return_index=True, return_counts=True)
    rank = np.arange(x.size) - np.repeat(first, counts)  # bars at one key are stacked
    stacked = weights[order] * rank
    width = min(0.018, 0.5 / x.size) * (xlim[1] - xlim[0])
    colors = matplotlib.colormaps["viridis"](weights[order])
    lower.bar(x[order], weights[order], width, stacked, color=colors, ec="black", lw=0.6)
    most = float((stacked + weights[order]).max())
    if 0 < explorer.temperature < math.inf:
        nearest = np.argmax(weights)
        scores = ((query - x[nearest]) ** 2 - (query - queries) ** 2) / 2
        with np.errstate(over="ignore"):
            kernel = weights[nearest] * np.exp(scores / explorer.temperature)
        lower.plot(queries, np.where(kernel <= most * 1.1, kernel, np.nan), "-", color=MUTED, lw=1)
    lower.axhline(1 / x.size, ls=":", color=MUTED, lw=0.8)
    lower.set_ylim(0, most * 1.1)
    lower.set_yticks([0, most], ["0", short(round(most, 3))])
    lower.plot(keys, np.zeros(keys.size), "|", color=ROLE_COLORS["k"], ms=7, clip_on=False)
    lower.set_xlabel("key $k$", fontsize=SIZE, color=ROLE_COLORS["k"], labelpad=1)

    for ax in (upper, lower):
        ax.axvline(query, color=ROLE_COLORS["q"], lw=1.2, zorder=2)
        ax.tick_params(labelsize=SIZE)
        ax.spines[:].set_color(RULE)
    name = f"$q$ = {short(query)}"
    is_right = query > sum(xlim) / 2
    upper.annotate(
        name,
        (query, 1),
        xytext=(-4 if is_right else 4, -8),
        ha="right" if is_right else "left",
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        color=ROLE_COLORS["q"],
        size=SIZE,
    )
    return figure
