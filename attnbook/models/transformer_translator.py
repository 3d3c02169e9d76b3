"""A small transformer that translates, with two switches. Taught on *transformer*.

Four words of English have two translations here, for in German the word for the time may come
first: "Anna liest heute Gedichte", "heute liest Anna Gedichte". So the first word is a matter of
taste, and the later ones follow from it. The switches are what lets a decoder learn all words at
once: its inputs are the target, shifted by one place, and a causal mask hides the later ones.

One encoder block and one decoder block, post-norm, two heads each.
"""

import itertools
import math
from typing import Annotated, Any, NamedTuple

import numpy as np

from attnbook.models._stored import DATA, existing
from attnbook.models.layers import (
    Back,
    attend,
    in_one_dtype,
    look_up,
    narrowed,
    network,
    norm,
    of_matrix,
    training,
)
from attnbook.models.toy_tasks import BatchSize, Rng, Steps
from attnutils._checked import Letters, checked
from attnutils._checks import ArrayLike, Flag, FloatArray, Generator, IntArray
from attnutils._shapes import Index
from attnutils.gradients import LearningRate, cross_entropy, leaves, with_leaves
from attnutils.heads import MultiHeadParams, NumberOfHeads
from attnutils.masks import causal_mask
from attnutils.mechanism import IsCausal
from attnutils.positional import sinusoidal_encoding
from attnutils.transformer import DecoderParams, EncoderParams, FeedForwardParams, LayerNormParams

__all__ = [
    "Translations",
    "TranslatorParams",
    "TranslatorRuns",
    "load_translator_runs",
    "shifted",
    "train_translator",
    "translation_batch",
    "translator",
    "write_translation",
]

#: Subject, verb, object and time: three words of each.
SOURCE_WORDS = ["Anna", "Ben", "Ida", "reads", "writes", "buys"]
SOURCE_WORDS += ["poems", "letters", "books", "today", "often", "now"]
TARGET_WORDS = ["Anna", "Ben", "Ida", "liest", "schreibt", "kauft"]
TARGET_WORDS += ["Gedichte", "Briefe", "Bücher", "heute", "oft", "jetzt", "<start>", "<end>"]
START, END = 12, 13
D, D_FF = 8, 16
BATCH_SIZE = 64
_STORED = DATA / "transformer_translator.npz"

_SENTENCES = np.array(list(itertools.product([0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11])))
#: No model learns from these 27; each pair of words is in sentences that it learns from.
HELD_OUT = _SENTENCES[_SENTENCES.sum(axis=1) % 3 == 0]
_LEARNED = _SENTENCES[_SENTENCES.sum(axis=1) % 3 != 0]
# Where the words of both translations stand in the source.
_ORDERS = np.array([[0, 1, 3, 2], [3, 1, 0, 2]])


class Translations(NamedTuple):
    """Sentences: `source` (B, 4), and one of the two right translations of each, `target` (B, 5).

    Numbers are places in `SOURCE_WORDS` and `TARGET_WORDS`.
    """

    source: IntArray
    target: IntArray


class TranslatorParams(NamedTuple):
    """What the model learns: a table of embeddings for each language, two blocks, and `w_words`.

    `w_words` makes a logit for each word of the target language.
    """

    source_table: Annotated[FloatArray, "n_source d"]
    target_table: Annotated[FloatArray, "n_target d"]
    encoder: EncoderParams
    decoder: Annotated[DecoderParams, Letters(d_memory="d")]
    w_words: Annotated[FloatArray, "d n_target"]


class TranslatorRuns(NamedTuple):
    """What training came to, by (is_shifted, is_causal), each on the seeds 0 to 19.

    `losses` (20,): nats, on sentences that were learned from, with the true words as inputs.

    `taught` (20, 5): there, the share of right words at each place.

    `repeats` (20,): there, with another word of its kind in the target at place 2, how often that
    word is what comes out at place 2.

    `written` (20, 5): writing new sentences, the share of right words at each place.

    `sentences` (20,): the share of new sentences that are right as a whole.

    `params`: what seed 0 has learned.
    """

    losses: dict[tuple[bool, bool], FloatArray]
    taught: dict[tuple[bool, bool], FloatArray]
    repeats: dict[tuple[bool, bool], FloatArray]
    written: dict[tuple[bool, bool], FloatArray]
    sentences: dict[tuple[bool, bool], FloatArray]
    params: dict[tuple[bool, bool], TranslatorParams]


