"""Exercises of the page on layers of 2025 and 2026."""

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from attnbook.exercises._registry import (
    UNANSWERED,
    attempt,
    book_scores,
    compared,
    first_slip,
    judged,
    value,
)
from attnbook.models.today import LAWS, STATE, Layers, broken, kept_bytes
from attnutils._checks import FloatArray
from attnutils.mechanism import attention
from attnutils.normalize import softmax
from attnutils.scores import dot_scores
from attnutils.worked_example import VALUES

# -- one more score --------------------------------------------------------------------------

EXTRA = 7.0  # the seventh score of the first exercise


def _declined(extra: float = EXTRA) -> list[float]:
    """What the tokens keep of their weights, the weight of Reads, and the output of Book."""
    scores = np.append(book_scores(), extra)
    weights = softmax(scores)[:-1]
    return [weights.sum(), weights[3], weights @ VALUES[:, 0]]


@value(
    "decline-by-hand",
    asks="Book, with a seventh score of 7",
    each=("gate", "weight of Reads", "output"),
    hint="the total of the tokens is e^0 + e^1 + e^(−4) + e^7 + e^0 + e^5; the seventh score adds "
    "e^7 to it",
    note="Reads and the seventh score are equal, and so are their weights.",
    wrong=(
        (
            lambda: [_declined()[0], *_declined(-np.inf)[1:]],
            "the gate multiplies each weight and the output",
        ),
        (
            lambda: [*_declined()[:2], _declined(-np.inf)[2]],
            "the output shrinks as its weights do",
        ),
        (
            lambda: [1 - _declined()[0], *_declined()[1:]],
            "that is the share of the seventh score; the gate is what the tokens keep",
        ),
        (lambda: _declined(-np.inf), "these are the numbers without a seventh score"),
        (lambda: _declined(0.0), "the seventh score is 7, not 0"),
        (lambda: [0.5, 0.5, 0.2], "the total holds the other five tokens, too"),
    ),
)
def _decline_by_hand() -> list[float]:
    return _declined()


# -- a model's cache -------------------------------------------------------------------------


def _model(
    sets: int = 8, *, full: int = 12, window: int = 1024, unit: float = 2**20
) -> list[float]:
    """What the full layers keep, the windows, and states in their place."""
    numbers_of_a_word = 2 * sets * 128
    parts = (
        Layers(full, numbers_of_a_word),
        Layers(48 - full, numbers_of_a_word, window),
        Layers(48 - full, STATE, 1),
    )
    return [kept_bytes([part], 2**17) / unit for part in parts]


@value(
    "model-cache",
    asks="Cache of 131,072 tokens",
    each=("full layers", "windows", "states"),
    unit="MiB",
    atol=0.5,
    hint="a token takes 2 · 8 · 128 numbers of 2 bytes; 12 layers keep 131,072, 36 keep 1,024",
    note="windows or states, 36 layers together keep some hundredths of what 12 keep.",
    wrong=(
        (lambda: [*_model(4)[:2], _model()[2]], "keys and values are both kept"),
        (lambda: [*_model(32)[:2], _model()[2]], "a layer keeps 8 sets, not one for each head"),
        (lambda: _model(full=36), "one layer in four is full: 12 of 48"),
        (lambda: [_model(full=48)[0], *_model()[1:]], "only 12 of the 48 layers are full"),
        (lambda: _model(unit=2**21), "float16 takes 2 bytes"),
        (lambda: _model(unit=2**19), "float16 takes 2 bytes"),
        (lambda: _model(unit=1e6), "1 MiB is 2^20 bytes"),
        (
            lambda: [*_model()[:2], _model()[2] * 2**17],
            "a state is kept once, not once for each token",
        ),
        (
            lambda: [*_model()[:2], _model()[2] / 32],
            "each of the 32 heads of a layer has a state",
        ),
        (
            lambda: [_model()[0], _model(window=2**17)[1], _model()[2]],
            "a window keeps 1,024 tokens, however long the text is",
        ),
    ),
)
def _model_cache() -> list[float]:
    return _model()


# -- grouped queries -------------------------------------------------------------------------


def _grouped(q: FloatArray, k: FloatArray, v: FloatArray) -> FloatArray:
    share = len(q) // len(k)
    return attention(q, np.repeat(k, share, axis=0), np.repeat(v, share, axis=0)).output


