"""The induction explorer at rest: a text, the guesses below it, and arcs to where heads look."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from attnbook.explorers.pictures._drawing import MUTED, ROW, Page, ink
from attnutils._checks import FloatArray

LEFT, RIGHT = 0.1, 4.92
LEAST = 0.1  # a weight with an arc
TALL = 0.95  # of the highest arc


def induction_picture(
    text: str,
    guesses: str,
    weights: FloatArray,
    place: int,
    heads: Sequence[int],
    longest: int,
) -> Figure:
    """Draw the letters, what was guessed for each place, and the arcs of both layers."""
    page = Page(ROW * 14.3, title="Two heads that go on with a text")
    column = (RIGHT - LEFT) / (longest + 1)
    row = page.height - 3.2 * ROW - TALL

    def middle(i: int) -> float:
        return LEFT + (i + 0.5) * column

    def arc(i: int, j: int, y: float, up: int) -> None:
        w = weights[1 if up > 0 else 0, i, j]
        if w < LEAST or i == j:
            return
        angles = np.linspace(0, np.pi, 40)
        half, centre = (i - j) * column / 2, (middle(i) + middle(j)) / 2
        tall = min(TALL, 0.14 + abs(half))
        xs, ys = centre + half * np.cos(angles), y + up * tall * np.sin(angles)
        page.axes.plot(xs, ys, "-", color=ink(0.2 + 0.8 * w), lw=0.6 + 3 * w)

    page.say(LEFT, page.height - 2 * ROW, f"layer 1, place {place}{_off(heads[1])}", MUTED)
    key = int(weights[1, place].argmax())
    for j in range(len(text)):
        arc(place, j, row + 0.6 * ROW, 1)
        for i in range(len(text)):
            arc(i, j, row - 1.7 * ROW, -1)
    for i, letter in enumerate(text):
        role = "q" if i == place else "k" if i == key else None
        page.say(middle(i), row, letter, role, ha="center", bold=role is not None)
    for i, guess in enumerate(guesses):
        is_right = text[i + 1 : i + 2] == guess and text[i] in text[:i]  # else by luck
        color = "o" if is_right else MUTED
        page.say(middle(i + 1), row - ROW, guess, color, ha="center", bold=is_right)
    page.say(LEFT, 1.5 * ROW, f"layer 0, every place{_off(heads[0])}", MUTED)
    page.say(
        LEFT,
        0.5 * ROW,
        "Below each letter: the guess for it, bold where right and not by luck",
        MUTED,
    )
    return page.figure


def _off(on: int) -> str:
    return "" if on else ", switched off"
