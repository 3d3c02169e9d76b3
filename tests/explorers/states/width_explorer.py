from attnbook import WidthExplorer

NAMED = {
    "width 1": WidthExplorer(width=1, draw=9999),
    "width 1024": WidthExplorer(width=1024, draw=4),
}
