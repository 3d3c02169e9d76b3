"""A small translator: its sentences, what is stored of it, and that it reads and writes."""

import numpy as np
import pytest

from attnbook.models.recurrent_translator import (
    ENGLISH,
    batch_of,
    forward,
    init_translator,
    load_translation_runs,
    random_sentence,
    translate,
    translate_by_rule,
)

RUNS = load_translation_runs()


def test_sentences_have_as_many_clauses_as_asked():
    rng = np.random.default_rng(0)
    for n_clauses in (1, 2, 5):
        for _ in range(20):
            words = random_sentence(rng, n_clauses)
            assert set(words) <= set(ENGLISH)
            assert (words.count("and"), words.count("is")) == (n_clauses - 1, n_clauses)
            assert 6 * n_clauses <= len(words) - n_clauses <= 9 * n_clauses


def test_the_rule_puts_colours_and_adverbs_second_and_drops_is():
    source = ["a", "cat", "is", "often", "following", "the", "grey", "wolf", "."]
    words, places = translate_by_rule(source)
    assert words == ["un", "chat", "suit", "souvent", "le", "loup", "gris", "."]
    assert places == [0, 1, 4, 3, 5, 7, 6, 8]
    with pytest.raises(ValueError, match=r"^translate_by_rule: .* unknown: \['cow'\]"):
        translate_by_rule(["cow"])


@pytest.mark.parametrize("name", RUNS.models)
def test_stored_models_do_what_was_measured(name):
    rng = np.random.default_rng(5)
    for n_clauses in (1, 2, 4):
        sources = [random_sentence(rng, n_clauses) for _ in range(60)]
        right = [translate(RUNS.models[name], s).words == translate_by_rule(s)[0] for s in sources]
        assert np.mean(right) == pytest.approx(RUNS.right[name][0, n_clauses - 1], abs=0.2)


@pytest.mark.parametrize("attends", [True, False])
def test_a_sentence_is_read_alike_alone_and_among_longer_ones(attends):
    rng = np.random.default_rng(1)
    model = init_translator(rng, attends=attends)
    sources = [random_sentence(rng, n) for n in (1, 3, 2)]
    tokens, targets, _ = batch_of(sources)
    together = forward(model, tokens, targets)
    for i, source in enumerate(sources):
        own_tokens, own_targets, _ = batch_of([source])
        alone = forward(model, own_tokens, own_targets)
        n = own_targets.shape[1]
        np.testing.assert_allclose(together.logits[i, :n], alone.logits[0], atol=1e-5)
