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


def _array(function: str, name: str, x: ArrayLike, shape: str) -> NDArray[Any]:
    """`x` as an array, if it is one: the rows of a list may differ in length."""
    try:
        return np.asarray(x)
    except ValueError:
        raise ValueError(
            f"{function}: {name} is a ragged list but an array of shape {shape} is expected; "
            "give every row the same length."
        ) from None


def real_array(function: str, name: str, x: ArrayLike, *, shape: str, rank: int) -> FloatArray:
    """`x` as an array of floats with at least `rank` axes; integers become float64."""
    array = _array(function, name, x, shape)
    if array.dtype.kind not in "fiu":
        hint = _DTYPE_HINTS.get(array.dtype.kind, "convert it to numbers first")
        raise TypeError(
            f"{function}: {name} has dtype {array.dtype} but real numbers are expected; {hint}."
        )
    if array.ndim < rank:
        to_do = f"{name}[None] has one axis more" if array.ndim else "put a single number in a list"
        hint = _RANK_HINTS.get(name, to_do)
        raise ValueError(
            f"{function}: {name} has shape {array.shape} but {shape} is expected; {hint}."
        )
    return array if array.dtype.kind == "f" else array.astype(np.float64)


def widen(x: FloatArray) -> FloatArray:
    """`x` in a dtype that is safe to compute in: float16 becomes float32, others stay."""
    return x.astype(np.promote_types(x.dtype, np.float32), copy=False)


def narrow(x: FloatArray, dtype: np.dtype[Any]) -> FloatArray:
    """`x` in the dtype of what came in; what is too large for it is infinite, too small 0."""
    with np.errstate(over="ignore", under="ignore"):
        return x.astype(dtype, copy=False)


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


def number(
    function: str,
    name: str,
    x: float,
    expected: str,
    hint: str,
    low: float,
    high: float = math.inf,
) -> float:
    """`x` as a float from `low` to `high`."""
    if isinstance(x, bool) or not isinstance(x, numbers.Real):
        raise TypeError(f"{function}: {name} must be {expected}, got {type(x).__name__}; {hint}.")
    try:
        value = float(x)
    except OverflowError:  # an integer of more than 308 digits
        value = math.inf if x > 0 else -math.inf
    if not low <= value <= high:  # also catches NaN
        raise ValueError(f"{function}: {name} must be {expected}, got {x}; {hint}.")
    return value


def temperature(function: str, x: float) -> float:
    """`x` as a temperature."""
    hint = "0 gives hardmax, np.inf gives uniform weights"
    return number(function, "temperature", x, "a number from 0 to inf", hint, 0)


def bandwidth(function: str, x: float) -> float:
    """`x` as a bandwidth."""
    hint = "for its limit at 0, the nearest key alone, use temperature=0"
    return above_0(function, "bandwidth", x, hint)


def base(function: str, x: float) -> float:
    """`x` as the base of a logarithm."""
    hint = "2 measures in bits, math.e in nats"
    return number(function, "base", x, "a number above 1", hint, math.nextafter(1, 2))


def encoding_base(function: str, x: float) -> float:
    """`x` as the base of the wavelengths of a positional encoding."""
    hint = "the longest wave is almost 2 pi base positions long"
    return number(function, "base", x, "a number of at least 1", hint, 1)


def eps(function: str, x: float) -> float:
    """`x` as what keeps a row of equal numbers from being divided by 0."""
    hint = "it is added to a variance"
    return number(function, "eps", x, "a number of at least 0", hint, 0)


def negative_slope(function: str, x: float) -> float:
    """`x` as the slope of LeakyReLU below 0."""
    hint = "0 gives ReLU, 1 no bend at all"
    return number(function, "negative_slope", x, "a number from 0 to 1", hint, 0, 1)


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
    if isinstance(x, bool) or not isinstance(x, numbers.Integral):
        raise TypeError(f"{function}: {name} must be {expected}, got {type(x).__name__}; {hint}.")
    value = int(x)
    if not low <= value <= high or (value - low) % step:
        raise ValueError(f"{function}: {name} must be {expected}, got {x}; {hint}.")
    return value


