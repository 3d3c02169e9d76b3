"""A model that writes: a transformer that sees only what came before. Taught on *language model*.

Each part is a function of an earlier page: a table of embeddings, `sinusoidal_encoding`,
`encoder_block` with a causal mask, `layer_norm`, and a linear map to logits. New are the ways back
through a norm, a network and several heads, which learning needs.

The text is *Alice's Adventures in Wonderland*; ``make experiments`` trains on it again and
compares. ``attnbook/models/data/README.md`` says from where the text comes.
"""

import math
from collections.abc import Callable, Iterable
from typing import Annotated, Any, NamedTuple

import numpy as np

from attnbook.models._progress import progress
from attnbook.models._stored import DATA, existing, unpacked
from attnbook.models.layers import (
    EPS as EPS,
)
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
from attnbook.models.toy_tasks import BatchSize, Rng, pair_of
from attnutils._checked import checked
from attnutils._checks import (
    ArrayLike,
    Flag,
    FloatArray,
    Function,
    Int,
    IntArray,
    checks_on,
    fail,
    refuse,
)
from attnutils._shapes import Index
from attnutils.gradients import LearningRate, cross_entropy, leaves, something_is_asked, with_leaves
from attnutils.heads import MultiHeadParams, NumberOfHeads
from attnutils.masks import causal_mask
from attnutils.mechanism import IsCausal
from attnutils.positional import sinusoidal_encoding
from attnutils.transformer import (
    EncoderParams,
    FeedForwardParams,
    LayerNormParams,
    encoder_block,
    layer_norm,
)

__all__ = [
    "LanguageModelGradients",
    "LanguageModelParams",
    "StoredModel",
    "ablate_heads",
    "encode_text",
    "init_language_model",
    "language_model",
    "language_model_gradients",
    "load_language_model",
    "load_wonderland",
    "text_batch",
    "train_language_model",
]

N_HEADS, CONTEXT = 4, 64  # of the stored models

Ahead = Annotated[int, Int(0, "it counts the later positions that are seen")]
_TEXT, _STORED = DATA / "wonderland.txt", DATA / "language_model.npz"

Size = Annotated[int, Int(1, "it counts the columns")]
Width = Annotated[int, Int(2, "each sine of a position has its cosine", step=2)]
Symbols = Annotated[int, Int(1, "it counts the symbols")]
Tokens = Annotated[
    ArrayLike, Index("*lead n+", "there must be at least one token", below="n_symbols")
]


class LanguageModelParams(NamedTuple):
    """What the model learns; `norm` follows the last of the `blocks`, `w_output` makes logits."""

    embedding: Annotated[FloatArray, "n_symbols d"]
    blocks: tuple[EncoderParams, ...]
    norm: LayerNormParams
    w_output: Annotated[FloatArray, "d n_symbols"]


class LanguageModelGradients(NamedTuple):
    """The `loss`, and its `gradients` with respect to each parameter."""

    loss: float
    gradients: LanguageModelParams


class StoredModel(NamedTuple):
    """A trained model: its `alphabet`, a character for each symbol, and its `params`.

    It has `n_heads` heads in each block and was trained on `context` characters at a time.
    """

    alphabet: str
    params: LanguageModelParams
    n_heads: int
    context: int


# -- the model -------------------------------------------------------------------------------


