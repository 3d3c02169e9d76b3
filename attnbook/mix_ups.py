"""What readers take for each other, by name, each with a sentence that tells the two apart.

A wrong choice of a question and a slip of an exercise may be `mixed`, by one of these names. The
browser counts them, and the finish line says what came most often, with a link to where it is
explained (book/sphinx/due.py, book/theme/static/due.js).
"""

from collections.abc import Mapping
from typing import Any

MIX_UPS = {
    "rows and columns": (
        "queries are rows, keys are columns",
        "attention-mechanism.html#many-queries-at-once",
    ),
    "before and after softmax": (
        "what hides or divides acts on scores, before softmax",
        "self-attention.html#another-place-for-the-mask",
    ),
    "d and its root": (
        "scores are divided by the root of the width",
        "temperature.html#wider-vectors",
    ),
    "earlier and later": (
        "a word sees itself and what stands before it",
        "self-attention.html#the-causal-mask-at-work",
    ),
    "one head and the whole layer": (
        "a head has weights of its own and a part of the width",
        "multi-head-attention.html#all-heads-in-one-product",
    ),
}


def checked_kinds(owner: str, mixed: Mapping[Any, str]) -> None:
    """Raise an error for a name that is none of these."""
    for what, kind in mixed.items():
        if kind not in MIX_UPS:
            raise ValueError(
                f"{owner}: mixed says {kind!r} of {what!r}; the names are {', '.join(MIX_UPS)}."
            )
