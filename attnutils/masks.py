"""Masks: which query may attend to which key. Taught on the page *self-attention*.

Masks are boolean, and True means *may attend*. Combine them with ``&``. They broadcast to the
scores (..., n_q, n_k), so a mask of shape (n_q, n_k) serves every example and every head.
"""

from typing import Annotated

import numpy as np

from attnutils._checked import checked
from attnutils._checks import ArrayLike, BoolArray, FloatArray, Int
from attnutils._shapes import Index

__all__ = ["causal_mask", "padding_mask", "window_mask"]

Rows = Annotated[int, Int(0, "it counts the rows")]
Columns = Annotated[int, Int(0, "it counts the columns")]
Keys = Annotated[int | None, Int(0, "it counts the columns")]


@checked
def causal_mask(n_query: Rows, n_key: Keys = None) -> Annotated[BoolArray, "n_query n_key"]:
    """Let each query see the keys up to its own position, and hide the strict upper triangle.

    Parameters
    ----------
    n_query
        Number of queries.
    n_key
        Number of keys; without it, as many as queries. The last query sees every key (aligned
        bottom-right), as it should when earlier keys are remembered. Some libraries align the
        first query with the first key instead.

    Returns
    -------
    ndarray of bool
        True at (i, j) if j <= i + n_key - n_query.

    References
    ----------
    vaswani2017 : masking in the decoder.

    Examples
    --------
    >>> causal_mask(2, 4).astype(int)
    array([[1, 1, 1, 0],
           [1, 1, 1, 1]])
    """
    n_key = n_query if n_key is None else n_key
    return np.tri(n_query, n_key, n_key - n_query, dtype=np.bool_)


@checked
def padding_mask(
    lengths: Annotated[
        ArrayLike, Index("...", "a length counts the keys that are not padding", to="n_key")
    ],
    n_key: Columns,
) -> Annotated[BoolArray, "... 1 n_key"]:
    """Hide what fills up the shorter sequences of a minibatch.

    Parameters
    ----------
    lengths
        How many keys are real; the rest, at the end, is padding.
    n_key
        Number of keys with the padding.

    Returns
    -------
    ndarray of bool
        True at the real keys, for every query.

    References
    ----------
    zhang2023 : masked softmax.

    Examples
    --------
    >>> padding_mask([4, 2], 4).astype(int)
    array([[[1, 1, 1, 1]],
    <BLANKLINE>
           [[1, 1, 0, 0]]])
    """
    return np.arange(n_key) < lengths[..., None, None]


@checked
def window_mask(
    n: Annotated[int, Int(0, "it counts the rows and the columns")],
    width: Annotated[int, Int(1, "a query sees width // 2 keys on each side of its own", step=2)],
) -> Annotated[BoolArray, "n n"]:
    """Let each query see a window of keys around its own position.

    Parameters
    ----------
    n
        Number of queries, and of keys.
    width
        Number of keys in the window, its middle included: width // 2 to each side. It is odd, as
        that of a convolution. Together with a causal mask only the left half remains.

    Returns
    -------
    ndarray of bool
        True at (i, j) if abs(i - j) <= width // 2.

    References
    ----------
    beltagy2020 : sliding windows.

    Examples
    --------
    >>> window_mask(4, 3).astype(int)
    array([[1, 1, 0, 0],
           [1, 1, 1, 0],
           [0, 1, 1, 1],
           [0, 0, 1, 1]])
    """
    position = np.arange(n)
    near: BoolArray = np.abs(position[:, None] - position) <= width // 2
    return near


def add_bias(scores: FloatArray, bias: FloatArray) -> FloatArray:
    """Scores plus a bias. Where that is -inf it hides, as a mask does, whatever the score is."""
    return np.where(bias == -np.inf, bias, scores + bias)
