"""The widgets at rest, drawn with matplotlib: what shows where no script runs.

Each picture is 5 inches wide, so that its numbers stay readable on a phone. Lengths are inches.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from attnutils.normalize import entropy
from attnutils.plotting import ROLE_COLORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from attnutils._shapes import FloatArray
    from attnutils.widgets.attention_bench import AttentionBench
    from attnutils.widgets.temperature_explorer import TemperatureExplorer

ROW = 0.27
SIZE = 8.5
MUTED = "#59636e"
RULE = "#868f99"
HATCH = "#a9b0b8"


def bench_picture(bench: AttentionBench) -> Figure:
    """Draw the three steps as a table: scores, weights with bars, and the weighted sum."""
    n, d = bench.key_matrix.shape
    longest = max(len(_short(x)) for x in [*bench.query_vector, *bench.key_matrix.flat])
    step = 0.16 + 0.09 * max(2, longest)
    keys = 0.92 + step * d  # columns are named by where they end
    score, weight, value, end = keys + 0.56, keys + 2.06, keys + 2.52, keys + 3.14
    height = ROW * (n + 2.6)
    figure = Figure(figsize=(max(5, end + 0.08), height))
    page = _page(figure)
    weights, scores = bench.weights, bench.raw_scores
    q, k, v, o = (ROLE_COLORS[letter] for letter in "qkvo")
    compared = {
        "dot": "$q · k$",
        "scaled_dot": rf"$q · k\,/\sqrt{{{d}}}$",
        "gaussian": "$-|q-k|^2/2$",
    }

    y = height - 0.7 * ROW
    edited = not np.array_equal(bench.query_vector, bench.key_matrix[bench.query])
    _say(page, 0.08, y, "$q$", color=q)
    _say(page, 0.24, y, "edited" if edited else bench.words[bench.query], color=q, cut=9)
    _numbers(page, keys, step, y, bench.query_vector, q)
    _say(page, score, y, compared[bench.score], ha="right")
    _say(page, score + 0.1, y, f"at $T$ = {_short(bench.temperature)}", color=MUTED)
    _say(page, weight, y, r"weight $\alpha$", ha="right")
    _say(page, value, y, "$v$", color=v, ha="right")
    _say(page, end, y, r"$\alpha\,v$", ha="right")
    _rule(page, y - 0.6 * ROW, end)

    digits = 0 if np.all(scores == np.round(scores)) else 2
    for i, word in enumerate(bench.words):
        y -= ROW * (1.3 if i == 0 else 1)
        hidden = not bench.mask[i]
        bold = not hidden and weights[i] == weights.max()
        _say(page, 0.08, y, word, cut=9, color=MUTED if hidden else None)
        _numbers(page, keys, step, y, bench.key_matrix[i], k)
        _say(page, score, y, _fixed(scores[i], digits), ha="right", bold=bold)
        _bar(page, score + 0.1, y, 0.9, weights[i], n, hidden)
        _say(page, weight, y, "hidden" if hidden else _weight(weights[i]), ha="right", bold=bold)
        _say(page, value, y, _short(bench.value_matrix[i, 0]), color=v, ha="right")
        product = weights[i] * bench.value_matrix[i, 0]
        _say(page, end, y, _fixed(product, 3), ha="right", bold=bold)
    _rule(page, y - 0.6 * ROW, end)
    y -= 1.2 * ROW
    _say(page, end - 0.66, y, "output $o$", color=o, ha="right")
    _say(page, end, y, _fixed(bench.output[0], 4), color=o, ha="right", bold=True)
    return figure


def temperature_picture(explorer: TemperatureExplorer) -> Figure:
    """Draw the weights as bars, and weights, entropy and output over all temperatures."""
    n = len(explorer.words)
    weights, scores, output = explorer.weights, explorer.tied_scores, explorer.output
    height = max(ROW * (n + 3), 2.7 if output is None else 3.5)
    figure = Figure(figsize=(5, height))
    page = _page(figure)

    y = height - 0.7 * ROW
    _say(page, 0.08, y, explorer.normalizer, bold=True)
    y -= ROW
    _say(page, 1.05, y, "score", color=MUTED, ha="right")
    _say(page, 2.12, y, r"weight $\alpha$", color=MUTED, ha="right")
    _rule(page, y - 0.6 * ROW, 2.12)
    for i, word in enumerate(explorer.words):
        y -= ROW * (1.3 if i == 0 else 1)
        _say(page, 0.08, y, word, cut=8)
        _say(page, 1.05, y, _short(scores[i]), ha="right")
        _bar(page, 1.15, y, 0.54, weights[i], n, hidden=False)
        _say(page, 2.12, y, _weight(weights[i]), ha="right", bold=weights[i] == weights.max())

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
        title = f"output $o$ = {_fixed(output[0], 4)}"
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
        ax.set_yticks([low, high], [_short(round(low, 2)), _short(round(high, 2))])
        ax.set_xticks([0, 25, 50, 75, 100], [])
        ax.tick_params(labelsize=SIZE)
    ax.set_xticklabels(["0", "0.1", "1", "10", "∞"])
    ax.set_xlabel(f"temperature $T$ = {_short(explorer.temperature)}", fontsize=SIZE, labelpad=1)
    return figure


def _page(figure: Figure) -> Axes:
    """Axes over the whole figure, in inches; what is on them has its place already."""
    figure.set_layout_engine("none")
    width, height = figure.get_size_inches()
    ax = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(0, height))
    ax.set_axis_off()
    return ax


def _say(
    page: Axes,
    x: float,
    y: float,
    text: str,
    *,
    color: str | None = None,
    ha: str = "left",
    bold: bool = False,
    cut: int | None = None,
) -> None:
    """Write text. A word of the reader's is cut where it is too long, and is never a formula."""
    if cut and len(text) > cut:
        text = text[: cut - 1] + "…"
    page.text(
        x,
        y,
        text,
        color=color or matplotlib.rcParams["text.color"],
        ha=ha,
        va="center",
        weight="bold" if bold else "normal",
        size=SIZE,
        parse_math=cut is None,
    )


