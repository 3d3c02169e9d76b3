from attnbook.explorers.training.explorer import TrainingExplorer

STUCK = [[0, 0.2, 0], [3, 0.01, 1], [8, 0.05, 0]]


def start() -> TrainingExplorer:
    """The start of the run that the page on training shows."""
    return TrainingExplorer()


NAMED = {
    "stuck and freed, nine letters": TrainingExplorer(start=9999, plan=STUCK, step=12, length=9),
    "without positions": TrainingExplorer([0, 1, 2, 3, 4, 5, 6, 7, 8, 11], positions=False),
    "learned": TrainingExplorer(step=80),
}
