"""Checks of the exercises: a module for each page, found by being here.

``check("reads-odds", answer)`` prints *right*, *not yet* with a hint, or *unanswered*; it never
prints the answer and never raises, whatever the answer is. Right values are computed from the
worked example, so that no number can go out of date.

An exercise that `varies` has variants with other numbers, for the sheets of a class.

A page adds an exercise by adding a function to its module: `value` registers one that returns the
right value, `chosen` one that returns which of several things are right, `judged` one that looks at
an answer (mostly a function) and returns a hint, or None if nothing is wrong. Pages have fields for
the first two.
"""

import warnings
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from attnbook.exercises._registry import (
    EXERCISES,
    UNANSWERED,
    Exercise,
    Variant,
    holds_ellipsis,
)

__all__ = ["all_exercises", "check", "draw_split", "grade", "put_to_work"]

_MODULES = sorted(Path(__file__).parent.glob("[a-z]*.py"))


def _register(*modules: Path) -> None:
    for path in modules:
        import_module(f"{__name__}.{path.stem}")


@cache
def all_exercises() -> dict[str, Exercise]:
    """The exercises of all pages, by their keys."""
    _register(*_MODULES)
    return EXERCISES


def exercise_of(key: str) -> Exercise:
    """The exercise of this key; only what names it is imported.

    All together take a page in a browser a good part of the time until its first verdict.
    """
    if isinstance(key, str):
        if key not in EXERCISES:
            _register(*(path for path in _MODULES if f'"{key}"' in path.read_text("utf-8")))
        if key in EXERCISES:
            return EXERCISES[key]
    import difflib  # here alone: it takes a browser as long as some exercises

    close = difflib.get_close_matches(str(key), all_exercises(), n=3, cutoff=0)
    raise ValueError(
        f"check: key must be the name of an exercise, got {key!r}; "
        f"close names: {', '.join(map(repr, close))}."
    )


def check(key: str, answer: Any, *, variant: int | None = None) -> None:
    """Print whether an answer is right.

    Parameters
    ----------
    key : str
        Name of the exercise.
    answer : object
        The answer; Ellipsis (``...``) stands for none.
    variant : int, optional
        Number of a sheet that a class was given, with other numbers than the page.

    Raises
    ------
    ValueError
        If there is no exercise of that name, or it has no variants.

    Examples
    --------
    >>> check("second-reads", ...)
    unanswered: put your answer for ...
    >>> check("second-reads", 0.3624)
    not yet: that is the output without the newcomer
    """
    print(verdict(key, answer, variant))


def grade(key: str, answer: Any, points: float = 1, *, variant: int | None = None) -> float:
    """Print what `check` prints, and return the points: all for a right answer, else 0.

    The value of a cell that ends in it is what nbgrader takes for its points.

    Parameters
    ----------
    key : str
        Name of the exercise.
    answer : object
        The answer; Ellipsis (``...``) stands for none.
    points : float, default 1
        What a right answer is worth.
    variant : int, optional
        Number of a sheet that a class was given, with other numbers than the page.

    Returns
    -------
    float
        `points`, or 0.

    Raises
    ------
    ValueError
        If there is no exercise of that name, or it has no variants.

    Examples
    --------
    >>> grade("second-reads", 0.3624, points=2)
    not yet: that is the output without the newcomer
    0
    """
    result = verdict(key, answer, variant)
    print(result)
    return points if result.startswith("right") else 0


def verdict(key: str, answer: Any, variant: int | None = None) -> str:
    """What a check says of an answer: right, not yet with a hint, or unanswered."""
    exercise = exercise_of(key) if variant is None else variant_of(key, variant).exercise
    if holds_ellipsis(answer):
        return UNANSWERED
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # an overflow inside an answer is for the hint to tell
        hint = exercise.judge(answer)
    if hint is None:
        return f"right: {exercise.note}" if exercise.note else "right"
    return hint if hint == UNANSWERED else f"not yet: {hint}"


def variant_of(key: str, number: int) -> Variant:
    """The variant of an exercise on the sheet of this number; there are finitely many."""
    variants = exercise_of(key).variants
    if not variants:
        raise ValueError(f"check: the exercise {key!r} has no variants; leave `variant` out.")
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise ValueError(f"check: variant must be a whole number from 0 on, got {number!r}.")
    return variants[number % len(variants)]


def draw_split(split: Any) -> Any:
    """Draw what a split into heads makes of three tokens of width 4, for two heads.

    Parameters
    ----------
    split : callable
        ``split(x, n_heads)``; it need not be right.

    Returns
    -------
    object or None
        A sheet for each head, the numbers of head 1 on grey. None for what gives no sheets.

    Examples
    --------
    >>> draw_split(lambda x, n_heads: x.reshape(n_heads, len(x), -1))
    shape (2, 3, 2)
    0: 0 1 | 2 3 | 4 5
    1: 6 7 | 8 9 | 10 11
    """
    from attnbook.exercises._sheets import sheets

    return sheets(split)


def put_to_work(layer: Any) -> Any:
    """Let a layer of the finish line write a line, inside the stored model that writes.

    Parameters
    ----------
    layer : callable
        ``my_attention(x, w_query, w_key, w_value, w_output, n_heads, mask, positions)``, which
        returns outputs and weights. It need not be right.

    Returns
    -------
    object or None
        What it wrote, beside what the book's layer writes, with both losses on unseen text; a right
        layer gets a card to keep. None for what is not a layer.

    Examples
    --------
    >>> put_to_work(...) is None
    True
    """
    from attnbook.exercises._work import at_work  # it brings the model

    return at_work(layer)
