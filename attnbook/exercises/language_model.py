"""Exercises of the page on a model that writes."""

from typing import Any

import numpy as np

from attnbook.exercises._registry import (
    attempt,
    chosen,
    first_slip,
    judged,
    not_comparable,
    value,
)
from attnbook.models.language import (
    LanguageModelParams,
    encode_text,
    language_model,
    load_language_model,
)
from attnutils._checks import FloatArray
from attnutils.heads import merge_heads, split_heads
from attnutils.mechanism import attention
from attnutils.normalize import softmax
from attnutils.positional import sinusoidal_encoding
from attnutils.transformer import feed_forward, layer_norm


@chosen(
    "which-cheats",
    asks="The training loss falls almost to 0",
    each=(
        "the target of each position is its own character",
        "the mask lets position i see i + 1 as well",
        "the mask is transposed: position i sees itself and what is later",
        "the positions are counted from the end",
        "the targets are one character on, and the mask is causal",
    ),
    slips=(
        (0, "what does position i read, and what is it asked? The first answer needs no other"),
        (1, "where does the answer to position i stand? Look at the second again"),
        (2, "which of the later characters is the answer? Look at the third again"),
        (3, "counted from either end, who sees whom stays the same"),
        (4, "that is the honest training"),
    ),
    note="the answer to position i is what position i + 1 reads.",
)
def _which_cheats() -> set[int]:
    return {0, 1, 2}


@value(
    "cached-positions",
    asks="Positions that go through the blocks",
    each=("without a cache", "with a cache"),
    unit="positions",
    atol=0.5,
    hint="the text has {text} characters when the first is drawn, and with each draw one more",
    note="with a cache each position goes through once.",
    varies={"text": (100, 50, 200, 300), "more": (100, 40, 60)},
    says=("has a text of {text} and writes {more} more.",),
    way="Without a cache the {more} passes have {text}, {text} + 1, ... positions. With one: "
    "{text} for the first draw, then one for each of the others.",
    wrong=(
        (
            lambda text, more: [_passes(text + 1, more), text + more],
            "the last character that is drawn is not read again",
        ),
        (
            lambda text, more: [_passes(text, more), more],
            "the first draw needs all characters of the text",
        ),
        (
            lambda text, more: [_passes(text, more), text + more],
            "the last character that is drawn is not read again",
        ),
        (
            lambda text, more: [_passes(text, more), more - 1],
            "the first draw needs all characters of the text",
        ),
        (lambda text, more: [text * more, text + more - 1], "the text grows while it is written"),
        (
            lambda text, more: [_passes(1, text + more), text + more - 1],
            "the text has {text} characters when the first is drawn",
        ),
        (
            lambda text, more: [_passes(1, text + more - 1), text + more - 1],
            "the text has {text} characters when the first is drawn",
        ),
        (
            lambda text, more: _cached_positions(text, more)[::-1],
            "the two are exchanged: first without a cache",
        ),
    ),
)
def _cached_positions(text: int, more: int) -> list[int]:
    return [_passes(text, more), text + more - 1]


def _passes(text: int, more: int) -> int:
    """Positions in all when a text that grows by one is read so many times."""
    return sum(range(text, text + more))


def _top_k(logits: FloatArray, k: int) -> FloatArray:
    kept = np.argsort(-logits)[:k]
    hidden = np.full(logits.shape, -np.inf)
    hidden[kept] = logits[kept]
    return softmax(hidden)


def _keeping(logits: FloatArray, places: Any) -> FloatArray:
    hidden = np.full(logits.shape, -np.inf)
    hidden[places] = logits[places]
    return softmax(hidden)


