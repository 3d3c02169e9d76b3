"""The stored heads of a trained model: what belongs together fits; the page prints what they do."""

import numpy as np

from attnbook.models.trained_heads import (
    load_head_interventions,
    load_pronoun_heads,
    load_trained_heads,
)
from attnutils import softmax

HEADS = load_trained_heads()


def test_each_sentence_has_its_tokens_and_arrays_that_fit():
    for sentence, (tokens, scores, value_norms) in HEADS.items():
        assert (tokens[0], tokens[-1]) == ("[CLS]", "[SEP]")
        letters = "".join(tokens[1:-1]).replace("##", "")
        assert letters == sentence.lower().replace(" ", "")
        assert scores.shape == (6, 12, len(tokens), len(tokens))
        assert value_norms.shape == (6, 12, len(tokens))


def test_pairs_differ_in_the_last_word_alone():
    pronouns = load_pronoun_heads()
    sentences = [sentence.split() for sentence in pronouns]
    for first, second in zip(sentences[::2], sentences[1::2], strict=True):
        assert first[:-1] == second[:-1]
        assert first[-1] != second[-1]
    for sentence, heads in pronouns.items():
        assert heads.tokens == ("[CLS]", *sentence.lower().split(), "[SEP]")
        assert heads.tokens[heads.asks] == "it"
        assert heads.scores.shape == (6, 12, len(heads.tokens))


def test_interventions_fit_the_heads():
    taken = load_head_interventions()
    to_cls = [softmax(heads.scores)[:, :, 1:-1, 0].mean(axis=-1) for heads in HEADS.values()]
    np.testing.assert_array_equal(taken.sinks, np.mean(to_cls, axis=0) > 0.5)
    for moved in (taken.token_masked, taken.token_silenced):
        assert list(map(len, moved)) == [len(heads.tokens) for heads in HEADS.values()]
    np.testing.assert_allclose(taken.went.sum(axis=1), 1, atol=0.002)
