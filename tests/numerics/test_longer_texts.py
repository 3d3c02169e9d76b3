"""Models that are trained on short texts and asked for longer ones: their tasks, and remedies."""

import numpy as np
import pytest

from attnbook.models.longer_texts import (
    latest_mark_batch,
    load_longer_texts,
    three_back_batch,
)


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


def named(model, tokens, speeds):
    """The symbols that a rotary model names; pair r turns by speeds[r] at each place."""
    turn = np.exp(1j * np.arange(tokens.shape[1])[:, None] * speeds)  # (n, 4)
    x = model.embedding[tokens]
    heads = []
    for columns in np.split(np.arange(32), 4):
        q, k, v = (x @ w[:, columns] for w in (model.w_query, model.w_key, model.w_value))
        q, k = ((a[..., 0::2] + 1j * a[..., 1::2]) * turn for a in (q, k))
        scores = (q @ k.conj().swapaxes(-1, -2)).real / np.sqrt(8)
        scores = np.where(np.tri(tokens.shape[1]), scores, -np.inf)
        terms = np.exp(scores - scores.max(-1, keepdims=True))
        heads.append(terms @ v / terms.sum(-1, keepdims=True))
    return ((x + np.concatenate(heads, axis=-1) @ model.w_output) @ model.w_class).argmax(-1)


@pytest.mark.parametrize(
    ("remedy", "speeds"),
    [
        ("as trained", [1, 10**-1, 10**-2, 10**-3]),
        # At four times the length, pair r is slower by 4 ** (r / 3), then by 8 ** (r / 3).
        ("raised base", [1, 10**-1 / 4 ** (1 / 3), 10**-2 / 4 ** (2 / 3), 10**-3 / 4]),
        ("raised further", [1, 10**-1 / 2, 10**-2 / 4, 10**-3 / 8]),
        ("squeezed", [1 / 4, 10**-1 / 4, 10**-2 / 4, 10**-3 / 4]),
    ],
)
@pytest.mark.parametrize(
    ("task", "batch"), [("three back", three_back_batch), ("latest mark", latest_mark_batch)]
)
def test_what_is_stored_of_four_times_the_length_is_what_the_first_model_does(
    task, batch, remedy, speeds
):
    stored = load_longer_texts()
    tokens, targets = batch(np.random.default_rng(2000), 50, 64)
    answers = named(stored.models[task, "rotary"], tokens, np.array(speeds))[:, -16:]
    asked = targets[:, -16:] >= 0
    right = (answers == targets[:, -16:])[asked].sum()
    # A rounding may decide between two symbols.
    assert abs(stored.stretched[task, remedy][0, 1] * asked.sum() - right) < 2.5
