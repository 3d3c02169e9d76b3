"""Layers of 2025 and 2026: their caches, and the laws that they keep. Taught on *attention today*.

A layer here is a function of queries (H, n, d_k), of keys and values (G, n, d_k) and (G, n, d_v) in
G sets, and returns outputs, (H, n, d_v). In place of sets of keys it may be given one latent vector
for each word, (n, d_c). It sees the past alone.
"""

import json
import math
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from attnbook.models import language
from attnbook.models._stored import DATA, existing
from attnutils._checks import BoolArray, FloatArray, IntArray
from attnutils.gradients import cross_entropy
from attnutils.masks import causal_mask
from attnutils.normalize import softmax
from attnutils.positional import sinusoidal_encoding
from attnutils.transformer import encoder_block, layer_norm, relu

BYTES = 2  # of a number, as in float16
STATE = 32 * 128 * 128  # numbers in the states of a layer: 32 heads, 128 rows, 128 columns

# -- caches ----------------------------------------------------------------------------------


class Layers(NamedTuple):
    """Some layers of a model, and what each of them keeps of a text.

    A row of `numbers` for each word, or for every few words; at most `window` rows. A state is a
    single row, which never grows.
    """

    n: int
    numbers: int
    window: int | None = None
    every: int = 1
    bytes: int = BYTES  # of a number


def kept_bytes(layers: Iterable[Layers], words: int) -> int:
    """The bytes that some layers keep of a text."""
    total = 0
    for n, numbers, window, every, size in layers:
        rows = words // every
        total += n * numbers * size * (rows if window is None else min(rows, window))
    return total


def load_models() -> dict[str, dict[str, Any]]:
    """Models by name, the oldest first: what each of them keeps, as `data/models.json` says."""
    text = existing(DATA / "models.json").read_text(encoding="utf-8")
    return {model["name"]: model for model in json.loads(text)}


def layers_of(model: dict[str, Any]) -> list[Layers]:
    """What the parts of a model keep; states are kept in float32, 4 bytes a number."""
    found = []
    for part in model["parts"]:
        if "state" in part:
            found.append(Layers(part["layers"], math.prod(part["state"]), window=1, bytes=4))
        else:
            numbers = part.get("numbers") or 2 * part["sets"] * part["width"]
            window, every = part.get("window"), part.get("every", 1)
            found.append(Layers(part["layers"], numbers, window, every))
    return found


# -- laws ------------------------------------------------------------------------------------

Layer = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]
Law = Callable[[Layer, FloatArray, FloatArray, FloatArray], bool]


def _same(one: FloatArray, other: FloatArray) -> bool:
    return bool(np.allclose(one, other, rtol=1e-6, atol=1e-9))


def _changed(x: FloatArray, word: int) -> FloatArray:
    """The same array with other numbers for a word."""
    other = x.copy()
    other[..., word, :] += 1 + np.arange(x.shape[-1])
    return other


def _rows(layer: Layer, q: FloatArray, k: FloatArray, v: FloatArray) -> bool:
    return _same(layer(q, k, np.ones_like(v)), np.array(1.0))


def _shift(layer: Layer, q: FloatArray, k: FloatArray, v: FloatArray) -> bool:
    return _same(layer(q, k + np.linspace(-1, 2, k.shape[-1]), v), layer(q, k, v))


def _leak(layer: Layer, q: FloatArray, k: FloatArray, v: FloatArray) -> bool:
    before = layer(q, k, v)
    return all(
        _same(layer(*(_changed(x, t) for x in (q, k, v)))[:, :t], before[:, :t])
        for t in range(1, q.shape[-2])
    )


def _reach(layer: Layer, q: FloatArray, k: FloatArray, v: FloatArray) -> bool:
    before = layer(q, k, v)[:, -1]
    moved = [layer(q, k, _changed(v, t))[:, -1] - before for t in range(q.shape[-2])]
    return bool((np.abs(moved).max(axis=-1) > 1e-9).all())


def _order(layer: Layer, q: FloatArray, k: FloatArray, v: FloatArray) -> bool:
    n = q.shape[-2]
    order = [*range(n - 1)[::-1], n - 1]
    return _same(layer(q, k[..., order, :], v[..., order, :])[:, -1], layer(q, k, v)[:, -1])


