"""Attention with a mistake inside, and the probes that find it. Taught on the page *pitfalls*.

All mistakes are in the weights (n_q, n_k); the output is `weights @ value`. A probe runs a layer
twice at most and says what a right one would give: it needs no right answers, only the layer.
"""

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np

from attnutils._checked import checked
from attnutils._checks import ArrayLike, BoolArray, Choice, FloatArray, Function
from attnutils._shapes import Mask
from attnutils.mechanism import AttentionOutput
from attnutils.normalize import masked_softmax
from attnutils.scores import dot_scores, scaled_dot_scores

__all__ = ["Probed", "mistaken_attention", "probe_attention"]

Weights = Callable[[FloatArray, FloatArray, BoolArray], FloatArray]
Query = Annotated[ArrayLike, "n_q+ d_k"]
Key = Annotated[ArrayLike, "n_k+ d_k"]
Value = Annotated[ArrayLike, "n_k+ d_v"]

LEAST = 1e-6  # an output that is off by less is right
FAR = 10_000.0  # how far keys are shifted


def _right(q: FloatArray, k: FloatArray, mask: BoolArray) -> FloatArray:
    return masked_softmax(scaled_dot_scores(q, k), mask)


def _exponentials(q: FloatArray, k: FloatArray, mask: BoolArray) -> FloatArray:
    """Of scores that have lost the largest that is open in their row; 0 where hidden."""
    s = scaled_dot_scores(q, k)
    top = s.max(axis=-1, keepdims=True, where=mask, initial=np.finfo(s.dtype).min)
    return np.exp(np.where(mask, s - top, -np.inf))


def _shared(e: FloatArray, total: FloatArray) -> FloatArray:
    return np.asarray(e / np.where(total == 0, 1, total))


def _no_keepdims(q: FloatArray, k: FloatArray, mask: BoolArray) -> FloatArray:
    e = _exponentials(q, k, mask)
    return _shared(e, e.sum(axis=-1))


def _over_queries(q: FloatArray, k: FloatArray, mask: BoolArray) -> FloatArray:
    return masked_softmax(scaled_dot_scores(q, k), mask, axis=-2)


def _no_maximum(q: FloatArray, k: FloatArray, mask: BoolArray) -> FloatArray:
    e = np.where(mask, np.exp(scaled_dot_scores(q, k)), 0)
    return _shared(e, e.sum(axis=-1, keepdims=True))


def _divided_by(divisor: Callable[[FloatArray], float]) -> Weights:
    return lambda q, k, mask: masked_softmax(dot_scores(q, k) / divisor(q), mask)


def _mask_after(q: FloatArray, k: FloatArray, mask: BoolArray) -> FloatArray:
    return np.where(mask, masked_softmax(scaled_dot_scores(q, k)), 0)


def _hidden_at(score: float) -> Weights:
    return lambda q, k, mask: masked_softmax(np.where(mask, scaled_dot_scores(q, k), score))


def _no_guard(q: FloatArray, k: FloatArray, mask: BoolArray) -> FloatArray:
    s = np.where(mask, scaled_dot_scores(q, k), -np.inf)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return np.asarray(e / e.sum(axis=-1, keepdims=True))


def _one_more(q: FloatArray, k: FloatArray, mask: BoolArray) -> FloatArray:
    e = _exponentials(q, k, mask)
    return np.asarray(e / (1 + e.sum(axis=-1, keepdims=True)))


def _triangle(q: FloatArray, k: FloatArray, mask: BoolArray) -> FloatArray:
    return _right(q, k, np.tril(mask))


#: Weights (n_q, n_k) from queries, keys and a mask, by what is wrong with them.
MISTAKES: dict[str, Weights] = {
    "no mistake": _right,
    "no keepdims": _no_keepdims,
    "softmax over queries": _over_queries,
    "no maximum subtracted": _no_maximum,
    "divided by d": _divided_by(lambda q: q.shape[-1]),
    "divided by root of n_q": _divided_by(lambda q: len(q) ** 0.5),
    "mask after softmax": _mask_after,
    "hidden scores -1e9": _hidden_at(-1e9),
    "not divided": _divided_by(lambda q: 1),
    "mask not used": lambda q, k, mask: _right(q, k, np.ones_like(mask)),
    "mask reversed": lambda q, k, mask: _right(q, k, ~mask),
    "hidden scores 0": _hidden_at(0),
    "no guard for nothing": _no_guard,
    "one more in the total": _one_more,
    "a triangle built in": _triangle,
    "weights transposed": lambda q, k, mask: _right(q, k, mask).T,
}

Mistake = Annotated[str, Choice(*MISTAKES)]


@checked
def mistaken_attention(
    query: Query,
    key: Key,
    value: Value,
    mask: Annotated[ArrayLike | None, Mask("n_q n_k")] = None,
    *,
    mistake: Mistake = "no mistake",
) -> Annotated[AttentionOutput, "n_q d_v", "n_q n_k"]:
    """Scaled dot-product attention of one head, with a mistake inside.

    Parameters
    ----------
    query
        A query in each row.
    key
        A key in each row.
    value
        A value for each key.
    mask
        True means that the query may attend to the key.
    mistake
        What is wrong with the weights.

    Returns
    -------
    AttentionOutput
        The output, and the weights that led to it.

    Raises
    ------
    ValueError
        Where the mistake itself raises one: some need as many queries as keys.

    Examples
    --------
    >>> rows = [[0, 2], [1, 0]]
    >>> mistaken_attention(rows, rows, [[0], [1]], mistake="no keepdims").weights.sum(axis=-1)
    array([0.98377954, 1.13531345])
    """
    shape = len(query), len(key)
    seen: BoolArray = np.broadcast_to(True if mask is None else np.asarray(mask), shape)
    weights = MISTAKES[mistake](query, key, seen)
    return AttentionOutput(weights @ value, weights)


