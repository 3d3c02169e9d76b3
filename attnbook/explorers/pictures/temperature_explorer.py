"""The temperature explorer at rest: bars, and curves over all temperatures."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from attnbook.explorers.pictures._drawing import MUTED, ROW, SIZE, Page, fixed, ink, short
from attnutils._checks import FloatArray
from attnutils.normalize import entropy
from attnutils.plotting import ROLE_COLORS

EVEN_FROM = 90  # the place of the slider from which 1 / T falls evenly, as in core.js


def temperature_under(position: float) -> float:
    """The temperature at a position 0..100 of the slider."""
    if position in (0, 100):
        return 0 if position == 0 else math.inf
    hot = 10 ** ((min(position, EVEN_FROM) - 50) / 25)
    return hot if position <= EVEN_FROM else hot * (100 - EVEN_FROM) / (100 - position)


def temperature_picture(
    words: Sequence[str],
    scores: FloatArray,
    values: FloatArray | None,
    *,
    normalizer: str,
    temperature: float,
    simple: bool,
    weights_at: Callable[[float], FloatArray],
) -> Figure:
    """Draw the weights as bars; weights, mean score, entropy, output over all temperatures.

    A simple one has no entropy.
    """
    n, weights = len(words), weights_at(temperature)
    page = Page(max(ROW * (n + 3), 3.5 if values is None else 4.3))

    y = page.height - 0.7 * ROW
    page.say(0.08, y, normalizer, bold=True)
    y -= ROW
    page.end(1.05, y, "score", MUTED)
    page.end(2.12, y, r"weight $\alpha$", MUTED)
    page.rule(y - 0.6 * ROW, 2.12)
    for i, (word, score, w) in enumerate(zip(words, scores, weights, strict=True)):
        y -= ROW * (1.3 if i == 0 else 1)
        page.say(0.08, y, word, cut=8)
        page.weight((1.15, 0.54, 2.12), y, w, n, bold=w == weights.max())
        page.end(1.05, y, short(score))

    # The chart: panels over one axis, on which temperatures stand as on the slider.
    positions = np.linspace(0, 100, 201)
    temperatures = np.array([temperature_under(position) for position in positions])
    curves = np.array([weights_at(t) for t in temperatures])
    here = float(np.interp(temperature, temperatures, positions))
    mean = float(weights @ scores)
    ends_of_mean = float(scores.mean()), float(scores.max())
    panels: list[tuple[str, str, tuple[float, float], FloatArray, FloatArray | float]] = [
        (r"weight $\alpha$", MUTED, (0.0, 1.0), curves, weights),
        (f"mean score {fixed(mean, 3)}", page.ink, ends_of_mean, curves @ scores, mean),
    ]
    if not simple:
        bits = float(entropy(weights))
        title = f"entropy {bits:.3f} bits"
        panels.append((title, page.ink, (0.0, math.log2(n)), entropy(curves), bits))
    if values is not None:
        outputs, output = curves @ values, float(weights @ values)
        ends = min(0.0, outputs.min()), max(0.0, outputs.max())
        panels.append((f"output $o$ = {fixed(output, 4)}", ROLE_COLORS["o"], ends, outputs, output))
    shares = [2.2, 1.0, *[0.7] * (len(panels) - 2)]
    room, top = page.height - 0.3 * len(panels) - 0.45, page.height - 0.3
    for (title, color, (low, high), lines, now), share in zip(panels, shares, strict=True):
        tall = room * share / sum(shares)
        limits = {"xlim": (0, 100), "ylim": (low, high if high > low else low + 1)}
        ax = page.panel(2.65, top - tall, 2.25, tall, **limits)
        top -= tall + 0.3
        is_weights = lines.ndim == 2
        ax.plot(positions, lines, "-", color=color, lw=1 if is_weights else 1.8, clip_on=False)
        ax.axvline(here, color=page.ink, lw=0.8)
        dots, fill = np.atleast_1d(now), ink(now) if is_weights else color
        style: dict[str, Any] = {"ec": page.ink, "lw": 0.6, "zorder": 3, "clip_on": False}
        ax.scatter(np.full(dots.shape, here), dots, s=18, c=fill, **style)
        ax.set_title(title, fontsize=SIZE, color=page.ink if is_weights else color, pad=3)
        ax.set_yticks([low, high], [short(round(low, 2)), short(round(high, 2))])
        ax.set_xticks([0, 25, 50, 75, 100], [])
    ax.set_xticklabels(["0", "0.1", "1", "10", "∞"])
    ax.set_xlabel(f"temperature $T$ = {short(temperature)}", fontsize=SIZE, labelpad=1)
    return page.figure
