"""Digits in patches, read by a query that is learned. Taught on *learned queries*.

A picture of 8 x 8 pixels is cut into 16 patches of 2 x 2. One encoder block, pre-norm, and one
learned query with attention of its own, whose output makes the logits of ten classes.
"""

from typing import Annotated, Any, NamedTuple

import numpy as np

from attnbook.models._stored import DATA, existing, unpacked
from attnbook.models.toy_tasks import Rng
from attnutils._checked import checked
from attnutils._checks import ArrayLike, BoolArray, FloatArray, IntArray
from attnutils.gradients import leaves, with_leaves
from attnutils.heads import MultiHeadParams, multi_head_attention
from attnutils.transformer import (
    EncoderParams,
    FeedForwardParams,
    LayerNormParams,
    encoder_block,
    layer_norm,
)

__all__ = [
    "DigitRuns",
    "PatchParams",
    "init_patch_reader",
    "load_digit_runs",
    "load_digits",
    "patches",
    "read_patches",
    "scrambled",
    "split_digits",
]

WIDTH, N_HEADS, N_PATCHES, N_HELD_OUT = 32, 4, 16, 450
_PICTURES, _STORED = DATA / "digits.csv.gz", DATA / "digit_runs.npz"
# One order of 64 pixels, the same for all pictures.
_ORDER = np.random.default_rng(7).permutation(64)


class PatchParams(NamedTuple):
    """What is learned; `positions` are zeros where a model has none."""

    w_in: Annotated[FloatArray, "n_pixels d"]
    positions: Annotated[FloatArray, "n d"]
    block: EncoderParams
    norm: LayerNormParams
    query: Annotated[FloatArray, "n_queries d"]
    reader: MultiHeadParams
    w_class: Annotated[FloatArray, "n_queries*d n_classes"]
    b_class: Annotated[FloatArray, "n_classes"]


class DigitRuns(NamedTuple):
    """What training came to, with seeds that nobody chose: 0 to 19.

    `right`: by name of what was tried, for each seed the share of 450 pictures that were held out
    at random and are read right.

    `last`: the same where the last 450 pictures of the file are held out.

    `hidden` (4, 20, 13): of the models with positions, the share right with 0 to 12 patches hidden:
    those most looked at first, those with most ink first, at random, least looked at first.

    `ink` (20,): of these models, the correlation of the weight of a patch and its ink.

    `moved` (20,): of these models, the share right with the pictures one pixel to the right.

    `sizes`: the number of parameters.

    `params`: what seed 0 has learned of the pictures, and of the scrambled ones.
    """

    right: dict[str, FloatArray]
    last: dict[str, FloatArray]
    hidden: FloatArray
    ink: FloatArray
    moved: FloatArray
    sizes: dict[str, int]
    params: dict[str, PatchParams]


def load_digits() -> tuple[FloatArray, IntArray]:
    """Load 1,797 digits that thirteen people have written.

    Returns
    -------
    pictures : ndarray of shape (1797, 8, 8)
        From 0, paper, to 1, ink.
    digits : ndarray of int of shape (1797,)
        What each was meant to be.

    Raises
    ------
    FileNotFoundError
        If attnutils was installed without its data.

    References
    ----------
    alpaydin1998

    Examples
    --------
    >>> pictures, digits = load_digits()
    >>> pictures.shape, digits[:5]
    ((1797, 8, 8), array([0, 1, 2, 3, 4]))
    """
    table = np.loadtxt(existing(_PICTURES), delimiter=",", dtype=np.uint8)
    return table[:, :-1].reshape(-1, 8, 8) / 16, table[:, -1].astype(np.intp)


def split_digits(seed: int) -> tuple[IntArray, IntArray]:
    """Which pictures a model with this seed learns from, and which 450 are held out.

    Parameters
    ----------
    seed : int
        That of the model.

    Returns
    -------
    learned, held_out : ndarray of int
        Places in the file.

    Examples
    --------
    >>> learned, held_out = split_digits(0)
    >>> len(learned), len(held_out), len({*learned, *held_out})
    (1347, 450, 1797)
    """
    order = np.random.default_rng(1000 + seed).permutation(1797)
    return order[N_HELD_OUT:], order[:N_HELD_OUT]


def patches(pictures: ArrayLike) -> FloatArray:
    """Cut pictures into patches of 2 x 2 pixels, row by row.

    Parameters
    ----------
    pictures : array_like of shape (..., 8, 8)
        Pictures.

    Returns
    -------
    ndarray of shape (..., 16, 4)
        The four pixels of each patch.

    Raises
    ------
    ValueError
        If they do not have 8 x 8 pixels.

    Examples
    --------
    >>> patches(np.arange(64).reshape(8, 8))[:2]
    array([[ 0,  1,  8,  9],
           [ 2,  3, 10, 11]])
    """
    x = np.asarray(pictures)
    if x.shape[-2:] != (8, 8):
        raise ValueError(f"patches: pictures has shape {x.shape} but (..., 8, 8) is expected.")
    cut = x.reshape(*x.shape[:-2], 4, 2, 4, 2).swapaxes(-3, -2)
    return cut.reshape(*x.shape[:-2], N_PATCHES, 4)


