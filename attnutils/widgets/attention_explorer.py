"""Any tensor of attention scores: pick a slice and a token, see where the weight goes."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import traitlets

from attnutils import _shapes
from attnutils._shapes import BoolArray, FloatArray
from attnutils.masks import causal_mask, padding_mask
from attnutils.normalize import entropy, masked_softmax
from attnutils.widgets._base import (
    ArrayTrait,
    Temperature,
    Widget,
    checked_array,
    checked_words,
    picture,
    script,
    style,
)

__all__ = ["AttentionExplorer"]

MOST_TOKENS = 32
MOST_ENTRIES = 64  # of one leading axis
MOST_SLICES = 144  # of all leading axes together
MOST_ABREAST = 16  # small maps of one axis in a line


class AttentionExplorer(Widget):
    """Look around in a tensor of scores: a heatmap of weights, arcs, and one token's row as bars.

    Each leading axis has a control, and its slices show as small maps. The temperature, the mask
    and the order of the tokens can be changed; a mask goes with its token, so it survives a
    shuffle. The traits move the widget, and the widget moves the traits:
    `explorer.temperature = 0.2`. `weights` and `entropy` are computed by attnutils.

    Parameters
    ----------
    tokens : sequence of str
        The n_q tokens that ask, 2 to 32.
    scores : array_like of shape (axis..., n_q, n_k)
        Raw scores. -inf is a score that is masked already.
    key_tokens : sequence of str, optional
        The n_k tokens that are asked, 2 to 32. Without them these are `tokens`.
    axes : sequence of str, or mapping of str to sequence, default ()
        A name for each leading axis, two at most. With a mapping each name comes with the labels
        of the axis: text makes a list to choose from, numbers make a slider.
    index : sequence of int, optional
        The slice at the start, an index for each leading axis; the first slice by default.
    token : int, default 0
        Index of the token whose row is shown.
    temperature : float, default 1.0
        At least 0; infinity is uniform.
    mask : {"none", "causal", "padding"}
        causal needs n_q = n_k, padding needs `n_real`.
    n_real : int, optional
        How many of the key tokens are real; the rest is padding.

    Attributes
    ----------
    order : list of int
        The order in which the tokens stand. Only tokens that are their own keys can be shuffled.
    weights : ndarray of shape (n_q, n_k)
        The weights of the slice, in the order of `tokens`.
    entropy : float
        Of the chosen token's row, in bits.

    Raises
    ------
    ValueError, TypeError
        If shapes, types or names do not fit.

    Examples
    --------
    >>> scores = [[[2, 1], [1, 3]], [[0, 5], [5, 0]]]
    >>> explorer = AttentionExplorer(["Reads", "Book"], scores, axes={"head": ["own", "other"]})
    >>> explorer.weights.round(3)
    array([[0.731, 0.269],
           [0.119, 0.881]])
    >>> explorer.index, explorer.temperature = [1], 0
    >>> explorer.weights
    array([[0., 1.],
           [1., 0.]])
    """

    _esm = script("attention_explorer")
    _css = style("attention_explorer")

    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    #: Empty where the tokens are their own keys.
    key_tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    scores = ArrayTrait(masked=True)
    #: For each leading axis its name, its labels as text, and whether to choose from a list.
    axes = traitlets.List(traitlets.Dict()).tag(sync=True)
    masks = traitlets.List(traitlets.Unicode()).tag(sync=True)
    n_real = traitlets.Int(None, allow_none=True).tag(sync=True)
    index = traitlets.List(traitlets.Int()).tag(sync=True)
    token = traitlets.Int(0).tag(sync=True)
    temperature = Temperature()
    mask = traitlets.Unicode("none").tag(sync=True)
    order = traitlets.List(traitlets.Int()).tag(sync=True)
    #: What the height of the widget depends on. A static page hands these numbers to the style,
    #: which keeps that height free until the widget stands.
    sizes = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        tokens: Sequence[str],
        scores: object,
        *,
        key_tokens: Sequence[str] | None = None,
        axes: Sequence[str] | Mapping[str, Sequence[object]] = (),
        index: Sequence[int] | None = None,
        token: int = 0,
        temperature: float = 1.0,
        mask: str = "none",
        n_real: int | None = None,
        **kwargs: Any,
    ) -> None:
        owner = type(self).__name__
        tokens = checked_words(owner, tokens, "tokens", MOST_TOKENS)
        if key_tokens is not None:
            key_tokens = checked_words(owner, key_tokens, "key_tokens", MOST_TOKENS)
        n_q, n_k = len(tokens), len(key_tokens or tokens)
        named = _checked_axes(owner, axes)
        checked_scores = _checked_scores(owner, scores, named, n_q, n_k)
        leading = checked_scores.shape[:-2]
        if n_real is not None:
            n_real = _checked_real(owner, n_real, n_k)
        offered = {"none": True, "causal": n_q == n_k, "padding": n_real is not None}
        masks = [name for name, there in offered.items() if there]
        described = _described(owner, named, leading)
        super().__init__(
            tokens=tokens,
            key_tokens=key_tokens or [],
            scores=checked_scores,
            axes=described,
            masks=masks,
            n_real=n_real,
            index=_checked_index(owner, [0] * len(leading) if index is None else index, leading),
            token=_checked_token(owner, token, n_q),
            temperature=temperature,
            mask=_checked_mask(owner, mask, masks),
            order=list(range(n_q)),
            sizes=_sizes(tokens, key_tokens, described, len(masks)),
            **kwargs,
        )

    @traitlets.validate("index")
    def _check_index(self, proposal: Any) -> list[int]:
        return _checked_index(type(self).__name__, proposal.value, self.scores.shape[:-2])

    @traitlets.validate("token")
    def _check_token(self, proposal: Any) -> int:
        return _checked_token(type(self).__name__, proposal.value, len(self.tokens))

    @traitlets.validate("mask")
    def _check_mask(self, proposal: Any) -> str:
        return _checked_mask(type(self).__name__, proposal.value, self.masks)

    @traitlets.validate("order")
    def _check_order(self, proposal: Any) -> list[int]:
        own = list(range(len(self.tokens)))
        if sorted(proposal.value) != own:
            raise ValueError(
                f"{type(self).__name__}: order must hold each index from 0 to {own[-1]} once, "
                f"got {proposal.value}."
            )
        if self.key_tokens and proposal.value != own:
            raise ValueError(
                f"{type(self).__name__}: order cannot be changed where key_tokens are given; "
                "only tokens that are their own keys move together."
            )
        return list(proposal.value)

    @property
    def may_attend(self) -> BoolArray:
        """The mask in use now, of shape (n_q, n_k); True = may attend."""
        n_q, n_k = self.scores.shape[-2:]
        if self.mask == "causal":
            return causal_mask(n_q)
        if self.mask == "padding":
            return np.broadcast_to(padding_mask(self.n_real or 0, n_k), (n_q, n_k))
        return np.ones((n_q, n_k), dtype=np.bool_)

    @property
    def weights(self) -> FloatArray:
        """The weights of the slice now, of shape (n_q, n_k), in the order of `tokens`."""
        scores = self.scores[tuple(self.index)]
        return masked_softmax(scores, self.may_attend, temperature=self.temperature)

    @property
    def entropy(self) -> float:
        """The entropy of the chosen token's row now, in bits."""
        return float(entropy(self.weights[self.token]))

    def __repr__(self) -> str:
        names = [axis["name"] for axis in self.axes]
        at = "".join(f"{name}={i}, " for name, i in zip(names, self.index, strict=True))
        return (
            f"AttentionExplorer({len(self.tokens)} tokens, {at}"
            f"token={self.tokens[self.token]!r}, temperature={self.temperature:g}, "
            f"mask={self.mask!r})"
        )

    def _fallback(self) -> dict[str, str]:
        from attnutils.widgets.pictures.attention_explorer import explorer_picture

        return picture(lambda: explorer_picture(self))


