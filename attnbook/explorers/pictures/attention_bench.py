"""The bench at rest: three steps as a table."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from attnbook.explorers.pictures._drawing import MUTED, ROW, Page, fixed, short
from attnutils._checks import FloatArray


def bench_picture(
    words: Sequence[str],
    keys: FloatArray,
    values: FloatArray,
    *,
    asks: str,
    query: FloatArray,
    compared: str,
    scores: FloatArray,
    temperature: float,
    mask: Sequence[bool],
    weights: FloatArray,
    output: float,
) -> Figure:
    """Draw the three steps as a table: scores, weights with bars, and the weighted sum."""
    n, d = keys.shape
    step = 0.16 + 0.09 * max(2, *(len(short(x)) for x in [*query, *keys.flat]))
    # Columns are named by where they end.
    ends = [0.92 + step * (column + 1) for column in range(d)]
    score, weight, value, end = (ends[-1] + width for width in (0.56, 2.06, 2.52, 3.14))
    page = Page(ROW * (n + 2.6), max(5, end + 0.08))
    formulas = {
        "dot": "$q · k$",
        "scaled_dot": rf"$q · k\,/\sqrt{{{d}}}$",
        "gaussian": "$-|q-k|^2/2$",
    }

    y = page.height - 0.7 * ROW
    page.say(0.08, y, "$q$", "q")
    page.say(0.24, y, asks, "q", cut=9)
    for x, number in zip(ends, query, strict=True):
        page.end(x, y, short(number), "q")
    page.end(score, y, formulas[compared])
    page.say(score + 0.1, y, f"at $T$ = {short(temperature)}", MUTED)
    page.end(weight, y, r"weight $\alpha$")
    page.end(value, y, "$v$", "v")
    page.end(end, y, r"$\alpha\,v$")
    page.rule(y - 0.6 * ROW, end)

    digits = 0 if np.all(scores == np.round(scores)) else 2
    y -= 0.3 * ROW
    for word, key, v, raw, w, is_open in zip(
        words, keys, values, scores, weights, mask, strict=True
    ):
        y -= ROW
        bold = is_open and w == weights.max()
        page.say(0.08, y, word, None if is_open else MUTED, cut=9)
        page.weight(
            (score + 0.1, 0.9, weight), y, w, max(1, sum(mask)), hidden=not is_open, bold=bold
        )
        for x, number in zip(ends, key, strict=True):
            page.end(x, y, short(number), "k")
        page.end(score, y, fixed(raw, digits), bold=bold)
        page.end(value, y, short(v), "v")
        page.end(end, y, fixed(w * v, 3), bold=bold)
    page.rule(y - 0.6 * ROW, end)
    y -= 1.2 * ROW
    page.end(end - 0.66, y, "output $o$", "o")
    page.end(end, y, fixed(output, 4), "o", bold=True)
    return page.figure
