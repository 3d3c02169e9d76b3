"""How exercises are registered and answers are read. The worked example, for all of them."""

import itertools
import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from numbers import Rational
from types import MappingProxyType
from typing import Any, NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from attnbook.mix_ups import checked_kinds
from attnutils._checks import FloatArray
from attnutils.scores import dot_scores
from attnutils.worked_example import KEYS, WORDS

Function = Callable[..., Any]
Judge = Callable[[Any], str | None]
#: A function that returns a likely wrong value, a hint for it, and the name of what was mixed up.
Wrong = tuple[Function, str] | tuple[Function, str, str]


class Form(TypedDict):
    """An exercise that asks for numbers, as data: pages check it without Python."""

    #: What is asked for, what each number (or each row of numbers) is, and in which unit.
    asks: str
    each: list[str]
    unit: str
    #: The shape of the right value, and others that are accepted.
    shapes: list[list[int]]
    right: list[float]
    atol: float
    #: Whether any constant may be on top of all numbers.
    shift: bool
    #: Whether what is asked of each entry is a tick: 1 where it is chosen, 0 where it is not.
    ticks: bool
    #: For each number the decimals that give two digits of it; None where it is whole.
    decimals: list[int | None]
    wrong: list[tuple[list[float], str]]
    hint: str
    note: str


class Exercise(NamedTuple):
    """How an answer is judged, and what is said of a right one."""

    judge: Judge
    note: str
    form: Callable[[], Form] | None = None
    #: The same exercise with other numbers, each with what its text says in place of the page's.
    variants: Sequence["Variant"] = ()
    #: What some hints are for, by its name in `attnbook.mix_ups`.
    mixed: Mapping[str, str] = MappingProxyType({})


class Variant(NamedTuple):
    """An exercise with other numbers: how it is judged, and what its text has in place of what."""

    exercise: Exercise
    says: Sequence[tuple[str, str]]
    #: How one comes to the right answer, for teachers.
    way: str


EXERCISES: dict[str, Exercise] = {}
UNANSWERED = "unanswered: put your answer for ..."
TWO_DIGITS = "right to two digits; give four"

THE, SLEEPY, READS, BOOK = (WORDS.index(word) for word in ("The", "Sleepy", "Reads", "Book"))


def book_scores() -> FloatArray:
    """Unscaled scores of the query Book: 0, 1, -4, 7, 0, 5."""
    return dot_scores(KEYS[BOOK], KEYS)


def value(
    key: str,
    *,
    asks: str,
    each: Sequence[str] = (),
    unit: str = "",
    hint: str,
    note: str = "",
    wrong: tuple[Wrong, ...] = (),
    shapes: tuple[tuple[int, ...], ...] = (),
    atol: float = 6e-4,
    shift: bool = False,
    varies: Mapping[str, Sequence[Any]] | None = None,
    says: Sequence[str] = (),
    way: str = "",
) -> Callable[[Function], Function]:
    """Register the decorated function, which returns the right value, as an exercise.

    `asks` names the value, `each` its entries, or the rows of a matrix. `shapes` are accepted
    besides the shape of the right value. `atol` allows for a learner who types three decimals.
    With `shift`, a constant on top of all numbers changes nothing.

    With `varies`, the exercise has variants: what returns the right value or a slip takes these
    arguments, and the first choice of each is the page's. The other texts may name them, as in
    "{temperature}"; `says` are the pieces of the page's text that hold them, written in this way.
    `way` says to a teacher how one comes to the right answer.
    """
    names = varies or {}
    first, *others = [
        dict(zip(names, each, strict=True)) for each in itertools.product(*names.values())
    ]
    random.Random(key).shuffle(others)

    def filled(text: str, given: dict[str, Any]) -> str:
        return text.format(**given) if given else text

    def register(right: Function) -> Function:
        def form(given: dict[str, Any]) -> Form:
            target = np.asarray(right(**given), dtype=np.float64)
            single = [(1,)] if target.ndim == 0 else []
            return {
                "asks": filled(asks, given),
                "each": [filled(name, given) for name in each],
                "unit": unit,
                "shapes": [list(shape) for shape in (target.shape, *shapes, *single)],
                "right": _flat(target),
                "atol": atol,
                "shift": shift,
                "ticks": False,
                "decimals": [_two_digits(number) for number in _flat(target)],
                "wrong": [(_flat(slip(**given)), filled(text, given)) for slip, text, *_ in wrong],
                "hint": filled(hint, given),
                "note": filled(note, given),
            }

        def exercise(given: dict[str, Any]) -> Exercise:
            once = cache(partial(form, given))
            return Exercise(lambda answer: _judge(once(), answer), filled(note, given), once)

        def variant(given: dict[str, Any]) -> Variant:
            pairs = [(filled(text, first), filled(text, given)) for text in says]
            return Variant(exercise(given), pairs, filled(way, given))

        mixed = {filled(text, first): kind for _, text, *kinds in wrong for kind in kinds}
        checked_kinds(key, mixed)
        EXERCISES[key] = exercise(first)._replace(variants=tuple(map(variant, others)), mixed=mixed)
        return right

    return register