def _checked_axes(owner: str, axes: object) -> dict[str, Sequence[object] | None]:
    """The labels of each leading axis by its name; None where there are none."""
    if isinstance(axes, Mapping):
        named = dict(axes)
    elif isinstance(axes, Sequence) and not isinstance(axes, str):
        named = dict.fromkeys(axes)
        if len(named) < len(axes):
            raise ValueError(f"{owner}: axes must have different names, got {axes!r}.")
    else:
        raise TypeError(
            f"{owner}: axes must be a sequence of names, or a mapping of names to labels, "
            f"got {type(axes).__name__}."
        )
    for name in named:
        if not isinstance(name, str) or not name:
            raise TypeError(f"{owner}: each name in axes must be text, got {name!r}.")
    if len(named) > 2:
        raise ValueError(f"{owner}: axes must have at most 2 names, got {len(named)}.")
    return named


def _checked_scores(
    owner: str, scores: object, axes: Mapping[str, object], n_q: int, n_k: int
) -> FloatArray:
    """The scores as an array of shape (axis..., n_q, n_k)."""
    expected = f"({', '.join([*axes, 'n_q', 'n_k'])})"
    given = _shapes.real_array(owner, "scores", scores, shape=expected, rank=2)  # type: ignore[arg-type]
    if given.ndim != len(axes) + 2:
        raise ValueError(
            f"{owner}: scores has shape {given.shape} but {expected} is expected; "
            "axes has a name for each leading axis."
        )
    array = checked_array(owner, "scores", given, (*axes, n_q, n_k), masked=True)
    slices = math.prod(array.shape[:-2])
    if max(array.shape[:-2], default=1) > MOST_ENTRIES or slices > MOST_SLICES:
        raise ValueError(
            f"{owner}: scores has shape {array.shape} with {slices} slices; at most "
            f"{MOST_ENTRIES} entries an axis and {MOST_SLICES} slices in all can be shown."
        )
    return array


