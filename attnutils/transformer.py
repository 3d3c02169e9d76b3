"""The blocks of a transformer. Taught on the page *transformer*.

A block is a chain of parts: attention, and a small network that works on each position by itself.
Each part keeps the width d, because its input is added to its output (the residual). A layer norm
follows each sum (``norm="post"``, as first published) or precedes each part (``norm="pre"``, where
the last block of a stack is to be followed by one more norm).

Everything is computed in the dtype of inputs and parameters together; float16 in float32.
"""

import math
from collections.abc import Callable
from typing import Annotated, NamedTuple

import numpy as np

from attnutils._checked import Letters, checked
from attnutils._checks import ArrayLike, Choice, FloatArray, Function, Number, result
from attnutils._shapes import Mask
from attnutils.heads import MultiHeadParams, NumberOfHeads, multi_head_attention
from attnutils.mechanism import AttentionOutput
from attnutils.normalize import total

__all__ = [
    "DecoderOutput",
    "DecoderParams",
    "EncoderParams",
    "FeedForwardParams",
    "LayerNormParams",
    "decoder_block",
    "encoder_block",
    "feed_forward",
    "gelu",
    "layer_norm",
    "relu",
]

Activation = Callable[[FloatArray], FloatArray]


class FeedForwardParams(NamedTuple):
    """A network with one hidden layer of d_ff units."""

    w_in: Annotated[FloatArray, "d d_ff"]
    b_in: Annotated[FloatArray, "d_ff"]
    w_out: Annotated[FloatArray, "d_ff d"]
    b_out: Annotated[FloatArray, "d"]


class LayerNormParams(NamedTuple):
    """The scale and the shift of each feature."""

    scale: Annotated[FloatArray, "d"]
    bias: Annotated[FloatArray, "d"]


SelfAttention = Annotated[MultiHeadParams, Letters(d_q="d", d_k="d", d_v="d", d_out="d")]
CrossAttention = Annotated[
    MultiHeadParams, Letters(d_q="d", d_k="d_memory", d_v="d_memory", d_out="d")
]


class EncoderParams(NamedTuple):
    """What an encoder block learns; `norm_1` belongs to attention, `norm_2` to the network."""

    attention: SelfAttention
    feed_forward: FeedForwardParams
    norm_1: LayerNormParams
    norm_2: LayerNormParams


class DecoderParams(NamedTuple):
    """What a decoder block learns; the norms belong to its three parts in their order."""

    self_attention: SelfAttention
    cross_attention: CrossAttention
    feed_forward: FeedForwardParams
    norm_1: LayerNormParams
    norm_2: LayerNormParams
    norm_3: LayerNormParams


class DecoderOutput(NamedTuple):
    """What a decoder block returns: `output`, and the weights of its two attentions."""

    output: Annotated[FloatArray, "... n d"]
    self_weights: Annotated[FloatArray, "... n_heads n n"]
    cross_weights: Annotated[FloatArray, "... n_heads n n_memory"]


Eps = Annotated[float, Number(0, "it is added to a variance")]


@checked
def relu(x: Annotated[ArrayLike, "..."]) -> Annotated[FloatArray, "..."]:
    """The larger of x and 0, number by number.

    Parameters
    ----------
    x
        Numbers.

    Returns
    -------
    ndarray of the shape of `x`
        0 where x is negative, otherwise x.

    References
    ----------
    vaswani2017 : between the layers of the feed-forward network.

    Examples
    --------
    >>> relu([-2, 0.5])
    array([0. , 0.5])
    """
    return np.maximum(x, 0)


@checked
def gelu(x: Annotated[ArrayLike, "..."]) -> Annotated[FloatArray, "..."]:
    r"""x times the normal distribution function, :math:`x \, (1 + \mathrm{erf}(x/\sqrt 2)) / 2`.

    Parameters
    ----------
    x
        Numbers.

    Returns
    -------
    ndarray of the shape of `x`
        Almost x where x is large, almost 0 where it is very negative, smooth in between. This is
        the exact form, not the one with tanh.

    References
    ----------
    hendrycks2016

    Examples
    --------
    >>> gelu([-2, 0, 2]).round(4)
    array([-0.0455,  0.    ,  1.9545])
    """
    x = np.maximum(x, -100)  # gelu is 0 below, and -inf times 0 is NaN
    return x * normal_distribution(x)