@checked
def init_language_model(
    rng: Rng, n_symbols: Symbols, d: Width = 64, d_ff: Size = 256, n_blocks: Size = 2
) -> LanguageModelParams:
    r"""Random parameters to start from, in float32.

    Those of a matrix have mean 0 and standard deviation :math:`1 / \sqrt{\mathrm{rows}}`, half of
    it where a part adds to the stream or makes logits. Those of the embedding have 0.5.

    Parameters
    ----------
    rng
        Where the numbers come from.
    n_symbols
        Number of different characters.
    d
        Width of the residual stream.
    d_ff
        Number of hidden units in each feed-forward network.
    n_blocks
        Number of blocks.

    Returns
    -------
    LanguageModelParams
        The same for the same state of `rng`.

    Examples
    --------
    >>> params = init_language_model(np.random.default_rng(0), n_symbols=64)
    >>> sum(array.size for array in leaves(params))
    107776
    """

    def matrix(rows: int, columns: int, size: float = 1) -> FloatArray:
        numbers = rng.standard_normal((rows, columns)) * size / math.sqrt(rows)
        return numbers.astype(np.float32)

    def constant(value: float, n: int = d) -> FloatArray:
        return np.full(n, value, np.float32)

    def block() -> EncoderParams:
        heads = MultiHeadParams(matrix(d, d), matrix(d, d), matrix(d, d), matrix(d, d, 0.5))
        network = FeedForwardParams(
            matrix(d, d_ff), constant(0, d_ff), matrix(d_ff, d, 0.5), constant(0)
        )
        norm_1, norm_2 = (LayerNormParams(constant(1), constant(0)) for _ in range(2))
        return EncoderParams(heads, network, norm_1, norm_2)

    return LanguageModelParams(
        embedding=rng.standard_normal((n_symbols, d)).astype(np.float32) / 2,
        blocks=tuple(block() for _ in range(n_blocks)),
        norm=LayerNormParams(constant(1), constant(0)),
        w_output=matrix(d, n_symbols, 0.5),
    )


@checked
def language_model(
    tokens: Tokens,
    params: LanguageModelParams,
    *,
    n_heads: NumberOfHeads,
    is_causal: IsCausal = True,
) -> Annotated[FloatArray, "... n n_symbols"]:
    r"""Logits of the next character at each position of a text.

    .. math:: X_0 = E_{\mathrm{tokens}} + P, \qquad X_{l+1} = \mathrm{block}_l(X_l), \qquad
        Z = \mathrm{norm}(X_L) \, W_o

    Parameters
    ----------
    tokens
        Symbols, from 0 to n_symbols - 1.
    params
        What is learned. The blocks normalise the input of each part (``norm="pre"``).
    n_heads
        Number of heads in each block.
    is_causal
        Let each position see itself and the earlier ones alone.

    Returns
    -------
    ndarray
        A score for each symbol. The softmax of row i is what the model expects at position i + 1.

    References
    ----------
    vaswani2017

    Examples
    --------
    >>> params = init_language_model(np.random.default_rng(0), n_symbols=5, d=4)
    >>> language_model([[3, 1, 4], [1, 0, 2]], params, n_heads=2).shape
    (2, 3, 5)
    """
    return run(tokens, params, n_heads, is_causal)[0]


def run(
    tokens: IntArray, params: LanguageModelParams, n_heads: int, is_causal: bool = True
) -> tuple[FloatArray, list[FloatArray]]:
    """The logits, and the attention weights of each block."""
    p = in_one_dtype(params)
    x = p.embedding[tokens]
    n, d = x.shape[-2:]
    x = x + sinusoidal_encoding(n, d).astype(x.dtype)
    mask, weights = causal_mask(n) if is_causal else None, []
    for each in p.blocks:
        x, found = encoder_block(x, each, n_heads=n_heads, mask=mask, norm="pre")
        weights.append(found)
    return layer_norm(x, *p.norm) @ p.w_output, weights


# -- its gradients ---------------------------------------------------------------------------


