"""A model that writes: a transformer that sees only what came before. Taught on *language model*.

Each part is a function of an earlier page: a table of embeddings, `sinusoidal_encoding`,
`encoder_block` with a causal mask, `layer_norm`, and a linear map to logits. New are the ways back
through a norm, a network and several heads, which learning needs.

The text is *Alice's Adventures in Wonderland*; ``make experiments`` trains on it again and
compares. ``attnbook/lessons/data/README.md`` says from where the text comes.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attnbook.lessons._progress import progress
from attnbook.lessons._stored import DATA, existing, unpacked
from attnbook.lessons.toy_tasks import Rng
from attnutils import _shapes
from attnutils._door import door
from attnutils._shapes import FloatArray, Generator, IntArray
from attnutils.gradients import (
    LearningRate,
    adam_init,
    adam_step,
    attention_backward,
    cross_entropy,
    of_bias,
    of_matrix,
    something_is_asked,
)
from attnutils.heads import MultiHeadParams, NumberOfHeads, linear, merge_heads, split_heads
from attnutils.masks import causal_mask
from attnutils.mechanism import Flag, attention
from attnutils.positional import sinusoidal_encoding
from attnutils.scores import scaled_dot_scores
from attnutils.transformer import (
    EncoderParams,
    FeedForwardParams,
    LayerNormParams,
    encoder_block,
    layer_norm,
    mean_and_spread,
    relu,
)

__all__ = [
    "LanguageModelGradients",
    "LanguageModelParams",
    "StoredModel",
    "encode_text",
    "init_language_model",
    "language_model",
    "language_model_gradients",
    "load_language_model",
    "load_wonderland",
    "text_batch",
    "train_language_model",
    "without_heads",
]

EPS = 1e-5  # of the layer norms
N_HEADS, CONTEXT = 4, 64  # of the stored models

_TEXT, _STORED = DATA / "wonderland.txt", DATA / "language_model.npz"

Size = Annotated[int, "an integer of at least 1; it counts the columns"]
Symbols = Annotated[int, "an integer of at least 1; it counts the symbols"]
Tokens = Annotated[ArrayLike, "int *lead n+ below n_symbols; there must be at least one token"]


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


@door
def init_language_model(
    rng: Rng, n_symbols: Symbols, d: Size = 64, d_ff: Size = 256, n_blocks: Size = 2
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


@door
def language_model(
    tokens: Tokens,
    params: LanguageModelParams,
    *,
    n_heads: NumberOfHeads,
    is_causal: Flag = True,
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
    *_, x = stream(tokens, params, n_heads, is_causal)
    return layer_norm.formula(x, *params.norm, EPS) @ params.w_output


def stream(
    tokens: ArrayLike, params: LanguageModelParams, n_heads: int, is_causal: bool
) -> list[FloatArray]:
    """What goes into each block, and what comes out of the last: (..., n, d)."""
    t = np.asarray(tokens)
    x = params.embedding[t]
    n, d = x.shape[-2:]
    xs = [x + sinusoidal_encoding.formula(n, d).astype(x.dtype)]
    for block in params.blocks:
        options: dict[str, Any] = {"n_heads": n_heads, "mask": seen(n, is_causal), "eps": EPS}
        x, _ = encoder_block.formula(xs[-1], block, norm="pre", activation=relu.formula, **options)
        xs.append(x)
    return xs


def seen(n: int, is_causal: bool) -> Any:
    """The mask: what each of n positions may see."""
    return causal_mask.formula(n) if is_causal else None


# -- its gradients ---------------------------------------------------------------------------


@door
def language_model_gradients(
    tokens: Tokens,
    targets: Annotated[ArrayLike, "int *lead n from -1 below n_symbols"],
    params: LanguageModelParams,
    *,
    n_heads: NumberOfHeads,
    is_causal: Flag = True,
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
    *xs, last = stream(tokens, params, n_heads, is_causal)
    z = layer_norm.formula(last, *params.norm, EPS)
    loss, d_logits = cross_entropy.formula(z @ params.w_output, targets)

    d_x, d_norm = layer_norm_backward(last, params.norm, d_logits @ params.w_output.T)
    d_blocks: list[EncoderParams] = []
    mask = seen(last.shape[-2], is_causal)
    for x, block in zip(xs[::-1], params.blocks[::-1], strict=True):
        d_x, d_block = block_backward(x, block, d_x, n_heads, mask)
        d_blocks.insert(0, d_block)
    d_embedding = np.zeros_like(params.embedding)
    np.add.at(d_embedding, np.asarray(tokens), d_x)
    return LanguageModelGradients(
        loss, LanguageModelParams(d_embedding, tuple(d_blocks), d_norm, of_matrix(z, d_logits))
    )


def block_backward(
    x: FloatArray, params: EncoderParams, d_output: FloatArray, n_heads: int, mask: Any
) -> tuple[FloatArray, EncoderParams]:
    """From the gradient of a block's output to that of its input and its parameters.

    What the block computed on the way is computed again: only its input was kept.
    """
    heads, network, norm_1, norm_2 = params
    z_1 = layer_norm.formula(x, *norm_1, EPS)
    q, k, v = (split_heads.formula(z_1 @ w, n_heads) for w in heads[:3])
    found, weights = attention.formula(q, k, v, mask=mask, scores=scaled_dot_scores.formula)
    assert weights is not None
    merged = merge_heads.formula(found)
    middle = x + merged @ heads.w_output
    z_2 = layer_norm.formula(middle, *norm_2, EPS)
    hidden = relu.formula(linear(z_2, network.w_in, network.b_in))

    d_hidden = d_output @ network.w_out.T * (hidden > 0)
    d_network = FeedForwardParams(
        w_in=of_matrix(z_2, d_hidden),
        b_in=of_bias(d_hidden),
        w_out=of_matrix(hidden, d_output),
        b_out=of_bias(d_output),
    )
    d_middle, d_norm_2 = layer_norm_backward(middle, norm_2, d_hidden @ network.w_in.T)
    d_middle = d_middle + d_output  # the residual hands it on as it is

    d_found = split_heads.formula(d_middle @ heads.w_output.T, n_heads)
    d_heads = attention_backward.formula(q, k, v, weights, d_found)
    d_q, d_k, d_v = (merge_heads.formula(d) for d in d_heads)
    d_z = d_q @ heads.w_query.T + d_k @ heads.w_key.T + d_v @ heads.w_value.T
    d_attention = MultiHeadParams(
        of_matrix(z_1, d_q), of_matrix(z_1, d_k), of_matrix(z_1, d_v), of_matrix(merged, d_middle)
    )
    d_x, d_norm_1 = layer_norm_backward(x, norm_1, d_z)
    return d_middle + d_x, EncoderParams(d_attention, d_network, d_norm_1, d_norm_2)


def layer_norm_backward(
    x: FloatArray, params: LayerNormParams, d_output: FloatArray
) -> tuple[FloatArray, LayerNormParams]:
    """From the gradient of a layer norm's output to that of its input, gain and bias."""
    mean, spread = mean_and_spread(x, EPS)
    normal = (x - mean) / spread
    d = d_output * params.gain
    # What would move all numbers of a row alike, or stretch them, is undone by the norm.
    along = normal * (d * normal).mean(-1, keepdims=True)
    d_x = (d - d.mean(-1, keepdims=True) - along) / spread
    return d_x, LayerNormParams(of_bias(d_output * normal), of_bias(d_output))


