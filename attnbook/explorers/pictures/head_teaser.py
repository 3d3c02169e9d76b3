"""The teaser as those see it who cannot press a word: the weights of each head."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from attnbook.explorers.pictures._drawing import MUTED, ROW, Page
from attnutils._checks import FloatArray


def teaser_picture(
    tokens: Sequence[str], asks: int, heads: Sequence[str], weights: FloatArray, guess: int
) -> Figure:
    """Draw the tokens below each other, and beside them a bar for the weight in each head."""
    n = len(tokens)
    page = Page(ROW * (n + 2.2))
    lefts = [1.25 + i * 3.7 / len(heads) for i in range(len(heads))]
    wide = 3.7 / len(heads) - 0.12
    y = page.height - 0.7 * ROW
    page.say(0.08, y, tokens[asks], "q", cut=10, bold=True)
    for left, head in zip(lefts, heads, strict=True):
        page.say(left, y, head, MUTED, cut=round(14 * wide))
    page.rule(y - 0.6 * ROW, 4.92)
    y -= 0.3 * ROW
    for j, token in enumerate(tokens):
        y -= ROW
        page.say(0.08, y, token, "q" if j == asks else None, cut=12, bold=j in (asks, guess))
        for left, row in zip(lefts, weights, strict=True):
            xs = left, wide - 0.5, left + wide
            page.weight(xs, y, row[j], n, bold=row[j] == row.max())
    return page.figure
