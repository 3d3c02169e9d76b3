"""What single explorers compute in Python alone, and which of their traits follow others.

That the page shows what Python has, and that both compute the same, is in test_browser.py and
test_agreement.py.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attnbook import LiveCards, TrainingExplorer
from attnbook import explorers as widgets
from attnbook.explorers.architecture.explorer import STATIONS, lines
from attnbook.explorers.cache.explorer import MODELS as CACHED
from attnbook.explorers.cache.explorer import CacheExplorer
from attnbook.explorers.writing.explorer import MOST_TEXT, draw
from attnbook.models.bugs import PROBES
from attnbook.models.language import encode_text, language_model, load_language_model
from attnbook.models.online_softmax import read_blocks
from attnbook.models.random_scores import VARIANCE, random_vectors
from attnbook.models.recurrent_translator import FRENCH, translate
from attnbook.models.trained_heads import load_pronoun_heads, load_trained_heads
from attnbook.models.transformer_translator import shifted, translator
from attnutils import decoder_block, encoder_block, sinusoidal_encoding, softmax
from attnutils.worked_example import KEYS, VALUES, WORDS
from tests.explorers.examples import architecture as architecture_explorer
from tests.explorers.examples import translator as translator_explorer
from tests.explorers.examples.writing import MODELS as WRITERS
from tests.explorers.labels import moved
from tests.explorers.states import example
from tests.notebooks import cell, shown, source

RNG = np.random.default_rng(0)
TENSORS = {name: RNG.normal(size=(2, 3, n, n)) for name, n in [("a", 3), ("b", 5), ("c", 2)]}
TEXTS = {name: list("abcde")[: tensor.shape[-1]] for name, tensor in TENSORS.items()}


def test_the_run_of_the_architecture_is_that_of_the_blocks_and_of_the_translator():
    explorer, params, found = architecture_explorer.trained(), architecture_explorer.PARAMS, {}
    for explorer.at in range(len(STATIONS)):
        found[explorer.place] = explorer.array
    source, given = architecture_explorer.SOURCE, shifted(architecture_explorer.TARGET)
    x = params.source_table[source] + sinusoidal_encoding(4, 8)
    z = params.target_table[given] + sinusoidal_encoding(5, 8)
    encoded = encoder_block(x, params.encoder, n_heads=2)
    decoded = decoder_block(z, encoded.output, params.decoder, n_heads=2)
    for name, wanted in {
        "Encoder, positions": x,
        "Encoder, self-attention, weights": encoded.weights,
        "Encoder, feed-forward, norm": encoded.output,
        "Decoder, self-attention, weights": decoded.self_weights,
        "Decoder, attention to the encoder, weights": decoded.cross_weights,
        "Decoder, feed-forward, norm": decoded.output,
        "Softmax": softmax(translator(source, given, params)),
    }.items():
        assert_allclose(found[name], wanted, rtol=0, atol=1e-12, err_msg=name)
    # Every arrow ends at a box or leaves the drawing.
    boxes = [(station.x, station.y) for station in STATIONS if station.text]
    loose = [(x, y) for *_, (x, y) in lines()
             if not any(abs(x - a) <= 56 and abs(y - b) <= 17 for a, b in boxes)]  # fmt: skip
    assert loose == [(234, 474)]


def test_another_sentence_keeps_what_it_can():
    made = widgets.AttentionExplorer(
        TEXTS, TENSORS, axes=("layer", "head"), sentence="b", index=[1, 2], token=2, mask="causal"
    )
    made.order = [4, 3, 2, 1, 0]
    made.set_state({"sentence": "a"})
    assert (made.index, made.token, made.mask) == ([1, 2], 2, "causal")
    assert (made.order, made.tokens) == ([0, 1, 2], TEXTS["a"])
    made.sentence = "c"
    assert (made.token, made.order) == (0, [0, 1])
    made.sentence = "b"
    made.scores = -TENSORS["b"]
    assert_allclose(made.scores, -TENSORS["b"])
    made.sentence = "a"
    assert_allclose(made.scores, TENSORS["a"])


def test_what_is_offered_fits_the_scores():
    make = widgets.AttentionExplorer
    assert make(WORDS, np.zeros((6, 6)), n_real=4).masks == ["none", "causal", "padding"]
    assert make(WORDS[:4], np.zeros((4, 6)), key_tokens=WORDS).masks == ["none"]
    axes = make(WORDS, np.zeros((3, 6, 6)), axes={"step": [-1, 0.5, 3e5]}).axes
    assert axes == [{"name": "step", "labels": ["−1", "0.5", "300000"], "choose": False}]


def test_the_board_of_a_game_shows_what_was_tried():
    game = moved(example(widgets.BugGame), seen=[0, 0b1000, *[0] * 5, 255], box=2, probe=1)
    assert game.board[0] == [""] * 8
    assert game.board[1] == ["", "", "", "breaks", "", "", "", ""]
    assert game.board[2] == ["", "NaN", "", "", "", "", "", ""]
    assert game.board[7] == ["keeps"] * 6 + ["breaks", "keeps"]
    moved(game, box=0, probe=list(PROBES).index("everything twice"))
    assert (game.board[0][game.probe], game.probed) == ("error", None)


def test_online_softmax_is_exact_at_each_step():
    for scores, values in [(KEYS @ KEYS[5], VALUES[:, 0]), (np.array([-1e3, 1e3]), np.arange(2))]:
        for block in range(1, len(scores) + 1):
            for step, state in enumerate(read_blocks(scores, values, block, correct=True)[1:], 1):
                read = slice(step * block)
                wanted = softmax(scores[read]) @ values[read]
                assert state.output == pytest.approx(wanted, rel=1e-13, abs=1e-13)


def test_the_translator_shows_what_is_translated():
    explorer = translator_explorer.made(sentence=1)
    for at, (name, model) in enumerate(translator_explorer.MODELS.items()):
        explorer.model, wanted = at, translate(model, translator_explorer.LONG.split())
        for explorer.step, word in enumerate(wanted.words):
            assert explorer.word == word == FRENCH[explorer.probabilities.argmax()]
        assert len(explorer.alignment) == len(wanted.words)
        if name == "attention":
            assert_allclose(explorer.alignment, wanted.weights, atol=1e-3)
        else:
            assert not explorer.alignment.any()


def test_random_numbers_are_even_and_have_mean_0_and_variance_1():
    vectors = np.array([random_vectors(draw) for draw in range(1, 41)]) / np.sqrt(VARIANCE)
    assert abs(vectors.mean()) < 0.01
    assert abs(vectors.var() - 1) < 0.01
    draws = np.array([draw(seed, place) for seed in range(50) for place in range(600)])
    counts, _ = np.histogram(draws, bins=20, range=(0, 1))
    assert ((counts - 1500) ** 2 / 1500).sum() < 50  # chi-square with 19 degrees: 1 in 7000


def test_traits_that_follow_others():
    bench = widgets.AttentionBench(WORDS, KEYS, VALUES, query=5)
    assert moved(bench, query=3).query_vector.tolist() == KEYS[3].tolist()
    bench.key_matrix = np.ones((6, 3))
    assert bench.query_vector.tolist() == [1, 1, 1]
    bench.query_vector = [1, 2, 3]  # it is edited
    bench.key_matrix = KEYS
    assert bench.query_vector.tolist() == [1, 2, 3]
    assert moved(widgets.PositionalEncodingExplorer(position=63), length=8).position == 7
    scores = {"GAT": np.ones((1, 3)), "dot": [0]}
    graph = widgets.GraphAttentionExplorer(["a", "b"], np.eye(2), [0], [0], scores, head=2)
    assert moved(graph, mechanism="dot").head == 0


def test_the_writer_reads_the_end_of_a_text_that_has_an_end():
    explorer = widgets.WritingExplorer(WRITERS, "x" * (MOST_TEXT - 5))
    assert explorer.read == explorer.text[-64:]
    explorer.go_on(10)
    assert len(explorer.text) == MOST_TEXT


@pytest.mark.parametrize("words", [2**10, 2**17, 2**20])
def test_the_settings_of_a_model_keep_what_the_file_of_models_says(words):
    names = "layers", "every", "states", "window", "sets", "width", "latent"
    known = [dict(zip(names, model, strict=True)) for model in CACHED.values()]
    explorers = [CacheExplorer(**settings, words=words) for settings in known]
    assert [explorer.total_bytes for explorer in explorers] == explorers[0].known_bytes


def test_the_front_page_says_of_the_wall_what_the_stored_heads_do():
    page = cell("index", "wall")
    wall, tokens = shown(page), ["[CLS]", "the", "cat", "slept", "because", "it", "was", "tired"]
    assert (wall.tokens[:-1], len(wall.table) * 4 / 3 < 60_000) == (tokens, True)
    exact = softmax(load_trained_heads()[wall.sentence].scores)[:, :, 5].reshape(72, 9)
    # One head alone gives the cat more than half; the page has its hundredths and the next best.
    (found,) = np.flatnonzero(exact[:, 2] > 0.5)
    second, first = np.sort(exact[:, 2])[-2:]
    told = f"head {found % 12} of layer {found // 12}: it gives *cat* {first:.2f}".replace(
        "0.", "."
    )
    told += f", the next best head {second:.2f}. ".replace("0.", ".")
    told += (
        f"In {(exact.argmax(axis=1) == 0).sum()} of the 72 heads *it* looks most at the start mark"
    )
    assert told in source(cell("index", "what-it-shows"))
    alt = page["metadata"]["mystnb"]["image"]["alt"]
    assert f"weight {exact[found, 2]:.2f}".replace("0.", ".") in alt
    assert f"start, {exact[found, 0]:.2f}".replace("0.", ".") in alt
    # In the other pair the arc of this head stays at the animal.
    for step in wall.steps:
        wall.sentence = step["sentence"]
        assert wall.tokens[wall.weights[found].argmax()] == "animal"
    for name, heads in (load_trained_heads() | load_pronoun_heads()).items():
        if name in [each["name"] for each in wall.sentences]:
            wall.sentence = name
            every = softmax(heads.scores).reshape(72, -1, len(heads.tokens))
            for asks, weights in enumerate(every.swapaxes(0, 1)):
                wall.asks = asks
                assert_allclose(wall.weights, weights, rtol=0, atol=0.005001)


def test_the_cards_show_what_the_pages_compute():
    cards = LiveCards()
    training, maps = TrainingExplorer(), np.frombuffer(cards.maps, np.uint8).reshape(-1, 10, 10)
    for i in (0, 8, len(maps) - 1):
        weights, said = training.answer_at(cards.training["steps"][i])
        assert cards.training["said"][i] == "".join(said)
        assert_allclose(maps[i] / 100, weights, rtol=0, atol=0.005001)
    text, (letter, chance) = cards.writing["text"], cards.writing["next"][10][0]
    model = load_language_model()
    tokens = encode_text(f"\n{text[:11]}", model.alphabet)
    row = softmax(language_model(tokens, model.params, n_heads=model.n_heads)[-1])
    assert (model.alphabet[row.argmax()], round(float(row.max()), 2)) == (letter, chance)
    looks = np.frombuffer(cards.looks, np.uint8).reshape(len(text), -1)
    assert not np.triu(looks, 1).any()
    assert cards._repr_mimebundle_()[0]["text/html"].count("<a href=") == 3