# -- the sentences ---------------------------------------------------------------------------


@checked
def translation_batch(rng: Rng, batch_size: BatchSize) -> Translations:
    """Sentences to learn from, each with one of its two translations.

    Parameters
    ----------
    rng
        Where the choices come from.
    batch_size
        Number of sentences.

    Returns
    -------
    Translations
        Source and target.

    Examples
    --------
    >>> source, target = translation_batch(np.random.default_rng(0), 1)
    >>> " ".join(SOURCE_WORDS[i] for i in source[0])
    'Ida writes letters often'
    >>> " ".join(TARGET_WORDS[i] for i in target[0])
    'oft schreibt Ida Briefe <end>'
    """
    source = _LEARNED[rng.integers(len(_LEARNED), size=batch_size)]
    order = rng.integers(2, size=batch_size)
    return Translations(source, both_translations(source)[np.arange(batch_size), order])


def both_translations(source: IntArray) -> IntArray:
    """The two right translations of each sentence, with their ends: (B, 2, 5)."""
    ends = np.full((len(source), 2, 1), END)
    return np.concatenate([source[:, _ORDERS], ends], axis=-1)


def shifted(target: ArrayLike) -> IntArray:
    """The inputs of a decoder: the target moved by one place, with <start> in front.

    Parameters
    ----------
    target : array_like of int, of shape (..., m)
        The words to predict.

    Returns
    -------
    ndarray of int of shape (..., m)
        At each position the word before it.

    Examples
    --------
    >>> shifted([9, 3, 0, 6, 13])
    array([12,  9,  3,  0,  6])
    """
    words = np.asarray(target)
    start = np.full((*words.shape[:-1], 1), START)
    return np.concatenate([start, words[..., :-1]], axis=-1)


# -- the model -------------------------------------------------------------------------------


@checked
def translator(
    source: Annotated[ArrayLike, Index("*lead n+", below="n_source")],
    given: Annotated[ArrayLike, Index("*lead m+", below="n_target")],
    params: TranslatorParams,
    *,
    is_causal: IsCausal = True,
    n_heads: NumberOfHeads = 2,
) -> Annotated[FloatArray, "*lead m n_target"]:
    """The logits of the words that follow.

    Parameters
    ----------
    source
        The words of the sentence.
    given
        What the decoder is given, as `shifted` makes it of the target.
    params
        What is learned.
    is_causal
        Let each position of the decoder see itself and the earlier ones alone.
    n_heads
        Number of heads of each attention.

    Returns
    -------
    ndarray
        A row for each position of the decoder.

    Examples
    --------
    >>> params = load_translator_runs().params[True, True]
    >>> logits = translator([0, 3, 6, 9], [12, 9], params)  # Anna reads poems today; heute
    >>> TARGET_WORDS[logits[-1].argmax()]
    'liest'
    """
    return _run(source, given, params, is_causal, n_heads)[0]


@checked
def write_translation(
    source: Annotated[ArrayLike, Index("... n+", below="n_source")],
    params: TranslatorParams,
    *,
    is_causal: IsCausal = True,
    n_heads: NumberOfHeads = 2,
) -> IntArray:
    """Write five words, each the most probable one after those before it.

    Parameters
    ----------
    source
        The words of the sentence.
    params
        What was learned.
    is_causal
        As it was learned.
    n_heads
        Number of heads of each attention.

    Returns
    -------
    ndarray of int of shape (..., n + 1)
        Places in `TARGET_WORDS`.

    Examples
    --------
    >>> params = load_translator_runs().params[True, True]
    >>> words = write_translation([0, 3, 6, 9], params)
    >>> sorted(TARGET_WORDS[i] for i in words)
    ['<end>', 'Anna', 'Gedichte', 'heute', 'liest']
    """
    words = source
    given = np.full((*words.shape[:-1], 1), START)
    for _ in range(words.shape[-1] + 1):
        logits = _run(words, given, params, is_causal, n_heads)[0]
        given = np.concatenate([given, logits[..., -1:, :].argmax(axis=-1)], axis=-1)
    written: IntArray = given[..., 1:]
    return written


