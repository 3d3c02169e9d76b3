"""Masks: which query may attend to which key. Taught on the page *self-attention*.

Masks are boolean, and True means *may attend*. Combine them with ``&``. They broadcast to the
scores (..., n_q, n_k), so a mask of shape (n_q, n_k) serves every example and every head.
"""

from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from attnutils._door import door
from attnutils._shapes import BoolArray

__all__ = ["causal_mask", "padding_mask", "window_mask"]

Rows = Annotated[int, "an integer of at least 0; it counts the rows"]
Columns = Annotated[int, "an integer of at least 0; it counts the columns"]
Keys = Annotated[int | None, "an integer of at least 0; it counts the columns"]


@door
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


@door
def padding_mask(
    lengths: Annotated[
        ArrayLike, "int ... to n_key; a length counts the keys that are not padding"
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
    real = np.asarray(lengths)
    return np.arange(n_key) < real[..., None, None]


@door
def window_mask(
    n: Annotated[int, "an integer of at least 0; it counts the rows and the columns"],
    width: Annotated[
        int, "an odd integer of at least 1; a query sees width // 2 keys on each side of its own"
    ],
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