@checked
def layer_norm(
    x: Annotated[ArrayLike, "... d+"],
    scale: Annotated[ArrayLike, "d"],
    bias: Annotated[ArrayLike, "d"],
    eps: Eps = 1e-5,
) -> Annotated[FloatArray, "... d"]:
    r"""Give each row mean 0 and variance 1, then the scale and shift that were learned.

    .. math:: \frac{x - \mathrm{mean}(x)}{\sqrt{\mathrm{var}(x) + \epsilon}} \, \gamma + \beta

    Parameters
    ----------
    x
        Each row of d features is normalised by itself.
    scale
        :math:`\gamma`.
    bias
        :math:`\beta`.
    eps
        :math:`\epsilon`, at least 0. It keeps a row of equal numbers from being divided by 0.

    Returns
    -------
    ndarray
        Normalised rows. A row of equal numbers becomes `bias`.

    References
    ----------
    ba2016

    Examples
    --------
    >>> layer_norm([[1, 2, 3], [5, 5, 5]], scale=[1, 1, 1], bias=[0, 0, 1]).round(4)
    array([[-1.2247,  0.    ,  2.2247],
           [ 0.    ,  0.    ,  1.    ]])
    """
    z, _ = normalized(x, eps)  # (x - mean) / sqrt(variance + eps)
    return z * scale + bias


def same_shape(function: str, name: str, y: ArrayLike, hidden: FloatArray) -> FloatArray:
    """What an activation of the caller's own has returned, checked."""
    hint = f"{name} must work on each number by itself"
    found = result(function, name, y, "(..., d_ff)", hidden.shape, hint)
    return found.astype(hidden.dtype, copy=False)


ActivationOption = Annotated[
    Activation, Function("an array", "for example activation=gelu", same_shape, (relu, gelu))
]
Norm = Annotated[
    str,
    Choice("post", "pre", hint='"post" normalises each sum, "pre" the input of each part'),
]


@checked
def feed_forward(
    x: Annotated[ArrayLike, "... d+"],
    params: FeedForwardParams,
    *,
    activation: ActivationOption = relu,
) -> Annotated[FloatArray, "... d"]:
    r"""A network with one hidden layer, for each position by itself.

    .. math:: \mathrm{act}(x W_{in} + b_{in}) \, W_{out} + b_{out}

    Parameters
    ----------
    x
        A row for each position.
    params
        Weights and biases; the hidden layer has d_ff units.
    activation
        A function of an array that works on each number by itself, such as `relu` or `gelu`.

    Returns
    -------
    ndarray
        A row for each position.

    References
    ----------
    vaswani2017 : position-wise feed-forward networks.

    Examples
    --------
    >>> params = FeedForwardParams(np.array([[1, -1]]), np.zeros(2), np.ones((2, 1)), np.zeros(1))
    >>> feed_forward([[-3], [0], [2]], params)
    array([[3.],
           [0.],
           [2.]])
    """
    hidden = activation(x @ params.w_in + params.b_in)  # (..., d_ff)
    return hidden @ params.w_out + params.b_out


@checked
def encoder_block(
    x: Annotated[ArrayLike, "... n+ d+"],
    params: EncoderParams,
    *,
    n_heads: NumberOfHeads,
    mask: Annotated[ArrayLike | None, Mask("... [n_heads] n n")] = None,
    norm: Norm = "post",
    activation: ActivationOption = relu,
    eps: Eps = 1e-5,
) -> Annotated[AttentionOutput, "... n d", "... n_heads n n"]:
    """Self-attention, then a feed-forward network, each with a residual and a layer norm.

    Parameters
    ----------
    x
        A row for each position.
    params
        Parameters; the output of attention is as wide as its input, d.
    n_heads
        Number of heads.
    mask
        True means that the query may attend to the key; with one axis more, one for each head
        (see `multi_head_attention`).
    norm
        Whether a layer norm follows each sum, ``norm(x + part(x))``, or precedes each part,
        ``x + part(norm(x))``.
    activation
        Of the feed-forward network.
    eps
        Of the layer norms.

    Returns
    -------
    output
        A row for each position.
    weights
        Attention weights.

    References
    ----------
    vaswani2017 : the encoder.
    xiong2020 : post- and pre-norm.

    Examples
    --------
    Without weights the parts add nothing, and only the norms are left.

    >>> d, zero, one = 3, np.zeros, np.ones
    >>> heads = MultiHeadParams(*[zero((d, d))] * 4)
    >>> network = FeedForwardParams(zero((d, 5)), zero(5), zero((5, d)), zero(d))
    >>> params = EncoderParams(heads, network, *[LayerNormParams(one(d), zero(d))] * 2)
    >>> output, weights = encoder_block([[1, 2, 3], [4, 4, 7]], params, n_heads=1)
    >>> output.round(2)
    array([[-1.22,  0.  ,  1.22],
           [-0.71, -0.71,  1.41]])
    >>> weights
    array([[[0.5, 0.5],
            [0.5, 0.5]]])
    """
    p = params
    before, after = norms(norm, eps)

    z = before(x, p.norm_1)
    found, weights = multi_head_attention(z, z, z, p.attention, n_heads=n_heads, mask=mask)
    x = after(x + found, p.norm_1)

    z = before(x, p.norm_2)
    found = feed_forward(z, p.feed_forward, activation=activation)
    return AttentionOutput(after(x + found, p.norm_2), weights)