def count(function: str, name: str, x: int, hint: str, low: int = 0, step: int = 1) -> int:
    """`x` as an integer of at least `low`, and `low` plus a multiple of `step`."""
    kind = {(0, 1): "an", (1, 1): "an", (2, 2): "an even", (1, 2): "an odd"}[low, step]
    expected = f"{kind} integer of at least {low}"
    return integer(function, name, x, expected, hint, low, step=step)


def index(function: str, name: str, x: Any, n: int, hint: str) -> int:
    """`x` as an index of one of `n` things."""
    return integer(function, name, x, f"an integer from 0 to {n - 1}", hint, 0, n - 1)


def choice(function: str, name: str, x: str, options: Sequence[str], hint: str) -> str:
    """`x`, if it is one of these words."""
    expected = " or ".join(f'"{option}"' for option in options)
    if not isinstance(x, str):
        raise TypeError(f"{function}: {name} must be {expected}, got {type(x).__name__}; {hint}.")
    if x not in options:
        raise ValueError(f'{function}: {name} must be {expected}, got "{x}"; {hint}.')
    return str(x)


def flag(
    function: str, name: str, x: bool, hint: str = "an array that hides keys belongs in mask"
) -> bool:
    """`x` as True or False."""
    if not isinstance(x, bool | np.bool_):
        raise TypeError(
            f"{function}: {name} must be True or False, got {type(x).__name__}; {hint}."
        )
    return bool(x)


def no_negatives(function: str, name: str, x: FloatArray) -> None:
    """Weights must not be negative."""
    if (x < 0).any():
        raise ValueError(
            f"{function}: {name} must be at least 0, got {np.nanmin(x):.4g}; "
            "are these scores? softmax turns scores into weights."
        )


def finite(function: str, name: str, x: FloatArray) -> None:
    """Positions must be somewhere."""
    wrong = x[~np.isfinite(x)]
    if wrong.size:
        raise ValueError(f"{function}: {name} must be finite, got {wrong[0]}; it cannot be drawn.")


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
    function: str,
    mask: ArrayLike,
    size: tuple[int, ...],
    target: str = "(..., n_q, n_k)",
    name: str = "mask",
) -> BoolArray:
    """`mask` as booleans of shape `size`."""
    array = _array(function, name, mask, f"{target} = {size}")
    if array.dtype != np.bool_:
        raise TypeError(
            f"{function}: {name} has dtype {array.dtype} but bool is expected; "
            "True means may attend, numbers to add to the scores are a bias."
        )
    _fits(function, name, array.shape, target, size)
    return np.broadcast_to(array, size)


def bias_for(
    function: str,
    bias: ArrayLike,
    size: tuple[int, ...],
    target: str = "(..., n_q, n_k)",
    name: str = "bias",
) -> FloatArray:
    """`bias` as floats of shape `size`."""
    array = real_array(function, name, bias, shape=target, rank=0)
    _fits(function, name, array.shape, target, size)
    return np.broadcast_to(array, size)


def rank_of(x: ArrayLike) -> int:
    """Number of axes of `x`; 0 for a ragged list, which is refused later."""
    try:
        return np.ndim(x)
    except ValueError:
        return 0


def sized(
    function: str, name: str, x: ArrayLike, shape: str, size: tuple[int | None, ...], hint: str
) -> FloatArray:
    """`x` as floats of exactly this size; None stands for any number of what has a symbol."""
    array = real_array(function, name, x, shape=shape, rank=0)
    fits = array.ndim == len(size) and all(
        wanted in (n, None) for n, wanted in zip(array.shape, size, strict=True)
    )
    if not fits:
        symbols = [""] * len(size) + shape.strip("(,)").split(", ")
        symbols = symbols[-len(size) :]  # the size may spell out what ... stands for
        known = ", ".join(
            symbol if n is None else str(n) for symbol, n in zip(symbols, size, strict=True)
        )
        raise ValueError(
            f"{function}: {name} has shape {array.shape} but {shape} = "
            f"({known}{',' if len(size) == 1 else ''}) is expected; {hint}."
        )
    return array


