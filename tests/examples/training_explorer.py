"""More examples of TrainingExplorer."""

from attnutils.widgets import TrainingExplorer


def freed() -> TrainingExplorer:
    """A run that was stuck and freed, looked at with nine letters."""
    explorer = TrainingExplorer(rate=0.2, start=9999)
    explorer.plan = [[0, 0.2, 0], [3, 0.01, 1], [8, 0.05, 0]]
    explorer.step, explorer.length = 12, 9
    return explorer


STATES = [freed(), TrainingExplorer([0, 1, 2, 3, 4, 5, 6, 7, 8, 11], positions=False)]
