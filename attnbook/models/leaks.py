"""Layers that may see what comes later. Used on the page *self-attention*."""

from collections.abc import Callable

import numpy as np

from attnutils._checks import FloatArray
from attnutils.masks import causal_mask
from attnutils.normalize import masked_softmax, softmax

#: Weights from scores (n, n), by what is right or wrong with them.
LAYERS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "causal mask": lambda s: masked_softmax(s, causal_mask(len(s))),
    "no mask": softmax,
    "one key too many": lambda s: masked_softmax(s, np.tri(len(s), k=1, dtype=bool)),
    "mask transposed": lambda s: masked_softmax(s, causal_mask(len(s)).T),
    "mask after softmax": lambda s: softmax(s) * causal_mask(len(s)),
}


def outputs_of(layer: str, numbers: FloatArray) -> FloatArray:
    """The outputs of a layer in which a token's number is its query, its key and its value."""
    return LAYERS[layer](np.outer(numbers, numbers)) @ numbers
