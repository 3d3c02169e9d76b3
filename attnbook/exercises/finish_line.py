"""The finish line: a head, then a layer, judged by their laws.

Each law runs what the reader wrote on inputs of its own and returns a hint where it does not hold.
So any right layer passes, whatever it looks like inside.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from attnbook.exercises._registry import (
    UNANSWERED,
    attempt,
    expected,
    first_slip,
    holds_ellipsis,
    judged,
    no_verdict,
    numbers,
)
from attnutils._checks import BoolArray, FloatArray
from attnutils.graph import segment_softmax
from attnutils.heads import merge_heads, split_heads
from attnutils.masks import causal_mask
from attnutils.normalize import masked_softmax

N, D, D_K, D_V, D_OUT = 5, 7, 3, 4, 9  # all different, so that no slip hides
FAR = 1e4
NO_MEAN = "the outputs are not weights @ V, head beside head, @ W_O"

Params = tuple[FloatArray, FloatArray, FloatArray, FloatArray]
Result = tuple[FloatArray, FloatArray]
Layer = Callable[..., Result]


class NotALayerError(Exception):
    """What the reader's function gave is no output with its weights; says what is."""


def _random(*shape: int, seed: int = 0) -> FloatArray:
    return np.random.default_rng([seed, *shape]).normal(size=shape)


def _params(n_heads: int) -> Params:
    widths = (n_heads * D_K, n_heads * D_K, n_heads * D_V)
    query, key, value = (_random(D, width, seed=i + 1) for i, width in enumerate(widths))
    return query, key, value, _random(n_heads * D_V, D_OUT)


_X, _P = _random(N, D), _random(N, D, seed=7)
_ORDER = np.array([2, 4, 0, 1, 3])
_CAUSAL: BoolArray = causal_mask(N)
# Who hears whom: a later node, or an earlier one; all but node 1 themselves.
_ADJACENCY: BoolArray = np.array(
    [[1, 0, 1, 0, 0], [1, 0, 0, 0, 1], [0, 0, 1, 1, 0], [1, 0, 0, 1, 0], [0, 1, 1, 0, 1]], bool
)


def _result(answer: Any, given: Sequence[Any], what: str, *shapes: tuple[int, ...]) -> Result:
    """What the reader's function returns for copies: outputs and weights of these shapes."""
    copies = [x.copy() if isinstance(x, np.ndarray) else x for x in given]
    result = attempt(answer, *copies)
    for array, before in zip(copies, given, strict=True):
        if isinstance(before, np.ndarray) and (array != before).any():
            raise NotALayerError(
                "it changes an array that it is given, as x += positions does; write x = x + p"
            )
    if result is ... or (isinstance(result, tuple | list) and holds_ellipsis(result)):
        raise NotALayerError(UNANSWERED)
    if isinstance(result, BaseException):
        raise NotALayerError(f"{what}, it raises {type(result).__name__}")
    if not isinstance(result, tuple | list) or len(result) != 2:
        raise NotALayerError("return two arrays: the outputs, and then the weights")
    arrays: list[FloatArray] = []
    for name, part, shape in zip(("outputs", "weights"), result, shapes, strict=True):
        array = numbers(part)
        if array is None or array.shape != shape:
            problem = expected(np.zeros(shape), part)
            raise NotALayerError(f"{what}, the {name}: {problem}")
        arrays.append(array)
    return arrays[0], arrays[1]


def _layer_of(answer: Any) -> Layer:
    """The reader's layer, asked for two arrays of the right shapes."""

    def layer(
        x: FloatArray,
        params: Params,
        n_heads: int,
        mask: BoolArray | None = None,
        positions: FloatArray | None = None,
    ) -> Result:
        what = f"with {n_heads} head{'s'[: n_heads > 1]}"
        what += ", a mask" * (mask is not None) + ", positions" * (positions is not None)
        shapes = (len(x), params[3].shape[1]), (n_heads, len(x), len(x))
        return _result(answer, (x, *params, n_heads, mask, positions), what, *shapes)

    return layer


