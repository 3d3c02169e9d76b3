"""Make minilm_heads.npz and minilm_interventions.npz, what the book keeps of a trained model.

The first is what its heads compute on sentences, the second what changes where some are taken away.

    python -m tools.trained_heads           compare with the stored files; fail if they differ
    python -m tools.trained_heads --write   store what was made

Where a file is not there yet, both store what was made.

tools/minilm.py fetches the weights, and the model is run by attnutils itself, in float64. A few
lines of attnutils read the safetensors format (a JSON header in front of plain arrays) and cut
words into pieces, in place of two more packages to fetch and to trust. The README beside the data
says how the whole was compared with the reference implementation.

Both compare what the pages run with that, too: with rounded weights, on these sentences and on odd
texts, no attention weight may be far off; and words are cut as the reference cuts them.
"""

import argparse
import re
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from attnbook.models.sentence_encoder import (
    EPS,
    SentenceEncoder,
    embedded,
    read_encoder,
    run_sentence,
    word_pieces,
)
from attnutils import (
    EncoderParams,
    encoder_block,
    feed_forward,
    gelu,
    layer_norm,
    multi_head_attention,
    scaled_dot_scores,
    softmax,
    split_heads,
)
from tools.minilm import MODEL, NoWeightsError, download, lay_out, unpack
from tools.project import ROOT
from tools.word_pieces import reference

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
STORED = ROOT / "attnbook" / "models" / "data" / "minilm_heads.npz"
INTERVENTIONS = STORED.with_name("minilm_interventions.npz")
# Scores are stored as float16. This is how far a weight computed from them may be from the exact.
LARGEST_ERROR = 0.001
# And this, a weight from rounded parameters, on texts of as many tokens as the explorer shows.
ROUNDED_ERROR, SHOWN = 0.02, 32

Weights = dict[str, np.ndarray]


class WrongDataError(ValueError):
    """What was fetched or made is not what it has to be."""


class Run(NamedTuple):
    """What the model computes on one sentence, layer by layer."""

    scores: np.ndarray  # (layers, heads, n, n)
    value_norms: np.ndarray  # (layers, heads, n)
    weights: np.ndarray  # (layers, heads, n, n)
    output: np.ndarray  # (n, d), of the last layer


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


def read_model(folder: Path) -> SentenceEncoder:
    """The model in float64."""
    return read_encoder(folder, np.float64)


def tokens_of(sentence: str, model: SentenceEncoder) -> list[str]:
    return ["[CLS]", *word_pieces(sentence, model.vocabulary), "[SEP]"]


def make(model: SentenceEncoder) -> tuple[Weights, float]:
    """The arrays of minilm_heads.npz, and the largest error of a weight computed from them."""
    arrays, errors = {"sentences": np.array(SENTENCES)}, []

    def of(sentence: str) -> tuple[list[str], Run]:
        tokens = tokens_of(sentence, model)
        return tokens, run(embedded(tokens, model), model.layers, model.n_heads)

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
    model: SentenceEncoder,
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


def intervene(model: SentenceEncoder) -> Weights:
    """The arrays of minilm_interventions.npz."""
    xs = [embedded(tokens_of(sentence, model), model) for sentence in SENTENCES + PRONOUNS]
    vectors, maps = zip(*(run_without(x, model) for x in xs), strict=True)
    apart = np.subtract(*np.broadcast_arrays(np.stack(vectors)[:, np.newaxis], np.stack(vectors)))
    n = len(SENTENCES)
    arrays = {
        **without_heads(model, xs[:n], vectors[:n], maps[:n]),
        "apart": np.linalg.norm(apart, axis=-1),
        **without_tokens(model, xs[:n], vectors[:n]),
        **repeated_lists(model),
    }
    return {
        name: array.astype(np.float16) if array.dtype == np.float64 else array
        for name, array in arrays.items()
    }


def without_heads(
    model: SentenceEncoder,
    xs: Sequence[np.ndarray],
    vectors: Sequence[np.ndarray],
    maps: Sequence[np.ndarray],
) -> Weights:
    """How far the vectors of the sentences move when heads are deleted."""
    sinks = np.mean([each[:, :, 1:-1, 0].mean(axis=-1) for each in maps], axis=0) > SINK_FROM

    def moved(heads: np.ndarray) -> list[float]:
        after = [run_without(x, model, deleted=heads)[0] for x in xs]
        return [float(np.linalg.norm(a - b)) for a, b in zip(after, vectors, strict=True)]

    rngs = [np.random.default_rng(seed) for seed in SEEDS]
    single = np.eye(sinks.size, dtype=bool).reshape(-1, *sinks.shape)
    kinds = (sinks, ~sinks)
    # The generators go on from one array to the next: the order is that of the file.
    alone = [moved(heads) for heads in single]
    together = [moved(heads) for heads in kinds]
    some = [[[moved(drawn(rng, of, k)) for rng in rngs] for k in SIZES] for of in kinds]
    by_layer = [[moved(heads) for heads in drawn_by_layer(rng, sinks)] for rng in rngs]
    return {
        "sinks": sinks,
        "sizes": np.array(SIZES),
        "alone": np.reshape(alone, (*sinks.shape, -1)),
        "all_moved": np.array(together),
        "some_moved": np.array(some),
        "layer_moved": np.stack(by_layer, axis=1),
    }


