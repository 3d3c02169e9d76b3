"""Files of a trained model's weights: as they are published, and rounded for the book's pages."""

import io
import json
from typing import Any

import numpy as np

from attnutils._checks import FloatArray

#: A matrix is rounded to 2 LEVELS + 1 numbers in each row, from minus to plus its largest.
LEVELS = 1023

Weights = dict[str, FloatArray]


def read_safetensors(data: bytes) -> Weights:
    """Arrays by name: 8 bytes give the length of a JSON header, which says where each array is."""
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    header.pop("__metadata__", None)
    arrays: dict[str, Any] = {}
    for name, entry in header.items():
        first, last = (start + offset for offset in entry["data_offsets"])
        dtype = {"F32": "<f4", "I64": "<i8"}[entry["dtype"]]
        arrays[name] = np.frombuffer(data[first:last], dtype).reshape(entry["shape"])
    return arrays


def rounded(weights: Weights) -> bytes:
    """The weights that count, rounded, as a file of NumPy: the inverse of `unrounded`, nearly.

    Of the 16 bits of a rounded number the lower 8 and the upper 8 stand apart. The upper ones are
    nearly all alike, and take little room once they are packed.
    """
    kept: dict[str, Any] = {}
    for name, array in weights.items():
        if name.startswith(("embeddings.", "encoder.")) and array.dtype.kind == "f":
            if array.ndim < 2:
                kept[name] = array
                continue
            scale = np.abs(array).max(axis=1) / np.float32(LEVELS)
            scale[scale == 0] = 1
            codes = np.rint(array / scale[:, np.newaxis]).astype("<i2")
            planes = codes.view(np.uint8).reshape(*codes.shape, 2)
            kept[f"{name}:codes"] = np.moveaxis(planes, -1, 0).copy()
            kept[f"{name}:scale"] = scale
    file = io.BytesIO()
    np.savez_compressed(file, **kept)
    return file.getvalue()


def unrounded(data: bytes) -> Weights:
    """The weights of such a file, float32."""
    weights: Weights = {}
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        for key in file.files:
            name, _, part = key.partition(":")
            if part == "codes":
                codes = np.stack(file[key], axis=-1).view("<i2")[..., 0]
                weights[name] = codes * file[f"{name}:scale"][:, np.newaxis]
            elif not part:
                weights[name] = file[key]
    return weights
