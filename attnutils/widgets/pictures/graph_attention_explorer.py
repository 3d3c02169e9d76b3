"""The graph attention explorer at rest: the graph, and the receiver's senders as bars."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from attnutils.plotting import ROLE_COLORS, plot_graph_attention
from attnutils.widgets.pictures._drawing import (
    MUTED,
    ROW,
    bar,
    fixed,
    page_axes,
    rule,
    say,
    short,
    weight_text,
)

if TYPE_CHECKING:
    from attnutils.widgets.graph_attention_explorer import GraphAttentionExplorer

MOST_BARS = 12
GRAPH = 2.7  # inches, its height at least


def graph_picture(explorer: GraphAttentionExplorer) -> Figure:
    """Draw the graph with the receiver's weights, and its best senders as bars."""
    names, receivers = explorer.names, np.array(explorer.receivers)
    scores = explorer.scores[explorer.mechanism][:, explorer.head]
    weights = explorer.weights
    edges = np.flatnonzero(receivers == explorer.receiver)
    ranked = edges[np.argsort(-scores[edges], kind="stable")]
    is_open = np.isfinite(scores[edges])
    n_open = int(is_open.sum())
    all_tie = n_open > 1 and np.ptp(weights[edges][is_open]) == 0

    more = len(ranked) - MOST_BARS
    height = max(GRAPH, ROW * (min(len(ranked), MOST_BARS) + 2 + (more > 0))) + 2 * ROW
    figure = Figure(figsize=(5, height))
    page = page_axes(figure)
    head = f", head {explorer.head}" if explorer.n_heads > 1 else ""
    title = f"{explorer.mechanism}{head}, temperature {short(explorer.temperature)}"
    say(page, 0.08, height - 0.7 * ROW, title, cut=60, bold=True)
    rule(page, height - 1.3 * ROW, 4.92)

    graph = figure.add_axes((0.02, 0.02, 0.58, (height - 1.4 * ROW - 0.1) / height))
    plot_graph_attention(
        explorer.positions,
        explorer.senders,
        explorer.receivers,
        weights,
        receiver=explorer.receiver,
        labels=[name if len(name) < 5 else f"{name[:3]}…" for name in names],
        ax=graph,
    )
    for label in graph.texts[: len(names)]:
        label.set_parse_math(False)  # a name of the reader's is never a formula
    if more > 0:  # too many numbers to keep them apart
        for label in graph.texts[len(names) :]:
            label.remove()

    top = height - 2.2 * ROW
    receiver = names[explorer.receiver]
    say(page, 3.2, top, f"{receiver} hears from …", color=ROLE_COLORS["q"], cut=22)
    for place, e in enumerate(ranked[:MOST_BARS]):
        y = top - (place + 1) * ROW
        hidden = bool(np.isneginf(scores[e]))
        bold = not hidden and not all_tie and weights[e] == weights[edges].max()
        say(page, 3.2, y, names[explorer.senders[e]], color=ROLE_COLORS["k"], bold=bold, cut=7)
        bar(page, 3.8, y, 0.62, weights[e], max(1, n_open), hidden)
        text = "hidden" if hidden else weight_text(weights[e])
        say(page, 4.92, y, text, ha="right", bold=bold)
    y = top - (min(len(ranked), MOST_BARS) + 1) * ROW
    if more > 0:
        say(page, 3.2, y, f"and {more} more", color=MUTED)
        y -= ROW
    say(page, 3.2, y, f"entropy {fixed(explorer.entropy, 2)} bits", color=MUTED)
    return figure