# -- its training ----------------------------------------------------------------------------


@door
def train_language_model(
    params: LanguageModelParams,
    batch: Annotated[
        Callable[[], tuple[ArrayLike, ArrayLike]],
        "a function of no arguments; for example batch=lambda: text_batch(rng, codes)",
    ],
    n_steps: Annotated[int, "an integer of at least 0; it counts the steps"],
    *,
    n_heads: NumberOfHeads,
    is_causal: Flag = True,
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
    flat, losses = list(leaves(params)), np.zeros(n_steps)
    state = adam_init(flat)
    for step in progress(range(n_steps)):
        tokens, targets = batch()
        losses[step], gradients = language_model_gradients(
            tokens, targets, params, n_heads=n_heads, is_causal=is_causal
        )
        warm, wave = min(1, (step + 1) / 50), (1 + math.cos(math.pi * step / n_steps)) / 2
        flat, state = adam_step(
            flat,
            list(leaves(gradients)),
            state,
            learning_rate=learning_rate * warm * (0.97 * wave + 0.03),
            beta_2=0.98,
        )
        params = with_leaves(params, flat)
    return params, losses


def leaves(params: Iterable[Any]) -> Iterator[FloatArray]:
    """The arrays of parameters that are nested, in their order; those that are None are not."""
    for part in params:
        if isinstance(part, tuple):
            yield from leaves(part)
        elif part is not None:
            yield part


def with_leaves(params: Any, arrays: Iterable[FloatArray]) -> Any:
    """The same parameters with other arrays."""
    left = iter(arrays)

    def filled(part: Any) -> Any:
        if not isinstance(part, tuple):
            return None if part is None else next(left)
        parts = [filled(each) for each in part]
        return type(part)(*parts) if hasattr(part, "_fields") else tuple(parts)

    return filled(params)


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
        The place in the alphabet of each character. One that is not in it is read as a blank.

    Raises
    ------
    ValueError
        If a character has no symbol, and there is none for a blank.

    Examples
    --------
    >>> encode_text("a cab", " abc")
    array([1, 0, 3, 1, 2])
    """
    place = {character: i for i, character in enumerate(alphabet)}
    blank = place.get(" ")
    codes = [place.get(character, blank) for character in text]
    if None in codes:
        character = text[codes.index(None)]
        raise ValueError(
            f"encode_text: text has the character {character!r}, which is not in alphabet; "
            "neither is a blank, which could stand for it."
        )
    return np.array(codes, dtype=np.intp)


def text_batch(
    rng: Generator, codes: ArrayLike, batch_size: int = 32, length: int = CONTEXT
) -> tuple[IntArray, IntArray]:
    """Pieces of a text, and the same pieces one character on.

    Parameters
    ----------
    rng : numpy.random.Generator
        Where the places of the pieces come from.
    codes : array_like of int, of shape (n,)
        The text, as `encode_text` gives it.
    batch_size : int
        Number of pieces.
    length : int
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
    hint = "encode_text makes them of a text"
    x = _shapes.integers("text_batch", "codes", codes, "(n,)", hint)
    if x.ndim != 1 or len(x) <= length:
        raise ValueError(
            f"text_batch: codes has shape {x.shape} but more than length = {length} characters "
            "are expected; the last of a piece needs one that follows it."
        )
    starts = rng.integers(len(x) - length, size=(batch_size, 1))
    pieces = x[starts + np.arange(length + 1)]
    return pieces[:, :-1], pieces[:, 1:]


def without_heads(
    params: LanguageModelParams, heads: Iterable[tuple[int, int]], *, n_heads: int
) -> LanguageModelParams:
    """The same model with some heads switched off: what they find is not handed on.

    Parameters
    ----------
    params : LanguageModelParams
        They are not changed.
    heads : iterable of (int, int)
        Block and head of each that is switched off, counted from 0.
    n_heads : int
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
    >>> off = without_heads(params, [(1, 0)], n_heads=2)
    >>> off.blocks[1].attention.w_output.any(axis=1)
    array([False, False,  True,  True])
    """
    blocks = list(params.blocks)
    for block, head in heads:
        if not (0 <= block < len(blocks) and 0 <= head < n_heads):
            raise ValueError(
                f"without_heads: heads must be pairs of a block from 0 to {len(blocks) - 1} and "
                f"a head from 0 to {n_heads - 1}, got {(block, head)}."
            )
        own = blocks[block].attention
        w_output = own.w_output.copy()
        w_output.reshape(n_heads, -1, w_output.shape[1])[head] = 0
        blocks[block] = blocks[block]._replace(attention=own._replace(w_output=w_output))
    return params._replace(blocks=tuple(blocks))


def load_wonderland() -> tuple[str, str]:
    """Load *Alice's Adventures in Wonderland*, cut into what models learn from and what tests them.

    Returns
    -------
    training : str
        Chapters I to XI. Each paragraph, and each line of a poem, is a line.
    held_out : str
        Chapter XII.

    Raises
    ------
    FileNotFoundError
        If attnutils was installed without its data.

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

    Raises
    ------
    FileNotFoundError
        If attnutils was installed without its data.

    Examples
    --------
    >>> alphabet, params, n_heads, context = load_language_model()
    >>> text = encode_text("The Mock Turtl", alphabet)
    >>> logits = language_model(text, params, n_heads=n_heads)
    >>> alphabet[logits[-1].argmax()]
    'e'
    """
    _shapes.flag("load_language_model", "is_causal", is_causal, "there are two models")
    name = "causal" if is_causal else "unmasked"
    with np.load(existing(_STORED), allow_pickle=False) as stored:
        alphabet, sizes = str(stored["alphabet"]), stored[f"{name}_sizes"]
        codes, scales = stored[f"{name}_codes"], stored[f"{name}_scales"]
    d, d_ff, n_blocks = map(int, sizes)
    rng = np.random.default_rng(0)
    empty = init_language_model(rng, len(alphabet), d, d_ff, n_blocks)
    params = with_leaves(empty, unpacked(list(leaves(empty)), codes, scales))
    return StoredModel(alphabet, params, N_HEADS, CONTEXT)
