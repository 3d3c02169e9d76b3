"""The online softmax explorer at rest: the keys with their terms, and the running output."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from attnbook.explorers.pictures._drawing import MUTED, ROW, RULE, Page, fixed, short, weight_text
from attnutils._checks import FloatArray
from attnutils.plotting import ROLE_COLORS

LEFT, RIGHT = 3.4, 4.85  # inches: where the smallest and the largest value stand


def online_softmax_picture(
    title: str,
    names: Sequence[str],
    scores: FloatArray,
    values: FloatArray,
    ends: Sequence[int],
    *,
    maximum: float,
    terms: FloatArray,
    total: float,
    outputs: Sequence[float],
    exact: float,
) -> Figure:
    """Draw the keys that are read with their terms as bars, and the output after each block.

    `ends` say how many keys are read after no block and after each block so far.
    """
    n, end, start = len(names), ends[-1], ends[max(0, len(ends) - 2)]
    page = Page(ROW * (n + 4.6))
    top = page.height - 2.3 * ROW
    page.say(0.08, top + 1.6 * ROW, title, bold=True)
    page.say(0.08, top + 0.5 * ROW, "key $k$", "k")
    page.end(1.15, top + 0.5 * ROW, "score", MUTED)
    page.end(1.65, top + 0.5 * ROW, "value $v$", "v")
    page.end(3.0, top + 0.5 * ROW, "term of $\\ell$", MUTED)
    page.rule(top, 3.0)
    for i, name in enumerate(names):
        y, color = top - (i + 0.5) * ROW, None if i < end else MUTED
        page.say(0.08, y, name, color, cut=9, bold=start <= i < end)
        page.end(1.15, y, short(scores[i]), color)
        page.end(1.65, y, short(values[i]), color)
        if i < end:
            page.bar(1.8, y, 0.6, terms[i])
        page.end(3.0, y, weight_text(terms[i], 4) if i < end else "to come", color)
    if end:
        page.box(0.03, top - (start + end) / 2 * ROW, 3.02, (end - start) * ROW, ec="black")

    # The output after each block stands on the lower edge of the block.
    low, high = float(values.min()), float(values.max())

    def x(value: float) -> float:
        return LEFT + (RIGHT - LEFT) * ((value - low) / (high - low) if high > low else 0.5)

    bottom = top - n * ROW
    purple, green, draw = ROLE_COLORS["o"], ROLE_COLORS["v"], page.axes
    draw.plot([x(exact)] * 2, [top + 0.2 * ROW, bottom - 0.1], "--", color=purple, lw=0.9)
    place = min(max(x(exact), LEFT + 0.4), RIGHT - 0.4)
    page.say(place, top + 0.5 * ROW, f"exact {fixed(exact, 4)}", "o", ha="center")
    for i, value in enumerate(values):
        y, face = top - (i + 0.5) * ROW, green if i < end else "white"
        draw.scatter([x(value)], [y], s=14, c=face, ec=green, lw=0.9, zorder=3)
    xs, ys = [x(output) for output in outputs], [top - end * ROW for end in ends[1:]]
    sizes = [14] * (len(xs) - 1) + [34] * bool(xs)
    draw.plot(xs, ys, "-", color=purple, lw=1.2)
    draw.scatter(xs, ys, s=sizes, c=purple, ec="white", zorder=4)
    page.say(LEFT, bottom - 0.7 * ROW, short(low), "v")
    page.end(RIGHT, bottom - 0.7 * ROW, short(high), "v")
    draw.plot([LEFT, RIGHT], [bottom - 0.1] * 2, "-", color=RULE, lw=0.6)

    page.rule(bottom - 1.1 * ROW, 4.92)
    output = outputs[-1] if outputs else 0.0
    page.say(0.08, bottom - 1.7 * ROW, f"$m$ = {short(maximum)}    $\\ell$ = {fixed(total, 4)}    ")
    page.say(2.2, bottom - 1.7 * ROW, f"$o$ = {fixed(output, 4)}", "o", bold=True)
    return page.figure
