"""The training explorer at rest: its loss, and where the letters look at some of the steps."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from attnbook.explorers.pictures._drawing import MUTED, RULE, SIZE, Page
from attnutils._checks import FloatArray
from attnutils.plotting import ROLE_COLORS

HIGH = 3.2  # nats: what lies above is drawn at the upper edge
SIDE, GAP, LINE = 0.96, 0.64, 0.4  # of a map, beside it, above it
ACROSS = 3


def training_picture(
    letters: Sequence[str],
    losses: FloatArray,
    answers: Mapping[int, tuple[FloatArray, Sequence[str]]],
    step: int,
) -> Figure:
    """Draw the loss with a cursor at a step, and below it the weights at some steps."""
    n, last = len(letters), len(losses) - 1
    rows = math.ceil(len(answers) / ACROSS)
    page = Page(1.92 + rows * (SIDE + LINE), title="The loss at each step, and where letters look")
    low = page.height - 1.6
    chart = page.panel(0.45, low, 4.4, 1.1, xlim=(0, last), ylim=(0, HIGH))
    chart.plot(losses.clip(max=HIGH), "-", color=page.ink, lw=1.2)
    chart.axhline(math.log(12), color=MUTED, ls=":", lw=0.8)
    chart.axvline(step, color=ROLE_COLORS["q"], lw=1.2)
    chart.plot([*answers], [min(HIGH, losses[at]) for at in answers], "o", color=page.ink, ms=3)
    for i, (at, (weights, said)) in enumerate(answers.items()):
        left = 0.45 + (i % ACROSS) * (SIDE + GAP)
        top = low - 0.66 - (i // ACROSS) * (SIDE + LINE)
        page.say(left, top + 0.12, f"step {at}, loss {losses[at]:.2f}", MUTED)
        panel = page.panel(left, top - SIDE, SIDE, SIDE)
        panel.imshow(weights, cmap="binary", vmin=0, vmax=1)
        panel.set_xticks([])
        panel.set_yticks([])
        for place, (letter, answer) in enumerate(zip(letters, said, strict=True)):
            y = top - (place + 0.5) * SIDE / n
            is_right = answer == letters[n - 1 - place]
            style: dict[str, Any] = {"size": SIZE - 1.5, "va": "center", "ha": "center"}
            page.axes.text(left - 0.08, y, letter, color=MUTED, **style)
            color = page.ink if is_right else RULE
            page.axes.text(left + SIDE + 0.08, y, answer, color=color, **style)
    return page.figure
