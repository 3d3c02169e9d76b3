"""The graph attention explorer at rest: the graph, and the receiver's senders as bars."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from attnbook.explorers.pictures._drawing import MUTED, ROW, Page, fixed
from attnutils._checks import FloatArray
from attnutils.plotting import plot_graph_attention

MOST_BARS = 12
GRAPH = 2.7  # inches, its height at least


def graph_picture(
    title: str,
    names: Sequence[str],
    positions: Sequence[Sequence[float]],
    senders: Sequence[int],
    receivers: Sequence[int],
    *,
    topics: Sequence[str],
    receiver: int,
    scores: FloatArray,
    weights: FloatArray,
    bits: float,
) -> Figure:
    """Draw the graph with the receiver's weights, and its best senders as bars."""
    edges = np.flatnonzero(np.array(receivers) == receiver)
    heard, is_open = weights[edges], np.isfinite(scores[edges])
    all_tie = is_open.sum() > 1 and np.ptp(heard[is_open]) == 0
    ranked = edges[np.argsort(-scores[edges], kind="stable")]
    best, more = ranked[:MOST_BARS], len(ranked) - MOST_BARS

    page = Page(max(GRAPH, ROW * (len(best) + 2 + (more > 0))) + 2 * ROW, title=title)
    labels = [name if len(name) < 5 else f"{name[:3]}…" for name in names]
    graph = page.panel(0.1, 0.02 * page.height, 2.9, page.height - 1.4 * ROW - 0.1)
    plot_graph_attention(
        positions, senders, receivers, weights, receiver=receiver, labels=labels, ax=graph
    )
    for label in graph.texts[: len(names)]:
        label.set_parse_math(False)  # a name of the reader's is never a formula
    if more > 0:  # too many numbers to keep them apart
        for label in graph.texts[len(names) :]:
            label.remove()

    y = page.height - 2.2 * ROW
    page.say(3.2, y, f"{names[receiver]} hears from …", "q", cut=22)
    for e in best:
        y -= ROW
        hidden = bool(np.isneginf(scores[e]))
        bold = bool(not hidden and not all_tie and weights[e] == heard.max())
        page.say(3.2, y, names[senders[e]], "k", bold=bold, cut=4 if topics else 7)
        if topics:
            page.say(3.55, y, topics[senders[e]], MUTED, cut=6)
        n = max(1, int(is_open.sum()))
        bar = (4.05, 0.4) if topics else (3.8, 0.62)
        page.weight((*bar, 4.92), y, weights[e], n, hidden=hidden, bold=bold)
    rest = [f"and {more} more"] if more > 0 else []
    for text in [*rest, f"entropy {fixed(bits, 2)} bits"]:
        y -= ROW
        page.say(3.2, y, text, MUTED)
    return page.figure
