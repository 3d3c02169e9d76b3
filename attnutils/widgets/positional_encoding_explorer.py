"""Three ways to tell attention where a token stands, and how alike two positions are in each."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import traitlets

from attnutils._shapes import FloatArray
from attnutils.positional import alibi_bias, rotary_embedding, sinusoidal_encoding
from attnutils.widgets._base import Widget, picture, script, style

if TYPE_CHECKING:
    CheckedType = traitlets.TraitType[Any, Any]
else:  # before traitlets 5.10 a type of trait takes no types
    CheckedType = traitlets.TraitType

__all__ = ["PositionalEncodingExplorer"]

_ENCODINGS = ("sinusoidal", "rotary", "alibi")
_LONGEST = _WIDEST = 128

#: ALiBi's heads, with the slopes 1/2, 1/4, ... 1/256.
N_HEADS = 8


def _whole(low: int, high: int, step: int = 1) -> Callable[[str, str, Any], int]:
    """A check for integers from `low` to `high`, in steps."""
    expected = f"an {'even ' if step == 2 else ''}integer from {low} to {high}"

    def check(owner: str, name: str, x: Any) -> int:
        if isinstance(x, bool) or not isinstance(x, (int, np.integer)):
            raise TypeError(f"{owner}: {name} must be {expected}, got {type(x).__name__}.")
        if not low <= x <= high or (x - low) % step:
            raise ValueError(f"{owner}: {name} must be {expected}, got {x}.")
        return int(x)

    return check


def _base(owner: str, name: str, x: Any) -> float:
    expected = "a finite number above 1"
    if isinstance(x, bool) or not isinstance(x, (int, float, np.integer, np.floating)):
        raise TypeError(f"{owner}: {name} must be {expected}, got {type(x).__name__}.")
    if not 1 < x < math.inf:  # NaN is not
        raise ValueError(f"{owner}: {name} must be {expected}, got {x}.")
    return float(x)


def _encoding(owner: str, name: str, x: Any) -> str:
    if x not in _ENCODINGS:
        raise ValueError(f"{owner}: {name} must be one of {', '.join(_ENCODINGS)}, got {x!r}.")
    return str(x)


class _Checked(CheckedType):
    """A trait that travels as plain JSON, with a check of its own."""

    def __init__(self, default: Any, check: Callable[[str, str, Any], Any]) -> None:
        super().__init__(default)
        self.check = check
        self.tag(sync=True)

    def validate(self, obj: Any, value: Any) -> Any:
        """Check a new value and make it a plain Python one."""
        return self.check(type(obj).__name__, str(self.name), value)


class PositionalEncodingExplorer(Widget):
    """Move along the positions: their encoding, its waves, and similarity against offset.

    The traits move the widget, and the widget moves the traits: `explorer.position = 3`.
    `encoding_matrix` and `similarity` are computed by attnutils. The trait `head`, 0 to 7, is the
    head of ALiBi that is shown; its slope is 2 ** -(head + 1).

    Parameters
    ----------
    length : int, default 64
        Number of positions, 2 to 128. Where it falls below the position, the position follows.
    dim : int, default 32
        Number of dimensions, d: even, 2 to 128. ALiBi has none.
    base : float, default 10000.0
        Above 1 and finite. ALiBi has none.
    position : int, optional
        The chosen position, 0 to length - 1; without it, 20 or the last one.
    encoding : {"sinusoidal", "rotary", "alibi"}

    Attributes
    ----------
    encoding_matrix : ndarray of shape (length, dim), or (length, length) for ALiBi
    similarity : ndarray of shape (length,)

    Raises
    ------
    ValueError, TypeError
        If an argument is not of its kind or out of its range.

    References
    ----------
    vaswani2017 : sines and cosines.
    su2024 : rotary embeddings.
    press2022 : ALiBi.

    Examples
    --------
    >>> explorer = PositionalEncodingExplorer(length=8, dim=32, position=0)
    >>> (16 * explorer.similarity).round(2)
    array([16.  , 15.31, 13.73, 12.27, 11.66, 11.78, 11.89, 11.43])
    """

    _esm = script("positional_encoding_explorer")
    _css = style("positional_encoding_explorer")

    length = _Checked(64, _whole(2, _LONGEST))
    dim = _Checked(32, _whole(2, _WIDEST, step=2))
    base = _Checked(10000.0, _base)
    position = traitlets.Any(0).tag(sync=True)  # checked against the length, once both are set
    encoding = _Checked("sinusoidal", _encoding)
    head = _Checked(2, _whole(0, N_HEADS - 1))

    def __init__(
        self,
        *,
        length: int = 64,
        dim: int = 32,
        base: float = 10000.0,
        position: int | None = None,
        encoding: str = "sinusoidal",
        **kwargs: Any,
    ) -> None:
        owner = type(self).__name__
        length = _whole(2, _LONGEST)(owner, "length", length)
        position = min(20, length - 1) if position is None else position
        super().__init__(
            length=length,
            dim=dim,
            base=base,
            position=_whole(0, length - 1)(owner, "position", position),
            encoding=encoding,
            **kwargs,
        )

    @traitlets.validate("position")
    def _check_position(self, proposal: Any) -> int:
        return _whole(0, self.length - 1)(type(self).__name__, "position", proposal.value)

    @traitlets.observe("length")
    def _keep_position_inside(self, change: Any) -> None:
        self.position = min(self.position, change.new - 1)

    @property
    def encoding_matrix(self) -> FloatArray:
        """What the heatmap shows.

        The sinusoidal encoding; or what (1, 0, 1, 0, ...) is turned to at each position, both of
        shape (length, dim); or the bias of ALiBi's chosen head, of shape (length, length).
        """
        if self.encoding == "sinusoidal":
            return sinusoidal_encoding(self.length, self.dim, self.base)
        if self.encoding == "rotary":
            x = np.tile([1.0, 0.0], (self.length, self.dim // 2))
            return rotary_embedding(x, base=self.base)
        return alibi_bias(N_HEADS, self.length)[self.head]

    @property
    def similarity(self) -> FloatArray:
        """The chosen position compared with every position, of shape (length,).

        The dot products of the rows of `encoding_matrix`, divided by d / 2, so that a position
        and itself give 1. For ALiBi it is the bias: 0 for a position and itself.
        """
        matrix = self.encoding_matrix
        row: FloatArray = matrix[self.position]
        if self.encoding == "alibi":
            return row
        similarity: FloatArray = matrix @ row / (self.dim / 2)
        return similarity

    def __repr__(self) -> str:
        size = (
            f"head={self.head}"
            if self.encoding == "alibi"
            else f"dim={self.dim}, base={self.base:g}"
        )
        return (
            f"PositionalEncodingExplorer(encoding={self.encoding!r}, length={self.length}, "
            f"{size}, position={self.position})"
        )

    def _fallback(self) -> dict[str, str]:
        from attnutils.widgets.pictures.positional_encoding_explorer import encoding_picture

        return picture(lambda: encoding_picture(self))
