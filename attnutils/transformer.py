"""The blocks of a transformer. Taught on the page *transformer*.

A block is a chain of parts: attention, and a small network that works on each position by itself.
Each part keeps the width d, because its input is added to its output (the residual). A layer norm
follows each sum (``norm="post"``, as first published) or precedes each part (``norm="pre"``, where
the last block of a stack is to be followed by one more norm).

Everything is computed in the dtype of inputs and parameters together; float16 in float32.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attnutils import _shapes
from attnutils._shapes import FloatArray
from attnutils.heads import MultiHeadParams, attend, checked_params, linear, with_heads
from attnutils.mechanism import Attention

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
    """`w_in` (d, d_ff), `b_in` (d_ff,), `w_out` (d_ff, d), `b_out` (d,)."""

    w_in: FloatArray
    b_in: FloatArray
    w_out: FloatArray
    b_out: FloatArray


class LayerNormParams(NamedTuple):
    """`gain` (d,) and `bias` (d,)."""

    gain: FloatArray
    bias: FloatArray


class EncoderParams(NamedTuple):
    """What an encoder block learns; `norm_1` belongs to attention, `norm_2` to the network."""

    attention: MultiHeadParams
    feed_forward: FeedForwardParams
    norm_1: LayerNormParams
    norm_2: LayerNormParams


class DecoderParams(NamedTuple):
    """What a decoder block learns; the norms belong to its three parts in their order."""

    self_attention: MultiHeadParams
    cross_attention: MultiHeadParams
    feed_forward: FeedForwardParams
    norm_1: LayerNormParams
    norm_2: LayerNormParams
    norm_3: LayerNormParams


class DecoderOutput(NamedTuple):
    """What a decoder block returns: `output`, and the weights of its two attentions."""

    output: FloatArray
    self_weights: FloatArray
    cross_weights: FloatArray


Norm = Callable[[FloatArray, LayerNormParams], FloatArray]


def relu(x: ArrayLike) -> FloatArray:
    """The larger of x and 0, number by number.

    Parameters
    ----------
    x : array_like
        Numbers.

    Returns
    -------
    ndarray of the shape of `x`
        0 where x is negative, otherwise x.

    Raises
    ------
    TypeError
        If `x` does not hold real numbers.
    ValueError
        If `x` is ragged.

    References
    ----------
    vaswani2017 : between the layers of the feed-forward network.

    Examples
    --------
    >>> relu([-2, 0.5])
    array([0. , 0.5])
    """
    array = _shapes.real_array("relu", "x", x, shape="(...)", rank=0)
    return np.maximum(array, 0)


def gelu(x: ArrayLike) -> FloatArray:
    r"""x times the normal distribution function, :math:`x \, (1 + \mathrm{erf}(x/\sqrt 2)) / 2`.

    Parameters
    ----------
    x : array_like
        Numbers.

    Returns
    -------
    ndarray of the shape of `x`
        Almost x where x is large, almost 0 where it is very negative, smooth in between. This is
        the exact form, not the one with tanh.

    Raises
    ------
    TypeError
        If `x` does not hold real numbers.
    ValueError
        If `x` is ragged.

    References
    ----------
    hendrycks2016

    Examples
    --------
    >>> gelu([-2, 0, 2]).round(4)
    array([-0.0455,  0.    ,  1.9545])
    """
    from scipy.special import ndtr  # here, so that importing attnutils does not load SciPy

    array = _shapes.real_array("gelu", "x", x, shape="(...)", rank=0)
    wide = np.maximum(_shapes.widen(array), -100)  # gelu is 0 below, and -inf times 0 is NaN
    return _shapes.narrow(wide * ndtr(wide), array.dtype)


def layer_norm(x: ArrayLike, gain: ArrayLike, bias: ArrayLike, eps: float = 1e-5) -> FloatArray:
    r"""Give each row mean 0 and variance 1, then the scale and shift that were learned.

    .. math:: \frac{x - \mathrm{mean}(x)}{\sqrt{\mathrm{var}(x) + \epsilon}} \, \gamma + \beta

    Parameters
    ----------
    x : array_like of shape (..., d)
        Each row of d features is normalised by itself.
    gain : array_like of shape (d,)
        :math:`\gamma`.
    bias : array_like of shape (d,)
        :math:`\beta`.
    eps : float
        :math:`\epsilon`, at least 0. It keeps a row of equal numbers from being divided by 0.

    Returns
    -------
    ndarray of shape (..., d)
        Normalised rows. A row of equal numbers becomes `bias`.

    Raises
    ------
    TypeError
        If an array does not hold real numbers, or `eps` is not a number.
    ValueError
        If the shapes do not fit each other, or `eps` is negative or NaN.

    References
    ----------
    ba2016

    Examples
    --------
    >>> layer_norm([[1, 2, 3], [5, 5, 5]], gain=[1, 1, 1], bias=[0, 0, 1]).round(4)
    array([[-1.2247,  0.    ,  2.2247],
           [ 0.    ,  0.    ,  1.    ]])
    """
    array = _shapes.features("layer_norm", "x", x)
    hint = "one number for each feature of x"
    shape, size = "(d,)", array.shape[-1:]
    params = LayerNormParams(
        _shapes.sized("layer_norm", "gain", gain, shape, size, hint),
        _shapes.sized("layer_norm", "bias", bias, shape, size, hint),
    )
    normal = _layer_norm(array, params, _shapes.eps("layer_norm", eps))
    return _shapes.narrow(normal, np.result_type(array, *params))


def feed_forward(
    x: ArrayLike, params: FeedForwardParams, *, activation: Activation = relu
) -> FloatArray:
    r"""A network with one hidden layer, for each position by itself.

    .. math:: \mathrm{act}(x W_{in} + b_{in}) \, W_{out} + b_{out}

    Parameters
    ----------
    x : array_like of shape (..., d)
        A row for each position.
    params : FeedForwardParams
        Weights and biases; the hidden layer has d_ff units.
    activation : callable
        A function of an array that works on each number by itself, such as `relu` or `gelu`.

    Returns
    -------
    ndarray of shape (..., d)
        A row for each position.

    Raises
    ------
    TypeError
        If an array does not hold real numbers, `params` is not `FeedForwardParams`, or
        `activation` is not a function.
    ValueError
        If the shapes do not fit each other.

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
    array = _shapes.features("feed_forward", "x", x)
    p = _checked_feed_forward("feed_forward", "params", params, array.shape[-1])
    output = _feed_forward("feed_forward", array, p, activation)
    return _shapes.narrow(output, np.result_type(array, *p))