def _described(
    owner: str, axes: Mapping[str, Sequence[object] | None], sizes: tuple[int, ...]
) -> list[dict[str, Any]]:
    """Each leading axis with its labels as text, and whether these make a list to choose from."""
    described = []
    for (name, given), size in zip(axes.items(), sizes, strict=True):
        labels: list[object] = list(range(size) if given is None else given)
        are_words = all(isinstance(label, str) for label in labels)
        are_numbers = all(
            isinstance(label, numbers.Real) and not isinstance(label, bool) for label in labels
        )
        if isinstance(given, str) or not (are_words or are_numbers):
            raise TypeError(
                f"{owner}: the labels of {name} in axes must be all text or all numbers, "
                f"got {given!r}."
            )
        if len(labels) != size:
            raise ValueError(
                f"{owner}: axes has {len(labels)} labels for {name} but scores has {size} "
                "entries along that axis."
            )
        texts = [x if isinstance(x, str) else f"{x:.12g}".replace("-", "−") for x in labels]
        described.append({"name": name, "labels": texts, "choose": are_words})
    return described


def _sizes(
    tokens: Sequence[str], key_tokens: Sequence[str] | None, axes: list[dict[str, Any]], masks: int
) -> dict[str, int]:
    """What the height of the widget depends on, by the names that its style has for them."""
    keys = key_tokens or tokens
    labels = [axis["labels"] for axis in axes]
    across = labels[-1] if labels else []
    down = labels[0] if len(labels) == 2 else []
    lines, columns = max(1, len(down)), max(1, len(across))
    if not down and columns > MOST_ABREAST:  # one axis in several lines, named by their first
        lines = math.ceil(columns / MOST_ABREAST)
        columns = math.ceil(columns / lines)
        down = across[::columns]
    return {
        "queries": len(tokens),
        "keys": len(keys),
        "letters": max(len(key) for key in keys),
        "axes": len(axes),
        "lines": lines,
        "columns": columns,
        "side": max((len(label) for label in down), default=0),
        "words": int(bool(axes) and axes[-1]["choose"]),
        "moves": int(key_tokens is None),
        "choices": int(key_tokens is None or masks > 1),
    }


def _checked_integer(owner: str, name: str, x: object, low: int, high: int) -> int:
    if isinstance(x, bool) or not isinstance(x, numbers.Integral):
        raise TypeError(f"{owner}: {name} must be an integer, got {type(x).__name__}.")
    integer = int(x)
    if not low <= integer <= high:
        raise ValueError(f"{owner}: {name} must be from {low} to {high}, got {integer}.")
    return integer


def _checked_real(owner: str, n_real: object, n_k: int) -> int:
    return _checked_integer(owner, "n_real, the number of real keys,", n_real, 0, n_k)


def _checked_token(owner: str, token: object, n_q: int) -> int:
    return _checked_integer(owner, "token, an index,", token, 0, n_q - 1)


def _checked_index(owner: str, index: Any, sizes: tuple[int, ...]) -> list[int]:
    if isinstance(index, str) or not isinstance(index, Sequence | np.ndarray):
        raise TypeError(
            f"{owner}: index must be a list of integers, one for each leading axis, "
            f"got {type(index).__name__}."
        )
    if len(index) != len(sizes):
        raise ValueError(
            f"{owner}: index has {len(index)} entries but scores has {len(sizes)} leading axes."
        )
    return [
        _checked_integer(owner, f"index[{axis}]", x, 0, size - 1)
        for axis, (x, size) in enumerate(zip(index, sizes, strict=True))
    ]


def _checked_mask(owner: str, mask: object, offered: Sequence[str]) -> str:
    if mask not in offered:
        raise ValueError(
            f"{owner}: mask must be one of {', '.join(offered)}, got {mask!r}; "
            "causal needs as many queries as keys, padding needs n_real."
        )
    return str(mask)
