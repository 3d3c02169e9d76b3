from attnbook.explorers.training.explorer import TrainingExplorer


def start() -> TrainingExplorer:
    """The start of the run that the page on training shows."""
    return TrainingExplorer()


NAMED = {
    "stuck and freed, nine letters": TrainingExplorer(
        fork=3, rate=0.2, branch="W_q and W_k divided by 30", start=9999, step=12, length=9
    ),
    "without positions": TrainingExplorer([0, 1, 2, 3, 4, 5, 6, 7, 8, 11], positions=False),
    "learned": TrainingExplorer(step=80),
}
