"""The model that writes: its gradients, its training, its text, and what is stored."""

import numpy as np
import pytest

from attnbook.models._stored import packed, unpacked
from attnbook.models.language import (
    ablate_heads,
    encode_text,
    init_language_model,
    language_model,
    language_model_gradients,
    text_batch,
    train_language_model,
)
from attnutils import cross_entropy, leaves, numerical_gradient, with_leaves


@pytest.fixture
def small():
    """A model of two blocks in which nothing is 0, in float64."""
    rng = np.random.default_rng(0)
    params = init_language_model(rng, n_symbols=5, d=4, d_ff=6)
    moved = [x.astype(float) + 0.1 * rng.standard_normal(x.shape) for x in leaves(params)]
    return with_leaves(params, moved)


@pytest.fixture
def pair():
    rng = np.random.default_rng(1)
    tokens, targets = rng.integers(5, size=(2, 2, 6))
    targets[0, 3] = -1
    return tokens, targets


@pytest.mark.parametrize("is_causal", [True, False])
@pytest.mark.parametrize("n_heads", [1, 2])
def test_gradients_are_those_of_differences(small, pair, is_causal, n_heads):
    options = {"n_heads": n_heads, "is_causal": is_causal}
    flat = list(leaves(small))
    loss, gradients = language_model_gradients(*pair, small, **options)
    assert loss == cross_entropy(language_model(pair[0], small, **options), pair[1]).loss
    found = list(leaves(gradients))
    assert [g.shape for g in found] == [x.shape for x in flat]
    for at, gradient in enumerate(found):

        def moved(x, at=at):
            arrays = [*flat[:at], x, *flat[at + 1 :]]
            logits = language_model(pair[0], with_leaves(small, arrays), **options)
            return cross_entropy(logits, pair[1]).loss

        expected = numerical_gradient(moved, flat[at])
        np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-8)


def test_no_position_sees_a_later_character(small, pair):
    tokens = pair[0]
    changed = tokens.copy()
    changed[:, 3] = (changed[:, 3] + 1) % 5
    for is_causal, same in ((True, 3), (False, 0)):
        before, after = (
            language_model(t, small, n_heads=2, is_causal=is_causal) for t in (tokens, changed)
        )
        moved = np.abs(after - before).max(axis=(0, 2)) > 1e-9
        assert moved.tolist() == [False] * same + [True] * (6 - same)


def test_training_changes_a_copy_and_learns():
    rng = np.random.default_rng(0)
    codes = encode_text("ab" * 40, "ab")
    start = init_language_model(rng, 2, d=8, d_ff=8, n_blocks=3)
    assert len(start.blocks) == 3
    kept = [x.copy() for x in leaves(start)]
    _, losses = train_language_model(start, lambda: text_batch(rng, codes, 4, 8), 60, n_heads=2)
    assert all(np.array_equal(a, b) for a, b in zip(kept, leaves(start), strict=True))
    assert losses[-1] < 0.2 < losses[0]
    assert language_model([1, 0], start, n_heads=2).dtype == np.float32


def test_a_head_is_switched_off_by_its_rows(small):
    off = ablate_heads(small, [(0, 1), (1, 0)], n_heads=2)
    for block, head in ((0, 1), (1, 0)):
        rows = np.split(off.blocks[block].attention.w_output, 2)
        assert not rows[head].any()
        assert rows[1 - head].all()
    assert small.blocks[0].attention.w_output.all()
    for wrong in ((2, 0), (0, 2), (-1, 0)):
        with pytest.raises(ValueError, match=r"^ablate_heads: heads must be pairs"):
            ablate_heads(small, [wrong], n_heads=2)


def test_text_is_read_character_by_character():
    assert encode_text("b?é a", " ab").tolist() == [2, 0, 0, 0, 1]
    with pytest.raises(ValueError, match=r"^encode_text: text has the character 'c'"):
        encode_text("abc", "ab")


def test_pieces_and_what_follows():
    rng = np.random.default_rng(0)
    tokens, targets = text_batch(rng, np.arange(12), 500, 8)
    assert np.array_equal(targets, tokens + 1)
    assert set(tokens[:, 0].tolist()) == {0, 1, 2, 3}
    for wrong in (np.arange(8), np.zeros((3, 9), int)):
        with pytest.raises(ValueError, match=r"^text_batch: codes has shape"):
            text_batch(rng, wrong, 1, 8)


def test_eight_bits_are_near_and_kept():
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=(6, 3)) * [1, 10, 0], rng.normal(size=5)]
    codes, scales = packed(arrays)
    assert codes.dtype == np.int8
    assert scales.shape == (4,)
    again = list(unpacked(arrays, codes, scales))
    for array, near in zip(arrays, again, strict=True):
        assert np.abs(near - array).max() <= np.abs(array).max() / 250
    assert np.array_equal(packed(again)[0], codes)