def _heads(n_heads: int, n_groups: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    rng = np.random.default_rng(n_heads + n_groups)
    keys = n_groups, 5, 4
    return rng.normal(size=(n_heads, 5, 4)), rng.normal(size=keys), rng.normal(size=(*keys[:2], 3))


_GROUPS = {
    "a set for each head": _heads(4, 4),
    "one set for all heads": _heads(4, 1),
    "six heads, two sets": _heads(6, 2),
    "six heads, three sets": _heads(6, 3),
}


def _grouped_slip(q: FloatArray, k: FloatArray, v: FloatArray, given: FloatArray) -> str:
    """What is wrong with the output of grouped queries."""
    share = len(q) // len(k)
    own = [np.repeat(a, share, axis=0) for a in (k, v)]
    dealt = [np.tile(a, (share, 1, 1)) for a in (k, v)]
    first = [np.broadcast_to(a[:1], (len(q), *a.shape[1:])) for a in (k, v)]
    mean = [np.broadcast_to(a.mean(axis=0), (len(q), *a.shape[1:])) for a in (k, v)]
    unscaled = attention(q, *own, scores=dot_scores).output
    slips = [
        (attention(q, *dealt).output, "the sets are dealt out in turn; neighbours share a set"),
        (attention(q, own[0], dealt[1]).output, "keys and values are shared in different ways"),
        (attention(q, dealt[0], own[1]).output, "keys and values are shared in different ways"),
        (attention(q, *first).output, "all heads use set 0"),
        (attention(q, *mean).output, "the sets are averaged; each group has its own"),
        (unscaled, "the scores are not divided by the root of d_k"),
    ]
    return first_slip(given, slips, "the numbers are off; which head uses which set?")


@judged(
    "write-grouped",
    function="my_grouped(q, k, v)",
    note="from a set for each head to one for all.",
)
def _write_grouped(answer: Any) -> str | None:
    for name, inputs in _GROUPS.items():
        result = attempt(answer, *(a.copy() for a in inputs))
        slip = partial(_grouped_slip, *inputs)
        problem = compared(f"for {name}", result, _grouped(*inputs), slip)
        if problem is not None:
            return problem
    return None


# -- the second finish line: a layer, its cache, its laws ------------------------------------

HEADS, SETS, WIDTH, WINDOW = 4, 2, 8, 3
LAYERS = 3  # of each kind, windowed and full


def _layer(
    q: FloatArray,
    k: FloatArray,
    v: FloatArray,
    b: FloatArray,
    *,
    window: int = WINDOW,
    after: int = 0,
    share: Any = np.repeat,
    scale: float = WIDTH**-0.5,
    decline: str = "yes",
) -> FloatArray:
    """The layer of the exercise, with a place for each slip."""
    k, v = (share(x, HEADS // SETS, 0) for x in (k, v))
    i, j = np.arange(q.shape[1])[:, None], np.arange(q.shape[1])
    seen = (j <= i + after) & (i - j < window)
    scores = np.where(seen, scale * q @ k.swapaxes(1, 2), -np.inf)
    extra = np.broadcast_to(b[:, None, None], (*scores.shape[:2], 1))
    weights = softmax(np.concatenate([scores, extra], axis=-1))
    if decline == "no":
        return softmax(scores) @ v
    if decline == "turned":
        return weights[..., -1:] * (softmax(scores) @ v)
    return weights[..., :-1] @ v


def _tiled(x: FloatArray, times: int, axis: int) -> FloatArray:
    return np.tile(x, (times, 1, 1))


def _random_heads(n: int, size: float = 1.0) -> tuple[FloatArray, ...]:
    rng = np.random.default_rng(n)
    q, b = rng.normal(size=(HEADS, n, WIDTH)), rng.normal(size=HEADS) + 1
    return size * q, *rng.normal(size=(2, SETS, n, WIDTH)), b


_TEXTS = {
    "for a text of one token": _random_heads(1),
    "for a text of seven tokens": _random_heads(7),
    "for large scores": _random_heads(6, 1e4),
}


def _layer_slip(inputs: tuple[FloatArray, ...], given: FloatArray) -> str:
    if not np.isfinite(given).all():
        return "there is NaN or inf: subtract the largest score of a row, b among them, before exp"
    q, k, v, b = inputs
    slips: list[tuple[FloatArray, str]] = [
        (
            _layer(*inputs, decline="no"),
            "b changes nothing: it is one more score of each row, and its weight is dropped",
        ),
        (
            _layer(*inputs, decline="turned"),
            "that is the share of b; the tokens keep the rest",
        ),
        (_layer(q, k, v, 0 * b), "b is taken as 0; each head has its own"),
        (_layer(q, k, v, np.full(HEADS, b[0])), "all heads use the b of head 0"),
        (_layer(q, k, v, b * WIDTH**-0.5), "b is not divided by the root of d_k"),
        (_layer(*inputs, window=2), "the window holds 3: the token itself and two before it"),
        (_layer(*inputs, window=4), "the window holds 3: the token itself and two before it"),
        (_layer(*inputs, window=99), "there is no window: a token sees all before it"),
        (_layer(*inputs, after=2), "a token sees tokens after it"),
        (_layer(*inputs, after=99, window=99), "a token sees tokens after it"),
        (_layer(*inputs, share=_tiled), "the sets are dealt out in turn; neighbours share a set"),
        (_layer(*inputs, scale=1.0), "the scores are not divided by the root of d_k"),
    ]
    return first_slip(given, slips, "the numbers are off; try one switch after the other")


_LENGTHS = [1, 2, 3, 10, 1000]


def _cache(
    sets: int = SETS,
    *,
    sides: int = 2,
    window: float = WINDOW,
    full: float = np.inf,
    count: int = LAYERS,
) -> FloatArray:
    """Numbers that the layers keep of texts of these lengths."""
    rows = np.minimum(_LENGTHS, window) + np.minimum(_LENGTHS, full)
    return sides * sets * WIDTH * count * rows


_CACHE_SLIPS = [
    (_cache(HEADS), "a set is kept once, not once for each head of its group"),
    (_cache(sides=1), "keys and values are both kept"),
    (_cache(window=np.inf), "a windowed layer keeps three tokens at most"),
    (_cache(full=WINDOW), "a full layer keeps all tokens"),
    (_cache(count=1), "there are three layers of each kind"),
    (_cache(window=0) + 288, "a text of one or two tokens fills no window"),
]


def _counted(answer: Any) -> str | None:
    """What is wrong with a count of kept numbers, None if nothing is."""
    found = [attempt(answer, t) for t in _LENGTHS]
    if any(x is ... for x in found):
        return UNANSWERED
    result = next((x for x in found if isinstance(x, BaseException)), found)
    hint = "32 numbers for each row; how many rows has each layer?"
    return compared(
        "your cache of 1, 2, 3, 10 and 1,000 tokens",
        result,
        _cache(),
        lambda given: first_slip(given, _CACHE_SLIPS, hint),
    )


_WHY = {
    "rows": "with equal values, do the weights of the tokens still sum to 1?",
    "shift": "all scores of a row move when a vector is added to the keys; does b move, too?",
    "leak": "change a later token: does an earlier output move?",
    "reach": "can the first token of ten move the last output of this layer?",
    "order": "shuffle the earlier tokens: are the same three still in the window?",
    "length": "double the keys: do the weights change?",
    "own": "change a key of set 0: how many heads move?",
}


def _named(answer: Any) -> str | None:
    """What is wrong with a list of broken laws, None if nothing is."""
    is_list = isinstance(answer, Iterable) and not isinstance(answer, str)
    names = list(answer) if is_list else None
    if names is None or not all(isinstance(name, str) for name in names):
        return "your laws: expected a list of names, as in ['leak']"
    unknown = next((name for name in names if name not in LAWS), None)
    if unknown is not None:
        return f"your laws: {unknown!r} is none; they are {', '.join(LAWS)}"
    q, k, v, b = _random_heads(7)
    right = broken(partial(_layer, b=b), q, k, v)
    wrong = next((name for name in LAWS if (name in names) != (name in right)), None)
    return wrong and f"your laws, {wrong}: {_WHY[wrong]}"


@judged(
    "layer-of-today",
    note="layer, cache and laws: you can read the configuration of a model of today.",
)
def _layer_of_today(answer: Any) -> str | None:
    if not isinstance(answer, tuple | list) or len(answer) != 3:
        return "expected three things: a layer, a cache, and a list of laws"
    layer, cache, laws = answer
    for name, part in (("layer(q, k, v, b)", layer), ("cache(t)", cache)):
        if not callable(part):
            return f"expected a function my_{name}, got {type(part).__name__}"
    for where, inputs in _TEXTS.items():
        result = attempt(layer, *(x.copy() for x in inputs))
        problem = compared(
            f"your layer, {where}", result, _layer(*inputs), partial(_layer_slip, inputs)
        )
        if problem is not None:
            return problem
    return _counted(cache) or _named(laws)