def _layer_of_heads(answer: Any) -> Layer:
    """The reader's head, several times side by side: so the laws of a layer judge it."""

    def layer(
        x: FloatArray,
        params: Params,
        n_heads: int,
        mask: BoolArray | None = None,
        positions: FloatArray | None = None,
    ) -> Result:
        what = "without a mask" if mask is None else "with a mask"
        cut = (np.split(w, n_heads, axis=1) for w in params[:3])
        heads = [
            _result(answer, (x, *own, mask), what, (len(x), own[2].shape[1]), (len(x), len(x)))
            for own in zip(*cut, strict=True)
        ]
        outputs, weights = zip(*heads, strict=True)
        return np.hstack(outputs) @ params[3], np.stack(weights)

    return layer


def _same(one: ArrayLike, other: ArrayLike) -> bool:
    return bool(np.allclose(one, other, rtol=1e-6, atol=1e-6))


def _weights(x: FloatArray, p: Params, n_heads: int, scale: float, **options: Any) -> FloatArray:
    q, k = (split_heads(x @ w, n_heads) for w in p[:2])
    return masked_softmax(scale * q @ k.swapaxes(-2, -1), **options)


def _rows(layer: Layer) -> str | None:
    for n_heads, mask in ((1, None), (2, None), (2, _CAUSAL)):
        _, weights = layer(_X, _params(n_heads), n_heads, mask)
        if np.isnan(weights).any():
            return "there is NaN among the weights"
        if (weights < -1e-9).any():
            return "some weights are negative"
        if not _same(weights.sum(axis=-1), 1):
            if _same(weights.sum(axis=-2), 1):
                return "here the columns sum to 1: softmax runs along the last axis, the keys"
            if _same(weights.sum(), 1) or _same(weights.sum(axis=(-2, -1)), 1):
                return "here all weights together sum to 1; each row shares out a 1 of its own"
            if mask is not None:
                return "behind a mask they do not: hide scores before softmax, not weights after it"
            return "the rows do not sum to 1; what is each row divided by?"
    return None


def _mean(layer: Layer) -> str | None:
    for n_heads in (1, 2):
        params = _params(n_heads)
        output, weights = layer(_X, params, n_heads)
        heads = weights @ split_heads(_X @ params[2], n_heads)
        if _same(output, merge_heads(heads) @ params[3]):
            continue
        slips = [
            (
                heads.reshape(N, -1) @ params[3],
                "the heads are merged without swapping heads and tokens back",
            ),
            (
                (weights.swapaxes(-2, -1) @ split_heads(_X @ params[2], n_heads))
                .swapaxes(0, 1)
                .reshape(N, -1)
                @ params[3],
                "the weights are transposed: rows are queries, and each row mixes the values",
            ),
        ]
        return first_slip(output, slips, NO_MEAN)
    return None


_ONES = _X.copy()
_ONES[:, 0] = 1  # row 0 of W_k is a vector that all keys share


def _shifted(params: Params, far: float) -> Params:
    """With another vector that all keys of _ONES share: each row of scores rises or falls."""
    key = params[1].copy()
    key[0] += far
    return params[0], key, *params[2:]


def _shift(layer: Layer) -> str | None:
    for n_heads in (1, 2):
        params = _params(n_heads)
        before, weights = layer(_ONES, params, n_heads)
        query, key, value, output = params
        swapped = _weights(_ONES, (key, query, value, output), n_heads, D_K**-0.5)
        if _same(weights, swapped):
            return "queries and keys have changed places: row i belongs to the query of token i"
        for far in (1.0, FAR):
            after, _ = layer(_ONES, _shifted(params, far), n_heads)
            if not np.isfinite(after).all():
                return "large scores overflow: before exp, subtract the largest score of each row"
            if not np.allclose(after, before, rtol=1e-4, atol=1e-4):
                return "the outputs change; after a softmax along the row they could not"
    return None


def _scale(layer: Layer) -> str | None:
    params = _params(1)
    _, weights = layer(_X, params, 1)
    divisors = {
        D_K**0.5: "",
        1.0: "the scores are not divided at all",
        float(D_K): "the scores are divided by d_k, not by its root",
        D**0.5: "the scores are divided by the root of d; the width of the queries counts",
        N**0.5: "the scores are divided by the root of the number of tokens; look at shape[-1]",
    }
    for divisor, hint in divisors.items():
        if _same(weights, _weights(_X, params, 1, 1 / divisor)):
            return hint or None
    return "the weights are not those of q · k over the root of d_k"