def _flat(value: Any) -> list[float]:
    flat: list[float] = np.asarray(value, dtype=np.float64).ravel().tolist()
    return flat


def _two_digits(number: float) -> int | None:
    """The decimals that give two digits of a number, None if it is whole."""
    if abs(number - round(number)) < 1e-9:
        return None
    return 1 - math.floor(math.log10(abs(number)))


def _judge(form: Form, answer: Any) -> str | None:
    """The hint for a value, None if it is right. answers.js of the pages does the same."""
    given = numbers(answer)
    if given is None or list(given.shape) not in form["shapes"]:
        return expected(np.reshape(form["right"], form["shapes"][0]), answer)
    if np.isnan(given).any():
        return "NaN is among your numbers: something was divided by 0, or inf by inf"

    def equals(value: list[float]) -> bool:
        one, other = given.ravel(), np.array(value)
        if form["shift"]:  # before the two meet: next to a huge constant all others are 0
            one, other = one - one[0], other - other[0]
        return bool((np.abs(one - other) <= form["atol"]).all())

    if equals(form["right"]):
        return None
    if _has_two_digits(form, given.ravel().tolist()):
        return TWO_DIGITS
    return next((text for slip, text in form["wrong"] if equals(slip)), form["hint"])


def _has_two_digits(form: Form, given: list[float]) -> bool:
    """Whether all numbers are right to two decimals, or each is right or has two right digits."""
    right = itertools.cycle(zip(form["right"], form["decimals"], strict=True))
    entries = [(x, *pair) for x, pair in zip(given, right, strict=False)]
    return all(_ends(x, r, 2) for x, r, _ in entries) or all(
        abs(x - r) <= form["atol"]
        or (x != 0 and d is not None and any(_ends(x, r, at) for at in (d, d + 1, 2)))
        for x, r, d in entries
    )


def _ends(given: float, right: float, decimals: int) -> bool:
    """Whether a number is the right one, rounded to so many decimals or cut off there."""
    unit = 10.0**decimals
    is_cut = given != 0 and abs(given) < abs(right)
    off = abs(given - right) * unit
    return off <= (0.999 if is_cut else 0.5) and abs(given * unit - round(given * unit)) < 1e-6


def chosen(
    key: str, *, asks: str, each: Sequence[str], slips: Sequence[tuple[int, str]], note: str
) -> Callable[[Callable[[], set[int]]], Callable[[], set[int]]]:
    """Register the decorated function, which returns the right positions in `each`.

    `slips` are all positions, each with what to say where it is chosen and should not be, or is
    not and should; the first of them counts.
    """

    def register(right: Callable[[], set[int]]) -> Callable[[], set[int]]:
        @cache
        def form() -> Form:
            target = [float(i in right()) for i in range(len(each))]

            def hint(ticks: Sequence[float]) -> str:
                return next(text for at, text in slips if ticks[at] != target[at])

            every = map(list, itertools.product((0.0, 1.0), repeat=len(each)))
            return {
                "asks": asks,
                "each": list(each),
                "unit": "",
                "shapes": [[len(each)]],
                "right": target,
                "atol": 0.0,
                "shift": False,
                "ticks": True,
                "decimals": [None] * len(each),
                "wrong": [(ticks, hint(ticks)) for ticks in every if ticks != target],
                "hint": "",
                "note": note,
            }

        def judge(answer: Any) -> str | None:
            ticks = _ticks(answer, len(each))
            if ticks is None:
                return f"expected positions from 0 to {len(each) - 1}, as in [0, 2]"
            return _judge(form(), ticks)

        EXERCISES[key] = Exercise(judge, note, form)
        return right

    return register


def _ticks(answer: Any, n: int) -> FloatArray | None:
    """1 at the positions that an answer names, 0 at the others; None if it names no positions."""
    given = numbers(answer)
    if given is None or not np.isin(given, range(n)).all():
        return None
    return np.isin(np.arange(n), given).astype(np.float64)


def judged(
    key: str, *, function: str = "", note: str = "", mixed: Mapping[str, str] | None = None
) -> Callable[[Judge], Judge]:
    """Register the decorated function, which returns a hint or None, as an exercise.

    With `function`, its name and arguments, only a function is an answer. `mixed` names what was
    mixed up by hints, or parts of them.
    """
    mixed = mixed or {}
    checked_kinds(key, mixed)

    def register(judge: Judge) -> Judge:
        def judge_function(answer: Any) -> str | None:
            if not callable(answer):
                return f"expected a function {function}, got {type(answer).__name__}"
            return judge(answer)

        EXERCISES[key] = Exercise(judge_function if function else judge, note, mixed=mixed)
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
        if array.dtype.kind == "O" and all(isinstance(x, Rational) for x in array.flat):
            return array.astype(np.float64)  # fractions
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