@checked
def language_model_gradients(
    tokens: Tokens,
    targets: Annotated[
        ArrayLike, Index("*lead n", "-1 where nothing is asked", below="n_symbols", least=-1)
    ],
    params: LanguageModelParams,
    *,
    n_heads: NumberOfHeads,
    is_causal: IsCausal = True,
    ahead: Ahead = 0,
) -> LanguageModelGradients:
    """The loss of the model, and its gradient for each parameter.

    Parameters
    ----------
    tokens
        Symbols, from 0 to n_symbols - 1.
    targets
        The right next symbol at each position; -1 where nothing is asked.
    params
        What is learned.
    n_heads
        Number of heads in each block.
    is_causal
        Let each position see itself and the earlier ones alone.
    ahead
        Let it see so many later ones, too: with 1 the mask is off by one.

    Returns
    -------
    loss
        Cross-entropy in nats, the mean over all positions that are asked.
    gradients
        Gradients, each of the shape of its parameter.

    Raises
    ------
    ValueError
        If nothing is asked.

    Examples
    --------
    >>> params = init_language_model(np.random.default_rng(0), n_symbols=5, d=4)
    >>> loss, gradients = language_model_gradients([3, 1, 4], [1, 4, 0], params, n_heads=2)
    >>> gradients.w_output.shape
    (4, 5)
    """
    something_is_asked("language_model_gradients", targets)
    p = in_one_dtype(params)
    x, back_embedding = look_up(p.embedding, tokens)
    n, d = x.shape[-2:]
    x = x + sinusoidal_encoding(n, d).astype(x.dtype)
    mask = np.tri(n, n, ahead, dtype=bool) if is_causal else None
    backs = []
    for each in p.blocks:
        x, back = block(x, each, n_heads, mask)
        backs.append(back)
    z, back_norm = norm(x, p.norm)
    loss, d_logits = cross_entropy(z @ p.w_output, targets)

    d_x, d_norm = back_norm(d_logits @ p.w_output.T)
    d_blocks: list[EncoderParams] = []
    for back in reversed(backs):
        d_x, d_block = back(d_x)
        d_blocks.insert(0, d_block)
    gradients = LanguageModelParams(
        back_embedding(d_x), tuple(d_blocks), d_norm, of_matrix(z, d_logits)
    )
    return LanguageModelGradients(loss, narrowed(gradients, params))


def block(x: FloatArray, p: EncoderParams, n_heads: int, mask: Any) -> tuple[FloatArray, Back]:
    """A pre-norm encoder block, and its way back."""
    z, back_norm_1 = norm(x, p.norm_1)
    found, back_attend = attend(z, z, p.attention, n_heads, mask)
    x = x + found
    z, back_norm_2 = norm(x, p.norm_2)
    found, back_network = network(z, p.feed_forward)

    def back(d: FloatArray) -> tuple[FloatArray, EncoderParams]:
        d_z, d_network = back_network(d)
        d_x, d_norm_2 = back_norm_2(d_z)
        d = d + d_x  # the residual hands it on as it is
        d_asked, d_source, d_attention = back_attend(d)
        d_x, d_norm_1 = back_norm_1(d_asked + d_source)
        return d + d_x, EncoderParams(d_attention, d_network, d_norm_1, d_norm_2)

    return x + found, back


# -- its training ----------------------------------------------------------------------------