def _leak(layer: Layer) -> str | None:
    params = _params(2)
    before, weights = layer(_X, params, 2, _CAUSAL)
    leaks = False
    for t in range(1, N):
        x = _X.copy()
        x[t] += 1
        leaks |= not _same(layer(x, params, 2, _CAUSAL)[0][:t], before[:t])
    if not leaks and not weights[:, ~_CAUSAL].any():
        return None
    root = D_K**-0.5
    plain = _weights(_X, params, 2, root)
    q, k = (split_heads(_X @ w, 2) for w in params[:2])
    slips = [
        (plain, "the mask is not used"),
        (_weights(_X, params, 2, root, mask=_CAUSAL.T), "the mask is transposed"),
        (_weights(_X, params, 2, root, mask=~_CAUSAL), "the mask is the wrong way round"),
        (plain * _CAUSAL, "the mask comes after softmax: what is hidden was counted in the total"),
        (
            masked_softmax(root * q @ k.swapaxes(-2, -1) * _CAUSAL),
            "a hidden score must become minus infinity, not 0",
        ),
    ]
    # The last row sees all, and nothing if the mask is the wrong way round.
    cut = [(wrong[:, :-1], hint) for wrong, hint in slips]
    return first_slip(weights[:, :-1], cut, "an earlier output moves with a later token")


def _shuffled(layer: Layer) -> str | None:
    params = _params(2)
    before, after = layer(_X, params, 2)[0], layer(_X[_ORDER], params, 2)[0]
    if _same(after, before[_ORDER]):
        return None
    return "without mask and positions the order counts; is a mask or a position built in?"


def _heads(layer: Layer) -> str | None:
    query, key, value, _ = _params(2)
    side_by_side = np.eye(2 * D_V)
    both, weights = layer(_X, (query, key, value, side_by_side), 2)
    halves = zip(*(np.split(w, 2, axis=1) for w in (query, key, value)), strict=True)
    single = [layer(_X, (*half, np.eye(D_V)), 1) for half in halves]
    alone = np.stack([part[1][0] for part in single])
    if _same(both, np.hstack([part[0] for part in single])) and _same(weights, alone):
        return None
    if _same(weights, _weights(_X, _params(2), 2, (2 * D_K) ** -0.5)):
        return "the scale takes the width of both heads; one head is d_k wide"

    def cut(w: FloatArray) -> FloatArray:
        return (_X @ w).reshape(2, N, -1)

    def interleaved(w: FloatArray) -> FloatArray:
        return (_X @ w).reshape(N, -1, 2).transpose(2, 0, 1)

    root = D_K**-0.5
    slips = [
        (
            masked_softmax(root * split(query) @ split(key).swapaxes(-2, -1)),
            hint,
        )
        for split, hint in (
            (cut, "the heads cut the sentence: after the reshape two axes must change places"),
            (interleaved, "head 0 has the first columns, not every second one"),
        )
    ]
    found = first_slip(weights, slips, "")
    if found:
        return found
    if _same(weights, alone):
        return "the weights are right, but the heads are not put side by side"
    return "each head must be what it is alone"


def _positions(layer: Layer) -> str | None:
    params = _params(2)
    given = layer(_X, params, 2, None, _P)
    added = layer(_X + _P, params, 2)
    if all(map(_same, given, added)):
        return None
    if all(map(_same, given, layer(_X, params, 2))):
        return "the positions are not used"
    if _same(given[1], added[1]):
        return "they are felt in the weights only; the values are made of x + p, too"
    return "the layer with positions is not the layer of x + p"


def _graph(layer: Layer) -> str | None:
    params = _params(2)
    free, weights = layer(_X, params, 2)[1], layer(_X, params, 2, _ADJACENCY)[1]
    receivers, senders = np.nonzero(_ADJACENCY)
    # A weight without the mask is its score, but for a constant in each row.
    scores = np.log(free[:, receivers, senders]).T  # (E, 2)
    on_edges = np.zeros_like(weights)
    on_edges[:, receivers, senders] = segment_softmax(scores, receivers, N).T
    if _same(weights, on_edges):
        far = layer(_ONES, _shifted(params, FAR), 2, _ADJACENCY)[1]
        if (far[:, ~_ADJACENCY] > 1e-9).any():
            return "a hidden score is minus infinity, not a number that other scores fall below"
        return None
    if _same(weights, layer(_X, params, 2, _CAUSAL)[1]) and not _same(weights, free):
        return "the mask that is given is not used: a triangle is built in"
    return "row i of the mask says whom node i may hear; the softmax runs over these alone"


