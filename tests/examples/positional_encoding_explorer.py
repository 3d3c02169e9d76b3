"""More examples of PositionalEncodingExplorer."""

from attnutils import PositionalEncodingExplorer

STATES = [
    PositionalEncodingExplorer(length=2, dim=2),
    PositionalEncodingExplorer(encoding="alibi", head=7),
]

WIDE = [
    PositionalEncodingExplorer(length=128, dim=128, base=1e300, position=127),
]
