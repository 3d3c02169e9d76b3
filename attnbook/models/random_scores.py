"""Random queries and keys, the same in Python and in the page. Used on the page *temperature*."""

import math

import numpy as np
from numpy.typing import NDArray

WIDTHS = [2**power for power in range(11)]
N_KEYS = 10

# A component is the sum of four random bytes, less its mean 510, as an integer. Its variance is
# 4 (256^2 - 1) / 12. Sums of integers are exact, so the script comes to the very same scores.
_MEAN, VARIANCE = 510, 21845


def mixed(x: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Each number as one that looks random: the finalizer of MurmurHash3."""
    x = (x ^ (x >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    x = (x ^ (x >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return x ^ (x >> np.uint32(16))


def random_vectors(draw: int) -> NDArray[np.int64]:
    """A query and the keys of a draw as integers, shape (1 + N_KEYS, the greatest width).

    The generator is SplitMix with 32 bits: it mixes equal steps from a start, here the mixed draw.
    """
    shape = 1 + N_KEYS, WIDTHS[-1]
    steps = np.arange(1, math.prod(shape) + 1, dtype=np.uint32) * np.uint32(0x9E3779B9)
    bits = mixed(mixed(np.array([draw], dtype=np.uint32)) + steps)
    sums: NDArray[np.int64] = bits.view(np.uint8).reshape(-1, 4).sum(axis=1, dtype=np.int64)
    return (sums - _MEAN).reshape(shape)