@checked
def train_translator(
    rng: Rng,
    n_steps: Steps = 600,
    *,
    is_shifted: Annotated[bool, Flag()] = True,
    is_causal: IsCausal = True,
    learning_rate: LearningRate = 0.02,
) -> TranslatorParams:
    """Teach the model to translate, by Adam; each step has 64 sentences.

    The learning rate falls to 0, evenly.

    Parameters
    ----------
    rng
        Where the first parameters and the batches come from.
    n_steps
        Number of steps.
    is_shifted
        Give the decoder the target moved by one place; otherwise as it is.
    is_causal
        Let each position of the decoder see itself and the earlier ones alone.
    learning_rate
        Of the first step.

    Returns
    -------
    TranslatorParams
        What was learned.

    References
    ----------
    vaswani2017
    williams1989 : teacher forcing.

    Examples
    --------
    >>> learned = train_translator(np.random.default_rng(0), 50, is_shifted=False)
    >>> source, target = translation_batch(np.random.default_rng(1), 100)
    >>> bool((translator(source, target, learned).argmax(-1) == target).mean() > 0.9)
    True
    """
    params = _init(rng)

    def gradients(p: TranslatorParams) -> tuple[float, TranslatorParams]:
        source, target = translation_batch(rng, BATCH_SIZE)
        given = shifted(target) if is_shifted else target
        logits, back = _run(source, given, p, is_causal, n_heads=2)
        loss, d_logits = cross_entropy(logits, target)
        return loss, back(d_logits)

    rates = [learning_rate * (1 - step / n_steps) for step in range(n_steps)]
    for learned, _ in training(params, gradients, rates):
        params = learned
    return params


def _init(rng: Generator) -> TranslatorParams:
    """Random parameters to start from."""

    def matrix(rows: int, columns: int) -> FloatArray:
        return rng.normal(size=(rows, columns)) / math.sqrt(rows)

    def heads() -> MultiHeadParams:
        return MultiHeadParams(*(matrix(D, D) for _ in range(4)))

    def network() -> FeedForwardParams:
        return FeedForwardParams(matrix(D, D_FF), np.zeros(D_FF), matrix(D_FF, D), np.zeros(D))

    def norms(n: int) -> list[LayerNormParams]:
        return [LayerNormParams(np.ones(D), np.zeros(D)) for _ in range(n)]

    return TranslatorParams(
        source_table=rng.normal(size=(len(SOURCE_WORDS), D)),
        target_table=rng.normal(size=(len(TARGET_WORDS), D)),
        encoder=EncoderParams(heads(), network(), *norms(2)),
        decoder=DecoderParams(heads(), heads(), network(), *norms(3)),
        w_words=matrix(D, len(TARGET_WORDS)),
    )


# -- its gradients ---------------------------------------------------------------------------


