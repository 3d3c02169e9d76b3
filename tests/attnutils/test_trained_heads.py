"""The stored heads of a trained model: the data are whole, and do what the book says of them."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import attnutils
from attnutils import (
    HeadInterventions,
    PronounHeads,
    TrainedHeads,
    load_head_interventions,
    load_pronoun_heads,
    load_trained_heads,
    softmax,
)

DATA = Path(attnutils.__file__).parent / "data"
TOKENS = {
    "The sleepy child reads a book": "the sleepy child reads a book",
    "The cat slept because it was tired": "the cat slept because it was tired",
    "The red car passed the blue car": "the red car passed the blue car",
    "Hippopotamuses sleep in warm water": "hip ##pop ##ota ##mus ##es sleep in warm water",
    "Where does the longest river begin?": "where does the longest river begin ?",
}
HEADS = load_trained_heads()
WEIGHTS = {sentence: softmax(heads.scores) for sentence, heads in HEADS.items()}
SENTENCES = list(TOKENS)


def test_sentences_come_in_their_order_and_the_worked_example_first():
    assert list(HEADS) == SENTENCES
    assert all(isinstance(heads, TrainedHeads) for heads in HEADS.values())


@pytest.mark.parametrize("sentence", SENTENCES)
def test_each_sentence_has_its_tokens_and_arrays_that_fit(sentence):
    tokens, scores, value_norms = HEADS[sentence]
    assert tokens == ("[CLS]", *TOKENS[sentence].split(), "[SEP]")
    assert all(type(token) is str for token in tokens)
    n = len(tokens)
    assert n <= 12
    assert scores.shape == (6, 12, n, n)
    assert value_norms.shape == (6, 12, n)
    for array in (scores, value_norms):
        assert array.dtype == np.float64
        assert np.isfinite(array).all()
    assert (value_norms > 0).all()


def test_scores_are_raw_neither_weights_nor_their_logarithms():
    for heads in HEADS.values():
        assert heads.scores.min() < 0
        assert heads.scores.max() > 10


def test_head_2_of_layer_0_reads_the_previous_token_and_no_other_head_does():
    for weights in WEIGHTS.values():
        previous = np.diagonal(weights, offset=-1, axis1=-2, axis2=-1).mean(axis=-1)
        assert np.unravel_index(previous.argmax(), previous.shape) == (0, 2)
        assert previous[0, 2] > 0.99
        assert np.sort(previous, axis=None)[-2] < 0.5


def test_head_8_of_layer_1_reads_the_next_token_most():
    for weights in WEIGHTS.values():
        following = np.diagonal(weights, offset=1, axis1=-2, axis2=-1).mean(axis=-1)
        assert np.unravel_index(following.argmax(), following.shape) == (1, 8)
        assert 0.49 < following[1, 8] < 0.64


@pytest.mark.parametrize(
    ("sentence", "layer", "head", "query", "key", "weight"),
    [
        (0, 0, 1, "book", "reads", 0.81),
        (0, 0, 1, "reads", "book", 0.83),
        (1, 5, 11, "it", "cat", 0.69),
        (3, 4, 9, "##pop", "##ota", 0.83),
        (4, 3, 1, "the", "river", 0.91),
    ],
)
def test_words_read_each_other(sentence, layer, head, query, key, weight):
    sentence = SENTENCES[sentence]
    tokens = HEADS[sentence].tokens
    found = WEIGHTS[sentence][layer, head, tokens.index(query), tokens.index(key)]
    assert found == pytest.approx(weight, abs=0.005)


def test_head_9_of_layer_2_joins_the_two_cars():
    weights = WEIGHTS["The red car passed the blue car"][2, 9]
    assert weights[3, 7] == pytest.approx(0.80, abs=0.005)
    assert weights[7, 3] == pytest.approx(0.76, abs=0.005)


def test_most_weight_of_layers_1_to_4_goes_to_cls_which_hands_on_little():
    for sentence, (_, _, value_norms) in HEADS.items():
        sink = WEIGHTS[sentence][..., 0].mean(axis=(1, 2))  # one number a layer
        assert (sink[1:5] > 0.5).all()
        assert (sink[[0, 5]] < 0.45).all()
        small, words = value_norms[:, :, 0].mean(axis=1), value_norms[:, :, 1:-1].mean(axis=(1, 2))
        assert (small[1:5] < words[1:5] / 15).all()


def test_changing_a_result_does_not_change_the_next():
    first = load_trained_heads()
    sentence = SENTENCES[0]
    first[sentence].scores[:] = 0
    first[sentence].value_norms[:] = 0
    del first[SENTENCES[1]]
    second = load_trained_heads()
    assert list(second) == SENTENCES
    np.testing.assert_array_equal(second[sentence].scores, HEADS[sentence].scores)
    np.testing.assert_array_equal(second[sentence].value_norms, HEADS[sentence].value_norms)


def test_the_file_is_read_when_asked_for_and_not_before():
    code = (
        "import sys\n"
        "def hook(event, arguments):\n"
        "    if event == 'open' and str(arguments[0]).endswith('.npz'):\n"
        "        print('read')\n"
        "sys.addaudithook(hook)\n"
        "import attnutils\n"
        "print('imported')\n"
        "attnutils.load_trained_heads()\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.split() == ["imported", "read"]


def test_the_data_are_small_and_hold_no_objects():
    path = DATA / "minilm_heads.npz"
    assert path.stat().st_size < 80_000
    with np.load(path, allow_pickle=False) as stored:
        assert {array.dtype.kind for array in stored.values()} == {"U", "f"}


def test_the_licence_is_beside_the_data():
    assert "Apache License" in (DATA / "LICENSE").read_text(encoding="utf-8")[:200]
    assert "Apache License 2.0" in (DATA / "README.md").read_text(encoding="utf-8")


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
        assert isinstance(heads, PronounHeads)
        assert heads.tokens == ("[CLS]", *sentence.lower().split(), "[SEP]")
        assert heads.tokens[heads.asks] == "it"
        assert heads.scores.shape == (6, 12, len(heads.tokens))
        assert heads.scores.dtype == np.float64
        assert np.isfinite(heads.scores).all()
        # Scores, not weights.
        assert heads.scores.min() < 0
        assert heads.scores.max() > 10


def test_head_11_of_layer_5_looks_at_the_animal_that_is_tired_and_at_it_when_the_street_is_wide():
    tired, wide = list(PRONOUNS.values())[:2]
    for heads, weight in ((tired, 0.64), (wide, 0.51)):
        weights = softmax(heads.scores[5, 11])
        assert heads.tokens[weights.argmax()] == "animal"
        assert weights.max().round(2) == weight


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
    assert follows.shape == (6, 12)
    assert follows.max() == 1
    assert follows[5, 11] == 0


def test_pronoun_heads_are_new_with_each_call():
    first, second = (next(iter(load_pronoun_heads().values())).scores for _ in range(2))
    first[:] = 0
    assert second.max() > 10


# -- what is taken away

TAKEN = load_head_interventions()


def test_interventions_fit_the_heads():
    assert isinstance(TAKEN, HeadInterventions)
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
        assert array.dtype == np.float64
        assert ((array >= 0) & (array <= 2)).all()
    for moved in (TAKEN.token_masked, TAKEN.token_silenced):
        assert list(map(len, moved)) == [len(heads.tokens) for heads in HEADS.values()]
    assert TAKEN.sizes.tolist() == [1, 5, 10, 15, 20, 25, 29]
    assert list(map(len, TAKEN.words)) == [10, 10]
    assert len({*TAKEN.words[0], *TAKEN.words[1]}) == 20
    np.testing.assert_allclose(TAKEN.went.sum(axis=1), 1, atol=0.002)


def test_cls_can_be_silenced_but_not_masked():
    for masked, silenced in zip(TAKEN.token_masked, TAKEN.token_silenced, strict=True):
        assert silenced[0] < 0.12
        assert masked.argmax() == 0
        assert masked[0] > masked[1:].max() + 0.2


def test_sink_heads_are_missed_less_than_others():
    sinks, others = TAKEN.some_moved.mean(axis=-1)
    assert ((others > sinks).sum(axis=1)[2:] == 20).all()
    sinks, others = TAKEN.layer_moved.mean(axis=-1)
    assert (others > sinks).all()
    assert TAKEN.all_moved[0].min() > 0.4  # and yet they are missed


def test_heads_find_copies_and_none_what_came_after():
    again, control = TAKEN.looks[:, 0], TAKEN.looks[:, 1]
    assert (again[:, 0, 2, 9] > 0.6).all()
    assert (again[:, 0, 1, 1] > 0.4).all()
    assert control[:, 0].max() < 0.15
    assert again[:, 1:].max() < 0.1


def test_the_data_of_interventions_are_small_and_new_with_each_call():
    assert (DATA / "minilm_interventions.npz").stat().st_size < 30_000
    load_head_interventions().looks[:] = 0
    assert load_head_interventions().looks.max() > 0.5
