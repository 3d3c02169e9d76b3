"""More examples of WidthExplorer."""

from attnutils import WidthExplorer

STATES = [
    WidthExplorer(width=1, draw=9999),
    WidthExplorer(width=1024, draw=4),
]
