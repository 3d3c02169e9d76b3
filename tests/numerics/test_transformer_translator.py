"""The small translator: its sentences, its gradients, what the four ways of training come to."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attnbook.models.transformer_translator import (
    END,
    HELD_OUT,
    _init,
    _run,
    both_translations,
    load_translator_runs,
    shifted,
    train_translator,
    translation_batch,
    translator,
    write_translation,
)
from attnutils import (
    cross_entropy,
    decoder_block,
    encoder_block,
    leaves,
    numerical_gradient,
    with_leaves,
)
from attnutils import sinusoidal_encoding as positions_of


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_a_sentence_has_two_translations_and_a_batch_takes_either(rng):
    source, target = translation_batch(rng, 400)
    both = both_translations(source)
    is_first, is_second = ((target == both[:, i]).all(axis=-1) for i in (0, 1))
    assert (is_first ^ is_second).all()
    assert 150 < is_first.sum() < 250
    assert_array_equal(np.sort(both[:, 0], axis=-1), np.sort(both[:, 1], axis=-1))
    assert_array_equal(both[:, :, -1], END)


def test_what_is_held_out_is_in_no_batch_but_each_pair_of_words_is(rng):
    source = translation_batch(rng, 2000).source
    seen, new = ({tuple(row) for row in rows.tolist()} for rows in (source, HELD_OUT))
    assert (len(seen), len(new), len(seen & new)) == (54, 27, 0)
    for i, j in combinations(range(4), 2):
        assert {(row[i], row[j]) for row in new} <= {(row[i], row[j]) for row in seen}


def test_with_the_mask_it_is_made_of_the_blocks(rng):
    params = _init(rng)
    source, target = translation_batch(rng, 3)
    given = shifted(target)
    x = params.source_table[source] + positions_of(4, 8)
    z = params.target_table[given] + positions_of(5, 8)
    memory = encoder_block(x, params.encoder, n_heads=2).output
    output = decoder_block(z, memory, params.decoder, n_heads=2).output
    got = translator(source, given, params)
    assert_allclose(got, output @ params.w_words, rtol=0, atol=1e-12)
    unmasked = translator(source, given, params, is_causal=False)
    assert_allclose(unmasked[:, -1], got[:, -1], rtol=0, atol=1e-12)  # it saw all before
    assert np.abs(unmasked[:, 0] - got[:, 0]).max() > 0.1


@pytest.mark.parametrize("is_causal", [True, False])
def test_the_gradients_are_those_of_the_loss(rng, is_causal):
    params = with_leaves(_init(rng), [x + rng.normal(size=x.shape) / 9 for x in leaves(_init(rng))])
    source, target = translation_batch(rng, 3)
    given = shifted(target)
    logits, back = _run(source, given, params, is_causal, n_heads=2)
    gradients = list(leaves(back(cross_entropy(logits, target).d_logits)))
    arrays = list(leaves(params))
    assert len(gradients) == len(arrays)
    for at, gradient in enumerate(gradients):
        some = rng.permutation(arrays[at].size)[:6]  # of each array six numbers

        def loss(x, at=at, some=some):
            moved = arrays[at].copy()
            moved.flat[some] = x
            changed = with_leaves(params, [*arrays[:at], moved, *arrays[at + 1 :]])
            return cross_entropy(_run(source, given, changed, is_causal, 2)[0], target).loss

        wanted = numerical_gradient(loss, arrays[at].flat[some])
        assert_allclose(gradient.flat[some], wanted, rtol=0, atol=1e-7)


def test_training_starts_from_the_generator_and_takes_its_steps():
    one, same, start = (train_translator(np.random.default_rng(5), n) for n in (3, 3, 0))
    for a, b in zip(leaves(one), leaves(same), strict=True):
        assert_array_equal(a, b)
    moved = np.abs(one.w_words - start.w_words).max()
    assert 0.02 < moved < 0.05  # steps of .02, .0133 and .0067


def test_writing_puts_in_what_it_has_written(rng):
    params = _init(rng)
    words = write_translation(HELD_OUT[:4], params)
    logits = translator(HELD_OUT[:4], shifted(words), params)
    assert_array_equal(logits.argmax(axis=-1), words)
    assert_array_equal(write_translation(HELD_OUT[2], params), words[2])


def test_the_stored_parameters_are_those_of_seed_0():
    runs = load_translator_runs()
    for which, params in runs.params.items():
        written = write_translation(HELD_OUT, params, is_causal=which[1])
        same = (written[:, None] == both_translations(HELD_OUT)).all(axis=-1).any(axis=-1)
        assert same.mean() == pytest.approx(runs.sentences[which][0])
