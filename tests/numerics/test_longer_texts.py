"""Models that were trained on short texts: what is stored, and the two tasks."""

import numpy as np

from attnutils import load_longer_texts
from attnutils.longer_texts import SCHEMES, TASKS, latest_mark_batch, three_back_batch

STORED = load_longer_texts()


def test_there_is_a_model_and_a_test_for_each_task_and_scheme():
    names = [(task, scheme) for task in TASKS for scheme in SCHEMES]
    assert list(STORED.models) == list(STORED.accuracy) == names
    for model, accuracy in zip(STORED.models.values(), STORED.accuracy.values(), strict=True):
        shapes = [(12, 32), *[(32, 32)] * 4, (32, 12)]
        assert [part.shape for part in model] == shapes
        assert all(part.dtype == np.float64 and np.isfinite(part).all() for part in model)
        assert accuracy.shape == (20, 64)


def test_three_back_names_the_symbol_three_before():
    tokens, targets = three_back_batch(np.random.default_rng(0), 50, 9)
    assert tokens.shape == targets.shape == (50, 9)
    assert (tokens.min(), tokens.max()) == (0, 11)
    assert (targets[:, :3] == -1).all()
    for row, wanted in zip(tokens, targets, strict=True):
        assert [row[i - 3] for i in range(3, 9)] == wanted[3:].tolist()


def test_the_latest_mark_is_found_by_looking_back():
    tokens, targets = latest_mark_batch(np.random.default_rng(0), 200, 12)
    assert (tokens.min(), tokens.max()) == (0, 11)
    assert 0.2 < (tokens < 4).mean() < 0.3
    for row, wanted in zip(tokens, targets, strict=True):
        for i, symbol in enumerate(row):
            marks = [x for x in row[:i] if x < 4]
            assert wanted[i] == (-1 if symbol < 4 or not marks else marks[-1])