@checked
def decoder_block(
    x: Annotated[ArrayLike, "... n+ d+"],
    memory: Annotated[ArrayLike, "... n_memory+ d_memory+"],
    params: DecoderParams,
    *,
    n_heads: NumberOfHeads,
    mask: Annotated[ArrayLike | None, Mask("... [n_heads] n n")] = None,
    memory_mask: Annotated[ArrayLike | None, Mask("... [n_heads] n n_memory")] = None,
    norm: Norm = "post",
    activation: ActivationOption = relu,
    eps: Eps = 1e-5,
) -> DecoderOutput:
    """Causal self-attention, attention to a memory, a feed-forward network.

    Each part has a residual and a layer norm. The output at a position depends on `x` up to this
    position, and on all of the memory that the mask allows.

    Parameters
    ----------
    x
        A row for each position.
    memory
        What the encoder returned.
    params
        Parameters; the outputs of both attentions are as wide as `x`, d.
    n_heads
        Number of heads.
    mask
        True means that the query may attend to the key. Self-attention is causal anyway, and the
        two masks are combined by AND. With one axis more, one mask for each head (see
        `multi_head_attention`).
    memory_mask
        True means that the query may attend to this row of the memory.
    norm
        Whether a layer norm follows each sum, ``norm(x + part(x))``, or precedes each part,
        ``x + part(norm(x))``. The memory is taken as it comes.
    activation
        Of the feed-forward network.
    eps
        Of the layer norms.

    Returns
    -------
    output
        A row for each position.
    self_weights
        Weights of the self-attention.
    cross_weights
        Weights of the attention to the memory.

    References
    ----------
    vaswani2017 : the decoder.
    xiong2020 : post- and pre-norm.

    Examples
    --------
    >>> d, zero, one = 2, np.zeros, np.ones
    >>> heads = MultiHeadParams(*[zero((d, d))] * 4)
    >>> network = FeedForwardParams(zero((d, 5)), zero(5), zero((5, d)), zero(d))
    >>> params = DecoderParams(heads, heads, network, *[LayerNormParams(one(d), zero(d))] * 3)
    >>> result = decoder_block([[1, 2], [7, 4]], one((4, d)), params, n_heads=1)
    >>> result.self_weights
    array([[[1. , 0. ],
            [0.5, 0.5]]])
    >>> result.cross_weights
    array([[[0.25, 0.25, 0.25, 0.25],
            [0.25, 0.25, 0.25, 0.25]]])
    """
    p = params
    before, after = norms(norm, eps)

    z = before(x, p.norm_1)
    found, own_weights = multi_head_attention(
        z, z, z, p.self_attention, n_heads=n_heads, mask=mask, is_causal=True
    )
    x = after(x + found, p.norm_1)

    z = before(x, p.norm_2)
    found, cross_weights = multi_head_attention(
        z, memory, memory, p.cross_attention, n_heads=n_heads, mask=memory_mask
    )
    x = after(x + found, p.norm_2)

    z = before(x, p.norm_3)
    found = feed_forward(z, p.feed_forward, activation=activation)
    return DecoderOutput(after(x + found, p.norm_3), own_weights, cross_weights)


LayerNorm = Callable[[FloatArray, LayerNormParams], FloatArray]


def norms(norm: str, eps: float) -> tuple[LayerNorm, LayerNorm]:
    """What to do before each part, and after each sum: one is a layer norm, the other nothing."""

    def layer(x: FloatArray, p: LayerNormParams) -> FloatArray:
        return layer_norm(x, p.scale, p.bias, eps)

    def nothing(x: FloatArray, p: LayerNormParams) -> FloatArray:
        return x

    return (nothing, layer) if norm == "post" else (layer, nothing)


# -- how it is made safe ---------------------------------------------------------------------


def normalized(x: FloatArray, eps: float) -> tuple[FloatArray, FloatArray]:
    """Rows of mean 0 and variance 1, and what divided them: sqrt(variance + eps)."""
    _, exponent = np.frexp(np.abs(x).max(axis=-1, keepdims=True))
    z = np.ldexp(x, -exponent)  # exact; the largest is near 1, so that no square is lost
    z = z - z[..., :1]  # equal numbers become exactly 0
    z = z - total(z, -1) / z.shape[-1]
    deviation = np.sqrt(total(np.square(z), -1) / z.shape[-1])
    spread = np.hypot(deviation, np.ldexp(x.dtype.type(math.sqrt(eps)), -exponent))
    spread = np.where(spread == 0, 1, spread)
    return z / spread, np.ldexp(spread, exponent)


def normal_distribution(x: FloatArray) -> FloatArray:
    """The part of a normal distribution that is below x."""
    try:
        from scipy.special import ndtr  # here, so that importing attnutils does not load SciPy
    except ImportError:  # as in a page; erfc keeps its digits where it is nearly 0

        def ndtr(x: FloatArray) -> FloatArray:
            erfc: FloatArray = np.vectorize(math.erfc, otypes=[x.dtype])(-x / math.sqrt(2))
            return erfc / 2

    return ndtr(x)
