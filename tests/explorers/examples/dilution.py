from attnbook.explorers.dilution.explorer import DilutionExplorer


def start() -> DilutionExplorer:
    """Ten keys, of which one leads by as much as holds half."""
    return DilutionExplorer()


NAMED = {
    "a long text": DilutionExplorer(n=10_000),
    "a long text, a large lead": DilutionExplorer(n=10_000, gap=9.2),
    "two keys, no lead": DilutionExplorer(n=2, gap=0),
    "a million, the largest lead": DilutionExplorer(n=10**6, gap=16),
}