def arrays_in(params: tuple[Any, ...]) -> list[FloatArray]:
    """The arrays of a NamedTuple, and of those inside it."""
    nested = [arrays_in(x) if isinstance(x, tuple) else [x] for x in params if x is not None]
    return [x for group in nested for x in group]


def fields_of(function: str, name: str, params: Any, kind: type) -> None:
    """`params` is a NamedTuple of the right kind."""
    if not isinstance(params, kind):
        fields = ", ".join(kind._fields)  # type: ignore[attr-defined]
        raise TypeError(
            f"{function}: {name} must be {kind.__name__}({fields}), "
            f"got {type(params).__name__}; arrays are passed in by name."
        )


def heads_of(function: str, name: str, x: FloatArray, n_heads: int) -> None:
    """The last axis of `x` can be cut into `n_heads` equal parts."""
    if x.shape[-1] % n_heads:
        raise ValueError(
            f"{function}: {name} has {x.shape[-1]} columns ({name} {x.shape}) but "
            f"n_heads * d_head with n_heads={n_heads} is expected; all heads have one width."
        )


def even_width(function: str, name: str, x: FloatArray) -> None:
    """The features of `x` come in pairs."""
    if x.shape[-1] % 2:
        raise ValueError(
            f"{function}: {name} has d={x.shape[-1]} ({name} {x.shape}) but an even d is "
            "expected; features are turned in pairs."
        )


def positions_for(function: str, positions: ArrayLike, size: tuple[int, ...]) -> FloatArray:
    """`positions` as numbers of shape `size`, in float64."""
    array = real_array(function, "positions", positions, shape="(..., n)", rank=0)
    _fits(function, "positions", array.shape, "(..., n)", size)
    return np.broadcast_to(array.astype(np.float64), size)


def features(
    function: str, name: str, x: ArrayLike, shape: str = "(..., d)", rank: int = 1
) -> FloatArray:
    """`x` as rows of at least one feature."""
    array = real_array(function, name, x, shape=shape, rank=rank)
    if array.shape[-1] == 0:
        raise ValueError(
            f"{function}: {name} has d=0 ({name} {array.shape}); "
            "there must be at least one feature."
        )
    return array


def sequence(
    function: str, name: str, x: ArrayLike, shape: str = "(..., n, d)", n: str = "n"
) -> FloatArray:
    """`x` as at least one row of features."""
    array = features(function, name, x, shape, rank=2)
    if array.shape[-2] == 0:
        raise ValueError(
            f"{function}: {name} has {n}=0 ({name} {array.shape}); there must be at least one row."
        )
    return array


def memory_for(function: str, memory: ArrayLike, x: FloatArray) -> FloatArray:
    """`memory` (..., n_memory, d_memory) that fits `x`."""
    array = sequence(function, "memory", memory, "(..., n_memory, d_memory)", "n_memory")
    _leading(function, x=x, memory=array)
    return array


def elementwise(function: str, name: str, f: Callable[..., Any], x: FloatArray) -> FloatArray:
    """f(x), if f is a function that keeps the shape."""
    if not callable(f):
        raise TypeError(
            f"{function}: {name} must be a function of an array, "
            f"got {type(f).__name__}; for example {name}=gelu."
        )
    result = f"the result of {name}"
    array = real_array(function, result, f(x), shape="(..., d_ff)", rank=0)
    if array.shape != x.shape:
        raise ValueError(
            f"{function}: {result} has shape {array.shape} but (..., d_ff) = {x.shape} is "
            f"expected; {name} must work on each number by itself."
        )
    return array.astype(x.dtype, copy=False)


