from attnbook.explorers.width.explorer import WidthExplorer


def start() -> WidthExplorer:
    """An explorer of the width that it opens with."""
    return WidthExplorer()


NAMED = {
    "width 1": WidthExplorer(width=1, draw=9999),
    "width 16": WidthExplorer(width=16, draw=3),
    "width 1024": WidthExplorer(width=1024, draw=4),
}