def _run(
    source: IntArray, given: IntArray, params: TranslatorParams, is_causal: bool, n_heads: int
) -> tuple[FloatArray, Back]:
    """The logits, and the way back to the parameters."""
    p = in_one_dtype(params)
    encoder, decoder = p.encoder, p.decoder
    n, m, d = source.shape[-1], given.shape[-1], p.w_words.shape[0]
    x, back_source = look_up(p.source_table, source)
    x, back_1 = _attend(
        x + sinusoidal_encoding(n, d), None, encoder.attention, encoder.norm_1, n_heads
    )
    memory, back_2 = _compute(x, encoder.feed_forward, encoder.norm_2)

    mask = causal_mask(m) if is_causal else None
    z, back_target = look_up(p.target_table, given)
    z, back_3 = _attend(
        z + sinusoidal_encoding(m, d), None, decoder.self_attention, decoder.norm_1, n_heads, mask
    )
    z, back_4 = _attend(z, memory, decoder.cross_attention, decoder.norm_2, n_heads)
    z, back_5 = _compute(z, decoder.feed_forward, decoder.norm_3)

    def back(d_logits: FloatArray) -> TranslatorParams:
        d_z, d_network, norm_3 = back_5(d_logits @ p.w_words.T)
        d_z, d_memory, d_cross, norm_2 = back_4(d_z)
        d_z, _, d_self, norm_1 = back_3(d_z)
        d_decoder = DecoderParams(d_self, d_cross, d_network, norm_1, norm_2, norm_3)
        d_x, d_network, norm_2 = back_2(d_memory)
        d_x, _, d_heads, norm_1 = back_1(d_x)
        d_encoder = EncoderParams(d_heads, d_network, norm_1, norm_2)
        tables = back_source(d_x), back_target(d_z)
        return narrowed(
            TranslatorParams(*tables, d_encoder, d_decoder, of_matrix(z, d_logits)), params
        )

    return z @ p.w_words, back


def _attend(
    x: FloatArray,
    memory: FloatArray | None,
    p: MultiHeadParams,
    p_norm: LayerNormParams,
    n_heads: int,
    mask: Any = None,
) -> tuple[FloatArray, Back]:
    """Attention from x to a memory, or to itself, then residual and norm."""
    found, back_attend = attend(x, x if memory is None else memory, p, n_heads, mask)
    y, back_norm = norm(x + found, p_norm)

    def back(d: FloatArray) -> tuple[FloatArray, FloatArray, MultiHeadParams, LayerNormParams]:
        d, d_norm = back_norm(d)
        d_asked, d_source, d_p = back_attend(d)
        return d + d_asked + (d_source if memory is None else 0), d_source, d_p, d_norm

    return y, back


def _compute(
    x: FloatArray, p: FeedForwardParams, p_norm: LayerNormParams
) -> tuple[FloatArray, Back]:
    """The feed-forward network, residual and norm."""
    found, back_network = network(x, p)
    y, back_norm = norm(x + found, p_norm)

    def back(d: FloatArray) -> tuple[FloatArray, FeedForwardParams, LayerNormParams]:
        d, d_norm = back_norm(d)
        d_x, d_p = back_network(d)
        return d + d_x, d_p, d_norm

    return y, back


# -- what training came to -------------------------------------------------------------------


def load_translator_runs() -> TranslatorRuns:
    """Load what training came to on 20 seeds, with and without shift and mask.

    Returns
    -------
    TranslatorRuns
        By (is_shifted, is_causal). The arrays are new with each call; parameters are float64, but
        were stored as float16.

    Examples
    --------
    >>> runs = load_translator_runs()
    >>> {switches: round(float(found.mean()), 1) for switches, found in runs.sentences.items()}
    {(True, True): 1.0, (True, False): 0.0, (False, True): 0.0, (False, False): 0.0}
    """
    with np.load(existing(_STORED), allow_pickle=False) as stored:
        switches = [
            (bool(is_shifted), bool(is_causal)) for is_shifted, is_causal in stored["switches"]
        ]
        losses, taught, repeats, written, sentences = (
            dict(zip(switches, stored[name].astype(np.float64), strict=True))
            for name in TranslatorRuns._fields[:-1]
        )
        params = stored["params"].astype(np.float64)
    empty = _init(np.random.default_rng(0))
    sizes = np.cumsum([each.size for each in leaves(empty)])[:-1]
    learned = {}
    for which, row in zip(switches, params, strict=True):
        parts = zip(np.split(row, sizes), leaves(empty), strict=True)
        learned[which] = with_leaves(empty, (part.reshape(like.shape) for part, like in parts))
    return TranslatorRuns(losses, taught, repeats, written, sentences, learned)
