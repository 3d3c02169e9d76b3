"""Exercises of the page on multi-head attention."""

from typing import Any

import numpy as np

from attnbook.exercises._registry import (
    attempt,
    expected,
    first_slip,
    judged,
    not_comparable,
    numbers,
    value,
)
from attnutils._checks import BoolArray, FloatArray
from attnutils.heads import MultiHeadParams, merge_heads, multi_head_attention, split_heads
from attnutils.mechanism import attention
from attnutils.normalize import masked_softmax, softmax


def _case(
    batch: tuple[int, ...], n_heads: int
) -> tuple[FloatArray, MultiHeadParams, int, BoolArray]:
    """A random input with projections and a mask; sizes that all differ, except by design."""
    rng = np.random.default_rng(len(batch) + n_heads)
    n, d, d_k, d_v = 5, 6, 4, 3
    shapes = [(d, n_heads * d_k), (d, n_heads * d_k), (d, n_heads * d_v), (n_heads * d_v, 7)]
    params = MultiHeadParams(*(rng.normal(size=shape) for shape in shapes))
    mask = rng.random((*batch, n, n)) < 0.5
    return rng.normal(size=(*batch, n, d)), params, n_heads, mask | np.eye(n, dtype=bool)


_CASES = {
    "one sequence and one head": _case((), 1),
    "one sequence and two heads": _case((), 2),
    "as many sequences as heads": _case((2,), 2),
    "a minibatch of three sequences and two heads": _case((3,), 2),
}


def _attend(
    x: FloatArray, p: MultiHeadParams, n_heads: int, mask: BoolArray, scale: float, axis: int = -1
) -> FloatArray:
    """Multi-head attention with a mask, a scale and a softmax axis of one's own."""
    scores, v = _scores_and_values(x, p, n_heads)
    return merge_heads(masked_softmax(scale * scores, mask, axis=axis) @ v) @ p.w_output


def _scores_and_values(
    x: FloatArray, p: MultiHeadParams, n_heads: int
) -> tuple[FloatArray, FloatArray]:
    q, k, v = (split_heads(x @ w, n_heads) for w in (p.w_query, p.w_key, p.w_value))
    return q @ k.swapaxes(-2, -1), v


def _reshaped(x: FloatArray, p: MultiHeadParams, n_heads: int, mask: BoolArray) -> FloatArray:
    def split(z: FloatArray) -> FloatArray:
        return z.reshape(*z.shape[:-2], n_heads, z.shape[-2], -1)

    q, k, v = (split(x @ w) for w in (p.w_query, p.w_key, p.w_value))
    heads = attention(q, k, v, mask=mask[..., None, :, :]).output
    return heads.reshape(*x.shape[:-1], -1) @ p.w_output


def _hint(
    given: FloatArray, x: FloatArray, p: MultiHeadParams, n_heads: int, mask: BoolArray
) -> str:
    """What a wrong output looks like."""
    if np.isnan(given).any():
        return "there is NaN in the output, though every row of the mask has a key to see"
    d_k = p.w_query.shape[1] // n_heads
    root, lifted = d_k**-0.5, mask[..., None, :, :]
    scores, v = _scores_and_values(x, p, n_heads)
    heads = masked_softmax(root * scores, lifted) @ v
    slips = [
        (_attend(x, p, n_heads, lifted, 1), "the scores are not divided by the root of d_k"),
        (_attend(x, p, n_heads, lifted, 1 / d_k), "the scores are divided by d_k, not by its root"),
        (
            _attend(x, p, n_heads, lifted, (n_heads * d_k) ** -0.5),
            "the scores are divided by the root of H d_k; one head is d_k wide",
        ),
        (
            _attend(x, p, n_heads, lifted, x.shape[-1] ** -0.5),
            "the scores are divided by the root of d; one head is d_k wide",
        ),
        (_attend(x, p, n_heads, np.ones_like(lifted), root), "the mask is not used"),
        (
            _attend(x, p, n_heads, ~lifted, root),
            "the mask is the wrong way round; True means may attend",
        ),
        (
            _attend(x, p, n_heads, lifted, root, axis=-2),
            "softmax runs over the queries; it runs over the keys, the last axis",
        ),
        (
            merge_heads((softmax(root * scores) * lifted) @ v) @ p.w_output,
            "the mask comes after softmax; it acts on the scores",
        ),
        (
            merge_heads(softmax(root * scores * lifted) @ v) @ p.w_output,
            "a hidden score must become minus infinity, not 0",
        ),
        (
            heads.reshape(*x.shape[:-1], -1) @ p.w_output,
            "the heads are merged without swapping heads and tokens back",
        ),
        (
            _reshaped(x, p, n_heads, mask),
            "the heads cut the sentence: after the reshape two axes must change places",
        ),
    ]
    if mask.shape[0] == n_heads:  # here it fits without an axis for the heads, and means another
        slips += [
            (
                _attend(x, p, n_heads, mask, root),
                "the mask of sequence 1 meets head 1; give it an axis for the heads",
            )
        ]
    return first_slip(
        given,
        slips,
        "the numbers are off; compare step by step with attnutils.multi_head_attention",
    )


