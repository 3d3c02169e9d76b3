"""Checks at the door: every message about a wrong shape, dtype or number, in one place.

A message names the function, the argument, what was expected (symbols = numbers), what came
instead, and what to do about it. Each check returns the argument in the form that the caller
computes with. Wrong kinds of things are a `TypeError`, wrong sizes and values a `ValueError`.
"""

import math
import numbers
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.floating[Any]]
BoolArray = NDArray[np.bool_]

# What to do about an array that does not hold real numbers, by the kind of its dtype.
_DTYPE_HINTS = {
    "U": "turn words into vectors of numbers first",
    "S": "turn words into vectors of numbers first",
    "O": "look for None, words or lists among the entries",
    "c": "take the real part or the absolute value",
    "b": "a boolean array belongs in mask; .astype(float) makes it zeros and ones",
}

_RANK_HINTS = {
    "query": "give one vector of shape (d_k,) or a row for each query",
    "key": "a single key is a row, key[None, :]",
    "value": "one number a key is a column, value[:, None]",
}


def real_array(function: str, name: str, x: ArrayLike, *, shape: str, rank: int) -> FloatArray:
    """`x` as an array of floats with at least `rank` axes; integers become float64."""
    try:
        array = np.asarray(x)
    except ValueError:
        raise ValueError(
            f"{function}: {name} is a ragged list but an array of shape {shape} is expected; "
            "give every row the same length."
        ) from None
    if array.dtype.kind not in "fiu":
        hint = _DTYPE_HINTS.get(array.dtype.kind, "convert it to numbers first")
        raise TypeError(
            f"{function}: {name} has dtype {array.dtype} but real numbers are expected; {hint}."
        )
    if array.ndim < rank:
        hint = _RANK_HINTS.get(name, "put a single number in a list")
        raise ValueError(
            f"{function}: {name} has shape {array.shape} but {shape} is expected; {hint}."
        )
    return array if array.dtype.kind == "f" else array.astype(np.float64)


def widen(x: FloatArray) -> FloatArray:
    """`x` in a dtype that is safe to compute in: float16 becomes float32, others stay."""
    return x.astype(np.promote_types(x.dtype, np.float32), copy=False)


def narrow(x: FloatArray, dtype: np.dtype[Any]) -> FloatArray:
    """`x` as float16 again, if that is the dtype that came in; what is too large is infinite."""
    if dtype != np.float16:
        return x
    with np.errstate(over="ignore"):
        return x.astype(np.float16)


def axis_of(function: str, name: str, x: FloatArray, axis: int) -> int:
    """`axis` counted from 0, if `x` has it and there is something along it."""
    allowed = f"an integer from {-x.ndim} to {x.ndim - 1} for {name} of shape {x.shape}"
    if isinstance(axis, bool) or not isinstance(axis, numbers.Integral):
        raise TypeError(f"{function}: axis must be {allowed}, got {type(axis).__name__}.")
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"{function}: axis must be {allowed}, got {axis}.")
    if x.shape[axis] == 0:
        raise ValueError(
            f"{function}: {name} has shape {x.shape} with nothing along axis {axis}; "
            "weights need at least one entry to share."
        )
    return int(axis) % x.ndim


def _number(function: str, name: str, x: float, expected: str, hint: str, low: float) -> float:
    """`x` as a float of at least `low`."""
    if isinstance(x, bool) or not isinstance(x, numbers.Real):
        raise TypeError(f"{function}: {name} must be {expected}, got {type(x).__name__}; {hint}.")
    if not x >= low:  # also catches NaN
        raise ValueError(f"{function}: {name} must be {expected}, got {x}; {hint}.")
    try:
        return float(x)
    except OverflowError:  # an integer of more than 308 digits
        return math.inf


def temperature(function: str, x: float) -> float:
    """`x` as a temperature."""
    hint = "0 gives hardmax, np.inf gives uniform weights"
    return _number(function, "temperature", x, "a number from 0 to inf", hint, 0)


def bandwidth(function: str, x: float) -> float:
    """`x` as a bandwidth."""
    hint = "for its limit at 0, the nearest key alone, use temperature=0"
    smallest = math.ulp(0.0)
    return _number(function, "bandwidth", x, "a number above 0", hint, smallest)


def base(function: str, x: float) -> float:
    """`x` as the base of a logarithm."""
    hint = "2 measures in bits, math.e in nats"
    return _number(function, "base", x, "a number above 1", hint, math.nextafter(1, 2))


def flag(function: str, name: str, x: bool) -> bool:
    """`x` as True or False."""
    if not isinstance(x, bool | np.bool_):
        raise TypeError(
            f"{function}: {name} must be True or False, got {type(x).__name__}; "
            "an array that hides keys belongs in mask."
        )
    return bool(x)


def no_negatives(function: str, name: str, x: FloatArray) -> None:
    """Weights must not be negative."""
    if (x < 0).any():
        raise ValueError(
            f"{function}: {name} must be at least 0, got {np.nanmin(x):.4g}; "
            "are these scores? softmax turns scores into weights."
        )


