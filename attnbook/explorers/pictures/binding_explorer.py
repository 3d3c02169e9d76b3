"""The binding explorer at rest: items, the weights of each head, and two answers."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from attnbook.explorers.pictures._drawing import ROW, Page, ink
from attnbook.explorers.pictures.attention_explorer import cell_text
from attnutils._checks import FloatArray
from attnutils.plotting import ink_on

LEFT, RIGHT = 0.9, 4.92  # of the grid

Item = tuple[str, str]


def binding_picture(
    items: Sequence[Item], asked: Sequence[Item], weights: FloatArray, answers: Sequence[str]
) -> Figure:
    """Draw a column for each item and a row for each head, and the answers below."""
    n_heads = len(weights)
    page = Page(ROW * (n_heads + 6.5), title=f"Two things asked for at once, heads: {n_heads}")
    cell = (RIGHT - LEFT) / len(items)
    y = page.height - 2.2 * ROW
    most = max(3, int(7 * 6 / len(items)))
    for j, (colour, thing) in enumerate(items):
        x = LEFT + (j + 0.5) * cell
        is_asked = (colour, thing) in asked
        page.say(x, y, colour, "k", ha="center", cut=most, bold=is_asked)
        page.say(x, y - 0.9 * ROW, thing, ha="center", cut=most)
    y -= 1.2 * ROW
    for h, row in enumerate(weights):
        y -= ROW
        page.say(0.08, y, f"head {h}")
        for j, w in enumerate(row):
            x = LEFT + j * cell
            page.box(x, y, cell, ROW, fc=ink(w), ec="white", lw=0.4)
            page.say(x + cell / 2, y, cell_text(w), ink_on(ink(w)), ha="center")
    y -= 0.5 * ROW
    for (colour, thing), answer in zip(asked, answers, strict=True):
        y -= ROW
        page.say(0.08, y, colour, "q", cut=9, bold=True)
        page.say(LEFT, y, answer, cut=20, bold=True)
        page.say(2.6, y, "right" if answer == thing else f"it is {thing}", cut=24)
    return page.figure
