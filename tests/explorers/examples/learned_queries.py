from attnbook.explorers.learned_queries.explorer import LearnedQueriesExplorer


def start() -> LearnedQueriesExplorer:
    """One level row."""
    return LearnedQueriesExplorer()


NAMED = {
    "all done": LearnedQueriesExplorer(queries=3, slopes=[-6, 0, 6, 0, 0]),
    "one query": LearnedQueriesExplorer(queries=1, slopes=[-12, 3, 0, 0, 0]),
    "two share a job": LearnedQueriesExplorer(queries=3, slopes=[-12, -1.5, 0.4, 0, 0]),
    "five queries": LearnedQueriesExplorer(queries=5, slopes=[-5.5, -1.2, 0.02, 2, 12]),
}
WIDE = [
    LearnedQueriesExplorer([0, 1, *[0.5] * 10], queries=5, slopes=[-12, -12, 12, 12, 0.01]),
    LearnedQueriesExplorer([0.5] * 12, queries=4),
]
