"""Masks: which query may attend to which key. Taught on the page *self-attention*.

Masks are boolean, and True means *may attend*. Combine them with ``&``. They broadcast to the
scores (..., n_q, n_k), so a mask of shape (n_q, n_k) serves every example and every head.
"""

import numpy as np
from numpy.typing import ArrayLike

from attnutils import _shapes
from attnutils._shapes import BoolArray

__all__ = ["causal_mask", "padding_mask", "window_mask"]


def causal_mask(n_query: int, n_key: int | None = None) -> BoolArray:
    """Let each query see the keys up to its own position, and hide the strict upper triangle.

    Parameters
    ----------
    n_query : int
        Number of queries.
    n_key : int, optional
        Number of keys; without it, as many as queries. The last query sees every key (aligned
        bottom-right), as it should when earlier keys are remembered. Some libraries align the
        first query with the first key instead.

    Returns
    -------
    ndarray of bool of shape (n_query, n_key)
        True at (i, j) if j <= i + n_key - n_query.

    Raises
    ------
    TypeError
        If a size is not an integer.
    ValueError
        If a size is negative.

    References
    ----------
    vaswani2017 : masking in the decoder.

    Examples
    --------
    >>> causal_mask(2, 4).astype(int)
    array([[1, 1, 1, 0],
           [1, 1, 1, 1]])
    """
    n_q = _shapes.count("causal_mask", "n_query", n_query, "it counts the rows")
    if n_key is None:
        n_key = n_q
    n_k = _shapes.count("causal_mask", "n_key", n_key, "it counts the columns")
    return np.tri(n_q, n_k, n_k - n_q, dtype=np.bool_)


def padding_mask(lengths: ArrayLike, n_key: int) -> BoolArray:
    """Hide what fills up the shorter sequences of a minibatch.

    Parameters
    ----------
    lengths : array_like of int of shape (...)
        How many keys are real; the rest, at the end, is padding.
    n_key : int
        Number of keys with the padding.

    Returns
    -------
    ndarray of bool of shape (..., 1, n_key)
        True at the real keys, for every query.

    Raises
    ------
    TypeError
        If `lengths` does not hold integers, or `n_key` is not an integer.
    ValueError
        If `lengths` is ragged or holds a number below 0 or above `n_key`, or `n_key` is negative.

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
    n_k = _shapes.count("padding_mask", "n_key", n_key, "it counts the columns")
    real = _shapes.integers(
        "padding_mask",
        "lengths",
        lengths,
        shape="(...)",
        largest=n_k,
        symbols="n_key",
        hint="a length counts the keys that are not padding",
    )
    return np.arange(n_k) < real[..., None, None]


def window_mask(n: int, width: int) -> BoolArray:
    """Let each query see a window of keys around its own position.

    Parameters
    ----------
    n : int
        Number of queries, and of keys.
    width : int
        Number of keys in the window, its middle included: width // 2 to each side. It is odd, as
        that of a convolution. Together with a causal mask only the left half remains.

    Returns
    -------
    ndarray of bool of shape (n, n)
        True at (i, j) if abs(i - j) <= width // 2.

    Raises
    ------
    TypeError
        If `n` or `width` is not an integer.
    ValueError
        If `n` is negative, or `width` is even or below 1.

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
    n = _shapes.count("window_mask", "n", n, "it counts the rows and the columns")
    hint = "a query sees width // 2 keys on each side of its own"
    width = _shapes.count("window_mask", "width", width, hint, low=1, step=2)
    position = np.arange(n)
    near: BoolArray = np.abs(position[:, None] - position) <= width // 2
    return near
