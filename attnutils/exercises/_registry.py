"""How exercises are registered and answers are read. The worked example, for all of them."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnutils._shapes import FloatArray
from attnutils.scores import dot_scores
from attnutils.worked_example import KEYS, WORDS

Function = Callable[..., Any]
Judge = Callable[[Any], str | None]
Wrong = tuple[Function, str]  # a function that returns a likely wrong value, and a hint for it

EXERCISES: dict[str, tuple[Judge, str]] = {}
UNANSWERED = "unanswered: put your answer for ..."

THE, READS, BOOK = (WORDS.index(word) for word in ("The", "Reads", "Book"))


def book_scores() -> FloatArray:
    """Unscaled scores of the query Book: 0, 1, -4, 7, 0, 5."""
    return dot_scores(KEYS[BOOK], KEYS)


def value(
    key: str,
    *,
    hint: str,
    note: str = "",
    wrong: tuple[Wrong, ...] = (),
    shapes: tuple[tuple[int, ...], ...] = (),
    atol: float = 6e-4,
) -> Callable[[Function], Function]:
    """Register the decorated function, which returns the right value, as an exercise.

    `shapes` are accepted besides the shape of the right value. `atol` allows for a learner who
    types three decimals.
    """

    def register(right: Function) -> Function:
        def judge(answer: Any) -> str | None:
            target = np.asarray(right(), dtype=np.float64)
            given = numbers(answer)
            accepted = (target.shape, *shapes, *([(1,)] if target.ndim == 0 else []))
            if given is None or given.shape not in accepted:
                return expected(target, answer)
            if np.isnan(given).any():
                return "NaN is among your numbers: something was divided by 0, or inf by inf"

            def equals(other: Any) -> bool:
                other = np.asarray(other, dtype=np.float64)
                return bool((np.abs(given.ravel() - other.ravel()) <= atol).all())

            if equals(target):
                return None
            return next((text for slip, text in wrong if equals(slip())), hint)

        EXERCISES[key] = judge, note
        return right

    return register


def judged(key: str, *, function: str = "", note: str = "") -> Callable[[Judge], Judge]:
    """Register the decorated function, which returns a hint or None, as an exercise.

    With `function`, its name and arguments, only a function is an answer.
    """

    def register(judge: Judge) -> Judge:
        def judge_function(answer: Any) -> str | None:
            if not callable(answer):
                return f"expected a function {function}, got {type(answer).__name__}"
            return judge(answer)

        EXERCISES[key] = judge_function if function else judge, note
        return judge

    return register


def holds_ellipsis(answer: Any) -> bool:
    """Whether the answer, or an entry of it, is still to be written."""
    entries = answer if isinstance(answer, list | tuple) else [answer]
    return any(entry is ... for entry in entries)


def numbers(answer: Any) -> FloatArray | None:
    """The answer as an array of real numbers, or None if it is not that."""
    try:
        array = np.asarray(answer)
        return array.astype(np.float64) if array.dtype.kind in "fiu" else None
    except Exception:  # ragged lists, and objects that fail in ways of their own
        return None


def _form(array: NDArray[Any]) -> str:
    return f"an array of shape {array.shape}" if array.ndim else "a number"


def expected(target: NDArray[Any], answer: Any) -> str:
    """The hint for an answer that is of another type or shape than the target."""
    array = numbers(answer)
    if array is None:
        dtype = f" of dtype {answer.dtype}" if isinstance(answer, np.ndarray) else ""
        got = f"{type(answer).__name__}{dtype}"
    else:
        got = str(array.shape) if target.ndim and array.ndim else _form(array)
    return f"expected {_form(target)}, got {got}"


def not_comparable(where: str, result: Any, target: NDArray[Any]) -> str | None:
    """The hint for what a learner's function gave, if it cannot be compared with the target."""
    if result is ...:
        return UNANSWERED
    if isinstance(result, BaseException):
        return f"{where}, it raises {type(result).__name__}"
    given = numbers(result)
    if given is None or given.shape != target.shape:
        return f"{where}, {expected(target, result)}"
    return None


def compared(
    where: str, result: Any, target: FloatArray, slip: Callable[[FloatArray], str]
) -> str | None:
    """The hint for what a learner's function gave, None if it is the target."""
    problem = not_comparable(where, result, target)
    if problem is not None:
        return problem
    given = np.asarray(result, dtype=np.float64)
    return None if np.allclose(given, target) else f"{where}, {slip(given)}"


def first_slip(given: FloatArray, slips: Iterable[tuple[Any, str]], otherwise: str) -> str:
    """The hint of the first likely wrong result that was given; `otherwise`, if it is none."""
    return next(
        (
            hint
            for wrong, hint in slips
            if np.shape(wrong) == given.shape and np.allclose(given, wrong)
        ),
        otherwise,
    )


def no_verdict(where: str, verdict: Any) -> str | None:
    """The hint for what a learner's test gave, if it is neither True nor False."""
    if verdict is ...:
        return UNANSWERED
    if isinstance(verdict, BaseException):
        return f"{where} your test raises {type(verdict).__name__}"
    if not isinstance(verdict, bool | np.bool_):
        return f"expected True or False from your test, got {type(verdict).__name__}"
    return None


def attempt(function: Function, *args: Any, **options: Any) -> Any:
    """What a learner's function returns, or the exception that it raises."""
    try:
        return function(*args, **options)
    except (Exception, SystemExit) as error:
        return error
