"""What an argument must be by itself: a number, a word, a function, an array. And the errors.

A message names the function, the argument, what was expected, what came instead, and what to do
about it. Wrong kinds of things are a `TypeError`, wrong sizes and values a `ValueError`. An option
such as ``Int(1, "it counts the heads")`` has a text, which says what the argument must be, and a
hint; its `check` returns the argument in the form that the caller computes with.
"""

import math
import numbers
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.floating[Any]]
BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.intp]
if TYPE_CHECKING:
    from numpy.random import Generator as Generator

    ArrayLike = Any  # what comes in as a list is an array in the body
else:
    from numpy.typing import ArrayLike as ArrayLike

    Generator = Any  # who draws loads it: in a browser that takes as long as the rest of attnutils


def fail(error: type[Exception], function: str, text: str, hint: str = "") -> NoReturn:
    """Raise an error that names the function and says what to do."""
    raise error(f"{function}: {text}" + f"; {hint}" * bool(hint) + ".") from None


def refuse(
    error: type[Exception], function: str, name: str, x: Any, must: str, hint: str = ""
) -> NoReturn:
    """Say what an argument must be and what came: its type if that is wrong, else its value."""
    got = type(x).__name__ if error is TypeError else f'"{x}"' if isinstance(x, str) else x
    fail(error, function, f"{name} must be {must}, got {got}", hint)


def misfit(function: str, name: str, shape: Any, letters: str, sizes: Any, hint: str) -> NoReturn:
    """Say what shape came, and what was expected: in letters, and in numbers if they say more."""
    expected = letters + f" = {sizes}" * (letters != str(sizes))
    fail(ValueError, function, f"{name} has shape {shape} but {expected} is expected", hint)


# -- arrays ----------------------------------------------------------------------------------

REAL, INTEGER, BOOLEAN = "real numbers", "integers", "booleans"
_KINDS = {REAL: "fiu", INTEGER: "iu", BOOLEAN: "b"}
_WORDS = "turn words into vectors of numbers first"
#: What to do about an array that does not hold real numbers, by the kind of its dtype.
_HINTS = {
    "U": _WORDS,
    "S": _WORDS,
    "O": "look for None, words or lists among the entries",
    "c": "take the real part or the absolute value",
    "b": "a boolean array belongs in mask; .astype(float) makes it zeros and ones",
}


def array_of(kind: str, function: str, name: str, x: Any, shape: str, hint: str = "") -> Any:
    """`x` as an array of a kind: floats stay as they are, other real numbers become float64."""
    if type(x) is np.ndarray and x.dtype.kind == "f" and kind == REAL:
        return x  # as it mostly is
    expected = f"but an array of shape {shape} is expected"
    if isinstance(x, np.ma.MaskedArray):
        hint = f"give {name}.data, and what may be seen in mask"
        fail(TypeError, function, f"{name} is a masked array {expected}", hint)
    try:
        array = np.asarray(x)
    except ValueError:
        hint = "give every row the same length"
        fail(ValueError, function, f"{name} is a ragged list {expected}", hint)
    if array.dtype.kind not in _KINDS[kind] and (array.size or kind != INTEGER):  # [] has float64
        if kind != INTEGER:
            numbers = "True means may attend, numbers to add to the scores are a bias"
            hint = numbers if kind == BOOLEAN else _HINTS.get(array.dtype.kind, "convert it first")
        fail(TypeError, function, f"{name} has dtype {array.dtype} but {kind} are expected", hint)
    if kind == INTEGER:
        if array.dtype.kind == "u" and array.max(initial=0) > (most := np.iinfo(np.intp).max):
            refuse(
                ValueError, function, name, array.max(), f"at most {most}", hint
            )  # it would wrap
        return array.astype(np.intp, copy=False)
    return array.astype(np.float64) if array.dtype.kind in "iu" else array


def result(function: str, name: str, x: Any, letters: str, shape: Any, hint: str) -> FloatArray:
    """What a function of the caller's own has returned, if it has the right shape."""
    array: FloatArray = array_of(REAL, function, f"the result of {name}", x, letters)
    if array.shape != shape:
        misfit(function, f"the result of {name}", array.shape, letters, shape, hint)
    return array


# -- options ---------------------------------------------------------------------------------


