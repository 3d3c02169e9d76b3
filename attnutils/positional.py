"""Where a word stands: attention without it is blind to order. Taught on *positional encoding*.

Positions are counted from 0. The frequencies fall from 1 in equal ratios, so that the waves are
2 pi to almost 2 pi * base positions long.
"""

from typing import Annotated, Any

import numpy as np

from attnutils._checked import checked
from attnutils._checks import ArrayLike, FloatArray, Int, Number, misfit
from attnutils._shapes import Array, Broadcast
from attnutils.heads import NumberOfHeads
from attnutils.masks import Keys, Rows

__all__ = ["alibi_bias", "rotary_embedding", "sinusoidal_encoding"]

Base = Annotated[float, Number(1, "the longest wave is almost 2 pi base positions long")]


class Positions(Broadcast):
    """Positions of rows: of all examples and heads alike, or with an axis for each of these."""

    def fit(self, kind: Any, sizes: Any) -> Any:
        """Refuse other numbers of axes: they would be those of heads, and are meant of examples."""
        (shape, _), x = kind, sizes.shapes["x"]
        if 1 < len(shape) < len(x) - 1:
            hint = (
                f"{self.name}[:, None] has a row for each example, {self.name}[None] for each head"
            )
            misfit(self.function, self.name, shape, "(n,) or (..., n)", x[:-1], hint)
        return super().fit(kind, sizes)


@checked
def sinusoidal_encoding(
    length: Annotated[int, Int(0, "it counts the positions")],
    dim: Annotated[int, Int(2, "each sine has its cosine", step=2)],
    base: Base = 10000.0,
) -> Annotated[FloatArray, "length dim"]:
    r"""Waves to add to the embeddings: sines in the even columns, cosines in the odd ones.

    .. math:: p_{i, 2r} = \sin(i \, \omega_r), \qquad p_{i, 2r+1} = \cos(i \, \omega_r), \qquad
        \omega_r = \mathrm{base}^{-2r/d}

    Parameters
    ----------
    length
        Number of positions.
    dim
        Number of columns, d. It is even, since each sine has its cosine.
    base
        At least 1. The longest wave has :math:`2 \pi \, \mathrm{base}^{(d-2)/d}` positions.

    Returns
    -------
    ndarray
        A row for each position, in float64.

    References
    ----------
    vaswani2017

    Examples
    --------
    >>> sinusoidal_encoding(3, 4).round(4)
    array([[ 0.    ,  1.    ,  0.    ,  1.    ],
           [ 0.8415,  0.5403,  0.01  ,  1.    ],
           [ 0.9093, -0.4161,  0.02  ,  0.9998]])
    """
    angles = _angles(np.arange(length, dtype=np.float64), dim, base)
    waves = np.stack([np.sin(angles), np.cos(angles)], axis=-1)  # (length, dim / 2, 2)
    return waves.reshape(length, dim)


@checked
def rotary_embedding(
    x: Annotated[ArrayLike, Array("... n? 2*pairs", "features are turned in pairs")],
    positions: Annotated[ArrayLike | None, Positions("... n?")] = None,
    base: Base = 10000.0,
) -> Annotated[FloatArray, "... n? d"]:
    r"""Turn each pair of features by an angle that grows with the position.

    Applied to queries and to keys (not to values), it makes their dot product depend on content
    and on the difference of the two positions only. Norms stay as they are.

    Parameters
    ----------
    x
        Queries or keys. Features 2r and 2r + 1 are a pair, which turns by :math:`i \, \omega_r`,
        :math:`\omega_r = \mathrm{base}^{-2r/d}`. Some libraries pair r with r + d / 2 instead.
    positions
        The position of each row; without it, rows are counted from 0. A vector (d,) has one
        position. Positions of (B, n) beside heads, (B, H, n, d), are ``positions[:, None]``.
    base
        At least 1.

    Returns
    -------
    ndarray
        `x`, turned.

    References
    ----------
    su2024

    Examples
    --------
    >>> query, key = np.array([1, 0, 2, 1]), np.array([2, 1, 0, 1])
    >>> for i, j in [(3, 7), (103, 107), (3, 8)]:
    ...     print((rotary_embedding(query, i) @ rotary_embedding(key, j)).round(4))
    0.3687
    0.3687
    2.425
    """
    n, d = x.shape[-2:]
    # In float64 up to the sines: a large position has no digits to spare for its angle.
    at = np.arange(n) if positions is None else positions
    angles = _angles(at.astype(np.float64), d, base)
    cos, sin = np.cos(angles).astype(x.dtype), np.sin(angles).astype(x.dtype)
    even, odd = x[..., 0::2], x[..., 1::2]
    turned = np.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1)
    return turned.reshape(x.shape)


@checked
def alibi_bias(
    n_heads: NumberOfHeads,
    n_query: Rows,
    n_key: Keys = None,
) -> Annotated[FloatArray, "n_heads n_query n_key"]:
    r"""A penalty on distance to add to the scores, with a slope for each head.

    Parameters
    ----------
    n_heads
        Number of heads, H. Head h = 0 .. H - 1 has the slope :math:`2^{-8(h+1)/H}` if H is a
        power of 2. Otherwise the slopes are those of the power of 2 below H, followed by every
        other one (the first, the third, ...) of the power of 2 above it.
    n_query
        Number of queries.
    n_key
        Number of keys; without it, as many as queries. The last query stands at the last key
        (aligned bottom-right), as in `causal_mask`.

    Returns
    -------
    ndarray
        Minus slope times distance, in float64. It looks both ways; a causal mask hides the keys
        after a query.

    References
    ----------
    press2022

    Examples
    --------
    >>> alibi_bias(8, 3)[0]
    array([[ 0. , -0.5, -1. ],
           [-0.5,  0. , -0.5],
           [-1. , -0.5,  0. ]])
    """
    n_key = n_query if n_key is None else n_key
    distance = np.abs(np.arange(n_query)[:, None] + n_key - n_query - np.arange(n_key))
    penalty: FloatArray = _slopes(n_heads)[:, None, None] * distance
    return 0 - penalty  # 0 - 0 is 0, but -(0.0) would be -0


def _angles(positions: FloatArray, dim: int, base: float) -> FloatArray:
    """Each position times each frequency, of shape (..., dim / 2)."""
    frequencies: FloatArray = base ** -(np.arange(0, dim, 2) / dim)
    return positions[..., None] * frequencies


def _slopes(n_heads: int) -> FloatArray:
    """The slopes of ALiBi's heads."""
    below = 2 ** (n_heads.bit_length() - 1)  # the power of 2 that n_heads is, or the one below
    slopes = 2.0 ** (-8 * np.arange(1, below + 1) / below)
    between = 2.0 ** (-4 * np.arange(1, 2 * below + 1, 2) / below)
    return np.concatenate([slopes, between])[:n_heads]
