"""What an explorer declares: its traits, what fits in each, and its name in addresses.

A trait with ``address=`` is moved by readers and has that name in addresses of a page. One without
is given to the constructor once. The constructor, its checks, what readers move and the table by
which the script reads and writes addresses all follow from the declaration.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import traitlets

from attnutils import normalize
from attnutils._checks import (
    INTEGER,
    REAL,
    Choice,
    Flag,
    FloatArray,
    Int,
    Number,
    Option,
    are_words,
    array_of,
    refuse,
)

if TYPE_CHECKING:
    AnyType = traitlets.TraitType[Any, Any]
else:  # before traitlets 5.10 a type of trait takes no types
    AnyType = traitlets.TraitType

#: Cells of a table hold numbers of at most this size. It keeps every product finite.
LARGEST = 1e6

_NOT_SET = object()
REQUIRED = object()


class Trait(AnyType):
    """A trait of an explorer; ``check(widget, value)`` returns it in the form that is kept.

    A check may read the traits that are declared above. ``js`` names a kind of `traitsOf` in
    core/traits.js, with what else that takes.
    """

    kind: tuple[Any, ...] = ("plain",)

    def __init__(
        self,
        default: Any = REQUIRED,
        *,
        address: str = "",
        check: Callable[[Any, Any], Any] | None = None,
        js: Sequence[Any] = (),
        replaceable: bool = False,
    ) -> None:
        super().__init__(_NOT_SET)
        self.start, self.address, self._check = default, address, check
        self.replaceable = replaceable or bool(address)
        self.kind = tuple(js) or self.kind
        self.tag(sync=True, settable=bool(address))

    def fits(self, widget: Any, value: Any) -> Any:
        """Return the value in the form that is kept, or refuse it."""
        return self._check(widget, value) if self._check else value

    def validate(self, obj: Any, value: Any) -> Any:
        """Check a value, from Python or from the page."""
        before = obj._trait_values.get(self.name, _NOT_SET)
        if value is before:  # traitlets itself sets the first value twice
            return value
        if before is not _NOT_SET and not self.replaceable:
            owner = type(obj).__name__
            raise AttributeError(f"{owner}: {self.name} cannot be changed; make a new {owner}.")
        return self.fits(obj, value)

    def described(self) -> list[Any]:
        """Return what the script needs to read it, and to say it in an address."""
        kind, *rest = self.kind
        return [kind, self.address, *rest]


class Setting(Trait):
    """A trait that is an option, as of a `checked` function: ``Setting(Int(1, "heads", 8), 1)``."""

    def __init__(self, option: Option, default: Any = REQUIRED, *, address: str = "") -> None:
        super().__init__(default, address=address)
        self.option = option
        if isinstance(option, Number):
            ends = [number_to_json(end) for end in option.ends]
            self.kind = ("real", *ends)
            self.tag(to_json=number_to_json, from_json=number_from_json)
        elif isinstance(option, Int):
            most = None if option.ends[1] == math.inf else option.ends[1]
            self.kind = ("whole", option.ends[0], most, option.step)
        elif isinstance(option, Choice):
            self.kind = ("oneOf", list(option.words))
        elif isinstance(option, Flag):
            self.kind = ("flag",)

    def fits(self, widget: Any, value: Any) -> Any:
        """Check it as an argument is checked."""
        return self.option.check(type(widget).__name__, str(self.name), value)


def Temperature(default: float = 1.0, *, address: str = "T") -> Setting:
    """A temperature: a number from 0 to infinity."""
    return Setting(get_args(normalize.Temperature)[1], default, address=address)


class Words(Trait):
    """A list of words; `least` to `most` of them, or as many as the trait `like` has."""

    def __init__(
        self,
        least: int = 2,
        most: int = 12,
        *,
        like: str = "",
        default: Any = REQUIRED,
        lettered: bool = False,
    ) -> None:
        super().__init__(default)
        self.least, self.most, self.like, self.lettered = least, most, like, lettered

    def fits(self, widget: Any, value: Any) -> list[str]:
        """Return the words as a list."""
        owner, name = type(widget).__name__, str(self.name)
        if self.like:
            n = len(getattr(widget, self.like))
            return word_list(owner, name, value, n, n, lettered=self.lettered)
        return word_list(owner, name, value, self.least, self.most, lettered=self.lettered)


class IndexOf(Trait):
    """The index of an item in the list trait `of`; in addresses it goes by the item's name."""

    def __init__(self, of: str, hint: str, default: int = 0, *, address: str) -> None:
        super().__init__(default, address=address, js=("place", of))
        self.of, self.hint = of, hint

    def fits(self, widget: Any, value: Any) -> int:
        """Return it as an int."""
        option = Int(0, self.hint, len(getattr(widget, self.of)) - 1)
        return int(option.check(type(widget).__name__, str(self.name), value))


class Order(Trait):
    """Each index of the list trait `of` once; by default as they stand there."""

    def __init__(self, of: str, hint: str, *, address: str) -> None:
        super().__init__(None, address=address, js=("order", of))
        self.of, self.hint = of, hint

    def fits(self, widget: Any, value: Any) -> list[int]:
        """Return it as a list of ints."""
        n = len(getattr(widget, self.of))
        if value is None:
            return list(range(n))
        return checked_order(type(widget).__name__, str(self.name), value, n, self.hint)