@checked
def train_language_model(
    params: LanguageModelParams,
    batch: Annotated[
        Callable[[], tuple[ArrayLike, ArrayLike]],
        Function("no arguments", "for example batch=lambda: text_batch(rng, codes)", pair_of),
    ],
    n_steps: Annotated[int, Int(0, "it counts the steps")],
    *,
    n_heads: NumberOfHeads,
    is_causal: IsCausal = True,
    ahead: Ahead = 0,
    learning_rate: LearningRate = 0.004,
) -> tuple[LanguageModelParams, FloatArray]:
    r"""Teach the model to expect the next character: batch, gradients, a step of Adam, again.

    The learning rate rises over the first 50 steps and then falls to 3 % of it, as half a wave of
    a cosine. A bar shows the progress, see `progress`.

    Parameters
    ----------
    params
        Where to start. They are not changed.
    batch
        ``batch()`` returns the next tokens and targets.
    n_steps
        Number of steps.
    n_heads
        Number of heads in each block.
    is_causal
        Let each position see itself and the earlier ones alone.
    ahead
        Let it see so many later ones, too: with 1 the mask is off by one.
    learning_rate
        The largest one.

    Returns
    -------
    params : LanguageModelParams
        What was learned.
    losses : ndarray of shape (n_steps,)
        The loss on each batch, before the step.

    References
    ----------
    kingma2015 : Adam.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> codes = encode_text("abcabcabcabcabc", "abc")
    >>> params, losses = train_language_model(
    ...     init_language_model(rng, n_symbols=3, d=8, d_ff=8),
    ...     lambda: text_batch(rng, codes, batch_size=4, length=6),
    ...     300,
    ...     n_heads=2,
    ... )
    >>> bool(losses[-1] < losses[0] / 4)
    True
    """

    def gradients(p: LanguageModelParams) -> LanguageModelGradients:
        tokens, targets = batch()
        with checks_on():  # it looks at each batch
            return language_model_gradients(
                tokens, targets, p, n_heads=n_heads, is_causal=is_causal, ahead=ahead
            )

    steps = np.arange(n_steps)
    wave = (1 + np.cos(np.pi * steps / max(n_steps, 1))) / 2
    rates = learning_rate * np.minimum(1, (steps + 1) / 50) * (0.97 * wave + 0.03)
    losses = []
    for learned, loss in training(params, gradients, progress(rates.tolist()), beta_2=0.98):
        params = learned
        losses.append(loss)
    return params, np.array(losses)


# -- text ------------------------------------------------------------------------------------


def encode_text(text: str, alphabet: str) -> IntArray:
    """The symbols of a text, a number for each character.

    Parameters
    ----------
    text : str
        Any text.
    alphabet : str
        The characters that have a symbol, in the order of the symbols.

    Returns
    -------
    ndarray of int
        The index in the alphabet of each character. One that is not in it is read as a blank.

    Raises
    ------
    ValueError
        If a character has no symbol, and there is none for a blank; or if one stands in the
        alphabet twice.

    Examples
    --------
    >>> encode_text("a cab", " abc")
    array([1, 0, 3, 1, 2])
    """
    index = {character: i for i, character in enumerate(alphabet)}
    if len(index) != len(alphabet):
        twice = next(each for each in alphabet if alphabet.count(each) > 1)
        text = f"alphabet has the character {twice!r} {alphabet.count(twice)} times"
        fail(ValueError, "encode_text", text, "a character has one symbol")
    blank = index.get(" ")
    codes = [index.get(character, blank) for character in text]
    if None in codes:
        character = text[codes.index(None)]
        raise ValueError(
            f"encode_text: text has the character {character!r}, which is not in alphabet; "
            "neither is a blank, which could stand for it."
        )
    return np.array(codes, dtype=np.intp)


@checked
def text_batch(
    rng: Rng,
    codes: Annotated[ArrayLike, Index("n_codes", "encode_text makes them of a text")],
    batch_size: BatchSize = 32,
    length: Annotated[int, Int(1, "it counts the characters of a piece")] = CONTEXT,
) -> tuple[IntArray, IntArray]:
    """Pieces of a text, and the same pieces one character on.

    Parameters
    ----------
    rng
        Where the places of the pieces come from.
    codes
        The text, as `encode_text` gives it.
    batch_size
        Number of pieces.
    length
        Number of characters in each.

    Returns
    -------
    tokens : ndarray of int of shape (batch_size, length)
        What the model reads.
    targets : ndarray of int of shape (batch_size, length)
        What follows each character.

    Raises
    ------
    ValueError
        If the text is not longer than `length`.

    Examples
    --------
    >>> tokens, targets = text_batch(np.random.default_rng(0), np.arange(50), 1, length=4)
    >>> tokens, targets
    (array([[39, 40, 41, 42]]), array([[40, 41, 42, 43]]))
    """
    if len(codes) <= length:
        text = f"codes has shape {codes.shape} but more than length = {length} characters are"
        hint = "the last of a piece needs one that follows it"
        fail(ValueError, "text_batch", f"{text} expected", hint)
    starts = rng.integers(len(codes) - length, size=(batch_size, 1))
    pieces = codes[starts + np.arange(length + 1)]
    return pieces[:, :-1], pieces[:, 1:]


