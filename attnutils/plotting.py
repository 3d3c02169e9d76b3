"""Pictures of attention, the only module that draws with matplotlib. Used on all pages.

Every function takes the axes to draw on and returns them.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any

# Modules, not names of theirs: in a page they are fetched when something is drawn.
import matplotlib.axes
import matplotlib.collections
import matplotlib.colors
import matplotlib.image
import matplotlib.patches
import matplotlib.patheffects
import matplotlib.pyplot as plt
import matplotlib.transforms
import numpy as np
from numpy.typing import NDArray

from attnutils._checked import checked
from attnutils._checks import ArrayLike, Int, Option, are_words, fail
from attnutils._shapes import Array, Mask
from attnutils.graph import Ends
from attnutils.normalize import no_negatives

__all__ = ["plot_encoding", "plot_graph_attention", "plot_scores", "plot_weights"]

#: The colour of query, key, value and output on a light page, always shown beside their letter.
ROLE_COLORS = {"q": "#0069a6", "k": "#9a5b00", "v": "#007a58", "o": "#a2417a"}
#: The same on a dark page.
ROLE_COLORS_DARK = {"q": "#56b4e9", "k": "#e69f00", "v": "#2fbf94", "o": "#dd8fbb"}

#: The greys of a light page by what they are for, as the style of the widgets calls them: text and
#: marks, labels, edges, hatching, hairlines. `book.mplstyle` is written with the same ones.
GREYS = {
    "ink": "#1f2328",
    "ink-2": "#59636e",
    "field": "#868f99",
    "hatch": "#a9b0b8",
    "rule": "#d5d9de",
}

#: What is masked, and nodes that are not looked at.
FACE = "#eceef0"

#: The inks of heat maps: on paper a number is so much of one of them. Weights have one, signed
#: numbers two. On a dark page they are light ones, and full where black letters take the place of
#: white ones: so what is written on a cell just turns over.
INKS = {"weight": "#000000", "minus": "#0c356a", "plus": "#8e0c24"}
INKS_DARK = {"weight": "#c2c6cc", "minus": "#79a7db", "plus": "#ef857c"}

_MASKED = FACE, GREYS["hatch"]  # face and lines
_NODE = GREYS["ink"], FACE  # the node that is looked at, the others
_EDGE = GREYS["ink-2"], GREYS["rule"]  # strong, weak
_WIDEST = 6.0  # points, of an edge of weight 1
_LARGEST_WITH_NUMBERS = 8
_MIDDLE: dict[str, Any] = {"ha": "center", "va": "center"}


class Labels(Option):
    """A word for each of as many things as a letter says."""

    order = 2  # after those that give the sizes

    def __init__(self, letter: str) -> None:
        self.letter = letter
        super().__init__(f"a list of {letter} words", "write each label as text", are_words, list)

    def read(self, x: Any) -> tuple[Any, int]:
        """`x` as a list, and how long it is."""
        words = self.check(self.function, self.name, x)
        return words, len(words)

    def fit(self, size: int, sizes: Any) -> None:
        """Compare their number with the size of the letter; where the axis is missing it is 1."""
        n = sizes.known[self.letter][0] or 1
        if size != n:
            text = f"{self.name} has {size} labels but {self.letter}={n} are expected"
            fail(ValueError, self.function, text, "give one label each")


Matrix = Annotated[ArrayLike, Array("n_q?+ n_k+", "choose one matrix, such as weights[0]")]
Rows = Annotated[Sequence[str] | None, Labels("n_q")]
Columns = Annotated[Sequence[str] | None, Labels("n_k")]
Visible = Annotated[ArrayLike | None, Mask("... n_q? n_k")]


@checked
def plot_weights(
    weights: Matrix,
    *,
    rows: Rows = None,
    columns: Columns = None,
    mask: Visible = None,
    ax: matplotlib.axes.Axes | None = None,
    row_label: str = "query i",
    column_label: str = "key j",
) -> matplotlib.axes.Axes:
    """Draw attention weights as a heatmap: rows are queries, columns are keys.

    A weight of 0 is paper, one of 1 is full ink, whatever the weights. Up to 8 x 8 each cell shows
    its number, beyond that a colour bar shows the scale. Masked cells are grey and hatched.

    Parameters
    ----------
    weights : array_like of shape (n_q, n_k) or (n_k,)
        Weights. A vector is drawn as one row.
    rows : sequence of n_q str, optional
        The words of the queries; without them rows are counted from 0.
    columns : sequence of n_k str, optional
        The words of the keys; without them columns are counted from 0.
    mask : array_like of bool that broadcasts to the weights, optional
        True means that the query may attend to the key; the other cells are hatched.
    ax : matplotlib.axes.Axes, optional
        Where to draw; without it, the current axes.
    row_label, column_label : str
        Labels of the axes.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Raises
    ------
    TypeError
        If `weights` does not hold real numbers, `mask` is not boolean, or a label is not text.
    ValueError
        If `weights` is empty or has more than two axes, `mask` does not broadcast to it, or there
        is not one label for each row or column.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> _, ax = plt.subplots()
    >>> ax = plot_weights([[0.75, 0.25], [0, 1]], mask=[[True, True], [False, True]], ax=ax)
    >>> [text.get_text() for text in ax.texts]
    ['.75', '.25', '1']
    """
    labels = row_label, column_label
    return _plot_matrix(weights, "weight", (0, 1), rows, columns, mask, ax, labels)


@checked
def plot_scores(
    scores: Matrix,
    *,
    rows: Rows = None,
    columns: Columns = None,
    mask: Visible = None,
    ax: matplotlib.axes.Axes | None = None,
    row_label: str = "query i",
    column_label: str = "key j",
) -> matplotlib.axes.Axes:
    """Draw scores, or other signed numbers, as a heatmap: rows are queries, columns are keys.

    Negative numbers are blue, positive ones red, 0 is white. Both colours reach equally far, to
    the largest finite entry, whatever its sign; what is not finite is grey. Up to 8 x 8 each cell
    shows its number, beyond that a colour bar shows the scale. Masked cells are grey and hatched.

    Parameters
    ----------
    scores : array_like of shape (n_q, n_k) or (n_k,)
        Scores. A vector is drawn as one row.
    rows : sequence of n_q str, optional
        The words of the queries; without them rows are counted from 0.
    columns : sequence of n_k str, optional
        The words of the keys; without them columns are counted from 0.
    mask : array_like of bool that broadcasts to the scores, optional
        True means that the query may attend to the key; the other cells are hatched.
    ax : matplotlib.axes.Axes, optional
        Where to draw; without it, the current axes.
    row_label, column_label : str
        Labels of the axes.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Raises
    ------
    TypeError
        If `scores` does not hold real numbers, `mask` is not boolean, or a label is not text.
    ValueError
        If `scores` is empty or has more than two axes, `mask` does not broadcast to it, or there
        is not one label for each row or column.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> _, ax = plt.subplots()
    >>> ax = plot_scores([[7, -0.5], [-12.25, 0]], mask=[[True, True], [True, False]], ax=ax)
    >>> [text.get_text() for text in ax.texts]
    ['7', '−.50', '−12.2']
    >>> ax.images[0].get_clim()
    (-12.25, 12.25)
    """
    largest = float(np.abs(scores).max(initial=0, where=np.isfinite(scores))) or 1.0
    limits = -largest, largest
    labels = row_label, column_label
    return _plot_matrix(scores, "score", limits, rows, columns, mask, ax, labels)


@checked
def plot_encoding(
    encoding: Annotated[ArrayLike, "length+ dim+"], *, ax: matplotlib.axes.Axes | None = None
) -> matplotlib.axes.Axes:
    """Draw a positional encoding as a heatmap: rows are positions, columns are dimensions.

    Colours run from -1 (blue) over 0 (white) to 1 (red), as sines do.

    Parameters
    ----------
    encoding : array_like of shape (length, dim)
        A row for each position, such as `sinusoidal_encoding` returns.
    ax : matplotlib.axes.Axes, optional
        Where to draw; without it, the current axes.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Raises
    ------
    TypeError
        If `encoding` does not hold real numbers.
    ValueError
        If `encoding` is empty or does not have two axes.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> _, ax = plt.subplots()
    >>> from attnutils import sinusoidal_encoding
    >>> ax = plot_encoding(sinusoidal_encoding(length=20, dim=32), ax=ax)
    >>> ax.get_ylabel(), ax.get_xlabel()
    ('position', 'dimension')
    """
    ax = plt.gca() if ax is None else ax
    image = _heatmap(ax, encoding, -1, 1)
    ax.set_aspect("auto")  # an encoding is often much longer than wide, or wider than long
    ax.figure.colorbar(image, ax=ax, label="value")
    _name_axes(ax, None, None, ("position", "dimension"), encoding.shape)
    return ax


@checked
def plot_graph_attention(
    positions: Annotated[ArrayLike, Array("n_nodes 2", "a point x, y for each node")],
    senders: Ends,
    receivers: Ends,
    weights: Annotated[ArrayLike, "..."],
    *,
    receiver: Annotated[int | None, Int(0, "nodes are counted from 0")] = None,
    labels: Annotated[Sequence[str] | None, Labels("n_nodes")] = None,
    ax: matplotlib.axes.Axes | None = None,
) -> matplotlib.axes.Axes:
    """Draw attention on a graph: an arrow from sender to receiver, as wide as its weight is large.

    An edge from a node to itself is a ring. An edge that is given twice is drawn twice.

    Parameters
    ----------
    positions : array_like of shape (n_nodes, 2)
        Where to draw each node.
    senders, receivers : array_like of int of shape (E,)
        Edge e runs from node ``senders[e]`` to node ``receivers[e]``.
    weights : array_like of shape (E,) or (E + n_nodes,)
        Weights of the edges in one head; then, with self loops, that of node i at E + i, as
        `gat_layer` returns them.
    receiver : int, optional
        A node to look at: only the edges that it receives are arrows, all others hairlines.
    labels : sequence of n_nodes str, optional
        What to write in the nodes; without it they are counted from 0.
    ax : matplotlib.axes.Axes, optional
        Where to draw; without it, the current axes.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Raises
    ------
    TypeError
        If `positions` or `weights` does not hold real numbers, the ends of the edges or
        `receiver` are not integers, or a label is not text.
    ValueError
        If the shapes do not fit each other, an edge has an end that is not a node, `receiver` is
        not a node, a position is not finite, a weight is negative, or there is not one label for
        each node.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> _, ax = plt.subplots()
    >>> points = [[0, 0], [1, 0], [0, 1]]
    >>> ax = plot_graph_attention(points, [1, 2], [0, 0], [0.75, 0.25], receiver=0, ax=ax)
    >>> [text.get_text() for text in ax.texts]
    ['0', '1', '2']
    """
    weights = _checked_weights(positions, weights, receiver, len(senders))
    nodes = np.arange(len(positions))
    if len(weights) > len(senders):  # self loops come last
        senders, receivers = np.append(senders, nodes), np.append(receivers, nodes)
    ax = plt.gca() if ax is None else ax
    ax.set_axis_off()
    ax.set_aspect("equal", adjustable="datalim")
    names = labels or [*map(str, nodes)]
    radius = max(11, 3 * max(map(len, names), default=0) + 4)  # in points; words are to fit in
    _draw_nodes(ax, positions, names, radius, receiver)
    times_drawn: Counter[tuple[int, int]] = Counter()
    for j, i, weight in zip(senders.tolist(), receivers.tolist(), weights.tolist(), strict=True):
        times = times_drawn[i, j]
        times_drawn[i, j] += 1
        style = _edge_style(weight, receiver in (None, i))
        if i == j:
            _ring(ax, positions, i, radius + 5 * times, style)
        else:
            _arrow(ax, positions[i], positions[j], radius, 0.15 * (times + 1), style)
    ax.margins(0.25)
    return ax


def _checked_weights(
    positions: NDArray[Any], weights: NDArray[Any], receiver: int | None, n_edges: int
) -> NDArray[Any]:
    """Weights of edges, if all is as no signature can say it."""
    function, n = "plot_graph_attention", len(positions)
    if not np.isfinite(positions).all():
        wrong = positions[~np.isfinite(positions)][0]
        fail(ValueError, function, f"positions must be finite, got {wrong}", "it cannot be drawn")
    if weights.shape not in ((n_edges,), (n_edges + n,)):
        text = f"weights has shape {weights.shape} but (E,) = ({n_edges},) or (E + n_nodes,) = "
        hint = "choose one head, such as weights[:, 0]"
        fail(ValueError, function, f"{text}({n_edges + n},) is expected", hint)
    weights = no_negatives(function, weights)
    if receiver is not None:
        node = Int(0, f"there are n_nodes={n}, counted from 0", n - 1)
        node.check(function, "receiver", receiver)
    return weights


def _draw_nodes(
    ax: matplotlib.axes.Axes,
    positions: NDArray[Any],
    names: Sequence[str],
    radius: float,
    receiver: int | None,
) -> None:
    """A disc with its name for each node; that of the receiver is dark."""
    faces = np.where(np.arange(len(positions)) == receiver, *_NODE)
    style: dict[str, Any] = {"edgecolors": _NODE[0], "zorder": 3, "clip_on": False}
    ax.scatter(positions[:, 0], positions[:, 1], s=(2 * radius) ** 2, c=faces, **style)
    for (x, y), name, face in zip(positions, names, faces, strict=True):
        ax.text(x, y, name, color=ink_on(matplotlib.colors.to_rgba(face)), zorder=4, **_MIDDLE)


def _edge_style(weight: float, is_strong: bool) -> dict[str, Any]:
    """As wide as its weight, with a hairline where that is 0; or that hairline alone."""
    hairline = matplotlib.patheffects.Stroke(linewidth=0.75, foreground=_EDGE[1])
    return {
        "path_effects": (hairline, matplotlib.patheffects.Normal()),
        "clip_on": False,
        "color": _EDGE[0] if is_strong else _EDGE[1],
        "zorder": 2 if is_strong else 1,
        "linewidth": _WIDEST * weight if is_strong else 0,
    }


def _plot_matrix(
    grid: NDArray[Any],
    name: str,
    limits: tuple[float, float],
    rows: Sequence[str] | None,
    columns: Sequence[str] | None,
    mask: NDArray[np.bool_] | None,
    ax: matplotlib.axes.Axes | None,
    axis_labels: tuple[str, str],
) -> matplotlib.axes.Axes:
    """A heatmap with a row for each query and a column for each key."""
    visible = np.ones(grid.shape, dtype=bool) if mask is None else mask
    ax = plt.gca() if ax is None else ax
    image = _heatmap(ax, grid, *limits)
    _hatch(ax, ~visible)
    if max(grid.shape) <= _LARGEST_WITH_NUMBERS:
        faces = image.to_rgba(np.ma.masked_invalid(grid))
        for i, j in np.argwhere(visible):
            text, color = _short(grid[i, j]), ink_on(faces[i, j])
            ax.text(j, i, text, ha="center", va="center", color=color)
    else:
        ax.figure.colorbar(image, ax=ax, label=name)
    if rows is None and len(grid) == 1:
        rows = [""]  # there is nothing to count
    _name_axes(ax, rows, columns, axis_labels, grid.shape, (ROLE_COLORS["q"], ROLE_COLORS["k"]))
    return ax


def _heatmap(
    ax: matplotlib.axes.Axes, grid: NDArray[Any], low: float, high: float
) -> matplotlib.image.AxesImage:
    """Weights in one ink, signed numbers in two with white at 0."""
    stops = [INKS["minus"], "white", INKS["plus"]] if low < 0 else ["white", INKS["weight"]]
    colors = matplotlib.colors.LinearSegmentedColormap.from_list("inks", stops)
    return ax.imshow(grid, cmap=colors.with_extremes(bad=FACE), vmin=low, vmax=high)


def _arrow(
    ax: matplotlib.axes.Axes,
    head: NDArray[Any],
    tail: NDArray[Any],
    radius: float,
    bend: float,
    style: dict[str, Any],
) -> None:
    """A bent arrow between two nodes; a line if it has no width."""
    arrow = matplotlib.patches.FancyArrowPatch(
        (tail[0], tail[1]),
        (head[0], head[1]),
        arrowstyle="-|>" if style["zorder"] == 2 else "-",
        mutation_scale=8 + 2 * style["linewidth"],
        connectionstyle=f"arc3,rad={bend}",
        **{"shrinkA": radius, "shrinkB": radius + 1, **style},
    )
    ax.add_patch(arrow)


def _ring(
    ax: matplotlib.axes.Axes, points: NDArray[Any], i: int, radius: float, style: dict[str, Any]
) -> None:
    """A ring at a node, on the side away from the others."""
    x, y = points[i]
    dx, dy = points[i] - points.mean(axis=0)
    length = math.hypot(dx, dy)
    dx, dy = (dx / length, dy / length) if length else (0, 1)
    in_points = matplotlib.transforms.Affine2D().scale(1 / 72) + ax.figure.dpi_scale_trans
    where = in_points + matplotlib.transforms.ScaledTranslation(x, y, ax.transData)  # type: ignore[arg-type]
    centre = 1.2 * radius * dx, 1.2 * radius * dy
    ax.add_patch(
        matplotlib.patches.Circle(centre, 0.8 * radius, transform=where, fill=False, **style)
    )


def _hatch(ax: matplotlib.axes.Axes, hidden: NDArray[np.bool_]) -> None:
    """Cover the hidden cells with grey and lines, so that colour alone does not say it."""
    if hidden.any():
        cells = [
            matplotlib.patches.Rectangle((j - 0.5, i - 0.5), 1, 1) for i, j in np.argwhere(hidden)
        ]
        face, lines = _MASKED
        ax.add_collection(
            matplotlib.collections.PatchCollection(
                cells, facecolor=face, edgecolor=lines, hatch="////", linewidth=0
            )
        )


def _short(x: float) -> str:
    """Three digits at most, without the 0 in front: .88. Only whole numbers stand alone: 1."""
    size = abs(x)
    if not np.isfinite(x) or size >= 1000:
        text = f"{x:.0e}".replace("e+0", "e").replace("e+", "e").replace("inf", "∞")
    elif x == round(x):
        text = f"{x + 0.0:.0f}"  # -0.0 + 0.0 is 0.0
    else:
        text = f"{x:.{2 if size < 10 else 1 if size < 100 else 0}f}"
    text = text.replace("-", "−")
    return text.replace("0.", ".", 1) if size < 1 else text


def ink_on(rgba: ArrayLike) -> str:
    """Black or white, whichever contrasts more with the colour (over white where transparent)."""
    *rgb, alpha = np.asarray(rgba)
    luminance = (np.array(rgb) * alpha + 1 - alpha) ** 2.2 @ [0.2126, 0.7152, 0.0722]
    return "black" if luminance > 0.179 else "white"


def _name_axes(
    ax: matplotlib.axes.Axes,
    rows: Sequence[str] | None,
    columns: Sequence[str] | None,
    axis_labels: tuple[str, str],
    shape: tuple[int, ...],
    colors: tuple[str, str] | None = None,
) -> None:
    """Columns are named along the top, rows at the left, in their colours if they have a role."""
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.set_ylabel(axis_labels[0])
    ax.set_xlabel(axis_labels[1])
    ax.tick_params(length=0)
    if colors is not None:
        for axis, color in zip((ax.yaxis, ax.xaxis), colors, strict=True):
            axis.label.set_color(color)
            axis.set_tick_params(labelcolor=color)
    ax.spines[:].set(visible=True, color=GREYS["rule"], linewidth=0.6)
    for axis, words, n in ((ax.yaxis, rows, shape[0]), (ax.xaxis, columns, shape[1])):
        if words is None:
            axis.set_ticks(range(0, n, 1 + n // 12))
        else:
            axis.set_ticks(range(n), words)
    if columns is not None and len(columns) > _LARGEST_WITH_NUMBERS:
        ax.tick_params(axis="x", rotation=90)