class Integers(Trait):
    """A list of integers from `least` to `most`, one for each item of the list trait `of`."""

    def __init__(
        self, of: str, least: int, most: int, hint: str, default: int = 0, *, address: str
    ) -> None:
        super().__init__(None, address=address, js=("integers", of, least, most))
        self.of, self.least, self.most, self.hint, self.each = of, least, most, hint, default

    def fits(self, widget: Any, value: Any) -> list[int]:
        """Return it as a list of ints."""
        n = len(getattr(widget, self.of))
        if value is None:
            return [self.each] * n
        owner, name = type(widget).__name__, str(self.name)
        return checked_integers(owner, name, value, n, self.least, self.most, self.hint)


class Array(Trait):
    """A float64 array. It travels as little-endian bytes.

    Of its sizes, a name of a list trait stands for the length of that, another name for any size,
    the same in all arrays of the explorer. It can be replaced by one of the same shape, unless it
    is `fixed`. With `masked`, a score may be -inf. The default None is an array without entries.
    """

    kind = ("floats",)

    def __init__(
        self,
        *shape: int | str,
        default: Any = REQUIRED,
        address: str = "",
        masked: bool = False,
        least: float = -LARGEST,
        most: float = LARGEST,
        fixed: bool = False,
    ) -> None:
        js = ("numbers",) if address else ("floats",)
        super().__init__(default, address=address, replaceable=not fixed, js=js)
        self.shape, self.masked, self.least, self.most = shape, masked, least, most
        self.tag(to_json=array_to_json, from_json=self._from_bytes)

    def fits(self, widget: Any, value: Any) -> FloatArray:
        """Return a read-only copy."""
        if value is None and self.start is None:
            return np.zeros(0)
        owner, name = type(widget).__name__, str(self.name)
        before = widget._trait_values.get(name, _NOT_SET)
        shape = self._expected(widget) if before is _NOT_SET else before.shape
        array = checked_array(owner, name, value, shape, masked=self.masked)
        if array.size and not self.masked and (array.min() < self.least or array.max() > self.most):
            raise ValueError(
                f"{owner}: {name} must lie from {self.least:g} to {self.most:g}, got "
                f"{array.ravel()[np.abs(array).argmax()]:g}; the drawing has room for these."
            )
        return array

    def _expected(self, widget: Any) -> tuple[int | str, ...]:
        known: dict[str, int] = {}
        for name, value in widget._trait_values.items():
            trait = widget.traits()[name]
            if isinstance(trait, Array):
                known |= {
                    letter: size
                    for letter, size in zip(trait.shape, value.shape, strict=False)
                    if isinstance(letter, str)
                }
        return tuple(
            size if isinstance(size, int)
            else len(getattr(widget, size)) if widget.has_trait(size)
            else known.get(size, size)
            for size in self.shape
        )  # fmt: skip

    def _from_bytes(self, value: Any, widget: Any) -> FloatArray:
        return np.frombuffer(value, dtype="<f8").reshape(getattr(widget, str(self.name)).shape)


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


# -- checks ----------------------------------------------------------------------------------


def word_list(
    owner: str, name: str, x: Any, least: int, most: int, *, lettered: bool = False
) -> list[str]:
    """The words as a list; with `lettered`, each shows something."""
    count = f"n={least}" if least == most else f"{least} to {most}"
    text = f"a list of {count} words"
    if not are_words(x):
        refuse(TypeError, owner, name, x, text, "write each as text")
    given = list(x)
    if not least <= len(given) <= most:
        refuse(ValueError, owner, name, x, text, "write each as text")
    if lettered and not all(word.strip() for word in given):
        raise ValueError(
            f"{owner}: each entry of {name} must have a letter, got {given}; "
            "write what each is called."
        )
    return [str(word) for word in given]


def entries(x: Any) -> list[Any] | None:
    """What stands in a list, an array or the like; None for text and for one thing alone."""
    return list(x) if np.iterable(x) and not isinstance(x, str) else None


def checked_integers(
    owner: str, name: str, x: Any, n: int, least: int, most: int, hint: str
) -> list[int]:
    """The list of `x`, if these are n integers from `least` to `most`."""
    given = array_of(INTEGER, owner, name, x, f"({n},)", hint)
    if given.shape != (n,) or (n and (given.min() < least or given.max() > most)):
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


def of_kind(owner: str, name: str, x: Any, kind: Any) -> None:
    """`x` must be a NamedTuple of this kind."""
    if not isinstance(x, kind):
        refuse(TypeError, owner, name, x, f"{kind.__name__}({', '.join(kind._fields)})")


# -- how values travel -----------------------------------------------------------------------


def number_to_json(value: float, widget: object = None) -> float | str:
    """A number, or "inf" or "-inf", which plain JSON would lose."""
    return value if math.isfinite(value) else str(value)


def number_from_json(value: Any, widget: object = None) -> Any:
    """The inverse of `number_to_json`; what is no number stays for the check."""
    return float(value) if value in ("inf", "-inf") else value


def array_to_json(value: FloatArray, widget: object = None) -> bytes:
    """An array as little-endian bytes."""
    return value.astype("<f8").tobytes()
