"""Several heads at once, each with its own projections. Taught on the page *multi-head attention*.

Sizes: d_q, d_k and d_v are the widths of what comes in as query, key and value; each of the
n_heads heads works with d_head columns of the projected queries and keys.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attnutils import _shapes
from attnutils._shapes import FloatArray
from attnutils.mechanism import Attention, attention

__all__ = ["MultiHeadParams", "merge_heads", "multi_head_attention", "split_heads"]


class MultiHeadParams(NamedTuple):
    """What multi-head attention learns; the columns of head 0 come first, then those of head 1.

    `w_query` (d_q, n_heads * d_head), `w_key` (d_k, n_heads * d_head), `w_value`
    (d_v, n_heads * d_value), `w_output` (n_heads * d_value, d_out), and a bias for the columns of
    each, or None.
    """

    w_query: FloatArray
    w_key: FloatArray
    w_value: FloatArray
    w_output: FloatArray
    b_query: FloatArray | None = None
    b_key: FloatArray | None = None
    b_value: FloatArray | None = None
    b_output: FloatArray | None = None


def split_heads(x: ArrayLike, n_heads: int) -> FloatArray:
    """Cut the columns into heads, and give the heads an axis of their own.

    A reshape alone to (..., n_heads, n, d_head) has the right shape and the wrong content: it
    cuts the rows. The axes of rows and heads must change places.

    Parameters
    ----------
    x : array_like of shape (..., n, n_heads * d_head)
        The columns of head 0 come first, then those of head 1.
    n_heads : int
        Number of heads.

    Returns
    -------
    ndarray of shape (..., n_heads, n, d_head)
        A view of `x` where it can be one.

    Raises
    ------
    TypeError
        If `x` does not hold real numbers, or `n_heads` is not an integer.
    ValueError
        If `x` has fewer than two axes, or `n_heads` is below 1 or does not divide its width.

    See Also
    --------
    merge_heads : the way back.

    References
    ----------
    vaswani2017

    Examples
    --------
    >>> split_heads([[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], n_heads=2)[0]
    array([[0., 1.],
           [4., 5.],
           [8., 9.]])
    """
    array = _shapes.real_array("split_heads", "x", x, shape="(..., n, n_heads * d_head)", rank=2)
    n_heads = _shapes.count("split_heads", "n_heads", n_heads, "it counts the heads", low=1)
    _shapes.heads_of("split_heads", "x", array, n_heads)
    return _split(array, n_heads)


def merge_heads(x: ArrayLike) -> FloatArray:
    """Put the heads side by side again, head 0 first.

    Parameters
    ----------
    x : array_like of shape (..., n_heads, n, d_head)
        What the heads have found.

    Returns
    -------
    ndarray of shape (..., n, n_heads * d_head)
        The columns of head 0 come first, then those of head 1.

    Raises
    ------
    TypeError
        If `x` does not hold real numbers.
    ValueError
        If `x` has fewer than three axes.

    See Also
    --------
    split_heads : the way there.

    References
    ----------
    vaswani2017

    Examples
    --------
    >>> merge_heads([[[0, 1], [4, 5]], [[2, 3], [6, 7]]])
    array([[0., 1., 2., 3.],
           [4., 5., 6., 7.]])
    """
    array = _shapes.real_array("merge_heads", "x", x, shape="(..., n_heads, n, d_head)", rank=3)
    return _merge(array)


def multi_head_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    params: MultiHeadParams,
    *,
    n_heads: int,
    mask: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    is_causal: bool = False,
) -> Attention:
    r"""Project, let each head attend, put the heads side by side, project again.

    .. math:: \mathrm{head}_h = \mathrm{attention}(X_q W_q^h, X_k W_k^h, X_v W_v^h), \qquad
        Y = [\mathrm{head}_0 \| \dots \| \mathrm{head}_{H-1}] \, W_O

    Parameters
    ----------
    query : array_like of shape (..., n_q, d_q) or (d_q,)
        What the queries are made from. A single one (d_q,) gives output (d_out,) and weights
        (n_heads, n_k).
    key : array_like of shape (..., n_k, d_k)
        What the keys are made from.
    value : array_like of shape (..., n_k, d_v)
        What the values are made from, a row for each key.
    params : MultiHeadParams
        Projections.
    n_heads : int
        Number of heads.
    mask : array_like of bool that broadcasts to (..., n_q, n_k), optional
        True means that the query may attend to the key. All heads share it: it has no heads axis,
        and one is put in. A mask with one axis more than the scores of one head has its own, and
        broadcasts to (..., n_heads, n_q, n_k). Only the number of axes decides, never the sizes.
    bias : array_like that broadcasts to (..., n_q, n_k), optional
        Numbers to add to the scores, with or without a heads axis as `mask`.
    is_causal : bool
        Let each query see no later key; aligned bottom-right, combined with `mask` by AND.

    Returns
    -------
    output : ndarray of shape (..., n_q, d_out) or (d_out,)
        The dtype is that of inputs and parameters together.
    weights : ndarray of shape (..., n_heads, n_q, n_k) or (n_heads, n_k)
        Weights of each head. Rows sum to 1 (or to 0, where nothing may be attended to).

    Raises
    ------
    TypeError
        If an array does not hold real numbers, `mask` is not boolean, or `params` or an option is
        of the wrong type.
    ValueError
        If the shapes do not fit each other, there is no key, or `n_heads` does not divide the
        width of the projections.

    References
    ----------
    vaswani2017

    Examples
    --------
    Heads with weights of their own on the same words: head 0 compares the first feature, head 1
    the other two.

    >>> from attnutils.worked_example import KEYS, VALUES
    >>> w = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    >>> params = MultiHeadParams(w, w, w_value=np.ones((1, 2)), w_output=np.ones((2, 1)) / 2)
    >>> output, weights = multi_head_attention(KEYS, KEYS, VALUES, params, n_heads=2)
    >>> weights[:, 5].round(2)
    array([[0.17, 0.17, 0.17, 0.17, 0.17, 0.17],
           [0.01, 0.01, 0.  , 0.79, 0.01, 0.19]])
    >>> output[5].round(4)
    array([0.2157])
    """
    name = "multi_head_attention"
    q, k = _shapes.query_and_key(name, query, key, same_width=False)
    v = _shapes.value_for(name, value, q, k)
    widths = q.shape[-1], k.shape[-1], v.shape[-1]
    p = checked_params(name, "params", params, n_heads, *widths)
    is_causal = _shapes.flag(name, "is_causal", is_causal)

    single = q.ndim == 1
    lead = np.broadcast_shapes(q.shape[:-2], k.shape[:-2])
    last = (*q.shape[-2:-1], k.shape[-2])  # (n_q, n_k) or (n_k,)
    mask = with_heads(_shapes.mask_for, name, "mask", mask, lead, last, n_heads)
    bias = with_heads(_shapes.bias_for, name, "bias", bias, lead, last, n_heads)
    if single:  # work with one row, and take it out again at the end
        q = q[None, :]
        mask = None if mask is None else mask[..., None, :]
        bias = None if bias is None else bias[..., None, :]

    dtype = np.result_type(q, k, v, *_shapes.arrays_in(p))
    output, weights = attend(q, k, v, p, n_heads, mask=mask, bias=bias, is_causal=is_causal)
    if single:
        output, weights = output[..., 0, :], weights[..., 0, :]
    return Attention(_shapes.narrow(output, dtype), _shapes.narrow(weights, dtype))


def attend(
    q: FloatArray, k: FloatArray, v: FloatArray, p: MultiHeadParams, n_heads: int, **options: Any
) -> tuple[FloatArray, FloatArray]:
    """Multi-head attention of checked arguments, in a dtype that is safe to compute in."""
    output, weights = attention(
        _split(linear(q, p.w_query, p.b_query), n_heads),  # (..., n_heads, n_q, d_head)
        _split(linear(k, p.w_key, p.b_key), n_heads),  # (..., n_heads, n_k, d_head)
        _split(linear(v, p.w_value, p.b_value), n_heads),  # (..., n_heads, n_k, d_value)
        **options,
    )
    assert weights is not None
    return linear(_merge(output), p.w_output, p.b_output), weights


def linear(x: FloatArray, w: FloatArray, b: FloatArray | None) -> FloatArray:
    """X W + b."""
    with np.errstate(all="ignore"):
        product = _shapes.widen(x) @ _shapes.widen(w)
        return product if b is None else product + _shapes.widen(b)


def checked_params(
    function: str,
    name: str,
    params: MultiHeadParams,
    n_heads: int,
    d_q: int,
    d_k: int,
    d_v: int,
    d_out: int | None = None,
) -> MultiHeadParams:
    """`params` as arrays that fit the inputs, the heads and each other."""
    _shapes.fields_of(function, name, params, MultiHeadParams)
    n_heads = _shapes.count(function, "n_heads", n_heads, "it counts the heads", low=1)
    wide, deep = "n_heads * d_head", "n_heads * d_value"

    def weight(field: str, shape: str, rows: int, columns: int | None, hint: str) -> FloatArray:
        x = getattr(params, field)
        return _shapes.sized(function, f"{name}.{field}", x, shape, (rows, columns), hint)

    w_q = weight("w_query", f"(d_q, {wide})", d_q, None, "a row for each feature of query")
    _shapes.heads_of(function, f"{name}.w_query", w_q, n_heads)
    hint = "a row for each feature of key, and as many columns as w_query"
    w_k = weight("w_key", f"(d_k, {wide})", d_k, w_q.shape[1], hint)
    w_v = weight("w_value", f"(d_v, {deep})", d_v, None, "a row for each feature of value")
    _shapes.heads_of(function, f"{name}.w_value", w_v, n_heads)
    hint = "a row for each column of w_value"
    w_o = weight("w_output", f"({deep}, d_out)", w_v.shape[1], d_out, hint)

    def offset(field: str, shape: str, w: FloatArray) -> FloatArray | None:
        x, hint = getattr(params, field), f"one number for each column of w{field[1:]}"
        if x is None:
            return None
        return _shapes.sized(function, f"{name}.{field}", x, shape, (w.shape[1],), hint)

    return MultiHeadParams(
        *(w_q, w_k, w_v, w_o),
        offset("b_query", f"({wide},)", w_q),
        offset("b_key", f"({wide},)", w_k),
        offset("b_value", f"({deep},)", w_v),
        offset("b_output", "(d_out,)", w_o),
    )


def with_heads(
    check: Callable[..., NDArray[Any]],
    function: str,
    name: str,
    x: ArrayLike | None,
    lead: tuple[int, ...],
    last: tuple[int, ...],
    n_heads: int,
) -> NDArray[Any] | None:
    """A checked mask or bias with a heads axis: its own if its rank says so, else a new one."""
    if x is None:
        return None
    if _shapes.rank_of(x) > len(lead) + len(last):
        return check(function, x, (*lead, n_heads, *last), "(..., n_heads, n_q, n_k)", name)
    return np.expand_dims(check(function, x, (*lead, *last), name=name), len(lead))


def _split(x: FloatArray, n_heads: int) -> FloatArray:
    """(..., n, n_heads * d) to (..., n_heads, n, d)."""
    d = x.shape[-1] // n_heads
    return x.reshape(*x.shape[:-1], n_heads, d).swapaxes(-3, -2)


def _merge(x: FloatArray) -> FloatArray:
    """(..., n_heads, n, d) to (..., n, n_heads * d)."""
    n_heads, n, d = x.shape[-3:]
    return x.swapaxes(-3, -2).reshape(*x.shape[:-3], n, n_heads * d)
