"""Digits in patches: what is cut and scrambled, who may be read, and the models that are stored."""

import gzip
import hashlib

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attnbook.models._stored import DATA
from attnbook.models.digits import (
    WIDTH,
    load_digit_runs,
    load_digits,
    patches,
    read_patches,
    scrambled,
    split_digits,
)
from attnutils import causal_mask

PICTURES, DIGITS = load_digits()
RUNS = load_digit_runs()
MODEL = RUNS.params["pictures"]


def test_the_digits_are_the_file_that_is_named():
    text = gzip.decompress((DATA / "digits.csv.gz").read_bytes())
    found = hashlib.sha256(text).hexdigest()
    assert found in (DATA / "README.md").read_text(encoding="utf-8")
    assert (PICTURES.min(), PICTURES.max()) == (0, 1)


def test_patches_are_squares_of_the_picture_row_by_row():
    for i, patch in enumerate(patches(PICTURES[7])):
        row, column = 2 * (i // 4), 2 * (i % 4)
        assert_array_equal(patch, PICTURES[7, row : row + 2, column : column + 2].ravel())
    with pytest.raises(ValueError, match=r"^patches: pictures has shape \(3, 8\) but"):
        patches(np.zeros((3, 8)))


def test_all_pictures_are_scrambled_alike():
    places = scrambled(np.arange(64).reshape(8, 8)).ravel()
    assert sorted(places) == list(range(64))
    assert_array_equal(
        scrambled(PICTURES[:9]), PICTURES[:9].reshape(9, 64)[:, places].reshape(9, 8, 8)
    )


def test_what_tells_of_the_order_is_a_position_or_a_mask():
    tokens, order = patches(PICTURES[:20]), np.random.default_rng(0).permutation(16)
    none = MODEL._replace(positions=np.zeros_like(MODEL.positions))
    twice = none._replace(positions=np.zeros((32, WIDTH)))
    causal = {"mask": causal_mask(16)}

    def same(one, other, params, others, **options):
        logits = (read_patches(x, p, **options)[0] for x, p in ((one, params), (other, others)))
        return np.allclose(*logits, rtol=0, atol=1e-9)

    moved = MODEL._replace(positions=MODEL.positions[order])
    assert same(tokens, tokens[:, order], MODEL, moved)
    assert same(tokens, tokens[:, order], none, none)
    assert same(tokens, np.concatenate([tokens, tokens], axis=1), none, twice)
    assert not same(tokens, tokens[:, order], MODEL, MODEL)
    assert not same(tokens, tokens[:, order], none, none, **causal)


def test_nobody_reads_a_hidden_patch():
    rng = np.random.default_rng(0)
    tokens, hidden = patches(PICTURES[:20]), rng.random((20, 16)) < 0.3
    other = np.where(hidden[..., None], rng.random(tokens.shape), tokens)
    one, same = (read_patches(x, MODEL, hidden=hidden) for x in (tokens, other))
    assert_allclose(one[0], same[0], atol=1e-9)
    assert not one[1][np.broadcast_to(hidden[:, None, None], one[1].shape)].any()


@pytest.mark.parametrize(
    ("name", "tried", "change"),
    [("pictures", "positions", np.asarray), ("scrambled", "scrambled alike", scrambled)],
)
def test_the_stored_models_read_as_is_stored(name, tried, change):
    held_out = split_digits(0)[1]
    logits, _ = read_patches(patches(change(PICTURES[held_out])), RUNS.params[name])
    share = (logits.argmax(axis=1) == DIGITS[held_out]).mean()
    assert share == pytest.approx(RUNS.right[tried][0], abs=0.01)
