"""What single explorers compute in Python, and which of their traits follow others."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attnutils import (
    decoder_block,
    encoder_block,
    entropy,
    segment_softmax,
    sinusoidal_encoding,
    softmax,
    widgets,
)
from attnutils.bugs import PROBES
from attnutils.induction import LETTERS, attention_only, without_head
from attnutils.toy_tasks import train
from attnutils.translation import FRENCH, translate, translate_by_rule
from attnutils.translator import shifted, translator
from attnutils.widgets.architecture_explorer import STATIONS, lines
from attnutils.widgets.online_softmax_explorer import read_blocks
from attnutils.widgets.training_explorer import encoding_of, minibatch, remedied, starting_params
from attnutils.widgets.width_explorer import VARIANCE, random_vectors
from attnutils.widgets.writing_explorer import MOST_TEXT, draw
from attnutils.worked_example import KEYS, VALUES, WORDS
from tests.explorers.states import architecture_explorer, translator_explorer
from tests.explorers.states._texts import moved
from tests.explorers.states.induction_explorer import PARAMS as INDUCTION
from tests.explorers.states.word_order_explorer import reordered
from tests.explorers.states.writing_explorer import MODELS as WRITERS

SCORES = KEYS @ KEYS[5]
RNG = np.random.default_rng(0)
TENSORS = {name: RNG.normal(size=(2, 3, n, n)) for name, n in [("a", 3), ("b", 5), ("c", 2)]}
TEXTS = {name: list("abcde")[: tensor.shape[-1]] for name, tensor in TENSORS.items()}


def sentences(**options):
    return widgets.AttentionExplorer(TEXTS, TENSORS, axes=("layer", "head"), **options)


def test_the_run_of_the_architecture_is_that_of_the_blocks_and_of_the_translator():
    explorer, params, found = architecture_explorer.trained(), architecture_explorer.PARAMS, {}
    sizes = {"n": 4, "m": 5, "d": 8, "H": 2, "d_ff": 16, "words": 14}
    for explorer.at, station in enumerate(STATIONS):
        found[explorer.place] = explorer.array
        letters = station.letters.strip("()").split(", ")
        assert explorer.array.shape == tuple(sizes[letter] for letter in letters), station.name
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
    made = sentences(sentence="b", index=[1, 2], token=2, temperature=0.5, mask="causal")
    made.order = [4, 3, 2, 1, 0]
    made.set_state({"sentence": "a"})
    assert (made.index, made.token, made.temperature, made.mask) == ([1, 2], 2, 0.5, "causal")
    assert (made.order, made.tokens) == ([0, 1, 2], TEXTS["a"])
    assert_allclose(made.scores, TENSORS["a"])
    made.sentence = "c"
    assert (made.token, made.order) == (0, [0, 1])
    # What comes with the sentence is of it, whatever is named first.
    made.set_state({"order": [0, 1, 2, 4, 3], "token": 4, "sentence": "b"})
    assert (made.sentence, made.token, made.order) == ("b", 4, [0, 1, 2, 4, 3])
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
    with pytest.raises(ValueError, match="most 16 entries an axis and 144 slices in all"):
        make(["a", "b"], np.zeros((13, 12, 2, 2)), axes=("layer", "head"))


def test_a_game_is_solved_where_all_boxes_are_named_right_and_its_board_shows_what_was_tried():
    game = moved(widgets.BugGame.example(), order=[3, 0, 1, 2, 7, 6, 5, 4])
    suspects = list(widgets.bug_game.SUSPECTS)
    right = [suspects.index(game.in_box(box)) for box in range(8)]
    assert not moved(game, verdicts=[*right[:7], -1]).is_solved
    assert moved(game, verdicts=right).is_solved
    moved(game, order=list(range(8)), seen=[0, 0b1000, *[0] * 5, 255], box=2, probe=1)
    assert game.board[0] == [""] * 8
    assert game.board[1] == ["", "", "", "breaks", "", "", "", ""]
    assert game.board[2] == ["", "NaN", "", "", "", "", "", ""]
    assert game.board[7] == ["keeps"] * 6 + ["breaks", "keeps"]
    moved(game, box=0, probe=list(PROBES).index("everything twice"))
    assert (game.board[0][game.probe], game.probed) == ("error", None)
    leak = widgets.LeakGame.example()
    right = [list(widgets.leak_game.LAYERS).index(layer) for layer in leak.layers]
    assert not moved(leak, verdicts=[*right[:4], -1]).is_solved
    assert moved(leak, verdicts=right).is_solved
    moved(leak, box=leak.layers.index("causal mask"), numbers=[1, 2, 3, 1.5, 1, 4])
    assert leak.n_moved == 4
    assert [leak.evidence[t].tolist() for t in (2, 5)] == [
        [False] * 2 + [True] * 4,
        [False] * 5 + [True],
    ]


def test_a_graph_has_a_softmax_for_each_receiver_and_a_head_that_its_mechanism_has():
    scores = {"GAT": RNG.normal(size=(7, 3)), "dot": [0, -np.inf, 0, -np.inf, -np.inf, -np.inf, 0]}
    receivers = [0, 0, 0, 0, 1, 1, 2]
    ends = [0, 1, 2, 3, 0, 2, 1], receivers
    made = widgets.GraphAttentionExplorer(list("abcd"), np.eye(4, 2), *ends, scores, head=2)
    assert_allclose(made.weights, segment_softmax(scores["GAT"][:, 2], receivers, 4), atol=1e-15)
    assert made.entropy == pytest.approx(entropy(made.weights[:4]))
    made.mechanism = "dot"
    assert made.head == 0
    for made.temperature in (0, 1, math.inf):
        assert made.weights.tolist() == [0.5, 0, 0.5, 0, 0, 0, 1]
    made.set_state({"head": 2, "mechanism": "GAT"})  # the page sends both at once
    assert (made.mechanism, made.head) == ("GAT", 2)
    made.scores = {"dot": range(7), "GAT": np.ones((7, 3))}
    assert_allclose(made.scores["dot"][:, 0], range(7))


@pytest.mark.parametrize("heads", [[1, 1], [0, 1], [1, 0]])
def test_induction_reads_as_the_model_does_and_needs_both_heads(heads):
    explorer = widgets.InductionExplorer(INDUCTION, "gbalcegbalce", heads=heads)
    params = INDUCTION
    for layer in (0, 1):
        params = params if heads[layer] else without_head(params, layer)
    logits, weights = attention_only([LETTERS.index(letter) for letter in explorer.text], params)
    # What is stored has 8 bits already, so rounding changes nothing.
    assert_allclose(explorer.weights, weights, rtol=0, atol=1e-6)
    assert_allclose(explorer.probabilities, softmax(logits), rtol=0, atol=1e-6)
    assert (explorer.guesses[6:] == "balceg") == (heads == [1, 1])


def test_online_softmax_is_exact_at_each_step_and_keeps_what_is_read():
    for scores, values in [(SCORES, VALUES[:, 0]), (np.array([-1e3, 1e3, 999]), np.arange(3))]:
        for block in range(1, len(scores) + 1):
            for step, state in enumerate(read_blocks(scores, values, block, correct=True)[1:], 1):
                read = slice(step * block)
                wanted = softmax(scores[read]) @ values[read]
                assert state.output == pytest.approx(wanted, rel=1e-13, abs=1e-13)
    widget = widgets.OnlineSoftmaxExplorer(range(6), range(6), block=1, step=3)
    assert moved(widget, block=2).step == 1
    widget.set_state({"step": 6, "block": 1})  # what comes together stays together
    assert (widget.block, widget.step) == (1, 6)


def test_training_takes_the_steps_of_attnutils_and_learns():
    explorer, batches = widgets.TrainingExplorer(), iter(range(20))
    encoding = encoding_of(10, True)
    start = starting_params(1), lambda: minibatch(1, next(batches))
    result = train(*start, 20, encoding=encoding)
    explorer.step = 20
    assert_allclose(explorer.losses[:20], result.losses, rtol=0, atol=1e-12)
    tokens, targets = minibatch(1, 7)
    assert np.array_equal(tokens[:, ::-1], targets)
    assert all(len(set(row)) == 10 for row in tokens)
    params = starting_params(2)
    assert_allclose(remedied(params, 1, 2).w_key, params.w_key / 30)
    assert_allclose(remedied(params, 3, 2).w_query, params.w_query / 3)
    explorer.step = 100
    assert explorer.said == explorer.letters[::-1]
    explorer.length = 9  # which it reverses as if they were ten
    right = [a == b for a, b in zip(explorer.said, explorer.letters[::-1], strict=True)]
    assert right == [True] + [False] * 8


def test_the_translator_shows_what_is_translated():
    for at, (name, model) in enumerate(translator_explorer.MODELS.items()):
        text = translator_explorer.LONG.split()
        explorer = translator_explorer.made(translator=at, sentence=1)
        expected, right = translate(model, text), translate_by_rule(text)[0]
        for explorer.step, word in enumerate(expected.words):
            assert explorer.word == word == FRENCH[explorer.probabilities.argmax()]
            assert explorer.right_word == dict(enumerate(right)).get(explorer.step, "")
            assert_allclose(
                explorer.probabilities, softmax(expected.logits[explorer.step]), atol=1e-3
            )
            if name == "attention":
                assert_allclose(explorer.weights, expected.weights[explorer.step], atol=1e-3)


def test_random_numbers_are_even_and_have_mean_0_and_variance_1():
    vectors = np.array([random_vectors(draw) for draw in range(1, 41)]) / np.sqrt(VARIANCE)
    assert vectors.shape == (40, 11, 1024)
    assert abs(vectors.mean()) < 0.01
    assert abs(vectors.var() - 1) < 0.01
    draws = np.array([draw(seed, place) for seed in range(50) for place in range(600)])
    counts, _ = np.histogram(draws, bins=20, range=(0, 1))
    assert ((counts - 1500) ** 2 / 1500).sum() < 50  # chi-square with 19 degrees: 1 in 7000


def test_the_query_of_the_bench_follows_its_word_until_it_is_edited():
    bench = widgets.AttentionBench(WORDS, KEYS, VALUES, query=5, challenge=("Book", "Child"))
    assert bench.output.round(4).tolist() == [0.3624]
    assert moved(bench, query=3).query_vector.tolist() == KEYS[3].tolist()
    bench.key_matrix = np.ones((6, 3))
    assert bench.query_vector.tolist() == [1, 1, 1]
    bench.query_vector = [1, 2, 3]
    bench.key_matrix = KEYS
    assert bench.query_vector.tolist() == [1, 2, 3]
    # What the page sends at once stays together.
    bench.set_state({"query": 2, "query_vector": np.array([1.0, -1, -2]).tobytes()})
    assert (bench.query, bench.query_vector.tolist()) == (2, [1, -1, -2])
    assert not bench.is_met
    assert moved(bench, query=5, query_vector=-KEYS[5]).is_met


def test_the_position_keeps_inside():
    made = moved(widgets.PositionalEncodingExplorer(position=63), length=8)
    assert made.position == 7
    made.set_state({"length": 64, "position": 33})
    assert (made.length, made.position) == (64, 33)


def test_a_tie_is_of_the_scores_that_are_shown_alone():
    explorer = moved(widgets.TemperatureExplorer.example(), normalizer="hardmax", tie=True)
    assert (explorer.weights.tolist(), explorer.entropy) == ([0, 0, 0, 0.5, 0, 0.5], 1)
    assert explorer.mean_score == 7
    assert explorer.scores.tolist() == [0, 1, -4, 7, 0, 5]


def test_an_order_changes_outputs_with_positions_and_with_a_mask_alone():
    for positions, causal in [(False, False), (False, True), (True, False)]:
        made = reordered(has_positions=positions, is_causal=causal)
        changed = made.gaps > 1e-9
        assert changed.all() if positions else changed.any() == causal


def test_the_writer_reads_the_end_of_the_text_and_draws_by_its_seed():
    def make(text, **options):
        return widgets.WritingExplorer(WRITERS, text, **options)

    long = "x" * (MOST_TEXT - 5)
    assert [make("").read, make("ab").read, make(long).read] == ["\n", "\nab", long[-64:]]
    assert make("a", temperature=0).probabilities.max() == 1
    texts = []
    for seed in (3, 3, 4):
        explorer = make("'What ", seed=seed)
        explorer.go_on(20)
        texts.append(explorer.text)
    assert texts[0] == texts[1] != texts[2]
    explorer = make(long)
    explorer.go_on(10)
    assert len(explorer.text) == MOST_TEXT