def encoder_block(
    x: ArrayLike,
    params: EncoderParams,
    *,
    n_heads: int,
    mask: ArrayLike | None = None,
    norm: str = "post",
    activation: Activation = relu,
    eps: float = 1e-5,
) -> Attention:
    """Self-attention, then a feed-forward network, each with a residual and a layer norm.

    Parameters
    ----------
    x : array_like of shape (..., n, d)
        A row for each position.
    params : EncoderParams
        Parameters; the output of attention is as wide as its input, d.
    n_heads : int
        Number of heads.
    mask : array_like of bool that broadcasts to (..., n, n), optional
        True means that the query may attend to the key; with one axis more, one for each head
        (see `multi_head_attention`).
    norm : {"post", "pre"}
        Whether a layer norm follows each sum, ``norm(x + part(x))``, or precedes each part,
        ``x + part(norm(x))``.
    activation : callable
        Of the feed-forward network.
    eps : float
        Of the layer norms.

    Returns
    -------
    output : ndarray of shape (..., n, d)
        A row for each position.
    weights : ndarray of shape (..., n_heads, n, n)
        Attention weights.

    Raises
    ------
    TypeError
        If an array does not hold real numbers, `mask` is not boolean, or `params` or an option is
        of the wrong type.
    ValueError
        If the shapes do not fit each other, there is no position, or an option has a value that
        it cannot have.

    References
    ----------
    vaswani2017 : the encoder.
    xiong2020 : post- and pre-norm.

    Examples
    --------
    Without weights the parts add nothing, and only the norms are left.

    >>> d, zero, one = 3, np.zeros, np.ones
    >>> attend = MultiHeadParams(*[zero((d, d))] * 4)
    >>> network = FeedForwardParams(zero((d, 5)), zero(5), zero((5, d)), zero(d))
    >>> params = EncoderParams(attend, network, *[LayerNormParams(one(d), zero(d))] * 2)
    >>> output, weights = encoder_block([[1, 2, 3], [4, 4, 7]], params, n_heads=1)
    >>> output.round(2)
    array([[-1.22,  0.  ,  1.22],
           [-0.71, -0.71,  1.41]])
    >>> weights
    array([[[0.5, 0.5],
            [0.5, 0.5]]])
    """
    name = "encoder_block"
    x = _shapes.sequence(name, "x", x)
    d = x.shape[-1]
    _shapes.fields_of(name, "params", params, EncoderParams)
    p = EncoderParams(
        checked_params(name, "params.attention", params.attention, n_heads, d, d, d, d),
        _checked_feed_forward(name, "params.feed_forward", params.feed_forward, d),
        _checked_norm(name, "params.norm_1", params.norm_1, d),
        _checked_norm(name, "params.norm_2", params.norm_2, d),
    )
    mask = _mask(name, "mask", mask, x, x, n_heads)
    before, after = _norms(name, norm, eps)
    dtype = np.result_type(x, *_shapes.arrays_in(p))

    z = before(x, p.norm_1)
    found, weights = attend(z, z, z, p.attention, n_heads, mask=mask)
    x = after(_sum(x, found), p.norm_1)
    z = before(x, p.norm_2)
    x = after(_sum(x, _feed_forward(name, z, p.feed_forward, activation)), p.norm_2)
    return Attention(_shapes.narrow(x, dtype), _shapes.narrow(weights, dtype))