@judged(
    "split-heads",
    function="split(x, n_heads)",
    note="a reshape cuts each row, and a swap puts heads before tokens.",
)
def _split_heads(answer: Any) -> str | None:
    for n, d, n_heads in ((3, 4, 2), (5, 12, 3), (4, 6, 6), (2, 5, 1)):
        x = np.arange(n * d, dtype=np.float64).reshape(n, d)
        where = f"for x of shape {x.shape} and {n_heads} heads"
        target = split_heads(x, n_heads)
        result = attempt(answer, x.copy(), n_heads)
        problem = not_comparable(where, result, target)
        if problem is not None:
            return problem
        slips = [
            (x.reshape(target.shape), "the heads cut the sentence: cut each row first, then swap"),
            (
                x.reshape(n, -1, n_heads).transpose(2, 0, 1),
                "a head takes every other column; it gets columns that stand side by side",
            ),
        ]
        if not np.array_equal(np.asarray(result), target):
            otherwise = "each head gets its own columns of every token"
            return f"{where}, {first_slip(np.asarray(result, dtype=np.float64), slips, otherwise)}"
    return None


@judged(
    "write-multi-head",
    function="my_multi_head(x, w_query, w_key, w_value, w_output, n_heads, mask)",
    note="one head, many heads, and a minibatch with masks all pass.",
    mixed={
        "the scores are divided by d_k": "d and its root",
        "one head is d_k wide": "one head and the whole layer",
        "softmax runs over the queries": "rows and columns",
        "the mask comes after softmax": "before and after softmax",
    },
)
def _write_multi_head(answer: Any) -> str | None:
    for name, (x, p, n_heads, mask) in _CASES.items():
        target = multi_head_attention(x, x, x, p, n_heads=n_heads, mask=mask).output
        result = attempt(answer, x.copy(), *p[:4], n_heads, mask.copy())
        problem = not_comparable(f"for {name}", result, target)
        if isinstance(result, BaseException):
            return f"{problem}; do all axes count from the end?"
        if problem is not None:
            return problem
        given = np.asarray(result, dtype=np.float64)
        if not np.allclose(given, target):
            return f"for {name}, {_hint(given, x, p, n_heads, mask)}"
    return None


@judged("place-keys", note="each of the twelve is a corner, and no ring was needed.")
def _place_keys(answer: Any) -> str | None:
    keys = numbers(answer)
    if keys is None or keys.shape != (12, 2):
        return expected(np.zeros((12, 2)), answer)
    if not np.isfinite(keys).all():
        return "NaN or inf is among your numbers"
    far = np.linalg.norm(keys, axis=1).max()
    if far > 4:
        return f"a key is {far:.2f} from zero; 4 is allowed"
    apart = np.linalg.norm(keys[:, None] - keys, axis=-1)
    pairs = np.argwhere(np.triu(apart < 0.5, k=1))
    if len(pairs):
        i, j = pairs[0]
        return f"keys {i} and {j} are {apart[i, j]:.2f} apart; at least .5 is asked"
    wins = {*_winners(keys)}
    inside = [i for i in range(12) if i not in wins]
    if inside:
        return (
            f"{len(wins)} of the twelve can win; key {inside[0]} lies in the hull of the others, "
            "and no query finds it"
        )
    wide, high = np.ptp(keys, axis=0)
    if wide < 2 * high:
        return f"all can win; but the keys are {wide:.2f} wide and {high:.2f} high"
    return None


def _winners(keys: FloatArray) -> list[int]:
    """Keys that get the largest score from some query, alone."""
    angles = np.linspace(0, 2 * np.pi, 7200, endpoint=False)
    scores = np.stack([np.cos(angles), np.sin(angles)], axis=1) @ keys.T
    second, first = np.sort(scores, axis=1)[:, -2:].T
    return [int(i) for i in scores.argmax(axis=1)[first - second > 1e-6]]


@value(
    "redundant-biases",
    asks="Biases that can be dropped",
    unit="biases",
    atol=0.1,
    hint="ask of each of the four biases what it adds to the scores or to the output",
    note="softmax does not see the key bias, and the value bias can move into the output bias.",
    varies={"size": tuple((d, f"{4 * d:,}") for d in (512, 256, 384, 768, 640))},
    says=("$d = {size[0]}$ has {size[1]} biases: {size[0]} each",),
    way="A key bias adds one number to all scores of a query, which softmax does not see: "
    "{size[0]}. A value bias shifts each output by itself, which the output bias can do: "
    "{size[0]} more.",
    wrong=(
        (
            lambda size: size[0],
            "there is a second one: what does a value bias add to every output?",
        ),
        (
            lambda size: 3 * size[0],
            "the query bias adds a different number to the score of each key",
        ),
        (
            lambda size: 4 * size[0],
            "the query bias adds a different number to the score of each key",
        ),
    ),
)
def _redundant_biases(size: tuple[int, str]) -> int:
    """Count the biases that a change of their values and of b_output cannot be told from."""
    d, n = 4, 3
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, d))
    params = MultiHeadParams(*rng.normal(size=(4, d, d)), *np.zeros((4, d)))

    def moved_by(**biases: FloatArray) -> FloatArray:
        changed = multi_head_attention(x, x, x, params._replace(**biases), n_heads=2).output
        return changed - multi_head_attention(x, x, x, params, n_heads=2).output

    bias = rng.normal(size=d)
    of_key, of_value = moved_by(b_key=bias), moved_by(b_value=bias)
    undone = np.allclose(of_key, 0), np.allclose(of_value, bias @ params.w_output)
    return size[0] * sum(undone)
