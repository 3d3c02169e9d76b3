"""The explorer of positional encodings at rest: three panels on one axis of positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from attnutils.positional import alibi_bias
from attnutils.widgets.pictures._drawing import MUTED, ROW, RULE, SIZE, fixed, page_axes, rule, say
from attnutils.widgets.positional_encoding_explorer import N_HEADS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from attnutils._shapes import FloatArray
    from attnutils.widgets.positional_encoding_explorer import PositionalEncodingExplorer

_HEIGHT = 4.4
_BOTTOM, _TALL = 1.42, 2.3  # of the panels
_DEEPEST = 8  # the scale of ALiBi, as in the widget
_WAVES = (0, 6, 14)
_OFFSETS = (0, 1, 2, 4, 5, 8)
_TITLES = {
    "sinusoidal": ("encoding P", "similarity", ["dot product", "similarity"]),
    "rotary": ("(1, 0, 1, 0, …) turned", "score", ["score q · k", "score"]),
    "alibi": ("bias", "factor", ["bias", "factor"]),
}


def encoding_picture(explorer: PositionalEncodingExplorer) -> Figure:
    """Draw the heatmap, the waves and the similarity, with one line at the chosen position."""
    figure = Figure(figsize=(5, _HEIGHT))
    page = page_axes(figure)
    is_bias = explorer.encoding == "alibi"
    title, curve_title, _ = _TITLES[explorer.encoding]
    if is_bias:
        title += f", head {explorer.head}"
        facts = f"ALiBi, length {explorer.length}, head {explorer.head}"
    else:
        facts = (
            f"{explorer.encoding}, length {explorer.length}, dimension {explorer.dim}, "
            f"base {explorer.base:.10g}"
        )
    say(page, 0.08, _HEIGHT - 0.16, f"{facts}; position {explorer.position}", bold=True)

    heat = _panel(figure, explorer, 0.42, 1.98, title)
    _draw_heatmap(heat, explorer)
    if is_bias:
        _draw_fan(_panel(figure, explorer, 2.7, 1.05, "bias, each head"), explorer)
    else:
        count = min(len(_WAVES), explorer.dim)
        # As in the widget: where a column is missing, one of the last stands in.
        waves = [c if c < explorer.dim else explorer.dim - count + i for i, c in enumerate(_WAVES)]
        for i, column in enumerate(waves[:count]):
            wavelength = 2 * np.pi / _frequency(explorer, column)
            style = ".3g" if wavelength < 1000 else ".0f" if wavelength < 1e5 else ".1e"
            strip = _panel(
                figure,
                explorer,
                2.55 + 0.44 * i,
                0.38,
                f"dim {column}\n$\\lambda$ {wavelength:{style}}",
            )
            _draw_wave(strip, explorer, column)
    _draw_curve(_panel(figure, explorer, 3.95, 0.95, curve_title), explorer)
    # One line through all panels, in the gaps between them too.
    ink = matplotlib.rcParams["text.color"]
    y = _BOTTOM + _TALL * (1 - (explorer.position + 0.5) / explorer.length)
    page.plot([0.42, 4.9], [y, y], "-", color=ink, lw=0.8)
    page.set_zorder(1)
    page.patch.set_visible(False)
    _write_table(page, explorer)
    return figure


def _panel(
    figure: Figure, explorer: PositionalEncodingExplorer, left: float, width: float, title: str
) -> Axes:
    """Axes down which the positions run."""
    rect = (left / 5, _BOTTOM / _HEIGHT, width / 5, _TALL / _HEIGHT)
    ax = figure.add_axes(rect, ylim=(explorer.length - 0.5, -0.5))
    ax.set_title(title, fontsize=SIZE, pad=4, loc="left", color=MUTED)
    ax.set_yticks([])
    ax.tick_params(labelsize=SIZE, length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    return ax


def _draw_heatmap(ax: Axes, explorer: PositionalEncodingExplorer) -> None:
    is_bias = explorer.encoding == "alibi"
    scale = _DEEPEST if is_bias else 1
    matrix = explorer.encoding_matrix
    ax.imshow(
        matrix, cmap="RdBu_r", vmin=-scale, vmax=scale, aspect="auto", interpolation="nearest"
    )
    here, last = explorer.position, explorer.length - 1
    # A tick would hide the number of the chosen position if it stood too close to it.
    ticks = [i for i in sorted({0, last // 2, last}) if abs(i - here) > 0.06 * explorer.length]
    ax.set_yticks([*ticks, here], [*map(str, ticks), str(here)])
    ax.get_yticklabels()[-1].set_fontweight("bold")
    columns = matrix.shape[1]
    ax.set_xticks([0, columns - 1], ["0", str(columns - 1)])
    ax.set_xlabel("key" if is_bias else "dimension", fontsize=SIZE, labelpad=-8)


def _frequency(explorer: PositionalEncodingExplorer, column: int) -> float:
    frequency: float = explorer.base ** (-(column - column % 2) / explorer.dim)
    return frequency


def _draw_wave(ax: Axes, explorer: PositionalEncodingExplorer, column: int) -> None:
    frequency, ink = _frequency(explorer, column), matplotlib.rcParams["text.color"]
    positions = np.linspace(0, explorer.length - 1, 400)
    wave = np.sin if (column % 2 == 0) == (explorer.encoding == "sinusoidal") else np.cos
    value = explorer.encoding_matrix[explorer.position, column]
    ax.axvline(0, color=RULE, lw=0.5)
    ax.plot(wave(positions * frequency), positions, "-", lw=0.9, color=ink, clip_on=False)
    ax.plot([value], [explorer.position], "o", ms=3.5, color=ink, clip_on=False)
    ax.set_xlim(-1, 1)
    ax.set_xticks([0], [fixed(value, 2)])


def _draw_fan(ax: Axes, explorer: PositionalEncodingExplorer) -> None:
    positions, ink = np.arange(explorer.length), matplotlib.rcParams["text.color"]
    for head, bias in enumerate(alibi_bias(N_HEADS, explorer.length)[:, explorer.position]):
        chosen = head == explorer.head
        ax.plot(bias, positions, "-", color=ink if chosen else MUTED, lw=1.8 if chosen else 0.5)
    ax.set_xlim(-_DEEPEST, 0)
    ax.set_xticks([-_DEEPEST, 0], [fixed(-_DEEPEST, 0), "0"])


def _draw_curve(ax: Axes, explorer: PositionalEncodingExplorer) -> None:
    similarity, ink = explorer.similarity, matplotlib.rcParams["text.color"]
    is_bias = explorer.encoding == "alibi"
    shown = np.exp(similarity) if is_bias else similarity
    for x in (0, 1):
        ax.axvline(x, color=RULE, lw=0.5)
    ax.plot(shown, np.arange(explorer.length), "-", lw=0.9, color=ink, clip_on=False)
    ax.plot([1], [explorer.position], "o", ms=3.5, color=ink, clip_on=False)
    # One scale for all positions, so that the shape stays.
    low = 0 if is_bias else min(-0.25, explorer.similarity_to(0).min())
    ax.set_xlim(low, 1)
    ax.set_xticks([0, 1], ["0", "1"])


def _write_table(page: Axes, explorer: PositionalEncodingExplorer) -> None:
    """Write the numbers by offset, on the side that reaches further: both hold the same."""
    curve, here = explorer.similarity, explorer.position
    by_offset = curve[here:] if here < explorer.length / 2 else curve[here::-1]
    rows: list[tuple[FloatArray, int]] = (
        [(by_offset, 3 if explorer.head < 5 else 4), (np.exp(by_offset), 3)]
        if explorer.encoding == "alibi"
        else [(by_offset * explorer.dim / 2, 2), (by_offset, 3)]
    )
    y = _BOTTOM - 0.55
    ends = [1.65 + 0.65 * i for i in range(len(_OFFSETS))]
    say(page, 0.08, y, "offset", color=MUTED)
    for k, end in zip(_OFFSETS, ends, strict=True):
        say(page, end, y, str(k), color=MUTED, ha="right")
    rule(page, y - 0.5 * ROW, 4.9)
    for name, (numbers, digits) in zip(_TITLES[explorer.encoding][2], rows, strict=True):
        y -= ROW * 1.1
        say(page, 0.08, y, name)
        for k, end in zip(_OFFSETS, ends, strict=True):
            text = fixed(numbers[k], digits) if k < len(numbers) else "–"
            say(page, end, y, text, ha="right")