def without_tokens(
    model: SentenceEncoder, xs: Sequence[np.ndarray], vectors: Sequence[np.ndarray]
) -> Weights:
    """How far the vectors move without a token, and where the weight goes that [CLS] had."""
    masked, silenced, went, words = [], [], [], slice(1, -1)
    for x, vector in zip(xs, vectors, strict=True):
        for j in range(len(x)):
            masked.append(np.linalg.norm(run_without(x, model, masked=j)[0] - vector))
            silenced.append(np.linalg.norm(run_without(x, model, silenced=j)[0] - vector))
        a = run_without(x, model, masked=0)[1][:, :, words]
        own = np.diagonal(a[..., words], 0, -2, -1).mean(axis=-1)
        of_words = a[..., words].sum(axis=-1).mean(axis=-1)
        went.append([a[..., -1].mean(axis=-1), own, of_words - own])
    return {
        "token_masked": np.array(masked),
        "token_silenced": np.array(silenced),
        "went": np.array(went),
    }


def repeated_lists(model: SentenceEncoder) -> Weights:
    """Where words of a second list look in the first: the same list again, and another one."""
    known = np.array([word for word in model.vocabulary if re.fullmatch(r"[a-z]{3,}", word)])
    asks = np.arange(LIST + 1, 2 * LIST - 1)  # in the second list, but for its ends
    first_words, looks = None, []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        lists = [rng.choice(known, (2, LIST), replace=False) for _ in range(LISTS)]
        first_words = lists[0] if first_words is None else first_words
        for second in (0, 1):
            texts = [["[CLS]", *pair[0], *pair[second], "[SEP]"] for pair in lists]
            weights = np.mean(
                [run_without(embedded(text, model), model)[1] for text in texts], axis=0
            )
            looks.append(
                [weights[..., 1 + asks, 1 + asks - LIST + back].mean(-1) for back in LOOKS]
            )
    shape = len(SEEDS), 2, len(LOOKS), *weights.shape[:2]
    return {"words": first_words, "looks": np.reshape(looks, shape)}


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


def packed_again(published: Path, folder: Path) -> Path:
    """The folder of the model as a page has it: packed for it, and unpacked there."""
    lay_out(published, folder)
    for path in folder.glob("*.zip"):
        with zipfile.ZipFile(path) as part:
            part.extractall(folder)
    return folder / MODEL


def compare_rounded(model: SentenceEncoder, folder: Path) -> float:
    """The largest error of a weight from the parameters in the folder, which are rounded.

    It is an error that texts are not cut as the reference cuts them.
    """
    rounded, errors = read_encoder(folder), []
    texts = {sentence: None for sentence in SENTENCES + PRONOUNS} | reference()["texts"]
    for text, wanted in texts.items():
        pieces = word_pieces(text, model.vocabulary)
        if wanted is not None and list(pieces) != wanted:
            raise WrongDataError(f"{text!r} is cut into {pieces}, but the reference has {wanted}.")
        found = run_sentence(pieces[: SHOWN - 2], rounded)
        exact = run(embedded(found.tokens, model), model.layers, model.n_heads)
        errors.append(np.abs(softmax(found.scores) - exact.weights).max())
    error = float(np.max(errors))
    if not error < ROUNDED_ERROR:  # also if it is not a number
        raise WrongDataError(
            f"Weights from rounded parameters are {error:.4f} off; {ROUNDED_ERROR} is allowed."
        )
    return error


def main() -> int:
    parser = argparse.ArgumentParser(description="Make the data of the page on trained heads.")
    parser.add_argument("--write", action="store_true", help="store what was made")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        try:
            published = unpack(download(Path(folder)), Path(folder))
            model = read_model(published)
            heads, error = make(model)
            rounding = compare_rounded(model, packed_again(published, Path(folder, "packed")))
        except (NoWeightsError, ValueError) as problem:
            print(problem, file=sys.stderr)
            return 1
    print(f"Weights from float16 scores are within {error:.4f} of the exact ones.")
    print(f"Those from rounded parameters are within {rounding:.4f}.")
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
