"""The memory explorer at rest: the two memories to scale, and two counts as bars."""

from matplotlib.figure import Figure

from attnbook.explorers.pictures._drawing import MUTED, ROW, RULE, Page
from attnbook.lessons.tiles import Counts
from attnutils.plotting import ROLE_COLORS

WIDTH, SIDE, GAP = 64, 1.6, 0.14  # columns of Q, K, V, Y; inches of n words, and between boxes


def memory_picture(
    n: int, fast: int, rows: int, tiled: bool, done: int, now: Counts, most: Counts
) -> Figure:
    """Draw what is in each memory, and what the run has moved and multiplied so far."""
    way = "in tiles" if tiled else "scores written out"
    page = Page(4.5, title=f"{n} words, {fast} KiB: {way}, {done} % done")
    scale, top = SIDE / n, page.height - 3.2 * ROW
    x = 0.2
    page.say(x, top + 0.6 * ROW, "slow memory", MUTED)
    for name, role, columns in (
        ("Q", "q", WIDTH),
        ("K", "k", WIDTH),
        ("V", "v", WIDTH),
        ("S, A", "", n),
        ("Y", "o", WIDTH),
    ):
        color = ROLE_COLORS.get(role, page.ink)
        style = {"ec": color, "lw": 0.8, "ls": ":" if tiled and not role else "-"}
        page.box(x, top - SIDE / 2, columns * scale, SIDE, **style)
        page.say(x, top - SIDE - 0.5 * ROW, name, color)
        x += columns * scale + GAP
    y = 1.4
    page.say(0.2, y, "fast memory, to scale", MUTED)
    at = 2.0
    for role, columns in (("q", WIDTH), ("k", WIDTH), ("v", WIDTH), ("o", WIDTH), ("", rows)):
        color = ROLE_COLORS.get(role, page.ink)
        page.box(at, y, columns * scale, rows * scale, fc=color, ec="white", lw=0.4)
        at += columns * scale
    for i, (name, count, whole, text) in enumerate(
        (
            ("moved", now.bytes_moved, most.bytes_moved, f"{now.bytes_moved / 2**20:.2f} MiB"),
            (
                "multiplied",
                now.multiplications,
                most.multiplications,
                f"{now.multiplications / 1e6:.1f} million",
            ),
        )
    ):
        y = 0.8 - 1.2 * i * ROW
        page.say(0.2, y, name)
        page.box(1.1, y, 2.5, 0.16, ec=RULE, lw=0.6)
        page.box(1.1, y, 2.5 * count / whole, 0.16, fc=page.ink, ec="none")
        page.end(4.9, y, text)
    full = f"{most.bytes_moved / 2**20:.2f} MiB, {most.multiplications / 1e6:.1f} million"
    page.say(0.2, 0.8 - 2.4 * ROW, f"full bars: {full}, the most with 8 KiB", MUTED)
    return page.figure