def _leading(function: str, **arrays: FloatArray) -> tuple[int, ...]:
    """The broadcast of all axes but the last two."""
    try:
        return np.broadcast_shapes(*(x.shape[:-2] for x in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {x.shape}" for name, x in arrays.items())
        raise ValueError(
            f"{function}: the leading axes of {' and '.join(arrays)} do not broadcast "
            f"({shapes}); axis by axis, counted from the right, they must be equal or 1."
        ) from None


def query_and_key(
    function: str, query: ArrayLike, key: ArrayLike, *, same_width: bool = True
) -> tuple[FloatArray, FloatArray]:
    """`query` (..., n_q, d_k) or (d_k,) and `key` (..., n_k, d_k) that fit each other."""
    q = real_array(function, "query", query, shape="(..., n_q, d_k)", rank=1)
    k = real_array(function, "key", key, shape="(..., n_k, d_k)", rank=2)
    if same_width and q.shape[-1] != k.shape[-1]:
        raise ValueError(
            f"{function}: key has d_k={k.shape[-1]} but query has d_k={q.shape[-1]} "
            f"(query {q.shape}, key {k.shape}); their last axes must match."
        )
    if k.shape[-2] == 0:
        raise ValueError(
            f"{function}: key has n_k=0 (key {k.shape}); there must be at least one key."
        )
    _leading(function, query=q, key=k)
    return q, k


def value_for(function: str, value: ArrayLike, query: FloatArray, key: FloatArray) -> FloatArray:
    """`value` (..., n_k, d_v) that fits `key`."""
    v = real_array(function, "value", value, shape="(..., n_k, d_v)", rank=2)
    if v.shape[-2] != key.shape[-2]:
        raise ValueError(
            f"{function}: value has n_k={v.shape[-2]} but key has n_k={key.shape[-2]} "
            f"(key {key.shape}, value {v.shape}); each key needs one value."
        )
    _leading(function, query=query, key=key, value=v)
    return v


def _fits(function: str, name: str, shape: tuple[int, ...], target: str, size: Any) -> None:
    """`shape` broadcasts to `size`, the shape of `target`, without enlarging it."""
    try:
        fits = np.broadcast_shapes(shape, size) == size
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(
            f"{function}: {name} has shape {shape} but {target} = {size} is expected; "
            f"{name} must broadcast to that shape and not enlarge it."
        )


def mask_for(
    function: str, mask: ArrayLike, size: tuple[int, ...], target: str = "(..., n_q, n_k)"
) -> BoolArray:
    """`mask` as booleans of shape `size`."""
    try:
        array = np.asarray(mask)
    except ValueError:
        raise ValueError(
            f"{function}: mask is a ragged list but an array of shape {target} = {size} is "
            "expected; give every row the same length."
        ) from None
    if array.dtype != np.bool_:
        raise TypeError(
            f"{function}: mask has dtype {array.dtype} but bool is expected; "
            "True means may attend, numbers to add to the scores are a bias."
        )
    _fits(function, "mask", array.shape, target, size)
    return np.broadcast_to(array, size)


def bias_for(function: str, bias: ArrayLike, size: tuple[int, ...]) -> FloatArray:
    """`bias` as floats of shape `size`."""
    target = "(..., n_q, n_k)"
    array = real_array(function, "bias", bias, shape=target, rank=0)
    _fits(function, "bias", array.shape, target, size)
    return np.broadcast_to(array, size)


def score_function(function: str, scores: Callable[..., Any]) -> None:
    """`scores` can be called."""
    if not callable(scores):
        raise TypeError(
            f"{function}: scores must be a function of query and key, "
            f"got {type(scores).__name__}; for example scores=dot_scores."
        )


def returned_scores(function: str, scores: ArrayLike, size: tuple[int, ...]) -> FloatArray:
    """What a score function returned, if it is a score for each query and key."""
    array = real_array(function, "the result of scores", scores, shape="(..., n_q, n_k)", rank=0)
    if array.shape != size:
        raise ValueError(
            f"{function}: the result of scores has shape {array.shape} but "
            f"(..., n_q, n_k) = {size} is expected; scores must be a function of rows."
        )
    return array


def matrix(function: str, name: str, x: ArrayLike) -> FloatArray:
    """`x` of shape (n_q, n_k); a vector (n_k,) becomes one row."""
    array = real_array(function, name, x, shape="(n_q, n_k) or (n_k,)", rank=1)
    if array.ndim > 2 or array.size == 0:
        raise ValueError(
            f"{function}: {name} has shape {array.shape} but (n_q, n_k) or (n_k,) is expected; "
            f"choose one matrix that is not empty, such as {name}[0]."
        )
    return np.atleast_2d(array)


def labels(function: str, name: str, texts: Sequence[str], n: int, symbol: str) -> list[str]:
    """`texts` as one label for each of `n` rows or columns."""
    if isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
        raise TypeError(
            f"{function}: {name} must be a list of {symbol}={n} words, "
            f"got {type(texts).__name__}; write each label as text."
        )
    if len(texts) != n:
        raise ValueError(
            f"{function}: {name} has {len(texts)} labels but {symbol}={n} are expected; "
            "give one label each."
        )
    return list(texts)
