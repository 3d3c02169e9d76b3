"""The two tasks of models that are trained on short texts and asked for longer ones."""

import numpy as np

from attnbook.lessons.longer_texts import latest_mark_batch, three_back_batch


def test_three_back_names_the_symbol_three_before():
    tokens, targets = three_back_batch(np.random.default_rng(0), 50, 9)
    assert (targets[:, :3] == -1).all()
    for row, wanted in zip(tokens, targets, strict=True):
        assert [row[i - 3] for i in range(3, 9)] == wanted[3:].tolist()


def test_the_latest_mark_is_found_by_looking_back():
    tokens, targets = latest_mark_batch(np.random.default_rng(0), 200, 12)
    assert 0.2 < (tokens < 4).mean() < 0.3
    for row, wanted in zip(tokens, targets, strict=True):
        for i, symbol in enumerate(row):
            marks = [x for x in row[:i] if x < 4]
            assert wanted[i] == (-1 if symbol < 4 or not marks else marks[-1])