def decoder_block(
    x: ArrayLike,
    memory: ArrayLike,
    params: DecoderParams,
    *,
    n_heads: int,
    mask: ArrayLike | None = None,
    memory_mask: ArrayLike | None = None,
    norm: str = "post",
    activation: Activation = relu,
    eps: float = 1e-5,
) -> DecoderOutput:
    """Causal self-attention, attention to a memory, a feed-forward network.

    Each part has a residual and a layer norm. The output at a position depends on `x` up to this
    position, and on all of the memory that the mask allows.

    Parameters
    ----------
    x : array_like of shape (..., n, d)
        A row for each position.
    memory : array_like of shape (..., n_memory, d_memory)
        What the encoder returned.
    params : DecoderParams
        Parameters; the outputs of both attentions are as wide as `x`, d.
    n_heads : int
        Number of heads.
    mask : array_like of bool that broadcasts to (..., n, n), optional
        True means that the query may attend to the key. Self-attention is causal anyway, and the
        two masks are combined by AND. With one axis more, one mask for each head (see
        `multi_head_attention`).
    memory_mask : array_like of bool that broadcasts to (..., n, n_memory), optional
        True means that the query may attend to this row of the memory.
    norm : {"post", "pre"}
        Whether a layer norm follows each sum, ``norm(x + part(x))``, or precedes each part,
        ``x + part(norm(x))``. The memory is taken as it comes.
    activation : callable
        Of the feed-forward network.
    eps : float
        Of the layer norms.

    Returns
    -------
    output : ndarray of shape (..., n, d)
        A row for each position.
    self_weights : ndarray of shape (..., n_heads, n, n)
        Weights of the self-attention.
    cross_weights : ndarray of shape (..., n_heads, n, n_memory)
        Weights of the attention to the memory.

    Raises
    ------
    TypeError
        If an array does not hold real numbers, a mask is not boolean, or `params` or an option is
        of the wrong type.
    ValueError
        If the shapes do not fit each other, `x` or the memory has no row, or an option has a
        value that it cannot have.

    References
    ----------
    vaswani2017 : the decoder.
    xiong2020 : post- and pre-norm.

    Examples
    --------
    >>> d, zero, one = 2, np.zeros, np.ones
    >>> attend = MultiHeadParams(*[zero((d, d))] * 4)
    >>> network = FeedForwardParams(zero((d, 5)), zero(5), zero((5, d)), zero(d))
    >>> params = DecoderParams(attend, attend, network, *[LayerNormParams(one(d), zero(d))] * 3)
    >>> result = decoder_block([[1, 2], [7, 4]], one((4, d)), params, n_heads=1)
    >>> result.self_weights
    array([[[1. , 0. ],
            [0.5, 0.5]]])
    >>> result.cross_weights
    array([[[0.25, 0.25, 0.25, 0.25],
            [0.25, 0.25, 0.25, 0.25]]])
    """
    name = "decoder_block"
    x = _shapes.sequence(name, "x", x)
    memory = _shapes.memory_for(name, memory, x)
    d, d_m = x.shape[-1], memory.shape[-1]
    _shapes.fields_of(name, "params", params, DecoderParams)
    own, cross = params.self_attention, params.cross_attention
    p = DecoderParams(
        checked_params(name, "params.self_attention", own, n_heads, d, d, d, d),
        checked_params(name, "params.cross_attention", cross, n_heads, d, d_m, d_m, d),
        _checked_feed_forward(name, "params.feed_forward", params.feed_forward, d),
        _checked_norm(name, "params.norm_1", params.norm_1, d),
        _checked_norm(name, "params.norm_2", params.norm_2, d),
        _checked_norm(name, "params.norm_3", params.norm_3, d),
    )
    mask = _mask(name, "mask", mask, x, x, n_heads)
    memory_mask = _mask(name, "memory_mask", memory_mask, x, memory, n_heads)
    before, after = _norms(name, norm, eps)
    dtype = np.result_type(x, memory, *_shapes.arrays_in(p))

    z = before(x, p.norm_1)
    found, own_weights = attend(z, z, z, p.self_attention, n_heads, mask=mask, is_causal=True)
    x = after(_sum(x, found), p.norm_1)
    z = before(x, p.norm_2)
    found, cross_weights = attend(z, memory, memory, p.cross_attention, n_heads, mask=memory_mask)
    x = after(_sum(x, found), p.norm_2)
    z = before(x, p.norm_3)
    x = after(_sum(x, _feed_forward(name, z, p.feed_forward, activation)), p.norm_3)
    return DecoderOutput(*(_shapes.narrow(a, dtype) for a in (x, own_weights, cross_weights)))


