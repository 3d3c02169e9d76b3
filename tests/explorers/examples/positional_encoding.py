from attnbook.explorers.positional_encoding.explorer import PositionalEncodingExplorer


def start() -> PositionalEncodingExplorer:
    """An explorer as it is without arguments."""
    return PositionalEncodingExplorer()


NAMED = {
    "smallest": PositionalEncodingExplorer(length=2, dim=2),
    "two hands": PositionalEncodingExplorer(dim=4),
    "all columns": PositionalEncodingExplorer(all_columns=True),
    "small base": PositionalEncodingExplorer(base=10.0, position=63),
}
WIDE = [PositionalEncodingExplorer(length=128, dim=128, base=1e300, position=127, all_columns=True)]
