"""The stored heads of a trained model: the data are whole, and do what the book says of them."""

import numpy as np
import pytest

from attnutils import load_head_interventions, load_pronoun_heads, load_trained_heads, softmax

TOKENS = {
    "The sleepy child reads a book": "the sleepy child reads a book",
    "The cat slept because it was tired": "the cat slept because it was tired",
    "The red car passed the blue car": "the red car passed the blue car",
    "Hippopotamuses sleep in warm water": "hip ##pop ##ota ##mus ##es sleep in warm water",
    "Where does the longest river begin?": "where does the longest river begin ?",
}
HEADS = load_trained_heads()
WEIGHTS = {sentence: softmax(heads.scores) for sentence, heads in HEADS.items()}


@pytest.mark.parametrize("sentence", TOKENS)
def test_each_sentence_has_its_tokens_and_arrays_that_fit(sentence):
    tokens, scores, value_norms = HEADS[sentence]
    assert tokens == ("[CLS]", *TOKENS[sentence].split(), "[SEP]")
    n = len(tokens)
    assert scores.shape == (6, 12, n, n)
    assert value_norms.shape == (6, 12, n)
    assert scores.min() < 0 < 10 < scores.max()  # not weights, nor their logarithms
    assert (value_norms > 0).all()


def test_the_rules_of_the_page_find_these_heads():
    """Only words ask, and a rule takes the mean over the sentences; links hold in each."""

    def passing(number, join=np.mean, threshold=0.5):
        found = join([number(a[:, :, 1:-1]) for a in WEIGHTS.values()], axis=0) > threshold
        return [tuple(map(int, at)) for at in np.argwhere(found)]

    def beside(offset):
        return lambda a: np.diagonal(a[..., 1:-1], offset, -2, -1).mean(axis=-1)

    def link(a):
        i, j = np.indices(a[0, 0, :, 1:-1].shape)
        return np.where(abs(i - j) > 1, a[..., 1:-1], 0).max(axis=(-2, -1))

    assert passing(beside(-1)) == [(0, 2)]
    assert passing(beside(1)) == [(1, 8)]
    sinks = passing(lambda a: a[..., 0].mean(axis=-1))
    assert len(sinks) == 43
    assert sum(1 <= layer <= 4 for layer, _ in sinks) == 40
    assert passing(lambda a: a[..., -1].mean(axis=-1)) == []
    links = [(0, 1), (1, 6), (1, 7), (2, 8), (3, 1), (5, 9)]
    assert passing(link, np.min, 0.3) == links


# -- where "it" looks: pairs of sentences, with what it is in the first and in the second

PRONOUNS = load_pronoun_heads()
PAIRS = [("animal", "street"), ("trophy", "suitcase"), ("ball", "window")]


def test_pairs_differ_in_the_last_word_alone():
    sentences = [sentence.split() for sentence in PRONOUNS]
    assert len(sentences) == 2 * len(PAIRS)
    for first, second in zip(sentences[::2], sentences[1::2], strict=True):
        assert first[:-1] == second[:-1]
        assert first[-1] != second[-1]
    for sentence, heads in PRONOUNS.items():
        assert heads.tokens == ("[CLS]", *sentence.lower().split(), "[SEP]")
        assert heads.tokens[heads.asks] == "it"
        assert heads.scores.shape == (6, 12, len(heads.tokens))


def test_no_head_follows_the_meaning_in_more_than_one_of_three_pairs():
    """A head follows it if in both sentences what "it" is gets more weight than the other noun."""
    follows = np.zeros((6, 12), dtype=int)
    each = iter(PRONOUNS.values())
    for nouns, first, second in zip(PAIRS, each, each, strict=True):
        leads = []
        for heads in (first, second):
            one, other = (heads.scores[..., heads.tokens.index(noun)] for noun in nouns)
            leads.append(one - other)
        follows += (leads[0] > 0) & (leads[1] < 0)
    assert follows.max() == 1
    assert follows[5, 11] == 0


# -- what is taken away

TAKEN = load_head_interventions()


def test_interventions_fit_the_heads():
    to_cls = np.mean([a[:, :, 1:-1, 0].mean(axis=-1) for a in WEIGHTS.values()], axis=0)
    np.testing.assert_array_equal(TAKEN.sinks, to_cls > 0.5)
    shapes = {
        "apart": (11, 11),
        "alone": (6, 12, 5),
        "all_moved": (2, 5),
        "some_moved": (2, 7, 20, 5),
        "layer_moved": (2, 20, 5),
        "went": (5, 3, 6, 12),
        "looks": (20, 2, 3, 6, 12),
    }
    for name, shape in shapes.items():
        array = getattr(TAKEN, name)
        assert array.shape == shape
        assert ((array >= 0) & (array <= 2)).all()
    for moved in (TAKEN.token_masked, TAKEN.token_silenced):
        assert list(map(len, moved)) == [len(heads.tokens) for heads in HEADS.values()]
    np.testing.assert_allclose(TAKEN.went.sum(axis=1), 1, atol=0.002)