def integers(
    function: str,
    name: str,
    x: ArrayLike,
    *,
    shape: str,
    largest: int,
    symbols: str,
    hint: str,
    smallest: int = 0,
) -> NDArray[np.intp]:
    """`x` as integers from `smallest` to `largest`."""
    array = _array(function, name, x, shape)
    if array.size and array.dtype.kind not in "iu":  # an empty list has dtype float64
        raise TypeError(
            f"{function}: {name} has dtype {array.dtype} but integers are expected; {hint}."
        )
    if array.size and not (array.min() >= smallest and array.max() <= largest):
        wrong = array.min() if array.min() < smallest else array.max()
        raise ValueError(
            f"{function}: {name} must be from {smallest} to {symbols} = {largest}, got {wrong}; "
            f"{hint}."
        )
    return array.astype(np.intp, copy=False)


def of_rank(function: str, name: str, x: ArrayLike, shape: str, rank: int, hint: str) -> FloatArray:
    """`x` as floats with exactly `rank` axes."""
    array = real_array(function, name, x, shape=shape, rank=0)
    if array.ndim != rank:
        raise ValueError(
            f"{function}: {name} has shape {array.shape} but {shape} is expected; {hint}."
        )
    return array


def some_head(function: str, name: str, w: FloatArray) -> None:
    """`w` (F, n_heads, F') has at least one head."""
    if w.shape[1] == 0:
        raise ValueError(
            f"{function}: {name} has n_heads=0 ({name} {w.shape}); there must be at least one head."
        )


def segments(function: str, x: ArrayLike, n_entries: int, n_segments: int) -> NDArray[np.intp]:
    """`x` (E,) as one segment for each of the E scores."""
    hint = "segments are counted from 0"
    array = integers(
        *(function, "segments", x),
        shape="(E,)",
        largest=n_segments - 1,
        symbols="n_segments - 1",
        hint=hint,
    )
    if array.shape != (n_entries,):
        raise ValueError(
            f"{function}: segments has shape {array.shape} but (E,) = ({n_entries},) is expected; "
            "each row of scores belongs to one segment."
        )
    return array