Attend = Callable[[FloatArray, FloatArray, FloatArray, BoolArray], FloatArray]


class Probed(NamedTuple):
    """What a layer gave under a probe, and what it would have given if it were right."""

    output: FloatArray
    wanted: FloatArray


Probe = Callable[[Attend, FloatArray, FloatArray, FloatArray], Probed]


def _open(q: FloatArray, k: FloatArray) -> BoolArray:
    return np.ones((len(q), len(k)), dtype=bool)


def _ones(f: Attend, q: FloatArray, k: FloatArray, v: FloatArray) -> Probed:
    ones = np.ones_like(v)
    return Probed(f(q, k, ones, _open(q, k)), np.ones((len(q), v.shape[1])))


def _shifted(f: Attend, q: FloatArray, k: FloatArray, v: FloatArray) -> Probed:
    return Probed(f(q, k + FAR, v, _open(q, k)), f(q, k, v, _open(q, k)))


def _shuffled(f: Attend, q: FloatArray, k: FloatArray, v: FloatArray) -> Probed:
    return Probed(f(q, k[::-1], v[::-1], _open(q, k)), f(q, k, v, _open(q, k)))


def _one_query(f: Attend, q: FloatArray, k: FloatArray, v: FloatArray) -> Probed:
    seen = _open(q, k)
    return Probed(f(q[-1:], k, v, seen[-1:]), f(q, k, v, seen)[-1:])


def _twice(f: Attend, q: FloatArray, k: FloatArray, v: FloatArray) -> Probed:
    k2, v2 = np.vstack([k, k]), np.vstack([v, v])
    return Probed(f(q, k2, v2, _open(q, k2)), f(q, k, v, _open(q, k)))


def _wide(f: Attend, q: FloatArray, k: FloatArray, v: FloatArray) -> Probed:
    q2, k2 = (np.hstack([x, x]) / 2**0.25 for x in (q, k))
    return Probed(f(q2, k2, v, _open(q, k)), f(q, k, v, _open(q, k)))


def _hidden(f: Attend, q: FloatArray, k: FloatArray, v: FloatArray) -> Probed:
    at = len(k) // 2
    seen = _open(q, k) & (np.arange(len(k)) != at)
    k2, v2 = k.copy(), v.copy()
    k2[at], v2[at] = -k[at], 9
    return Probed(f(q, k2, v2, seen), f(q, k, v, seen))


def _empty(f: Attend, q: FloatArray, k: FloatArray, v: FloatArray) -> Probed:
    seen = _open(q, k) & (np.arange(len(q)) < len(q) - 1)[:, None]
    wanted = f(q, k, v, _open(q, k)).copy()
    wanted[-1] = 0
    return Probed(f(q, k, v, seen), wanted)


#: What is done to the input of a layer, by its name.
PROBES: dict[str, Probe] = {
    "all values 1": _ones,
    "keys shifted": _shifted,
    "keys shuffled": _shuffled,
    "one query": _one_query,
    "everything twice": _twice,
    "twice as wide": _wide,
    "a hidden key": _hidden,
    "an empty row": _empty,
}

ProbeName = Annotated[str, Choice(*PROBES)]


@checked
def probe_attention(
    layer: Annotated[Any, Function("query, key, value and mask", "")],
    query: Query,
    key: Key,
    value: Value,
    *,
    probe: ProbeName,
) -> Annotated[Probed, "n d_v", "n d_v"]:
    """What a layer gives under a probe, and what it would give if it were right.

    No answer is known beforehand: the layer is asked twice, or its output follows from its input.

    Parameters
    ----------
    layer
        What is probed: `layer(query, key, value, mask)` returns an output (n_q, d_v).
    query
        A query in each row.
    key
        A key in each row.
    value
        A value for each key.
    probe
        What is done. All values become 1; all keys are shifted by one vector, or put in another
        order together with their values; the last query asks alone; keys and values come twice;
        queries and keys become twice as wide; a hidden key and its value are changed; the last
        query may attend to nothing.

    Returns
    -------
    Probed
        For each query that was asked, the output and what it should be.

    Raises
    ------
    ValueError
        Where the layer raises one.

    Examples
    --------
    >>> def layer(query, key, value, mask):
    ...     return mistaken_attention(query, key, value, mask, mistake="divided by d").output
    >>> rows = [[0, 2], [1, 0]]
    >>> probe_attention(layer, rows, rows, [[0], [1]], probe="twice as wide")
    Probed(output=array([[...]]), wanted=array([[...]]))
    """
    return PROBES[probe](layer, query, key, value)


def keeps(probed: Probed) -> BoolArray:
    """Which outputs are as they should be; NaN is not."""
    return np.asarray((np.abs(probed.output - probed.wanted) <= LEAST).all(axis=-1))


#: What a box may hold, in the order in which names are offered.
SUSPECTS = (
    "no mistake",
    "no keepdims",
    "softmax over queries",
    "no maximum subtracted",
    "divided by d",
    "divided by root of n_q",
    "mask after softmax",
    "hidden scores -1e9",
)


def probed(mistake: str, probe: str, *arrays: object) -> Probed | None:
    """What a probe of a layer gives; None if the layer raises an error."""

    def layer(*given: Any) -> Any:
        return mistaken_attention(*given, mistake=mistake).output

    try:
        return probe_attention(layer, *arrays, probe=probe)
    except ValueError:
        return None
