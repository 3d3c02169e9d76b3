"""The writing explorer at rest: the end of the text, and bars of the next character."""

import textwrap

import numpy as np
from matplotlib.figure import Figure

from attnbook.explorers.pictures._drawing import MUTED, ROW, Page, short
from attnutils._checks import FloatArray

LINES = 3  # of the text
SHOWN = 10  # characters
NAMES = {" ": "blank", "\n": "line break"}


def writing_picture(
    text: str, alphabet: str, probabilities: FloatArray, temperature: float
) -> Figure:
    """Draw the last lines of the text and the likeliest characters."""
    page = Page(ROW * (SHOWN + LINES + 4), title="A model that writes")
    lines = [row for line in text.split("\n") for row in textwrap.wrap(line, 56) or [""]]
    y = page.height - 2 * ROW
    for line in lines[-LINES:]:
        page.say(0.08, y, line, cut=60)
        y -= ROW
    y = page.height - (LINES + 2.3) * ROW
    page.say(0.08, y, f"next character, temperature {short(temperature)}", MUTED)
    page.rule(y - 0.6 * ROW, 4.92)
    n, most = len(alphabet), probabilities.max()
    for i in np.argsort(-probabilities, kind="stable")[:SHOWN]:
        y -= ROW * 1.05
        w = probabilities[i]
        page.say(0.08, y, NAMES.get(alphabet[i], alphabet[i]), cut=12)
        page.weight((1.15, 3.0, 4.92), y, w, n, bold=w == most)
    return page.figure