def scrambled(pictures: ArrayLike) -> FloatArray:
    """Put the 64 pixels of each picture in another order, which is the same for all.

    Parameters
    ----------
    pictures : array_like of shape (..., 8, 8)
        Pictures.

    Returns
    -------
    ndarray of shape (..., 8, 8)
        The same pixels at other places.

    Examples
    --------
    >>> picture = np.arange(64).reshape(8, 8)
    >>> scrambled(picture)[0, :3], sorted(scrambled(picture).ravel()) == list(range(64))
    (array([16, 27, 54]), True)
    """
    x = np.asarray(pictures)
    return x.reshape(*x.shape[:-2], 64)[..., _ORDER].reshape(x.shape)


@checked
def init_patch_reader(rng: Rng) -> PatchParams:
    """Random parameters to start from, in float32: 16 patches, width 32, one query.

    Parameters
    ----------
    rng
        Where the numbers come from.

    Returns
    -------
    PatchParams
        The same for the same state of `rng`.

    Examples
    --------
    >>> params = init_patch_reader(np.random.default_rng(0))
    >>> sum(array.size for array in leaves(params))
    11498
    """

    def matrix(rows: int, columns: int = WIDTH, size: float = 1) -> FloatArray:
        return (rng.standard_normal((rows, columns)) * size / np.sqrt(rows)).astype(np.float32)

    def heads() -> MultiHeadParams:
        d = WIDTH
        return MultiHeadParams(matrix(d), matrix(d), matrix(d), matrix(d, size=0.5))

    zero, one = np.zeros(WIDTH, np.float32), np.ones(WIDTH, np.float32)
    plain = LayerNormParams(one, zero)
    hidden = FeedForwardParams(matrix(WIDTH), zero, matrix(WIDTH, size=0.5), zero)
    return PatchParams(
        w_in=matrix(4),
        positions=matrix(N_PATCHES, size=2),
        block=EncoderParams(heads(), hidden, plain, plain),
        norm=plain,
        query=matrix(1),
        reader=heads(),
        w_class=matrix(WIDTH, 10),
        b_class=np.zeros(10, np.float32),
    )


def read_patches(
    tokens: ArrayLike, params: PatchParams, *, mask: Any = None, hidden: BoolArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Say which digit each picture shows, and where the query has looked.

    Parameters
    ----------
    tokens : array_like of shape (B, n, n_pixels)
        Patches.
    params : PatchParams
        What was learned.
    mask : array_like of bool of shape (n, n), optional
        Which patch may read which in the block.
    hidden : ndarray of bool of shape (B, n), optional
        Patches that nobody may read.

    Returns
    -------
    logits : ndarray of shape (B, n_classes)
        A score for each digit.
    weights : ndarray of shape (B, n_heads, n_queries, n)
        What the learned query gives to each patch.

    Examples
    --------
    >>> pictures, digits = load_digits()
    >>> params = load_digit_runs().params["pictures"]
    >>> logits, weights = read_patches(patches(pictures[:5]), params)
    >>> logits.argmax(axis=1), digits[:5]
    (array([0, 1, 2, 3, 4]), array([0, 1, 2, 3, 4]))
    """
    x: FloatArray = np.asarray(tokens) @ params.w_in + params.positions
    seen = np.True_ if hidden is None else ~hidden[:, None, None]
    mask = seen if mask is None else mask & seen
    x = encoder_block(x, params.block, n_heads=N_HEADS, mask=mask, norm="pre").output
    z = layer_norm(x, *params.norm)
    found, weights = multi_head_attention(
        params.query, z, z, params.reader, n_heads=N_HEADS, mask=seen
    )
    read = found.reshape(*found.shape[:-2], -1)
    return read @ params.w_class + params.b_class, weights


def load_digit_runs() -> DigitRuns:
    """Load what training on the digits came to, and two of the models.

    Returns
    -------
    DigitRuns
        The arrays are new with each call. Parameters are float64, but were stored with 8 bits each
        and a scale for each column.

    Raises
    ------
    FileNotFoundError
        If attnutils was installed without its data.

    References
    ----------
    dosovitskiy2021 : patches.

    Examples
    --------
    >>> right = load_digit_runs().right
    >>> f"{right['positions'].mean():.2f}, without positions {right['no positions'].mean():.2f}"
    '0.96, without positions 0.68'
    """
    empty = init_patch_reader(np.random.default_rng(0))
    with np.load(existing(_STORED), allow_pickle=False) as stored:
        params = {
            name: with_leaves(empty, unpacked(list(leaves(empty)), codes, scales))
            for name, codes, scales in zip(
                ("pictures", "scrambled"), stored["codes"], stored["scales"], strict=True
            )
        }
        right, last = (
            dict(zip(stored[f"{key}_names"].tolist(), stored[key].astype(np.float64), strict=True))
            for key in ("right", "last")
        )
        sizes = dict(zip(right, stored["sizes"].tolist(), strict=True))
        hidden, ink, moved = (
            stored[name].astype(np.float64) for name in ("hidden", "ink", "moved")
        )
    return DigitRuns(right, last, hidden, ink, moved, sizes, params)
