"""What every widget of the book stands on: its files, its traits, its picture.

A widget is an anywidget class. Python checks the facts and carries them as traits; the script
draws them and recomputes at every step of a slider, so that the same widget works with a kernel
and on a static page. `core.js` and `core.css` are shared: they are joined in front of each
widget's own files, because a static page and a notebook cell load one text, with no imports.
"""

from __future__ import annotations

import base64
import io
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, get_args

import anywidget
import numpy as np
import traitlets

from attnutils import normalize
from attnutils._checks import INTEGER, REAL, FloatArray, Option, array_of, refuse

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    AnyType = traitlets.TraitType[Any, Any]
    ArrayType = traitlets.TraitType[FloatArray, FloatArray]
else:  # before traitlets 5.10 a type of trait takes no types
    AnyType = ArrayType = traitlets.TraitType

STATIC = Path(__file__).parent / "static"

#: Cells of a table hold numbers of at most this size. It keeps every product finite.
LARGEST = 1e6


def script(*names: str) -> str:
    """The whole script of a widget: what all widgets share, then its own parts."""
    return _joined(names, ".js")


def style(*names: str) -> str:
    """The whole style sheet of a widget, alike."""
    return _joined(names, ".css")


def _joined(names: tuple[str, ...], suffix: str) -> str:
    return "\n".join(
        (STATIC / f"{stem}{suffix}").read_text(encoding="utf-8") for stem in ("core", *names)
    )


# -- checks ----------------------------------------------------------------------------------


class Words(Option):
    """A list of words, as many as the text says."""

    def __init__(self, text: str, counts: Sequence[int] = range(2**31)) -> None:
        def are_words(x: Any) -> bool:
            return entries(x) is not None and all(isinstance(word, str) for word in x)

        def plain(x: Any) -> list[str]:
            return [str(word) for word in x]

        super().__init__(text, "write each as text", are_words, plain, lambda x: len(x) in counts)


def entries(x: Any) -> list[Any] | None:
    """What stands in a list, an array or the like; None for text and for one thing alone."""
    return list(x) if np.iterable(x) and not isinstance(x, str) else None


def of_kind(owner: str, name: str, x: Any, kind: Any) -> None:
    """`x` must be a NamedTuple of this kind."""
    if not isinstance(x, kind):
        refuse(TypeError, owner, name, x, f"{kind.__name__}({', '.join(kind._fields)})")


def checked_words(
    owner: str, words: Sequence[str], name: str = "words", most: int = 12
) -> list[str]:
    """The words as a list, 2 to `most` of them."""
    option = Words(f"a list of 2 to {most} words", range(2, most + 1))
    return list(option.check(owner, name, words))


def checked_integers(
    owner: str, name: str, x: Any, n: int, least: int, most: int, hint: str
) -> list[int]:
    """The list of `x`, if these are n integers from `least` to `most`."""
    given = array_of(INTEGER, owner, name, x, f"({n},)", hint)
    if given.shape != (n,) or given.min() < least or given.max() > most:
        raise ValueError(
            f"{owner}: {name} must be {n} integers from {least} to {most}, got {x!r}; {hint}."
        )
    return [int(i) for i in given]


def checked_order(owner: str, name: str, x: Any, n: int, hint: str) -> list[int]:
    """The list of `x`, if it holds each of 0 to n - 1 once."""
    given = array_of(INTEGER, owner, name, x, f"({n},)", hint)
    if given.shape != (n,) or sorted(given.tolist()) != list(range(n)):
        raise ValueError(
            f"{owner}: {name} must be the integers 0 to {n - 1} in some order, got {x!r}; {hint}."
        )
    return [int(i) for i in given]


def checked_array(
    owner: str, name: str, x: object, shape: tuple[int | str, ...], *, masked: bool = False
) -> FloatArray:
    """A read-only float64 copy of `x`, if it has that shape; a letter stands for any size.

    With `masked`, a score may be -inf: hidden already.
    """
    expected = f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
    array = array_of(REAL, owner, name, x, expected)
    fits = array.ndim == len(shape) and all(
        got > 0 if isinstance(size, str) else got == size
        for size, got in zip(shape, array.shape, strict=True)
    )
    if not fits:
        column = shape[1:] == (1,) and array.ndim == 1
        hint = f"; one number a word is a column, {name}[:, None]" if column else ""
        raise ValueError(
            f"{owner}: {name} has shape {array.shape} but {expected} is expected{hint}."
        )
    array = array.astype(np.float64)
    allowed = np.abs(array) <= LARGEST  # NaN is not
    if masked:
        allowed |= np.isneginf(array)
    if not np.all(allowed):
        others = "or -inf where it is masked; no +inf" if masked else "no infinity"
        raise ValueError(
            f"{owner}: {name} must hold numbers from {-LARGEST:.0f} to {LARGEST:.0f}, "
            f"{others} and no NaN."
        )
    array.flags.writeable = False
    return array


# -- traits ----------------------------------------------------------------------------------

_NOT_SET = object()


def number_to_json(value: float, widget: object = None) -> float | str:
    """A number, or "inf" or "-inf", which plain JSON would lose."""
    return value if math.isfinite(value) else str(value)


def number_from_json(value: float | str, widget: object = None) -> float:
    """The inverse of `number_to_json`."""
    return float(value)


