"""Several heads at once, each with its own projections. Taught on the page *multi-head attention*.

Sizes: d_q, d_k and d_v are the widths of what comes in as query, key and value; each of the
n_heads heads works with d_head columns of the projected queries and keys.
"""

from typing import Annotated, NamedTuple

from attnutils._checked import checked
from attnutils._checks import ArrayLike, FloatArray, Int
from attnutils._shapes import Broadcast, Mask
from attnutils.mechanism import AttentionOutput, IsCausal, attention
from attnutils.scores import Key, QueryOfAnyWidth, Value

__all__ = ["MultiHeadParams", "merge_heads", "multi_head_attention", "split_heads"]


NumberOfHeads = Annotated[int, Int(1, "it counts the heads")]


class MultiHeadParams(NamedTuple):
    """What multi-head attention learns; the columns of head 0 come first, then those of head 1.

    A bias for the columns of each may be None.
    """

    w_query: Annotated[FloatArray, "d_q n_heads*d_head"]
    w_key: Annotated[FloatArray, "d_k n_heads*d_head"]
    w_value: Annotated[FloatArray, "d_v n_heads*d_value"]
    w_output: Annotated[FloatArray, "n_heads*d_value d_out"]
    b_query: Annotated[FloatArray | None, "n_heads*d_head"] = None
    b_key: Annotated[FloatArray | None, "n_heads*d_head"] = None
    b_value: Annotated[FloatArray | None, "n_heads*d_value"] = None
    b_output: Annotated[FloatArray | None, "d_out"] = None


@checked
def split_heads(
    x: Annotated[ArrayLike, "... n n_heads*d_head"], n_heads: NumberOfHeads
) -> Annotated[FloatArray, "... n_heads n d_head"]:
    """Cut the columns into heads, and give the heads an axis of their own.

    A reshape alone to (..., n_heads, n, d_head) has the right shape and the wrong content: it
    cuts the rows. The axes of rows and heads must change places.

    Parameters
    ----------
    x
        The columns of head 0 come first, then those of head 1.
    n_heads
        Number of heads.

    Returns
    -------
    ndarray
        A view of `x` where it can be one.

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
    *lead, n, width = x.shape
    return x.reshape(*lead, n, n_heads, width // n_heads).swapaxes(-3, -2)


@checked
def merge_heads(
    x: Annotated[ArrayLike, "... n_heads n d_head"],
) -> Annotated[FloatArray, "... n n_heads*d_head"]:
    """Put the heads side by side again, head 0 first.

    Parameters
    ----------
    x
        What the heads have found.

    Returns
    -------
    ndarray
        The columns of head 0 come first, then those of head 1.

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
    *lead, n_heads, n, d_head = x.shape
    return x.swapaxes(-3, -2).reshape(*lead, n, n_heads * d_head)


@checked
def multi_head_attention(
    query: QueryOfAnyWidth,
    key: Key,
    value: Value,
    params: MultiHeadParams,
    *,
    n_heads: NumberOfHeads,
    mask: Annotated[ArrayLike | None, Mask("... [n_heads] n_q? n_k")] = None,
    bias: Annotated[ArrayLike | None, Broadcast("... n_heads n_q? n_k")] = None,
    is_causal: IsCausal = False,
) -> Annotated[AttentionOutput, "... n_q? d_out", "... n_heads n_q? n_k"]:
    r"""Project, let each head attend, put the heads side by side, project again.

    .. math:: \mathrm{head}_h = \mathrm{attention}(X_q W_q^h, X_k W_k^h, X_v W_v^h), \qquad
        Y = [\mathrm{head}_0 \| \dots \| \mathrm{head}_{H-1}] \, W_O

    Parameters
    ----------
    query
        What the queries are made from. A single one (d_q,) gives output (d_out,) and weights
        (n_heads, n_k).
    key
        What the keys are made from.
    value
        What the values are made from, a row for each key.
    params
        Projections.
    n_heads
        Number of heads.
    mask
        True means that the query may attend to the key. All heads share it: it has no heads axis,
        and one is put in. A mask with one axis more than the scores of one head has its own, and
        broadcasts to (..., n_heads, n_q, n_k). Only the number of axes decides, never the sizes.
    bias
        Numbers to add to the scores, which broadcast to (..., n_heads, n_q, n_k): a single matrix
        serves all heads, and three axes are those of heads. One matrix for each sequence of a
        minibatch is ``bias[:, None]``. -inf hides.
    is_causal
        Let each query see no later key; aligned bottom-right, combined with `mask` by AND.

    Returns
    -------
    output
        The dtype is that of inputs and parameters together.
    weights
        Weights of each head. Rows sum to 1 (or to 0, where nothing may be attended to).

    References
    ----------
    vaswani2017

    Examples
    --------
    Heads with weights of their own on the same words: head 0 compares the first feature, head 1
    the other two.

    >>> import numpy as np
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
    p = params
    q = split_heads(linear(query, p.w_query, p.b_query), n_heads)  # (..., n_heads, n_q, d_head)
    k = split_heads(linear(key, p.w_key, p.b_key), n_heads)  # (..., n_heads, n_k, d_head)
    v = split_heads(linear(value, p.w_value, p.b_value), n_heads)  # (..., n_heads, n_k, d_value)
    output, weights = attention(q, k, v, mask=mask, bias=bias, is_causal=is_causal)
    return AttentionOutput(linear(merge_heads(output), p.w_output, p.b_output), weights)


def linear(x: FloatArray, w: FloatArray, b: FloatArray | None = None) -> FloatArray:
    """X W + b."""
    return x @ w if b is None else x @ w + b