def edges(
    function: str,
    senders: ArrayLike,
    receivers: ArrayLike,
    n_senders: int,
    n_receivers: int,
    symbols: tuple[str, str] = ("n_nodes", "n_nodes"),
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """`senders` and `receivers` (E,), which name nodes that exist."""

    def end(name: str, x: ArrayLike, n: int, symbol: str) -> NDArray[np.intp]:
        array = integers(
            *(function, name, x),
            shape="(E,)",
            largest=n - 1,
            symbols=f"{symbol} - 1",
            hint="nodes are counted from 0",
        )
        if array.ndim != 1:
            raise ValueError(
                f"{function}: {name} has shape {array.shape} but (E,) is expected; "
                "edge e runs from senders[e] to receivers[e]."
            )
        return array

    start = end("senders", senders, n_senders, symbols[0])
    stop = end("receivers", receivers, n_receivers, symbols[1])
    if len(start) != len(stop):
        raise ValueError(
            f"{function}: receivers has E={len(stop)} but senders has E={len(start)}; "
            "edge e runs from senders[e] to receivers[e]."
        )
    return start, stop


def edge_bias_for(function: str, x: ArrayLike, size: tuple[int, int]) -> FloatArray:
    """`x` as one number for each edge and head."""
    hint = "one number an edge is a column, edge_bias[:, None]"
    array = of_rank(function, "edge_bias", x, f"(E, n_heads) = {size}", 2, hint)
    _fits(function, "edge_bias", array.shape, "(E, n_heads)", size)
    return np.broadcast_to(array, size)


def edge_weights(function: str, x: ArrayLike, n_edges: int, n_nodes: int) -> FloatArray:
    """`x` as one weight for each edge, and perhaps one for the self loop of each node."""
    array = real_array(function, "weights", x, shape="(E,) or (E + n_nodes,)", rank=0)
    if array.shape not in ((n_edges,), (n_edges + n_nodes,)):
        raise ValueError(
            f"{function}: weights has shape {array.shape} but (E,) = ({n_edges},) or "
            f"(E + n_nodes,) = ({n_edges + n_nodes},) is expected; "
            "choose one head, such as weights[:, 0]."
        )
    no_negatives(function, "weights", array)
    return array


def node(function: str, name: str, x: int, n_nodes: int) -> int:
    """`x` as one of the nodes."""
    expected, hint = f"an integer from 0 to n_nodes - 1 = {n_nodes - 1}", "nodes are counted from 0"
    return integer(function, name, x, expected, hint, 0, n_nodes - 1)


def no_self_edges(function: str, senders: NDArray[np.intp], receivers: NDArray[np.intp]) -> None:
    """There is no edge from a node to itself yet."""
    (found,) = np.nonzero(senders == receivers)
    if found.size:
        raise ValueError(
            f"{function}: edge {found[0]} runs from node {senders[found[0]]} to itself but "
            "self_loops=True adds such an edge to every node; leave it out or set "
            "self_loops=False."
        )


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


def matrix(
    function: str,
    name: str,
    x: ArrayLike,
    shape: str = "(n_q, n_k) or (n_k,)",
    rank: int = 1,
) -> FloatArray:
    """`x` as a matrix; a vector, if it is allowed, becomes one row."""
    array = real_array(function, name, x, shape=shape, rank=rank)
    if array.ndim > 2 or array.size == 0:
        raise ValueError(
            f"{function}: {name} has shape {array.shape} but {shape} is expected; "
            f"choose one matrix that is not empty, such as {name}[0]."
        )
    return np.atleast_2d(array)


def entries(x: Any) -> list[Any] | None:
    """What stands in a list, an array or the like; None for text and for one thing alone."""
    return list(x) if np.iterable(x) and not isinstance(x, str) else None


def words(function: str, name: str, texts: Any, how_many: str) -> list[str]:
    """`texts` as a list of words; a message says how many there should be."""
    given = entries(texts)
    if given is None or not all(isinstance(text, str) for text in given):
        raise TypeError(
            f"{function}: {name} must be a list of {how_many} words, "
            f"got {type(texts).__name__}; write each label as text."
        )
    return [str(text) for text in given]


def labels(function: str, name: str, texts: Sequence[str], n: int, symbol: str) -> list[str]:
    """`texts` as one label for each of `n` rows or columns."""
    given = words(function, name, texts, f"{symbol}={n}")
    if len(given) != n:
        raise ValueError(
            f"{function}: {name} has {len(given)} labels but {symbol}={n} are expected; "
            "give one label each."
        )
    return given


def tokens_for(function: str, x: ArrayLike, n_symbols: int) -> NDArray[np.intp]:
    """`x` as at least one symbol a row."""
    shape, hint = "(..., n)", "symbols are counted from 0"
    array = integers(
        *(function, "tokens", x),
        shape=shape,
        largest=n_symbols - 1,
        symbols="n_symbols - 1",
        hint=hint,
    )
    if array.ndim == 0 or array.shape[-1] == 0:
        raise ValueError(
            f"{function}: tokens has shape {array.shape} but {shape} is expected; "
            "there must be at least one token."
        )
    return array


def targets_for(function: str, x: ArrayLike, logits: tuple[int, ...]) -> NDArray[np.intp]:
    """`x` as a class or -1 for each row of logits of this shape, at least one a class."""
    hint = "-1 where nothing is asked"
    array = integers(
        *(function, "targets", x),
        shape="(..., n)",
        smallest=-1,
        largest=logits[-1] - 1,
        symbols="n_classes - 1",
        hint=hint,
    )
    if array.shape != logits[:-1]:
        raise ValueError(
            f"{function}: targets has shape {array.shape} but (..., n) = {logits[:-1]} is "
            f"expected; one class for each row of logits {logits}."
        )
    if not (array >= 0).any():
        raise ValueError(
            f"{function}: targets has no class (shape {array.shape}, all are -1) but at least one "
            "is expected; the loss is a mean over what is asked."
        )
    return array


def generator(function: str, x: np.random.Generator) -> np.random.Generator:
    """`x`, if random numbers can be drawn from it."""
    if not isinstance(x, np.random.Generator):
        raise TypeError(
            f"{function}: rng must be a numpy.random.Generator, got {type(x).__name__}; "
            "for example np.random.default_rng(0)."
        )
    return x


def part_of(function: str, name: str, x: int, whole: str, n: int) -> int:
    """`x` as the number of distinct things to draw from `n`."""
    expected = f"an integer from 1 to {whole} = {n}"
    return integer(function, name, x, expected, "what is drawn is distinct", 1, n)


def parameters(
    function: str, name: str, x: Any, like: Sequence[FloatArray] | None = None
) -> list[FloatArray]:
    """The arrays in a tuple, list or NamedTuple; with the shapes of those in `like`."""
    if not isinstance(x, tuple | list):
        raise TypeError(
            f"{function}: {name} must be a NamedTuple, tuple or list of arrays, "
            f"got {type(x).__name__}; a single array goes into a list."
        )
    fields = getattr(x, "_fields", None)
    names = [f"{name}[{i}]" for i in range(len(x))]
    if any(hasattr(part, "_fields") for part in x):
        raise TypeError(
            f"{function}: {name} holds a NamedTuple but arrays are expected; "
            "put the arrays of all into one list."
        )
    if fields is not None:
        names = [f"{name}.{field}" for field in fields]
    arrays = [
        real_array(function, part, array, shape="(...)", rank=0)
        for part, array in zip(names, x, strict=True)
    ]
    if like is None:
        return arrays
    if len(arrays) != len(like):
        raise ValueError(
            f"{function}: {name} has {len(arrays)} arrays but params has {len(like)}; "
            "there must be one for each."
        )
    for part, array, wanted in zip(names, arrays, like, strict=True):
        if array.shape != wanted.shape:
            raise ValueError(
                f"{function}: {part} has shape {array.shape} but {wanted.shape} is expected; "
                "the shape of the parameter."
            )
    return arrays


def learning_rate(function: str, x: float) -> float:
    """`x` as a learning rate."""
    hint = "Adam changes each parameter by about as much in a step"
    largest = math.nextafter(math.inf, 0)
    return number(function, "learning_rate", x, "a finite number of at least 0", hint, 0, largest)


def decay(function: str, name: str, x: float) -> float:
    """`x` as the part of a running mean that is kept."""
    hint = "it is the part of a running mean that is kept in a step"
    below = math.nextafter(1, 0)
    return number(function, name, x, "a number from 0 to below 1", hint, 0, below)


def above_0(function: str, name: str, x: float, hint: str) -> float:
    """`x` as a positive number."""
    return number(function, name, x, "a number above 0", hint, math.ulp(0.0))


def function_of(function: str, name: str, f: Any, arguments: str, example: str) -> None:
    """`f` can be called."""
    if not callable(f):
        raise TypeError(
            f"{function}: {name} must be a function of {arguments}, got {type(f).__name__}; "
            f"for example {example}."
        )


def pair(function: str, name: str, x: Any, expected: str) -> tuple[Any, Any]:
    """`x`, if it is a tuple or list of two things."""
    if not isinstance(x, tuple | list):
        got = type(x).__name__
    elif len(x) != 2:
        got = f"{type(x).__name__} of {len(x)}"
    else:
        return x[0], x[1]
    raise TypeError(f"{function}: {name} must be {expected}, got {got}; return both.")


def scalar(function: str, name: str, x: Any) -> float:
    """`x` as one number."""
    array = real_array(function, name, x, shape="()", rank=0)
    if array.ndim:
        raise ValueError(
            f"{function}: {name} has shape {array.shape} but () is expected; "
            "a single number, such as a sum."
        )
    return float(array)
