"""Checks of one argument by itself: an array, a number, a word, a function.

A message names the function, the argument, what was expected, what came instead, and what to do
about it. Each check returns the argument in the form that the caller computes with. Wrong kinds of
things are a `TypeError`, wrong sizes and values a `ValueError`. How the shapes of several arguments
fit each other is the business of `_door`.
"""

import math
import numbers
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.floating[Any]]
BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.intp]
if TYPE_CHECKING:
    from numpy.random import Generator as Generator
else:  # who draws loads it: in a browser that takes as long as the rest of this package
    Generator = Any

# What to do about an array that does not hold real numbers, by the kind of its dtype.
_DTYPE_HINTS = {
    "U": "turn words into vectors of numbers first",
    "S": "turn words into vectors of numbers first",
    "O": "look for None, words or lists among the entries",
    "c": "take the real part or the absolute value",
    "b": "a boolean array belongs in mask; .astype(float) makes it zeros and ones",
}


def fail(error: type[Exception], function: str, text: str, hint: str) -> NoReturn:
    """Raise an error that names the function and says what to do."""
    raise error(f"{function}: {text}" + f"; {hint}" * bool(hint) + ".") from None


def refuse(
    error: type[Exception], function: str, name: str, x: Any, must: str, hint: str
) -> NoReturn:
    """Say what an argument must be and what came: its type if that is wrong, else its value."""
    got = type(x).__name__ if error is TypeError else f'"{x}"' if isinstance(x, str) else x
    fail(error, function, f"{name} must be {must}, got {got}", hint)


def misfit(
    function: str, name: str, shape: tuple[int, ...], letters: str, numbers: str, hint: str
) -> NoReturn:
    """Say what shape came, and what was expected: in letters, and in numbers if they say more."""
    expected = letters + f" = {numbers}" * (letters != numbers)
    fail(ValueError, function, f"{name} has shape {shape} but {expected} is expected", hint)


def is_generator(x: Any) -> bool:
    """Whether random numbers can be drawn from it."""
    return isinstance(x, np.random.Generator)


def _array(function: str, name: str, x: ArrayLike, shape: str) -> NDArray[Any]:
    """`x` as an array, if it is one: the rows of a list may differ in length."""
    try:
        return np.asarray(x)
    except ValueError:
        text = f"{name} is a ragged list but an array of shape {shape} is expected"
        fail(ValueError, function, text, "give every row the same length")


def real_array(function: str, name: str, x: ArrayLike, shape: str) -> FloatArray:
    """`x` as an array of floats; integers become float64."""
    array = _array(function, name, x, shape)
    if array.dtype.kind not in "fiu":
        hint = _DTYPE_HINTS.get(array.dtype.kind, "convert it to numbers first")
        text = f"{name} has dtype {array.dtype} but real numbers are expected"
        fail(TypeError, function, text, hint)
    return array if array.dtype.kind == "f" else array.astype(np.float64)


def integers(function: str, name: str, x: ArrayLike, shape: str, hint: str) -> IntArray:
    """`x` as an array of integers."""
    array = _array(function, name, x, shape)
    if array.size and array.dtype.kind not in "iu":  # an empty list has dtype float64
        fail(TypeError, function, f"{name} has dtype {array.dtype} but integers are expected", hint)
    return array.astype(np.intp, copy=False)


def booleans(function: str, name: str, x: ArrayLike, shape: str) -> BoolArray:
    """`x` as an array of booleans."""
    array = _array(function, name, x, shape)
    if array.dtype != np.bool_:
        hint = "True means may attend, numbers to add to the scores are a bias"
        fail(TypeError, function, f"{name} has dtype {array.dtype} but bool is expected", hint)
    return array


def no_negatives(function: str, name: str, x: FloatArray) -> None:
    """Weights must not be negative."""
    if (x < 0).any():
        hint = "are these scores? softmax turns scores into weights"
        fail(ValueError, function, f"{name} must be at least 0, got {np.nanmin(x):.4g}", hint)


def result(
    function: str, name: str, x: ArrayLike, letters: str, shape: tuple[int, ...], hint: str
) -> FloatArray:
    """What a function of the caller's own has returned, if it has the right shape."""
    name = f"the result of {name}"
    array = real_array(function, name, x, letters)
    if array.shape != shape:
        misfit(function, name, array.shape, letters, str(shape), hint)
    return array


def number(
    function: str, name: str, x: float, expected: str, hint: str, low: float, high: float = math.inf
) -> float:
    """`x` as a float from `low` to `high`."""
    if type(x) is not float and (isinstance(x, bool) or not isinstance(x, numbers.Real)):
        refuse(TypeError, function, name, x, expected, hint)
    try:
        value = float(x)
    except OverflowError:  # an integer of more than 308 digits
        value = math.inf if x > 0 else -math.inf
    if not low <= value <= high:  # also catches NaN
        refuse(ValueError, function, name, x, expected, hint)
    return value


def integer(
    function: str,
    name: str,
    x: int,
    expected: str,
    hint: str,
    low: int,
    high: float = math.inf,
    step: int = 1,
) -> int:
    """`x` as an integer from `low` to `high`, and `low` plus a multiple of `step`."""
    if type(x) is not int and (isinstance(x, bool) or not isinstance(x, numbers.Integral)):
        refuse(TypeError, function, name, x, expected, hint)
    value = int(x)
    if not low <= value <= high or (value - low) % step:
        refuse(ValueError, function, name, x, expected, hint)
    return value


def axis(function: str, name: str, array: str, shape: tuple[int, ...], x: int) -> int:
    """`x` as one of the axes of an array, counted from 0, with something along it."""
    n = len(shape)
    if type(x) is not int or not -n <= x < n:
        expected = f"an integer from {-n} to {n - 1} for {array} of shape {shape}"
        x = integer(function, name, x, expected, "", -n, n - 1)
    if not shape[x]:
        text = f"{array} has shape {shape} with nothing along axis {x}"
        fail(ValueError, function, text, "weights need at least one entry to share")
    return x % n


def choice(function: str, name: str, x: str, options: Sequence[str], hint: str) -> str:
    """`x`, if it is one of these words."""
    expected = " or ".join(f'"{option}"' for option in options)
    if not isinstance(x, str) or x not in options:
        error = ValueError if isinstance(x, str) else TypeError
        refuse(error, function, name, x, expected, hint)
    return str(x)


def flag(function: str, name: str, x: bool, hint: str) -> bool:
    """`x` as True or False."""
    if not isinstance(x, bool | np.bool_):
        refuse(TypeError, function, name, x, "True or False", hint)
    return bool(x)


def fields(function: str, name: str, x: Any, kind: Any) -> None:
    """`x` is a NamedTuple of the right kind."""
    if not isinstance(x, kind):
        expected = f"{kind.__name__}({', '.join(kind._fields)})"
        refuse(TypeError, function, name, x, expected, "arrays are passed in by name")
