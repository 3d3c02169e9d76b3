"""Checks of the exercises: a module for each page, found by being here.

``check("reads-odds", answer)`` prints *right*, *not yet* with a hint, or *unanswered*; it never
prints the answer and never raises, whatever the answer is. Right values are computed from the
worked example, so that no number can go out of date.

A page adds an exercise by adding a function to its module: `value` registers one that returns the
right value, `chosen` one that returns which of several things are right, `judged` one that looks at
an answer (mostly a function) and returns a hint, or None if nothing is wrong. Pages have fields for
the first two.
"""

import difflib
import warnings
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import numpy as np

from attnutils.exercises._registry import EXERCISES, UNANSWERED, holds_ellipsis

__all__ = ["EXERCISES", "check"]

# They register.
for _module in iter_modules(__path__, f"{__name__}."):
    import_module(_module.name)


def check(key: str, answer: Any) -> None:
    """Print whether an answer is right.

    Parameters
    ----------
    key : str
        Name of the exercise.
    answer : object
        The answer; Ellipsis (``...``) stands for none.

    Raises
    ------
    ValueError
        If there is no exercise of that name.

    Examples
    --------
    >>> check("second-reads", ...)
    unanswered: put your answer for ...
    >>> check("second-reads", 0.3624)
    not yet: that is the output without the newcomer
    """
    if not isinstance(key, str) or key not in EXERCISES:
        close = difflib.get_close_matches(str(key), EXERCISES) or sorted(EXERCISES)
        raise ValueError(
            f"check: key must be the name of an exercise, got {key!r}; "
            f"close names: {', '.join(map(repr, close))}."
        )
    judge, note, _ = EXERCISES[key]
    if holds_ellipsis(answer):
        print(UNANSWERED)
        return
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # an overflow inside an answer is for the hint to tell
        hint = judge(answer)
    if hint is None:
        print(f"right: {note}" if note else "right")
    else:
        print(hint if hint == UNANSWERED else f"not yet: {hint}")
