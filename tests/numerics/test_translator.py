"""The small translator: its sentences, its gradients, what the four ways of training come to."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attnutils import cross_entropy, decoder_block, encoder_block, numerical_gradient
from attnutils import sinusoidal_encoding as positions_of
from attnutils.language import leaves, with_leaves
from attnutils.translator import (
    _LEARNED,
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

SWITCHES = [(True, True), (True, False), (False, True), (False, False)]


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_a_sentence_has_two_translations_and_a_batch_takes_either(rng):
    source, target = translation_batch(rng, 400)
    assert source.shape == (400, 4)
    assert target.shape == (400, 5)
    both = both_translations(source)
    is_first, is_second = ((target == both[:, i]).all(axis=-1) for i in (0, 1))
    assert (is_first ^ is_second).all()
    assert 150 < is_first.sum() < 250
    assert_array_equal(np.sort(both[:, 0], axis=-1), np.sort(both[:, 1], axis=-1))
    assert_array_equal(both[:, :, -1], END)


def test_what_is_held_out_is_in_no_batch_but_each_pair_of_words_is(rng):
    assert len(HELD_OUT) == 27
    assert len(_LEARNED) == 54
    source = translation_batch(rng, 2000).source
    seen, new = ({tuple(row) for row in rows.tolist()} for rows in (source, HELD_OUT))
    assert not seen & new
    assert len(seen) == 54
    for i in range(4):
        for j in range(i):
            pairs = [{(row[i], row[j]) for row in rows} for rows in (seen, new)]
            assert pairs[1] <= pairs[0]


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
    one, same = (train_translator(np.random.default_rng(5), 3) for _ in range(2))
    start = _init(np.random.default_rng(5))
    still = train_translator(np.random.default_rng(5), 3, learning_rate=0)
    for a, b, c, d in zip(*map(leaves, (one, same, start, still)), strict=True):
        assert_array_equal(a, b)
        assert_array_equal(c, d)
    moved = np.abs(one.w_words - start.w_words).max()
    assert 0.02 < moved < 0.05  # steps of .02, .0133 and .0067


def test_writing_puts_in_what_it_has_written(rng):
    params = _init(rng)
    words = write_translation(HELD_OUT[:4], params)
    logits = translator(HELD_OUT[:4], shifted(words), params)
    assert_array_equal(logits.argmax(axis=-1), words)
    assert_array_equal(write_translation(HELD_OUT[2], params), words[2])


def test_the_stored_runs_say_what_the_page_says():
    runs = load_translator_runs()
    assert list(runs.params) == SWITCHES
    taught = {which: found.mean(axis=-1) for which, found in runs.taught.items()}
    assert all(found.shape == (20,) for found in taught.values())
    right, _, mask, neither = (taught[which] for which in SWITCHES)
    assert 0.88 < right.min() <= right.max() < 0.92
    assert min(mask.min(), neither.min()) > 0.999
    whole = [(27 * runs.sentences[which]).round() for which in SWITCHES]
    assert whole[0].min() == 26
    assert whole[1].max() == 4
    assert whole[2].max() == whole[3].max() == 0
    assert runs.repeats[True, True].max() == 0
    # The parameters are those of seed 0.
    for which, params in runs.params.items():
        written = write_translation(HELD_OUT, params, is_causal=which[1])
        same = (written[:, None] == both_translations(HELD_OUT)).all(axis=-1).any(axis=-1)
        assert same.mean() == pytest.approx(runs.sentences[which][0])
