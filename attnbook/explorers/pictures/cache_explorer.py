"""The cache explorer at rest: a line for each layer, as long as what it keeps of the text."""

from matplotlib.figure import Figure

from attnbook.explorers.pictures._drawing import MUTED, ROW, RULE, Page

LEFT, WIDE, HIGH = 0.2, 4.3, 1.7  # inches: where the text begins, its length, all layers


def cache_picture(
    layers: int, every: int, kept: float, words: int, parts: tuple[int, int, int]
) -> Figure:
    """Draw what each layer keeps, and three sizes: full layers, the others, all of them full."""
    page = Page(4.1, title=f"{layers} layers, {layers // every} full, {words:,} words")
    top = page.height - 2.9 * ROW
    page.say(LEFT, top + 0.5 * ROW, "first word", MUTED)
    page.end(LEFT + WIDE, top + 0.5 * ROW, "last word", MUTED)
    pitch = HIGH / layers
    for layer in range(layers):
        y = top - pitch * (layer + 0.5)
        is_full = (layer + 1) % every == 0
        share = 1 if is_full else kept or 0.01
        at = LEFT + WIDE * (1 - share) if is_full or kept else LEFT + WIDE + 0.1
        color = page.ink if is_full else MUTED
        page.box(at, y, max(WIDE * share, 0.02), 0.7 * pitch, fc=color, ec="none")
    names = "full layers", "other layers", "if all were full"
    for row, (name, size) in enumerate(zip(names, parts, strict=True)):
        y = 1.1 - 1.2 * row * ROW
        page.say(LEFT, y, name)
        page.box(1.5, y, 2.4, 0.16, ec=RULE, lw=0.6)
        page.box(1.5, y, 2.4 * size / max(parts), 0.16, fc=page.ink, ec="none")
        power = next((p for p in (3, 2) if size >= 1024**p), 1)
        page.end(4.9, y, f"{size / 1024**power:.2f} {' KMG'[power]}iB")
    return page.figure
