"""The projection explorer at rest: the two matrices, and the weights as a grid."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from attnbook.explorers.pictures._drawing import ROW, Page, ink, short
from attnbook.explorers.pictures.attention_explorer import cell_text
from attnutils._checks import FloatArray
from attnutils.plotting import ink_on

LEFT, RIGHT = 2.7, 4.92  # of the grid


def projection_picture(
    words: Sequence[str],
    w_query: FloatArray,
    w_key: FloatArray,
    weights: FloatArray,
    token: int,
    *,
    scaled: bool,
) -> Figure:
    """Draw the matrices one above the other, and beside them a row of weights for each word."""
    n, d = len(words), len(w_query)
    rows = max(n, 2 * d + 3)
    scale = f", scores divided by √{w_query.shape[1]}" if scaled else ""
    page = Page(ROW * (rows + 4), title=f"Weights of {n} tokens{scale}")
    top = page.height - 3.2 * ROW

    y = top
    for name, role, matrix in (("$W_q$", "q", w_query), ("$W_k$", "k", w_key)):
        page.say(0.08, y - 0.5 * ROW, name, role)
        for row in matrix:
            for column, x in enumerate(row):
                page.end(0.85 + 0.45 * column, y - 0.5 * ROW, short(x), role)
            y -= ROW
        y -= ROW

    cell = (RIGHT - LEFT) / n
    for j, word in enumerate(words):
        x = LEFT + (j + 0.5) * cell
        page.say(x, top + 0.06, word, "k", ha="center", va="bottom", rotation=90, cut=8)
    for i, word in enumerate(words):
        y = top - (i + 0.5) * ROW
        page.say(LEFT - 0.08, y, word, "q", ha="right", bold=i == token, cut=9)
        for j, w in enumerate(weights[i]):
            page.box(LEFT + j * cell, y, cell, ROW, fc=ink(w), ec="white", lw=0.4)
            if n <= 8:
                x = LEFT + (j + 0.5) * cell
                page.say(x, y, cell_text(w), ink_on(ink(w)), ha="center")
    return page.figure
