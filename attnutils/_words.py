"""Checks of words and other entries, for the plots and the widgets."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from attnutils import _shapes


def index(function: str, name: str, x: Any, n: int, hint: str) -> int:
    """`x` as an index of one of `n` things."""
    return _shapes.integer(function, name, x, f"an integer from 0 to {n - 1}", hint, 0, n - 1)


def words(function: str, name: str, texts: Any, how_many: str) -> list[str]:
    """`texts` as a list of words; a message says how many there should be."""
    given = entries(texts)
    if given is None or not all(isinstance(text, str) for text in given):
        expected = f"a list of {how_many} words"
        _shapes.refuse(TypeError, function, name, texts, expected, "write each label as text")
    return [str(text) for text in given]


def labels(function: str, name: str, texts: Sequence[str], n: int, symbol: str) -> list[str]:
    """`texts` as one label for each of `n` rows or columns."""
    given = words(function, name, texts, f"{symbol}={n}")
    if len(given) != n:
        text = f"{function}: {name} has {len(given)} labels but {symbol}={n} are expected"
        raise ValueError(f"{text}; give one label each.")
    return given


def entries(x: Any) -> list[Any] | None:
    """What stands in a list, an array or the like; None for text and for one thing alone."""
    return list(x) if np.iterable(x) and not isinstance(x, str) else None
