"""The bench at rest: three steps as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from attnutils.plotting import ROLE_COLORS
from attnutils.widgets.pictures._drawing import (
    MUTED,
    ROW,
    bar,
    fixed,
    page_axes,
    rule,
    say,
    say_numbers,
    short,
    weight_text,
)

if TYPE_CHECKING:
    from attnutils.widgets.attention_bench import AttentionBench


def bench_picture(bench: AttentionBench) -> Figure:
    """Draw the three steps as a table: scores, weights with bars, and the weighted sum."""
    n, d = bench.key_matrix.shape
    longest = max(len(short(x)) for x in [*bench.query_vector, *bench.key_matrix.flat])
    step = 0.16 + 0.09 * max(2, longest)
    keys = 0.92 + step * d  # columns are named by where they end
    score, weight, value, end = keys + 0.56, keys + 2.06, keys + 2.52, keys + 3.14
    height = ROW * (n + 2.6)
    figure = Figure(figsize=(max(5, end + 0.08), height))
    page = page_axes(figure)
    weights, scores = bench.weights, bench.raw_scores
    q, k, v, o = (ROLE_COLORS[letter] for letter in "qkvo")
    compared = {
        "dot": "$q · k$",
        "scaled_dot": rf"$q · k\,/\sqrt{{{d}}}$",
        "gaussian": "$-|q-k|^2/2$",
    }

    y = height - 0.7 * ROW
    edited = not np.array_equal(bench.query_vector, bench.key_matrix[bench.query])
    say(page, 0.08, y, "$q$", color=q)
    say(page, 0.24, y, "edited" if edited else bench.words[bench.query], color=q, cut=9)
    say_numbers(page, keys, step, y, bench.query_vector, q)
    say(page, score, y, compared[bench.score], ha="right")
    say(page, score + 0.1, y, f"at $T$ = {short(bench.temperature)}", color=MUTED)
    say(page, weight, y, r"weight $\alpha$", ha="right")
    say(page, value, y, "$v$", color=v, ha="right")
    say(page, end, y, r"$\alpha\,v$", ha="right")
    rule(page, y - 0.6 * ROW, end)

    digits = 0 if np.all(scores == np.round(scores)) else 2
    for i, word in enumerate(bench.words):
        y -= ROW * (1.3 if i == 0 else 1)
        hidden = not bench.mask[i]
        bold = not hidden and weights[i] == weights.max()
        say(page, 0.08, y, word, cut=9, color=MUTED if hidden else None)
        say_numbers(page, keys, step, y, bench.key_matrix[i], k)
        say(page, score, y, fixed(scores[i], digits), ha="right", bold=bold)
        bar(page, score + 0.1, y, 0.9, weights[i], n, hidden)
        say(page, weight, y, "hidden" if hidden else weight_text(weights[i]), ha="right", bold=bold)
        say(page, value, y, short(bench.value_matrix[i, 0]), color=v, ha="right")
        product = weights[i] * bench.value_matrix[i, 0]
        say(page, end, y, fixed(product, 3), ha="right", bold=bold)
    rule(page, y - 0.6 * ROW, end)
    y -= 1.2 * ROW
    say(page, end - 0.66, y, "output $o$", color=o, ha="right")
    say(page, end, y, fixed(bench.output[0], 4), color=o, ha="right", bold=True)
    return figure