@judged(
    "write-top-k",
    function="top_k(logits, k)",
    note="everything outside the k largest is hidden before softmax, as a mask does.",
)
def _write_top_k(answer: Any) -> str | None:
    rng = np.random.default_rng(0)
    for n, k in ((6, 3), (9, 1), (5, 5)):
        logits = rng.normal(size=n)
        given = logits.copy()
        result = attempt(answer, given, k)
        right, order = _top_k(logits, k), np.argsort(-logits)
        problem = not_comparable(f"for {n} logits and k = {k}", result, right)
        if problem is not None:
            return problem
        if not np.array_equal(given, logits):
            return "your function changes its argument; work on a copy"
        found = np.asarray(result, dtype=np.float64)
        if np.allclose(found, right):
            continue
        all_shares = softmax(logits)
        slips = [
            (np.where(right > 0, all_shares, 0), "the shares do not sum to 1; divide them anew"),
            (all_shares, "nothing is hidden: all characters have a share"),
            (_keeping(logits, order[-k:]), "these are the k smallest; argsort goes upwards"),
            (softmax(np.where(right > 0, logits, 0)), "a logit of 0 is not hidden: e^0 is 1"),
            (np.where(right > 0, 1 / k, 0), "the k are not equally likely; keep their logits"),
            (_keeping(logits, slice(k)), "these are the first k, not the largest"),
        ]
        return first_slip(found, slips, "the numbers are off; try logits (1, 2, 3) with k = 2")
    return None


Cache = list[tuple[list[FloatArray], list[FloatArray]]]


def _empty_cache(params: LanguageModelParams) -> Cache:
    return [([], []) for _ in params.blocks]


def _step(code: int, cache: Cache, params: LanguageModelParams, slip: str = "") -> FloatArray:
    """Logits after one character more, or what a slip makes of them."""
    seen, d = len(cache[0][0]), params.embedding.shape[-1]
    x = params.embedding[code]
    if slip != "no place":
        x = x + sinusoidal_encoding(seen + 1, d)[0 if slip == "place 0" else -1]
    for block, pair in zip(params.blocks, cache, strict=True):
        p = block.attention
        z = x if slip == "no norm before attention" else layer_norm(x, *block.norm_1)
        kept = cache[0] if slip == "one cache" else pair
        for rows, w in zip(kept, (p.w_key, p.w_value), strict=True):
            rows.append(z @ w)
        heads = 1 if slip == "one head" else 4
        q, k, v = (split_heads(np.atleast_2d(rows), heads) for rows in (z @ p.w_query, *kept))
        found = merge_heads(attention(q, k, v).output)[0]
        if slip != "no w_output":
            found = found @ p.w_output
        x = found if slip == "no residual" else x + found
        z = x if slip == "no norm before the network" else layer_norm(x, *block.norm_2)
        found = feed_forward(z, block.feed_forward)
        x = found if slip == "no residual" else x + found
    z = x if slip == "no last norm" else layer_norm(x, *params.norm)
    logits = z @ params.w_output
    return softmax(logits) if slip == "shares" else logits


_STEP_SLIPS = {
    "shares": "these are probabilities; logits are asked for",
    "no place": "nothing says at which place the character stands",
    "place 0": "each character stands at place 0; count what the cache holds",
    "nothing kept": "only the new character is seen; append its key and value to the cache",
    "one cache": "both blocks keep their keys in one list; each has its own",
    "no norm before attention": "block.norm_1 comes before attention",
    "no norm before the network": "block.norm_2 comes before the network",
    "no last norm": "params.norm comes before the logits",
    "no residual": "what a part finds is added to x, twice in each block",
    "one head": "each block has four heads",
    "no w_output": "what the heads found goes through w_output before it is added",
}


@judged(
    "write-step",
    function="step(code, cache, params)",
    note="character by character, the same logits as all at once.",
)
def _write_step(answer: Any) -> str | None:
    alphabet, params, n_heads, _ = load_language_model()
    codes = encode_text("Alice sighed.", alphabet)
    right = language_model(codes, params, n_heads=n_heads)
    cache, found = _empty_cache(params), []
    for i, code in enumerate(codes):
        result = attempt(answer, int(code), cache, params)
        problem = not_comparable(f"for character {i} of a text", result, right[i])
        if problem is not None:
            return problem
        found.append(np.array(result, dtype=np.float64))
    if np.allclose(found, right):
        return None

    def with_slip(slip: str) -> FloatArray:
        cache = _empty_cache(params)
        rows = []
        for code in codes:
            kept = _empty_cache(params) if slip == "nothing kept" else cache
            rows.append(_step(int(code), kept, params, slip))
        return np.stack(rows)

    slips = ((with_slip(slip), hint) for slip, hint in _STEP_SLIPS.items())
    off = next(i for i, row in enumerate(right) if not np.allclose(found[i], row))
    return first_slip(
        np.stack(found), slips, f"the logits are off from character {off} on, counted from 0"
    )