def array_to_json(value: FloatArray, widget: object = None) -> bytes:
    """An array as little-endian bytes."""
    return value.astype("<f8").tobytes()


class Fixed(AnyType):
    """What the constructor has checked and the page is drawn from: it cannot be replaced."""

    def __init__(self) -> None:
        super().__init__(_NOT_SET)
        self.tag(sync=True)

    def validate(self, obj: Any, value: Any) -> Any:
        """Take the first value alone; traitlets itself sets that one twice."""
        before = obj._trait_values.get(self.name, _NOT_SET)
        if before is not _NOT_SET and value is not before:
            owner = type(obj).__name__
            raise AttributeError(f"{owner}: {self.name} cannot be changed; make a new {owner}.")
        return value


class Checked(AnyType):
    """A trait that travels as plain JSON, with a check of its own: check(widget, value).

    Unlike a method under `traitlets.validate`, the check also stops what comes from the page. It
    may read traits that the constructor sets earlier.
    """

    def __init__(self, default: Any, check: Callable[[Any, Any], Any]) -> None:
        super().__init__(default)
        self.check = check
        self.tag(sync=True, moved=True)

    def validate(self, obj: Any, value: Any) -> Any:
        """Check a new value and make it a plain Python one."""
        return self.check(obj, value)


class NumberTrait(Checked):
    """A number that may be infinite, with a check of its own."""

    def __init__(self, default: float, check: Callable[[Any, Any], float]) -> None:
        super().__init__(default, check)
        self.tag(to_json=number_to_json, from_json=number_from_json)


class Temperature(NumberTrait):
    """A temperature: a number from 0 to infinity."""

    def __init__(self) -> None:
        option: Option = get_args(normalize.Temperature)[1]
        check = option.check
        super().__init__(1.0, lambda widget, x: check(type(widget).__name__, "temperature", x))


class Address(AnyType):
    """The name of an explorer in the address of its page, as in ``#bench:T=0.2``.

    Addresses that were given away hold it, so it stays; where a page has two explorers of a kind,
    one is made with another.
    """

    def __init__(self, default: str) -> None:
        super().__init__(default)
        self.tag(sync=True)

    def validate(self, obj: Any, value: Any) -> str:
        """Take a short name that stands in addresses as it is."""
        if not isinstance(value, str) or not re.fullmatch(r"[a-z][a-z0-9-]{0,19}", value):
            raise ValueError(
                f"{type(obj).__name__}: address must be at most 20 of a-z, 0-9 and -, "
                f"with a letter first, got {value!r}."
            )
        return value


class ArrayTrait(ArrayType):
    """A float64 array that travels as little-endian bytes.

    The widget's constructor checks the first one; later ones must have the same shape. With
    `masked`, a score may be -inf; `moved` says that readers change it on the page.
    """

    def __init__(self, *, masked: bool = False, moved: bool = False) -> None:
        super().__init__(np.zeros(0))
        self.masked = masked
        self.tag(sync=True, moved=moved, to_json=array_to_json, from_json=self._from_bytes)

    def validate(self, obj: Any, value: Any) -> FloatArray:
        """Check an array that replaces an earlier one."""
        before = obj._trait_values.get(self.name)
        if before is None or before.size == 0:
            return np.asarray(value, dtype=np.float64)
        owner, name = type(obj).__name__, str(self.name)
        return checked_array(owner, name, value, before.shape, masked=self.masked)

    def _from_bytes(self, value: Any, widget: Any) -> FloatArray:
        shape = getattr(widget, str(self.name)).shape
        return np.frombuffer(value, dtype="<f8").reshape(shape)


# -- the widget ------------------------------------------------------------------------------


class Widget(anywidget.AnyWidget):
    """A widget of the book: with what shows in its place where no script runs."""

    #: The trait that says what others may be. Of what the page sends together, it is taken first.
    _first = ""

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take what the page sends, in whatever order it names the traits."""
        super().set_state(dict(sorted(sync_data.items(), key=lambda item: item[0] != self._first)))

    def _fallback(self) -> dict[str, str]:
        """Return the picture or the text that stands in for the widget, by MIME type."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        if bundle is None:
            return None
        data, metadata = bundle
        return {**data, "text/plain": repr(self), **self._fallback()}, metadata


class Explorer(Widget):
    """A widget to look around in, with a picture in its place where no script runs.

    Each has an `address`.
    """

    def moved(self) -> list[str]:
        """The names of what readers move, in an order in which they can be set."""
        names: list[str] = self.trait_names(moved=True)
        return sorted(names, key=lambda name: name != self._first)

    @classmethod
    def example(cls) -> Self:
        """An explorer to look at. One that shows words takes any: example(words)."""
        raise NotImplementedError

    def _picture(self) -> Figure:
        """Return the widget at rest; a module of `pictures` draws it from plain data."""
        raise NotImplementedError

    def _fallback(self) -> dict[str, str]:
        return picture(self._picture)


def picture(draw: Callable[[], Figure]) -> dict[str, str]:
    """A figure in the style of the book as PNG, the same bytes each time."""
    import matplotlib.style  # only when a widget is shown

    buffer = io.BytesIO()
    with matplotlib.style.context("attnutils.book"):
        draw().savefig(buffer, format="png", dpi=150, metadata={"Software": None})
    return {"image/png": base64.b64encode(buffer.getvalue()).decode("ascii")}
