"""The explorer of positional encodings at rest: three panels on one axis of positions."""

from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attnbook.explorers.pictures._drawing import MUTED, ROW, RULE, SIZE, Page, fixed
from attnutils._checks import FloatArray

_BOTTOM, _TALL = 1.42, 2.3  # of the panels
_DEEPEST = 8  # the scale of ALiBi, as in the widget
_WAVES = (0, 6, 14)
_OFFSETS = (0, 1, 2, 4, 5, 8)


def encoding_picture(
    facts: str,
    titles: tuple[str, str, Sequence[str]],
    matrix: FloatArray,
    similarities: FloatArray,
    position: int,
    *,
    frequency: Callable[[int], float] | None = None,
    is_sine_first: bool = True,
    fan: FloatArray | None = None,
    head: int = 0,
) -> Figure:
    """Draw the heatmap, the waves and the similarity, with one line at the chosen position.

    The titles are those of the heatmap, of the curve, and of the rows of numbers. `similarities`
    has a row for position 0 and for the chosen one. Waves have a frequency; ALiBi has a fan of
    biases instead, one line for each head.
    """
    page = Page(4.4)
    page.say(0.08, page.height - 0.16, f"{facts}; position {position}", bold=True)
    length, columns = matrix.shape

    def panel(left: float, width: float, title: str) -> Axes:
        """Axes down which the positions run."""
        ax = page.panel(left, _BOTTOM, width, _TALL, ylim=(length - 0.5, -0.5))
        ax.set_title(title, fontsize=SIZE, pad=4, loc="left", color=MUTED)
        ax.set_yticks([])
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        return ax

    heat = panel(0.42, 1.98, titles[0])
    # Biases by their roots: those of the last heads show beside those of the first.
    shades = matrix if fan is None else -np.sqrt(-matrix / _DEEPEST)
    image = heat.imshow(shades, cmap="RdBu_r", aspect="auto", interpolation="nearest")
    image.set_clim(-1, 1)
    # A tick would hide the number of the chosen position if it stood too close to it.
    ends = sorted({0, (length - 1) // 2, length - 1})
    ticks = [*(i for i in ends if abs(i - position) > 0.06 * length), position]
    heat.set_yticks(ticks, map(str, ticks))
    heat.get_yticklabels()[-1].set_fontweight("bold")
    heat.set_xticks([0, columns - 1], ["0", str(columns - 1)])
    heat.set_xlabel("dimension" if fan is None else "key", fontsize=SIZE, labelpad=-8)

    if frequency is not None:
        count, places = min(len(_WAVES), columns), np.linspace(0, length - 1, 400)
        for i, wanted in enumerate(_WAVES[:count]):
            # As in the widget: where a column is missing, one of the last stands in.
            column = wanted if wanted < columns else columns - count + i
            omega = frequency(column)
            period = 2 * np.pi / omega
            style = ".3g" if period < 1000 else ".0f" if period < 1e5 else ".1e"
            strip = panel(2.55 + 0.44 * i, 0.38, f"dim {column}\n$\\lambda$ {period:{style}}")
            wave = np.sin if (column % 2 == 0) == is_sine_first else np.cos
            strip.axvline(0, color=RULE, lw=0.5)
            strip.plot(wave(places * omega), places, "-", lw=0.9, color=page.ink, clip_on=False)
            value = matrix[position, column]
            strip.plot([value], [position], "o", ms=3.5, color=page.ink, clip_on=False)
            strip.set_xlim(-1, 1)
            strip.set_xticks([0], [fixed(value, 2)])
    if fan is not None:
        lines = panel(2.7, 1.05, "bias, each head")
        for i, bias in enumerate(fan):
            color, width = (page.ink, 1.8) if i == head else (MUTED, 0.5)
            lines.plot(bias, np.arange(length), "-", color=color, lw=width)
        # The smallest of a few depths that holds the whole line, if any does.
        farthest = 2.0 ** -(head + 1) * (length - 1)
        depth = next((depth for depth in (0.5, 2) if farthest <= depth), _DEEPEST)
        lines.set_xlim(-depth, 0)
        lines.set_xticks([-depth, 0], [f"−{depth:g}", "0"])

    curve = panel(3.95, 0.95, titles[1])
    for x in (0, 1) if fan is None else (0, 0.5, 1):
        curve.axvline(x, color=RULE, lw=0.5)
    similarity = similarities[1]
    shown = similarity if fan is None else np.exp(similarity)
    curve.plot(shown, np.arange(length), "-", lw=0.9, color=page.ink, clip_on=False)
    curve.plot([1], [position], "o", ms=3.5, color=page.ink, clip_on=False)
    # One scale for all positions, so that the shape stays.
    curve.set_xlim(min(-0.25, similarities[0].min()) if fan is None else 0, 1)
    curve.set_xticks([0, 1], ["0", "1"])
    if fan is not None:
        curve.set_xticks([0, 0.5, 1], ["0", "½", "1"])

    # One line through all panels, in the gaps between them too.
    y = _BOTTOM + _TALL * (1 - (position + 0.5) / length)
    page.axes.plot([0.42, 4.9], [y, y], "-", color=page.ink, lw=0.8)
    page.axes.set_zorder(1)
    page.axes.patch.set_visible(False)

    # The numbers by offset, on the side that reaches further: both hold the same.
    by_offset = similarity[position:] if position < length / 2 else similarity[position::-1]
    rows = (
        [(by_offset * columns / 2, 2), (by_offset, 3)]
        if fan is None
        else [(by_offset, 3 if head < 5 else 4), (np.exp(by_offset), 3)]
    )
    y = _BOTTOM - 0.55
    xs = [1.65 + 0.65 * i for i in range(len(_OFFSETS))]
    page.say(0.08, y, "offset", MUTED)
    for k, end in zip(_OFFSETS, xs, strict=True):
        page.end(end, y, str(k), MUTED)
    page.rule(y - 0.5 * ROW, 4.9)
    for name, (numbers, digits) in zip(titles[2], rows, strict=True):
        y -= ROW * 1.1
        page.say(0.08, y, name)
        for k, end in zip(_OFFSETS, xs, strict=True):
            page.end(end, y, fixed(numbers[k], digits) if k < len(numbers) else "–")
    return page.figure