#: Where several are broken, the first one says most.
LAWS: dict[str, Callable[[Layer], str | None]] = {
    "rows": _rows,
    "heads": _heads,
    "order": _shuffled,
    "shift": _shift,
    "scale": _scale,
    "mean": _mean,
    "leak": _leak,
    "positions": _positions,
    "graph": _graph,
}


#: What one head can keep; the heads of a layer and its positions are not its own.
LAWS_OF_A_HEAD = {name: law for name, law in LAWS.items() if name not in ("heads", "positions")}


def _broken(layer: Layer, laws: Mapping[str, Callable[[Layer], str | None]]) -> str | None:
    """The laws that do not hold, with a hint about the first; None if all hold."""
    hints: dict[str, str] = {}
    for name, law in laws.items():
        with np.errstate(all="ignore"):
            hint = law(layer)
        if hint is not None:
            hints[name] = hint
    if not hints:
        return None
    (name, hint), *more = hints.items()
    also = f" (broken too: {', '.join(name for name, _ in more)})" if more else ""
    return f"{len(laws) - len(hints)} of {len(laws)} laws hold. Broken is {name}{also}: {hint}"


_MIXED = {
    "here the columns sum to 1": "rows and columns",
    "the weights are transposed": "rows and columns",
    "the mask is transposed": "rows and columns",
    "hide scores before softmax": "before and after softmax",
    "the scores are divided by d_k": "d and its root",
    "the scale takes the width of both heads": "one head and the whole layer",
}


@judged(
    "one-head",
    function="my_head(x, w_query, w_key, w_value, mask)",
    note="all seven laws hold. Heads, positions and W_O are all that is missing.",
    mixed=_MIXED,
)
def _one_head(answer: Any) -> str | None:
    try:
        wrong = _broken(_layer_of_heads(answer), LAWS_OF_A_HEAD)
    except NotALayerError as problem:
        return str(problem)
    return wrong and wrong.replace(NO_MEAN, "the outputs are not weights @ V")


@judged(
    "finish-line",
    function="my_attention(x, w_query, w_key, w_value, w_output, n_heads, mask, positions)",
    note="all nine laws hold. You have finished.",
    mixed=_MIXED,
)
def _finish_line(answer: Any) -> str | None:
    try:
        return _broken(_layer_of(answer), LAWS)
    except NotALayerError as problem:
        return str(problem)


def _written(merge: Callable[..., Any]) -> Layer:
    """A layer of the finish line that brings its heads together in this way."""

    def layer(
        x: FloatArray,
        w_query: FloatArray,
        w_key: FloatArray,
        w_value: FloatArray,
        w_output: FloatArray,
        n_heads: int,
        mask: BoolArray | None = None,
        positions: FloatArray | None = None,
    ) -> Result:
        x = x if positions is None else x + positions
        q, k, v = (split_heads(x @ w, n_heads) for w in (w_query, w_key, w_value))
        weights = masked_softmax(q @ k.swapaxes(-2, -1) / q.shape[-1] ** 0.5, mask=mask)
        return merge(weights @ v) @ w_output, weights

    return layer


def _hasty(heads: FloatArray) -> FloatArray:
    """Merge without the swap: rows of one head come to stand beside each other."""
    return heads.reshape(heads.shape[-2], -1)


@judged(
    "write-law",
    function="law(layer)",
    note="it holds for sound layers and not for this one: a test.",
)
def _write_law(answer: Any) -> str | None:
    for how, merge in (("merges heads", merge_heads), ("takes head by head", np.hstack)):
        verdict = attempt(answer, _written(merge))
        problem = no_verdict(f"on a sound layer that {how}", verdict)
        if problem is not None:
            return problem
        if not verdict:
            return f"your law turns away a sound layer, one that {how}"
    verdict = attempt(answer, _written(_hasty))  # a law that raises has caught the slip, too
    if isinstance(verdict, BaseException) or attempt(bool, verdict) is False:
        return None
    return "the hasty layer obeys your law; with which number of heads is it right?"