def _numbers(
    page: Axes, end: float, step: float, y: float, numbers: FloatArray, color: str
) -> None:
    """Write a row of numbers in columns of width `step`, the last of which ends at `end`."""
    for column, number in enumerate(reversed(numbers)):
        _say(page, end - step * column, y, _short(number), color=color, ha="right")


def _rule(page: Axes, y: float, end: float) -> None:
    page.plot([0.08, end], [y, y], "-", color=RULE, lw=0.6)


def _bar(page: Axes, x: float, y: float, width: float, weight: float, n: int, hidden: bool) -> None:
    """Draw a weight as length and colour, with a dotted mark at the uniform weight."""
    bottom, height = y - 0.08, 0.16
    if hidden:
        box = Rectangle((x, bottom), width, height, fc="none", ec=HATCH, hatch="////", lw=0)
    else:
        color = matplotlib.colormaps["viridis"](float(weight))
        box = Rectangle((x, bottom), width * weight, height, fc=color, ec="black", lw=0.6)
    page.add_patch(box)
    page.plot([x, x], [bottom, bottom + height], "-", color=RULE, lw=0.8)
    mark = x + width / n
    page.plot([mark, mark], [bottom - 0.03, bottom + height + 0.03], ":", color=MUTED, lw=0.8)


def _fixed(x: float, digits: int) -> str:
    """Fixed decimals with a true minus sign and no minus zero."""
    return f"{x:z.{digits}f}".replace("-", "−")


def _weight(x: float) -> str:
    return "<.001" if 0 < x < 0.0005 else _fixed(x, 3)


def _short(x: float) -> str:
    return "∞" if math.isinf(x) else f"{x:z.4g}".replace("-", "−")
