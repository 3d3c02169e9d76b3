"""Scores: how well each query matches each key. Taught on the page *scoring functions*.

A score function takes `query` of shape (..., n_q, d_k) and `key` of shape (..., n_k, d_k) and
returns scores of shape (..., n_q, n_k); a single query (d_k,) gives (..., n_k). Leading axes
broadcast. float16 is computed in float32; a score beyond the range of its dtype is infinite.
"""

import math
from typing import Annotated

import numpy as np

from attnutils._checked import checked
from attnutils._checks import ArrayLike, FloatArray, Number
from attnutils._shapes import Array

__all__ = [
    "additive_scores",
    "bilinear_scores",
    "dot_scores",
    "gaussian_scores",
    "scaled_dot_scores",
]

Query = Annotated[
    ArrayLike, Array("... n_q? d_k", "give one vector of shape (d_k,) or a row for each query")
]
QueryOfAnyWidth = Annotated[
    ArrayLike, Array("... n_q? d_q", "give one vector of shape (d_q,) or a row for each query")
]
Key = Annotated[ArrayLike, Array("... n_k+ d_k", "a single key is a row, key[None, :]")]
Value = Annotated[ArrayLike, Array("... n_k d_v", "one number a key is a column, value[:, None]")]
Scores = Annotated[FloatArray, "... n_q? n_k"]
Bandwidth = Annotated[
    float, Number(above=0, hint="for its limit at 0, the nearest key alone, use temperature=0")
]


@checked
def dot_scores(query: Query, key: Key) -> Scores:
    r"""Dot product of each query with each key, :math:`s_{ij} = q_i \cdot k_j`.

    Parameters
    ----------
    query
        Queries as rows, or one query.
    key
        Keys as rows.

    Returns
    -------
    ndarray
        Scores.

    References
    ----------
    luong2015 : the *dot* score.

    Examples
    --------
    >>> dot_scores([0, 2, 1], [[2, 0, 1], [1, -1, -2], [2, 3, 1]])
    array([ 1., -4.,  7.])
    """
    return query @ key.swapaxes(-1, -2)


@checked
def scaled_dot_scores(query: Query, key: Key) -> Scores:
    r"""Dot product divided by the root of its width, :math:`q_i \cdot k_j / \sqrt{d_k}`.

    Parameters
    ----------
    query
        Queries as rows, or one query.
    key
        Keys as rows.

    Returns
    -------
    ndarray
        Scores.

    References
    ----------
    vaswani2017 : scaled dot-product attention.

    Examples
    --------
    >>> scaled_dot_scores([[0, 2, 1, 0]], [[2, 0, 1, 0], [2, 3, 1, 0]])
    array([[0.5, 3.5]])
    """
    return query / math.sqrt(query.shape[-1]) @ key.swapaxes(-1, -2)


@checked
def bilinear_scores(query: QueryOfAnyWidth, key: Key, w: Annotated[ArrayLike, "d_q d_k"]) -> Scores:
    r"""Dot product with a matrix in between, :math:`s_{ij} = q_i W k_j^\top`.

    Parameters
    ----------
    query
        Queries as rows, or one query.
    key
        Keys as rows. Their width need not be that of the queries.
    w
        Parameters: how much each feature of a query cares for each feature of a key.

    Returns
    -------
    ndarray
        Scores.

    References
    ----------
    luong2015 : the *general* score.

    Examples
    --------
    >>> bilinear_scores([2, 1], [[1, 1, 1], [0, 3, 0]], [[1, 0, 0], [0, 1, 0]])
    array([3., 3.])
    """
    return query @ w @ key.swapaxes(-1, -2)


@checked
def additive_scores(
    query: QueryOfAnyWidth,
    key: Key,
    w_query: Annotated[ArrayLike, "d_q h"],
    w_key: Annotated[ArrayLike, "d_k h"],
    w_score: Annotated[ArrayLike, "h"],
) -> Scores:
    r"""A small network for each pair, :math:`s_{ij} = \tanh(q_i W_q + k_j W_k) \, w`.

    This is a network with one hidden layer of width h, applied to :math:`[q_i \| k_j]`. Its
    hidden layer takes n_q times n_k times h numbers in memory.

    Parameters
    ----------
    query
        Queries as rows, or one query.
    key
        Keys as rows. Their width need not be that of the queries.
    w_query
        Parameters :math:`W_q`.
    w_key
        Parameters :math:`W_k`.
    w_score
        Parameters :math:`w`.

    Returns
    -------
    ndarray
        Scores.

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
    rows = (query @ w_query)[..., :, None, :]  # (..., n_q, 1, h)
    columns = (key @ w_key)[..., None, :, :]  # (..., 1, n_k, h)
    return np.tanh(rows + columns) @ w_score


@checked
def gaussian_scores(query: Query, key: Key, bandwidth: Bandwidth = 1.0) -> Scores:
    r"""Nearness of each query to each key, :math:`-\|q_i - k_j\|^2 / (2 \sigma^2)`.

    Softmax of these scores is a Gaussian kernel. The squared bandwidth is a temperature:
    bandwidth :math:`\sigma` gives the weights of bandwidth 1 at temperature :math:`\sigma^2`.

    Parameters
    ----------
    query
        Queries as rows, or one query.
    key
        Keys as rows.
    bandwidth
        :math:`\sigma`, above 0. At `np.inf` all scores are 0. There is no bandwidth 0, since
        each score alone cannot say which key is nearest: use temperature 0.

    Returns
    -------
    ndarray
        Scores, at most 0.

    References
    ----------
    nadaraya1964
    watson1964

    Examples
    --------
    >>> gaussian_scores([0, 2, 1], [[2, 0, 1], [2, 3, 1], [0, 2, 1]])
    array([-4. , -2.5,  0. ])
    """
    dtype = np.result_type(query, key)
    unit = np.maximum(dtype.type(bandwidth), np.finfo(dtype).smallest_subnormal)
    lead = np.broadcast_shapes(query.shape[:-2], key.shape[:-2])
    scores = np.zeros((*lead, query.shape[-2], key.shape[-2]), dtype)
    # One feature at a time: subtracting before squaring keeps every digit, and no array is
    # larger than the scores.
    for feature in range(query.shape[-1]):
        difference = query[..., :, None, feature] - key[..., None, :, feature]
        scores -= np.square(difference / unit) / 2
    return scores
