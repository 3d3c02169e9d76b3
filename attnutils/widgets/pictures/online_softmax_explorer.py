"""The online softmax explorer at rest: the keys with their terms, and the running output."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from attnutils.plotting import ROLE_COLORS
from attnutils.widgets.pictures._drawing import (
    MUTED,
    ROW,
    RULE,
    fixed,
    page_axes,
    rule,
    say,
    short,
)

if TYPE_CHECKING:
    from attnutils.widgets.online_softmax_explorer import OnlineSoftmaxExplorer

LEFT, RIGHT = 3.4, 4.85  # inches: where the smallest and the largest value stand


def _term_text(term: float) -> str:
    return "<.0001" if 0 < term < 0.00005 else fixed(term, 4)


def online_softmax_picture(explorer: OnlineSoftmaxExplorer) -> Figure:
    """Draw the keys that are read with their terms as bars, and the output after each block."""
    scores, values, block, step = explorer.scores, explorer.values, explorer.block, explorer.step
    n, states = scores.size, explorer.states
    now = states[step]
    end, start = min(n, step * block), max(0, step - 1) * block
    figure = Figure(figsize=(5, ROW * (n + 4.6)))
    page = page_axes(figure)

    top = figure.get_figheight() - 2.3 * ROW
    title = f"{end} of {n} keys read" + ("" if explorer.correct else ", old terms not corrected")
    say(page, 0.08, top + 1.6 * ROW, title, bold=True)
    say(page, 0.08, top + 0.5 * ROW, "key $k$", color=ROLE_COLORS["k"])
    say(page, 1.15, top + 0.5 * ROW, "score", color=MUTED, ha="right")
    say(page, 1.65, top + 0.5 * ROW, "value $v$", color=ROLE_COLORS["v"], ha="right")
    say(page, 3.0, top + 0.5 * ROW, "term of $l$", color=MUTED, ha="right")
    rule(page, top, 3.0)
    for i, name in enumerate(explorer.names):
        y, is_read = top - (i + 0.5) * ROW, i < end
        color = None if is_read else MUTED
        say(page, 0.08, y, name, cut=9, bold=start <= i < end, color=color)
        say(page, 1.15, y, short(scores[i]), ha="right", color=color)
        say(page, 1.65, y, short(values[i]), ha="right", color=color)
        if is_read:
            term = float(now.terms[i])
            fill = matplotlib.colormaps["viridis"](term)
            bar = Rectangle((1.8, y - 0.08), 0.6 * term, 0.16, fc=fill, ec="black", lw=0.6)
            page.add_patch(bar)
            say(page, 3.0, y, _term_text(term), ha="right")
        else:
            say(page, 3.0, y, "to come", ha="right", color=color)
    if end:
        box = Rectangle((0.03, top - end * ROW), 3.02, (end - start) * ROW, fc="none", ec="black")
        page.add_patch(box)

    # The output after each block stands on the lower edge of the block.
    low, high = float(values.min()), float(values.max())

    def x(value: float) -> float:
        return LEFT + (RIGHT - LEFT) * ((value - low) / (high - low) if high > low else 0.5)

    bottom = top - n * ROW
    purple, green = ROLE_COLORS["o"], ROLE_COLORS["v"]
    exact = x(explorer.exact)
    page.plot([exact, exact], [top + 0.2 * ROW, bottom - 0.1], "--", color=purple, lw=0.9)
    place = min(max(exact, LEFT + 0.4), RIGHT - 0.4)
    say(
        page, place, top + 0.5 * ROW, f"exact {fixed(explorer.exact, 4)}", color=purple, ha="center"
    )
    for i, value in enumerate(values):
        face = green if i < end else "white"
        page.scatter([x(value)], [top - (i + 0.5) * ROW], s=14, c=face, ec=green, lw=0.9, zorder=3)
    xs = [x(state.output) for state in states[1 : step + 1]]
    ys = [top - min(n, i * block) * ROW for i in range(1, step + 1)]
    page.plot(xs, ys, "-", color=purple, lw=1.2)
    page.scatter(xs, ys, s=[14] * (step - 1) + [34] * bool(step), c=purple, ec="white", zorder=4)
    for where, ha, number in ((LEFT, "left", low), (RIGHT, "right", high)):
        say(page, where, bottom - 0.7 * ROW, short(number), color=green, ha=ha)
    page.plot([LEFT, RIGHT], [bottom - 0.1] * 2, "-", color=RULE, lw=0.6)

    rule(page, bottom - 1.1 * ROW, 4.92)
    text = f"$m$ = {short(now.maximum)}    $l$ = {fixed(now.total, 4)}    "
    say(page, 0.08, bottom - 1.7 * ROW, text)
    say(page, 2.2, bottom - 1.7 * ROW, f"$o$ = {fixed(now.output, 4)}", color=purple, bold=True)
    return figure