@checked
def ablate_heads(
    params: LanguageModelParams, heads: Iterable[tuple[int, int]], *, n_heads: NumberOfHeads
) -> LanguageModelParams:
    """The same model with some heads switched off: what they find is not handed on.

    Parameters
    ----------
    params
        They are not changed.
    heads
        Block and head of each that is switched off, counted from 0.
    n_heads
        Number of heads in each block.

    Returns
    -------
    LanguageModelParams
        The rows of the output projection that belong to these heads are 0.

    Raises
    ------
    ValueError
        If there is no such head.

    Examples
    --------
    >>> params = init_language_model(np.random.default_rng(0), n_symbols=5, d=4)
    >>> off = ablate_heads(params, [(1, 0)], n_heads=2)
    >>> off.blocks[1].attention.w_output.any(axis=1)
    array([False, False,  True,  True])
    """
    blocks = list(params.blocks)
    for pair in heads:
        is_pair = isinstance(pair, tuple | list) and len(pair) == 2
        i, head = pair if is_pair else (-1, -1)
        if not (i in range(len(blocks)) and head in range(n_heads)):
            last, end = len(blocks) - 1, n_heads - 1
            must = f"pairs of a block from 0 to {last} and a head from 0 to {end}"
            refuse(ValueError, "ablate_heads", "heads", pair, must)
        own = blocks[i].attention
        w_output = own.w_output.copy()
        w_output.reshape(n_heads, -1, w_output.shape[1])[head] = 0
        blocks[i] = blocks[i]._replace(attention=own._replace(w_output=w_output))
    return params._replace(blocks=tuple(blocks))


def load_wonderland() -> tuple[str, str]:
    """Load *Alice's Adventures in Wonderland*, cut into what models learn from and what tests them.

    Returns
    -------
    training : str
        Chapters I to XI. Each paragraph, and each line of a poem, is a line.
    held_out : str
        Chapter XII.

    Examples
    --------
    >>> training, held_out = load_wonderland()
    >>> training[:28], len(training), len(held_out)
    ('Alice was beginning to get v', 129783, 11473)
    """
    chapters = existing(_TEXT).read_text(encoding="utf-8").split("\n\n")
    return "\n".join(chapters[:-1]) + "\n", chapters[-1]


def load_language_model(*, is_causal: bool = True) -> StoredModel:
    """Load a model that was trained on *Alice's Adventures in Wonderland*.

    Parameters
    ----------
    is_causal : bool
        The one that was trained with a causal mask, or a smaller one that was trained without.

    Returns
    -------
    StoredModel
        The parameters are float64, but were stored with 8 bits each and a scale for each column.

    Examples
    --------
    >>> alphabet, params, n_heads, context = load_language_model()
    >>> text = encode_text("The Mock Turtl", alphabet)
    >>> logits = language_model(text, params, n_heads=n_heads)
    >>> alphabet[logits[-1].argmax()]
    'e'
    """
    Flag("there are two models").check("load_language_model", "is_causal", is_causal)
    name = "causal" if is_causal else "unmasked"
    with np.load(existing(_STORED), allow_pickle=False) as stored:
        alphabet, sizes = str(stored["alphabet"]), stored[f"{name}_sizes"]
        codes, scales = stored[f"{name}_codes"], stored[f"{name}_scales"]
    d, d_ff, n_blocks = map(int, sizes)
    rng = np.random.default_rng(0)
    empty = init_language_model(rng, len(alphabet), d, d_ff, n_blocks)
    params = with_leaves(empty, unpacked(list(leaves(empty)), codes, scales))
    return StoredModel(alphabet, params, N_HEADS, CONTEXT)