def _norms(function: str, norm: str, eps: float) -> tuple[Norm, Norm]:
    """What to do before each part, and after each sum: one is a layer norm, the other nothing."""
    hint = '"post" normalises each sum, "pre" the input of each part'
    norm = _shapes.choice(function, "norm", norm, ("post", "pre"), hint)
    eps = _shapes.eps(function, eps)

    def layer(x: FloatArray, params: LayerNormParams) -> FloatArray:
        return _layer_norm(x, params, eps)

    def nothing(x: FloatArray, params: LayerNormParams) -> FloatArray:
        return x

    return (nothing, layer) if norm == "post" else (layer, nothing)


def _layer_norm(x: FloatArray, params: LayerNormParams, eps: float) -> FloatArray:
    """Layer norm of checked arguments, in a dtype that is safe to compute in."""
    x, gain, bias = _shapes.widen(x), _shapes.widen(params.gain), _shapes.widen(params.bias)
    with np.errstate(all="ignore"):
        # Scaled by a power of 2, which is exact, the largest number of a row is near 1, so that
        # no square overflows.
        _, exponent = np.frexp(np.abs(x).max(axis=-1, keepdims=True))
        centred = np.ldexp(x, -exponent)
        centred = centred - centred.mean(axis=-1, keepdims=True)
        deviation = np.sqrt(np.square(centred).mean(axis=-1, keepdims=True))
        spread = np.hypot(deviation, np.ldexp(x.dtype.type(math.sqrt(eps)), -exponent))
        normal = np.divide(centred, spread, out=np.zeros_like(centred), where=spread != 0)
        scaled: FloatArray = normal * gain + bias
    return scaled


def _feed_forward(
    function: str, x: FloatArray, p: FeedForwardParams, activation: Activation
) -> FloatArray:
    """The network with checked parameters, in a dtype that is safe to compute in."""
    hidden = linear(x, p.w_in, p.b_in)  # (..., d_ff)
    hidden = _shapes.elementwise(function, "activation", activation, hidden)
    return linear(hidden, p.w_out, p.b_out)


def _sum(x: FloatArray, found: FloatArray) -> FloatArray:
    """The residual: what came in plus what a part has found."""
    with np.errstate(all="ignore"):
        return x + found


def _mask(
    function: str, name: str, mask: ArrayLike | None, x: FloatArray, y: FloatArray, n_heads: int
) -> NDArray[Any] | None:
    """A mask for queries from `x` and keys from `y`, with a heads axis."""
    lead = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    last = x.shape[-2], y.shape[-2]
    return with_heads(_shapes.mask_for, function, name, mask, lead, last, n_heads)


def _checked_feed_forward(
    function: str, name: str, params: FeedForwardParams, d: int
) -> FeedForwardParams:
    """`params` as arrays that fit width d and each other."""
    _shapes.fields_of(function, name, params, FeedForwardParams)
    hint = "a row for each feature of x"
    w_in = _shapes.sized(function, f"{name}.w_in", params.w_in, "(d, d_ff)", (d, None), hint)
    d_ff = w_in.shape[1]
    hint = "one number for each column of w_in"
    b_in = _shapes.sized(function, f"{name}.b_in", params.b_in, "(d_ff,)", (d_ff,), hint)
    hint = "a row for each column of w_in, a column for each feature of x"
    w_out = _shapes.sized(function, f"{name}.w_out", params.w_out, "(d_ff, d)", (d_ff, d), hint)
    hint = "one number for each feature of x"
    b_out = _shapes.sized(function, f"{name}.b_out", params.b_out, "(d,)", (d,), hint)
    return FeedForwardParams(w_in, b_in, w_out, b_out)


def _checked_norm(function: str, name: str, params: LayerNormParams, d: int) -> LayerNormParams:
    """`params` as arrays that fit width d."""
    _shapes.fields_of(function, name, params, LayerNormParams)
    hint = "one number for each feature of x"
    gain = _shapes.sized(function, f"{name}.gain", params.gain, "(d,)", (d,), hint)
    bias = _shapes.sized(function, f"{name}.bias", params.bias, "(d,)", (d,), hint)
    return LayerNormParams(gain, bias)
