"""Pictures of attention, the only module that draws with matplotlib. Used on all pages.

Every function takes the axes to draw on and returns them.
"""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike, NDArray

from attnutils import _shapes

__all__ = ["ROLE_COLORS", "ROLE_COLORS_DARK", "plot_weights"]

#: The colour of query, key, value and output on a light page, always shown beside their letter.
ROLE_COLORS = {"q": "#0069a6", "k": "#9a5b00", "v": "#007a58", "o": "#a2417a"}
#: The same on a dark page.
ROLE_COLORS_DARK = {"q": "#56b4e9", "k": "#e69f00", "v": "#2fbf94", "o": "#dd8fbb"}

_MASKED = "#eceef0", "#a9b0b8"  # face and lines
_LARGEST_WITH_NUMBERS = 8


def plot_weights(
    weights: ArrayLike,
    *,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    mask: ArrayLike | None = None,
    ax: Axes | None = None,
    row_label: str = "query i",
    column_label: str = "key j",
) -> Axes:
    """Draw attention weights as a heatmap: rows are queries, columns are keys.

    Colours run from 0 to 1, whatever the weights. Up to 8 x 8 each cell shows its number, beyond
    that a colour bar shows the scale. Masked cells are grey and hatched.

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
    >>> ax = plot_weights([[0.75, 0.25], [0, 1]], mask=[[True, True], [False, True]])
    >>> [text.get_text() for text in ax.texts]
    ['.75', '.25', '1']
    """
    grid = _shapes.matrix("plot_weights", "weights", weights)
    n_q, n_k = grid.shape
    if rows is not None:
        rows = _shapes.labels("plot_weights", "rows", rows, n_q, "n_q")
    if columns is not None:
        columns = _shapes.labels("plot_weights", "columns", columns, n_k, "n_k")
    visible = np.ones(grid.shape, dtype=bool)
    if mask is not None:
        visible = _shapes.mask_for("plot_weights", mask, grid.shape, "(n_q, n_k)")

    ax = plt.gca() if ax is None else ax
    image = ax.imshow(grid, cmap="viridis", vmin=0, vmax=1)
    _hatch(ax, ~visible)
    if max(grid.shape) <= _LARGEST_WITH_NUMBERS:
        for i, j in np.argwhere(visible):
            color = _ink_on(image.cmap(image.norm(grid[i, j])))
            ax.text(j, i, _short(grid[i, j]), ha="center", va="center", color=color)
    else:
        ax.figure.colorbar(image, ax=ax, label="weight")
    if rows is None and np.ndim(weights) == 1:
        rows = [""]  # a vector has no row to count
    _name_axes(ax, rows, columns, row_label, column_label, grid.shape)
    return ax


def _hatch(ax: Axes, hidden: NDArray[np.bool_]) -> None:
    """Cover the hidden cells with grey and lines, so that colour alone does not say it."""
    if hidden.any():
        cells = [Rectangle((j - 0.5, i - 0.5), 1, 1) for i, j in np.argwhere(hidden)]
        face, lines = _MASKED
        ax.add_collection(
            PatchCollection(cells, facecolor=face, edgecolor=lines, hatch="////", linewidth=0)
        )


def _short(weight: float) -> str:
    """Two decimals without the 0 in front, .88. Only an exact 0 or 1 stands alone."""
    if weight in (0, 1):
        return f"{weight:.0f}"
    text = f"{weight:.2f}".replace("-", "−")
    return text.replace("0.", ".", 1) if abs(weight) < 1 else text


def _ink_on(rgba: ArrayLike) -> str:
    """Black or white, whichever contrasts more with the colour (over white where transparent)."""
    *rgb, alpha = np.asarray(rgba)
    luminance = (np.array(rgb) * alpha + 1 - alpha) ** 2.2 @ [0.2126, 0.7152, 0.0722]
    return "black" if luminance > 0.179 else "white"


def _name_axes(
    ax: Axes,
    rows: Sequence[str] | None,
    columns: Sequence[str] | None,
    row_label: str,
    column_label: str,
    shape: tuple[int, int],
) -> None:
    """Columns are named along the top, rows at the left, in the colours of key and query."""
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.set_xlabel(column_label, color=ROLE_COLORS["k"])
    ax.set_ylabel(row_label, color=ROLE_COLORS["q"])
    ax.tick_params(length=0)
    ax.tick_params(axis="x", labelcolor=ROLE_COLORS["k"])
    ax.tick_params(axis="y", labelcolor=ROLE_COLORS["q"])
    ax.spines[:].set_visible(False)
    for axis, words, n in ((ax.yaxis, rows, shape[0]), (ax.xaxis, columns, shape[1])):
        if words is None:
            axis.set_ticks(range(0, n, 1 + n // 12))
        else:
            axis.set_ticks(range(n), words)
    if columns is not None and len(columns) > _LARGEST_WITH_NUMBERS:
        ax.tick_params(axis="x", rotation=90)
