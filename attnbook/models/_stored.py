"""The files of `attnbook/models/data`, as `make heads` and `make experiments` write them."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from attnutils._checks import FloatArray

DATA = Path(__file__).parent / "data"


def existing(path: Path) -> Path:
    """`path`, if the file is there."""
    if not path.exists():
        raise FileNotFoundError(f"attnbook: data/{path.name} is missing; install attnutils again.")
    return path


def packed(arrays: Iterable[FloatArray]) -> tuple[Any, Any]:
    """Arrays as one row of 8-bit integers and one of scales, float32, a scale for each column."""
    codes, scales = [], []
    for array in arrays:
        rows = array.reshape(-1, array.shape[-1]) if array.ndim > 1 else array[:, None]
        scale = (np.abs(rows).max(0) / 127).astype(np.float32)
        scale[scale == 0] = 1
        codes.append(np.rint(rows / scale).astype(np.int8).ravel())
        scales.append(scale)
    return np.concatenate(codes), np.concatenate(scales)


def unpacked(like: Iterable[FloatArray], codes: Any, scales: Any) -> Iterator[FloatArray]:
    """The inverse of `packed`, for arrays of these shapes."""
    for array in like:
        n_scales = array.shape[-1] if array.ndim > 1 else 1
        own, codes = np.split(codes, [array.size])
        scale, scales = np.split(scales.astype(np.float64), [n_scales])
        yield (own.reshape(-1, n_scales) * scale).reshape(array.shape)