def _length(layer: Layer, q: FloatArray, k: FloatArray, v: FloatArray) -> bool:
    return not _same(layer(q, 2 * k, v), layer(q, k, v))


def _own(layer: Layer, q: FloatArray, k: FloatArray, v: FloatArray) -> bool:
    other = k.copy()
    other.reshape(-1, k.shape[-1])[1] += 1  # of word 1, in the first set
    moved = np.abs(layer(q, other, v) - layer(q, k, v)).max(axis=(1, 2))
    return int((moved > 1e-9).sum()) == 1


#: By their names, as the page lists them. Each tells whether it holds.
LAWS: dict[str, Law] = {
    "rows": _rows,
    "shift": _shift,
    "leak": _leak,
    "reach": _reach,
    "order": _order,
    "length": _length,
    "own": _own,
}


def broken(layer: Layer, q: FloatArray, k: FloatArray, v: FloatArray) -> list[str]:
    """The laws that a layer breaks on these queries, keys and values."""
    return [name for name, law in LAWS.items() if not law(layer, q, k, v)]


# -- the model of *language model*, with a mask of our choice -----------------------------------


@cache
def _wonderland() -> tuple[language.StoredModel, IntArray]:
    """The stored model, and the text that it was not trained on, in pieces."""
    model = language.load_language_model()
    codes = language.encode_text(language.load_wonderland()[1], model.alphabet)
    starts = np.arange(0, len(codes) - model.context - 1, model.context)
    return model, np.stack([codes[first : first + model.context + 1] for first in starts])


def wonderland_loss(mask: BoolArray) -> tuple[float, float]:
    """Nats a character where at least 32 have been read, and the largest weight on the first.

    The weight is the mean of a head over queries and texts, of the head that gives it most.
    """
    model, pieces = _wonderland()
    x = model.params.embedding[pieces[:, :-1]] + sinusoidal_encoding(model.context, 64)
    on_first = []
    for block in model.params.blocks:
        x, weights = encoder_block(
            x, block, n_heads=model.n_heads, mask=mask, norm="pre", activation=relu
        )
        on_first.append(weights[..., 32:, 0].mean(axis=(0, 2)).max())
    p = softmax(layer_norm(x, *model.params.norm) @ model.params.w_output)
    right = np.take_along_axis(p, pieces[:, 1:, None], axis=-1)[:, 32:]
    return float(-np.log(right).mean()), float(max(on_first))


def packed_losses(rng: np.random.Generator) -> list[float]:
    """Nats a letter of pieces of 16, four in a row, but the first: five ways to read them.

    Each piece alone; packed with mask and new positions; with the mask, positions go on; with new
    positions and no mask; with neither.
    """
    text = wonderland_text()
    first = rng.integers(len(text) - 16, size=(24, 4, 1))
    pieces = text[first + np.arange(17)]  # (24, 4, 17)
    tokens, targets = pieces[..., :-1].reshape(24, 64), pieces[..., 1:].reshape(24, 64)
    piece, place = np.divmod(np.arange(64), 16)
    own = causal_mask(64) & (piece[:, None] == piece)
    logits = [wonderland_logits(pieces[..., :-1], causal_mask(16), place[:16]).reshape(24, 64, -1)]
    for mask, positions in (
        (own, place),
        (own, np.arange(64)),
        (causal_mask(64), place),
        (causal_mask(64), np.arange(64)),
    ):
        logits.append(wonderland_logits(tokens, mask, positions))
    later = np.where(piece > 0, targets, -1)  # a first piece has nothing before it
    return [cross_entropy(each, later).loss for each in logits]


def wonderland_logits(tokens: IntArray, mask: BoolArray, positions: IntArray) -> FloatArray:
    """What the stored model expects behind each letter, with a mask and positions of our choice."""
    model, _ = _wonderland()
    x = model.params.embedding[tokens] + sinusoidal_encoding(64, 64)[positions]
    for block in model.params.blocks:
        x, _ = encoder_block(
            x, block, n_heads=model.n_heads, mask=mask, norm="pre", activation=relu
        )
    return layer_norm(x, *model.params.norm) @ model.params.w_output


def wonderland_text() -> IntArray:
    """The letters that the stored model was not trained on."""
    return language.encode_text(language.load_wonderland()[1], _wonderland()[0].alphabet)
