"""The temperature explorer at rest: bars, and curves over all temperatures."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from attnutils.normalize import entropy
from attnutils.plotting import ROLE_COLORS
from attnutils.widgets.pictures._drawing import (
    MUTED,
    ROW,
    SIZE,
    bar,
    fixed,
    page_axes,
    rule,
    say,
    short,
    weight_text,
)

if TYPE_CHECKING:
    from attnutils.widgets.temperature_explorer import TemperatureExplorer


def temperature_picture(explorer: TemperatureExplorer) -> Figure:
    """Draw the weights as bars, and weights, entropy and output over all temperatures."""
    n = len(explorer.words)
    weights, scores, output = explorer.weights, explorer.tied_scores, explorer.output
    height = max(ROW * (n + 3), 2.7 if output is None else 3.5)
    figure = Figure(figsize=(5, height))
    page = page_axes(figure)

    y = height - 0.7 * ROW
    say(page, 0.08, y, explorer.normalizer, bold=True)
    y -= ROW
    say(page, 1.05, y, "score", color=MUTED, ha="right")
    say(page, 2.12, y, r"weight $\alpha$", color=MUTED, ha="right")
    rule(page, y - 0.6 * ROW, 2.12)
    for i, word in enumerate(explorer.words):
        y -= ROW * (1.3 if i == 0 else 1)
        say(page, 0.08, y, word, cut=8)
        say(page, 1.05, y, short(scores[i]), ha="right")
        bar(page, 1.15, y, 0.54, weights[i], n, hidden=False)
        say(page, 2.12, y, weight_text(weights[i]), ha="right", bold=weights[i] == weights.max())

    # The chart: panels over one axis, on which temperatures stand as on the slider.
    positions = np.linspace(0, 100, 201)
    temperatures = 10 ** ((positions - 50) / 25)
    temperatures[[0, -1]] = 0, np.inf
    curves = np.array([explorer.weights_at(t) for t in temperatures])
    here = 50 + 25 * math.log10(min(max(explorer.temperature, 0.01), 100))
    ink = matplotlib.rcParams["text.color"]
    panels = [
        (r"weight $\alpha$", MUTED, (0.0, 1.0), curves, weights),
        (
            f"entropy {explorer.entropy:.3f} bits",
            ink,
            (0.0, math.log2(n)),
            entropy(curves),
            np.array([explorer.entropy]),
        ),
    ]
    if output is not None:
        outputs = curves @ explorer.value_matrix[:, 0]
        ends = min(0.0, outputs.min()), max(0.0, outputs.max())
        title = f"output $o$ = {fixed(output[0], 4)}"
        panels.append((title, ROLE_COLORS["o"], ends, outputs, output))
    shares = [2.2, 1.0, 1.0][: len(panels)]
    room = height - 0.3 * len(panels) - 0.45
    top = height - 0.3
    for (title, color, (low, high), lines, now), share in zip(panels, shares, strict=True):
        tall = room * share / sum(shares)
        rect = (2.65 / 5, (top - tall) / height, 2.25 / 5, tall / height)
        top -= tall + 0.3
        ax = figure.add_axes(rect, xlim=(0, 100), ylim=(low, high if high > low else low + 1))
        is_weights = lines.ndim == 2
        ax.plot(positions, lines, "-", color=color, lw=1 if is_weights else 1.8, clip_on=False)
        ax.axvline(here, color=ink, lw=0.8)
        fill = matplotlib.colormaps["viridis"](now) if is_weights else color
        ax.scatter(
            np.full(now.shape, here), now, s=18, c=fill, ec=ink, lw=0.6, zorder=3, clip_on=False
        )
        ax.set_title(title, fontsize=SIZE, color=ink if is_weights else color, pad=3)
        ax.set_yticks([low, high], [short(round(low, 2)), short(round(high, 2))])
        ax.set_xticks([0, 25, 50, 75, 100], [])
        ax.tick_params(labelsize=SIZE)
    ax.set_xticklabels(["0", "0.1", "1", "10", "∞"])
    ax.set_xlabel(f"temperature $T$ = {short(explorer.temperature)}", fontsize=SIZE, labelpad=1)
    return figure