class Option:
    """What is no array: a text that says what it must be, a hint, and how that is found out."""

    order = 0  # sizes that are given as numbers come before those of arrays
    function = name = ""  # whose argument it is

    def __init__(
        self,
        text: str,
        hint: str,
        is_kind: Callable[[Any], bool],
        convert: Callable[[Any], Any] = lambda x: x,
        is_right: Callable[[Any], bool] = lambda x: True,
    ) -> None:
        self.text = self.help = text
        self.hint, self.is_kind, self.convert, self.is_right = hint, is_kind, convert, is_right

    def check(self, function: str, name: str, x: Any) -> Any:
        """`x`, in the form to compute with."""
        if not self.is_kind(x):
            refuse(TypeError, function, name, x, self.text, self.hint)
        value = self.convert(x)
        if not self.is_right(value):
            refuse(ValueError, function, name, x, self.text, self.hint)
        return value

    def read(self, x: Any) -> tuple[Any, int | None]:
        """`x`, checked; an integer is a size."""
        x = self.check(self.function, self.name, x)
        return x, x if type(x) is int else None

    def fit(self, size: int, sizes: Any) -> None:
        """Add a size to those that are known."""
        sizes.known[self.name] = size, ""


def _is(kind: Any) -> Callable[[Any], bool]:
    """A test for such numbers; True and False are none."""
    return lambda x: isinstance(x, kind) and not isinstance(x, bool)


def _float(x: Any) -> float:
    """`x` as a float; one of more than 308 digits is infinite."""
    try:
        return float(x)
    except OverflowError:
        return math.inf if x > 0 else -math.inf


class Int(Option):
    """An integer from `least` to `most`; every second one, if that is the step."""

    def __init__(self, least: int = 0, hint: str = "", most: float = math.inf, step: int = 1):
        kind = "an integer" if step == 1 else f"an {('even', 'odd')[least % 2]} integer"
        where = f"of at least {least}" if most == math.inf else f"from {least} to {most}"
        right = lambda x: least <= x <= most and not (x - least) % step  # noqa: E731
        super().__init__(f"{kind} {where}", hint, _is(numbers.Integral), int, right)
        self.ends, self.step = (least, most), step


class Number(Option):
    """A number from `least`, or ``above=`` one, to `most`, or ``below=`` one."""

    def __init__(self, least: float = 0, hint: str = "", most: float = math.inf, **ends: float):
        low, high = ends.get("above", least), ends.get("below", most)
        text = f"above {low}" if "above" in ends else f"from {low} to {'below ' * bool(ends)}{high}"
        right = lambda x: low <= x <= high and x not in ends.values()  # noqa: E731
        super().__init__(f"a number {text}", hint, _is(numbers.Real), _float, right)
        self.ends = low, high


class Choice(Option):
    """One of some words."""

    def __init__(self, *words: str, hint: str = "") -> None:
        text = " or ".join(f'"{word}"' for word in words)
        super().__init__(text, hint, lambda x: isinstance(x, str), str, lambda x: x in words)
        self.words = words


class Flag(Option):
    """True or False."""

    def __init__(self, hint: str = "") -> None:
        super().__init__("True or False", hint, lambda x: isinstance(x, bool | np.bool_), bool)


def are_words(x: Any) -> bool:
    """Whether `x` is a list of words, and not one word."""
    return np.iterable(x) and not isinstance(x, str) and all(isinstance(word, str) for word in x)


#: Whether this thread is inside a function that has checked its arguments.
state = threading.local()


@contextmanager
def checks_on(**settings: Any) -> Iterator[None]:
    """Here checks are on again, and with these settings of NumPy the caller's own warnings."""
    before, state.is_inside = getattr(state, "is_inside", False), False
    try:
        with np.errstate(**settings):
            yield
    finally:
        state.is_inside = before


class Function(Option):
    """A function of the caller's own. It runs with `checks_on`, unless it is one of `ours`.

    A check of what it returns is called as ``result(function, name, y, *arguments)``.
    """

    def __init__(self, of: str, hint: str, result: Any = None, ours: Any = ()) -> None:
        super().__init__(f"a function of {of}", hint, callable)
        self.result, self.ours = result, ours

    def check(self, function: str, name: str, x: Any) -> Any:
        """`x`, to be called from inside."""
        super().check(function, name, x)
        settings: Any = np.geterr()  # of the caller

        @wraps(x)
        def called(*args: Any) -> Any:
            with checks_on(**settings):
                y = x(*args)
            return self.result(function, name, y, *args) if self.result else y

        return x if x in self.ours else called
