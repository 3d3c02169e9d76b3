"""Scores: how well each query matches each key. Taught on the page *scoring functions*.

A score function takes `query` of shape (..., n_q, d_k) and `key` of shape (..., n_k, d_k) and
returns scores of shape (..., n_q, n_k); a single query (d_k,) gives (..., n_k). Leading axes
broadcast. float16 is computed in float32; a score beyond the range of its dtype is infinite.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from attnutils import _shapes
from attnutils._shapes import FloatArray

__all__ = [
    "additive_scores",
    "bilinear_scores",
    "dot_scores",
    "gaussian_scores",
    "scaled_dot_scores",
]


def dot_scores(query: ArrayLike, key: ArrayLike) -> FloatArray:
    r"""Dot product of each query with each key, :math:`s_{ij} = q_i \cdot k_j`.

    Parameters
    ----------
    query : array_like of shape (..., n_q, d_k) or (d_k,)
        Queries as rows, or one query.
    key : array_like of shape (..., n_k, d_k)
        Keys as rows.

    Returns
    -------
    ndarray of shape (..., n_q, n_k) or (..., n_k)
        Scores.

    Raises
    ------
    TypeError
        If an argument does not hold real numbers.
    ValueError
        If the shapes do not fit each other, or there is no key.

    References
    ----------
    luong2015 : the *dot* score.

    Examples
    --------
    >>> dot_scores([0, 2, 1], [[2, 0, 1], [1, -1, -2], [2, 3, 1]])
    array([ 1., -4.,  7.])
    """
    q, k = _shapes.query_and_key("dot_scores", query, key)
    return _dot(q, k, 1.0)


def scaled_dot_scores(query: ArrayLike, key: ArrayLike) -> FloatArray:
    r"""Dot product divided by the root of its width, :math:`q_i \cdot k_j / \sqrt{d_k}`.

    Parameters
    ----------
    query : array_like of shape (..., n_q, d_k) or (d_k,)
        Queries as rows, or one query.
    key : array_like of shape (..., n_k, d_k)
        Keys as rows.

    Returns
    -------
    ndarray of shape (..., n_q, n_k) or (..., n_k)
        Scores.

    Raises
    ------
    TypeError
        If an argument does not hold real numbers.
    ValueError
        If the shapes do not fit each other, or there is no key.

    References
    ----------
    vaswani2017 : scaled dot-product attention.

    Examples
    --------
    >>> scaled_dot_scores([[0, 2, 1, 0]], [[2, 0, 1, 0], [2, 3, 1, 0]])
    array([[0.5, 3.5]])
    """
    q, k = _shapes.query_and_key("scaled_dot_scores", query, key)
    return _dot(q, k, math.sqrt(q.shape[-1]))


def bilinear_scores(query: ArrayLike, key: ArrayLike, w: ArrayLike) -> FloatArray:
    r"""Dot product with a matrix in between, :math:`s_{ij} = q_i W k_j^\top`.

    Parameters
    ----------
    query : array_like of shape (..., n_q, d_q) or (d_q,)
        Queries as rows, or one query.
    key : array_like of shape (..., n_k, d_k)
        Keys as rows. Their width need not be that of the queries.
    w : array_like of shape (d_q, d_k)
        Parameters: how much each feature of a query cares for each feature of a key.

    Returns
    -------
    ndarray of shape (..., n_q, n_k) or (..., n_k)
        Scores.

    Raises
    ------
    TypeError
        If an argument does not hold real numbers.
    ValueError
        If the shapes do not fit each other, or there is no key.

    References
    ----------
    luong2015 : the *general* score.

    Examples
    --------
    >>> bilinear_scores([2, 1], [[1, 1, 1], [0, 3, 0]], [[1, 0, 0], [0, 1, 0]])
    array([3., 3.])
    """
    q, k = _shapes.query_and_key("bilinear_scores", query, key, same_width=False)
    matrix = _shapes.sized(
        "bilinear_scores",
        "w",
        w,
        "(d_q, d_k)",
        (q.shape[-1], k.shape[-1]),
        "a row for each feature of query, a column for each of key",
    )
    with np.errstate(all="ignore"):
        projected = _shapes.widen(q) @ _shapes.widen(matrix)  # (..., n_q, d_k)
        scores = projected @ _shapes.widen(k).swapaxes(-1, -2)
    return _shapes.narrow(scores, np.result_type(q, k, matrix))


def additive_scores(
    query: ArrayLike, key: ArrayLike, w_query: ArrayLike, w_key: ArrayLike, w_score: ArrayLike
) -> FloatArray:
    r"""A small network for each pair, :math:`s_{ij} = \tanh(q_i W_q + k_j W_k) \, w`.

    This is a network with one hidden layer of width h, applied to :math:`[q_i \| k_j]`. Its
    hidden layer takes n_q times n_k times h numbers in memory.

    Parameters
    ----------
    query : array_like of shape (..., n_q, d_q) or (d_q,)
        Queries as rows, or one query.
    key : array_like of shape (..., n_k, d_k)
        Keys as rows. Their width need not be that of the queries.
    w_query : array_like of shape (d_q, h)
        Parameters :math:`W_q`.
    w_key : array_like of shape (d_k, h)
        Parameters :math:`W_k`.
    w_score : array_like of shape (h,)
        Parameters :math:`w`.

    Returns
    -------
    ndarray of shape (..., n_q, n_k) or (..., n_k)
        Scores.

    Raises
    ------
    TypeError
        If an argument does not hold real numbers.
    ValueError
        If the shapes do not fit each other, or there is no key.

    References
    ----------
    bahdanau2015 : the alignment model.
    luong2015 : the *concat* score.

    Examples
    --------
    >>> w_query, w_key, w_score = [[1, 0], [0, 1]], [[1, -1]], [1, 1]
    >>> additive_scores([2, 1], [[0], [1]], w_query, w_key, w_score).round(4)
    array([1.7256, 0.9951])
    """
    name = "additive_scores"
    q, k = _shapes.query_and_key(name, query, key, same_width=False)
    hint = "a row for each feature of query, a column for each hidden unit"
    w_q = _shapes.sized(name, "w_query", w_query, "(d_q, h)", (q.shape[-1], None), hint)
    hint = "a row for each feature of key, a column for each hidden unit"
    w_k = _shapes.sized(name, "w_key", w_key, "(d_k, h)", (k.shape[-1], w_q.shape[1]), hint)
    hint = "one weight for each hidden unit"
    w_s = _shapes.sized(name, "w_score", w_score, "(h,)", (w_q.shape[1],), hint)
    with np.errstate(all="ignore"):
        rows = (_shapes.widen(q) @ _shapes.widen(w_q))[..., None, :]  # (..., n_q, 1, h)
        columns = _shapes.widen(k) @ _shapes.widen(w_k)  # (..., n_k, h)
        if q.ndim > 1:
            columns = columns[..., None, :, :]  # (..., 1, n_k, h)
        scores = np.tanh(rows + columns) @ _shapes.widen(w_s)
    return _shapes.narrow(scores, np.result_type(q, k, w_q, w_k, w_s))


def gaussian_scores(query: ArrayLike, key: ArrayLike, bandwidth: float = 1.0) -> FloatArray:
    r"""Nearness of each query to each key, :math:`-\|q_i - k_j\|^2 / (2 \sigma^2)`.

    Softmax of these scores is a Gaussian kernel. The squared bandwidth is a temperature:
    bandwidth :math:`\sigma` gives the weights of bandwidth 1 at temperature :math:`\sigma^2`.

    Parameters
    ----------
    query : array_like of shape (..., n_q, d_k) or (d_k,)
        Queries as rows, or one query.
    key : array_like of shape (..., n_k, d_k)
        Keys as rows.
    bandwidth : float
        :math:`\sigma`, above 0. At `np.inf` all scores are 0. There is no bandwidth 0, since
        each score alone cannot say which key is nearest: use temperature 0.

    Returns
    -------
    ndarray of shape (..., n_q, n_k) or (..., n_k)
        Scores, at most 0.

    Raises
    ------
    TypeError
        If an array does not hold real numbers, or `bandwidth` is not a number.
    ValueError
        If the shapes do not fit each other, there is no key, or `bandwidth` is not above 0.

    References
    ----------
    nadaraya1964
    watson1964

    Examples
    --------
    >>> gaussian_scores([0, 2, 1], [[2, 0, 1], [2, 3, 1], [0, 2, 1]])
    array([-4. , -2.5,  0. ])
    """
    q, k = _shapes.query_and_key("gaussian_scores", query, key)
    sigma = _shapes.bandwidth("gaussian_scores", bandwidth)
    rows = _shapes.widen(q)[..., None, :]  # (..., n_q, 1, d_k)
    columns = _shapes.widen(k if q.ndim == 1 else k[..., None, :, :])  # (..., 1, n_k, d_k)
    dtype = np.result_type(rows, columns)
    scores = np.zeros(np.broadcast_shapes(rows.shape, columns.shape)[:-1], dtype)
    with np.errstate(all="ignore"):
        unit = np.maximum(dtype.type(sigma), np.finfo(dtype).smallest_subnormal)
        # One feature at a time: subtracting before squaring keeps every digit, and no array is
        # larger than the scores.
        for feature in range(q.shape[-1]):
            difference = rows[..., feature] - columns[..., feature]
            scores -= np.square(difference / unit) / 2
    return _shapes.narrow(scores, np.result_type(q, k))


def _dot(q: FloatArray, k: FloatArray, scale: float) -> FloatArray:
    """q k^T / scale. `scale` is a Python float: an np.float64 would promote float32."""
    with np.errstate(all="ignore"):
        scores = (_shapes.widen(q) / scale) @ _shapes.widen(k).swapaxes(-1, -2)
    return _shapes.narrow(scores, np.result_type(q, k))
