from attnbook.explorers import TrainingExplorer
from tests.explorers.states._texts import moved

NAMED = {
    "stuck and freed, nine letters": moved(
        TrainingExplorer(rate=0.2, start=9999),
        plan=[[0, 0.2, 0], [3, 0.01, 1], [8, 0.05, 0]],
        step=12,
        length=9,
    ),
    "without positions": TrainingExplorer([0, 1, 2, 3, 4, 5, 6, 7, 8, 11], positions=False),
    "learned": moved(TrainingExplorer.example(), step=80),
}
