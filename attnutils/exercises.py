"""Checks of the exercises. Used on all pages.

``check("reads-odds", answer)`` prints *right*, *not yet* with a hint, or *unanswered*; it never
prints the answer and never raises, whatever the answer is. Right values are computed here from
the worked example, so that no number can go out of date.

A page adds an exercise by adding a function below: `_value` registers one that returns the right
value, `_judged` one that looks at an answer (mostly a function) and returns a hint, or None if
nothing is wrong.
"""

import difflib
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnutils._shapes import FloatArray
from attnutils.mechanism import attention
from attnutils.normalize import entropy, hardmax, softmax
from attnutils.scores import dot_scores
from attnutils.worked_example import KEYS, VALUES, WORDS

__all__ = ["check"]

Function = Callable[..., Any]
Judge = Callable[[Any], str | None]
Wrong = tuple[Function, str]  # a function that returns a likely wrong value, and a hint for it

_EXERCISES: dict[str, tuple[Judge, str]] = {}
_UNANSWERED = "unanswered: replace ... with your answer"


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
    >>> check("not-an-output", ...)
    unanswered: replace ... with your answer
    >>> check("not-an-output", 0.2)
    not yet: half of the weight on Reads and half on The gives .2
    """
    if not isinstance(key, str) or key not in _EXERCISES:
        close = difflib.get_close_matches(str(key), _EXERCISES) or sorted(_EXERCISES)
        raise ValueError(
            f"check: key must be the name of an exercise, got {key!r}; "
            f"close names: {', '.join(map(repr, close))}."
        )
    judge, note = _EXERCISES[key]
    if _holds_ellipsis(answer):
        print(_UNANSWERED)
        return
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # an overflow inside an answer is for the hint to tell
        hint = judge(answer)
    if hint is None:
        print(f"right: {note}" if note else "right")
    else:
        print(hint if hint == _UNANSWERED else f"not yet: {hint}")


# --- the registry -------------------------------------------------------------------------------


def _value(
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
            given = _numbers(answer)
            accepted = (target.shape, *shapes, *([(1,)] if target.ndim == 0 else []))
            if given is None or given.shape not in accepted:
                return _expected(target, answer)
            if np.isnan(given).any():
                return "NaN is among your numbers: something was divided by 0, or inf by inf"

            def equals(value: Any) -> bool:
                value = np.asarray(value, dtype=np.float64)
                return bool((np.abs(given.ravel() - value.ravel()) <= atol).all())

            if equals(target):
                return None
            return next((text for value, text in wrong if equals(value())), hint)

        _EXERCISES[key] = judge, note
        return right

    return register


def _judged(key: str, *, note: str = "") -> Callable[[Judge], Judge]:
    """Register the decorated function, which returns a hint or None, as an exercise."""

    def register(judge: Judge) -> Judge:
        _EXERCISES[key] = judge, note
        return judge

    return register


def _holds_ellipsis(answer: Any) -> bool:
    """Whether the answer, or an entry of it, is still to be written."""
    entries = answer if isinstance(answer, list | tuple) else [answer]
    return any(entry is ... for entry in entries)


def _numbers(answer: Any) -> FloatArray | None:
    """The answer as an array of real numbers, or None if it is not that."""
    try:
        array = np.asarray(answer)
        return array.astype(np.float64) if array.dtype.kind in "fiu" else None
    except Exception:  # ragged lists, and objects that fail in ways of their own
        return None


def _form(array: NDArray[Any]) -> str:
    return f"an array of shape {array.shape}" if array.ndim else "a number"


def _expected(target: NDArray[Any], answer: Any) -> str:
    """The hint for an answer that is of another type or shape than the target."""
    array = _numbers(answer)
    if array is None:
        dtype = f" of dtype {answer.dtype}" if isinstance(answer, np.ndarray) else ""
        got = f"{type(answer).__name__}{dtype}"
    else:
        got = str(array.shape) if target.ndim and array.ndim else _form(array)
    return f"expected {_form(target)}, got {got}"


def _try(function: Function, *args: Any, **options: Any) -> Any:
    """What a learner's function returns, or the exception that it raises."""
    try:
        return function(*args, **options)
    except (Exception, SystemExit) as error:
        return error


# --- the worked example -------------------------------------------------------------------------


THE, READS, BOOK = (WORDS.index(word) for word in ("The", "Reads", "Book"))


def _book_scores() -> FloatArray:
    """Unscaled scores of the query Book: 0, 1, -4, 7, 0, 5."""
    return dot_scores(KEYS[BOOK], KEYS)


def _odds(temperature: float) -> float:
    """Weight of Reads over weight of Book."""
    weights = softmax(_book_scores(), temperature=temperature)
    return float(weights[READS] / weights[BOOK])


# --- attention mechanism ------------------------------------------------------------------------


def _six_outputs(**options: Any) -> FloatArray:
    return attention(KEYS, KEYS, VALUES, **options).output[:, 0]


_HARD = "this is hard attention; let every key have its share"


@_value(
    "all-outputs",
    shapes=((6, 1),),
    hint="scores are KEYS @ KEYS.T; softmax runs along each row, then the rows weigh VALUES",
    note="each output lies between the smallest and the largest value.",
    wrong=(
        (_six_outputs, "these are the outputs of scaled scores; do not divide them here"),
        (lambda: _six_outputs(scores=dot_scores, temperature=0), _HARD),
        (lambda: VALUES[dot_scores(KEYS, KEYS).argmax(axis=-1), 0], _HARD),
        (
            lambda: softmax(dot_scores(KEYS, KEYS), axis=0) @ VALUES[:, 0],
            "here the columns of the weights sum to 1; a query is a row",
        ),
    ),
)
def _all_outputs() -> FloatArray:
    return _six_outputs(scores=dot_scores)


@_value(
    "zero-query",
    shapes=((1, 6),),
    hint="work out the six scores of a query of zeros first",
    note="equal scores make the output the mean of the values.",
    wrong=((lambda: np.zeros(6), "equal scores of 0 still share a weight of 1"),),
)
def _zero_query() -> FloatArray:
    return softmax(dot_scores(KEYS[THE], KEYS))


@_value(
    "not-an-output",
    hint="choose one of .2, -.2 and .45",
    note="an output never leaves the range of the values.",
    wrong=(
        (lambda: 0.2, "half of the weight on Reads and half on The gives .2"),
        (lambda: -0.2, "hard attention on Sleepy gives its value"),
    ),
)
def _not_an_output() -> float:
    low, high = VALUES.min(), VALUES.max()
    (outside,) = (number for number in (0.2, -0.2, 0.45) if not low <= number <= high)
    return outside


@_value(
    "shift-keys",
    hint="take the largest absolute difference between the new weights and the old, keys first",
    note="a shift of all keys adds one constant to all scores of a query.",
    wrong=(
        (lambda: _shift_keys()[::-1], "the two numbers are in the wrong order: keys first"),
        (lambda: [_shift_keys()[0]] * 2, "the query does not add the same to each score"),
    ),
)
def _shift_keys() -> list[float]:
    shift, book = np.array([1, -2, 3]), KEYS[BOOK]
    weights = softmax(_book_scores())
    moved_keys = softmax(dot_scores(book, KEYS + shift))
    moved_query = softmax(dot_scores(book + shift, KEYS))
    return [float(np.abs(moved - weights).max()) for moved in (moved_keys, moved_query)]


@_judged("repair-softmax", note="rows, columns and large scores all pass.")
def _repair_softmax(answer: Any) -> str | None:
    if not callable(answer):
        return f"expected a function softmax(x, axis=-1), got {type(answer).__name__}"
    vector = np.array([0.0, 1, -4, 7, 0, 5])
    matrix = np.array([[1.0, 2, 4], [0, -3, 1]])
    square = np.array([[0.0, 1, 2], [3, -1, 0], [5, 5, 1]])
    matrices = [(x, axis) for x in (matrix, matrix.T, square) for axis in (-1, 0)]
    large = [(np.array([1000.0, 999, 0]), -1), (np.array([-1000.0, -1001]), -1)]
    for x, axis in [(vector, -1), *matrices, *large]:
        size = "scores of 1000 or -1000" if np.abs(x[0]).max() == 1000 else f"x of shape {x.shape}"
        given = x.copy()
        result = _try(answer, given, axis=axis)
        broken = _broken_law(result, x, axis)
        if result is ...:
            return _UNANSWERED
        if not np.array_equal(given, x):
            return "it changes the array that it is given"
        if broken is not None:
            return f"for {size} and axis={axis}, {broken}"
    return None


def _broken_law(result: Any, x: FloatArray, axis: int) -> str | None:
    """The first law that the result breaks as a softmax of x."""
    if isinstance(result, BaseException):
        return f"it raises {type(result).__name__}"
    weights = _numbers(result)
    if weights is None or weights.shape != x.shape:
        return _expected(x, result)
    if not np.isfinite(weights).all():
        return "there is NaN or inf among the weights"
    if (weights < 0).any():
        return "a weight is negative"
    if not np.allclose(weights.sum(axis=axis), 1):
        return "the weights along that axis do not sum to 1"
    if not np.allclose(weights, softmax(x, axis=axis)):
        return "the odds of two weights are not e to the power of the gap between their scores"
    return None


def _without_keepdims(x: Any, axis: int = -1) -> FloatArray:
    weights = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return np.asarray(weights / np.sum(weights, axis=axis))


def _without_maximum(x: Any, axis: int = -1) -> FloatArray:
    weights = np.exp(x)
    return np.asarray(weights / np.sum(weights, axis=axis, keepdims=True))


def _along_another_axis(x: Any, axis: int = -1) -> FloatArray:
    return softmax(x, axis=-1 if axis == 0 else 0)


@_judged("catch-softmax", note="your test tells a right softmax from three wrong ones.")
def _catch_softmax(answer: Any) -> str | None:
    if not callable(answer):
        return f"expected a function is_softmax(f), got {type(answer).__name__}"
    verdict = _try(answer, softmax)
    if verdict is ...:
        return _UNANSWERED
    if isinstance(verdict, BaseException):
        return f"on a right softmax your test raises {type(verdict).__name__}"
    if not isinstance(verdict, bool | np.bool_):
        return f"expected True or False from your test, got {type(verdict).__name__}"
    if not verdict:
        return "your test turns a right softmax away"
    for wrong, slip in (
        (_without_keepdims, "a row by the total of another row; try a square matrix"),
        (_without_maximum, "by a total that has overflowed; try large scores"),
        (_along_another_axis, "by a total along another axis; try a matrix along both axes"),
    ):
        verdict = _try(answer, wrong)  # a test that raises has caught the mistake, too
        if not isinstance(verdict, BaseException) and _try(bool, verdict) is not False:
            return f"a wrong softmax slips through: it divides {slip}"
    return None


# --- temperature --------------------------------------------------------------------------------


@_value(
    "reads-odds",
    atol=6e-3,
    hint="odds are one weight divided by another: e to the gap between the two scores",
    note="only the gap between two scores matters.",
    wrong=(
        (lambda: 1 / _odds(1), "these are the odds Book : Reads, the other way round"),
        (lambda: np.divide(*_book_scores()[[3, 5]]), "divide the weights, not the scores"),
        (lambda: _odds(np.sqrt(KEYS.shape[1])), "leave the scores unscaled here"),
    ),
)
def _reads_odds() -> float:
    return _odds(1)


@_value(
    "half-temperature",
    hint="the weight of Reads falls as T rises: halve an interval around .5 again and again",
)
def _half_temperature() -> float:
    low, high = 1.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        reads = softmax(_book_scores(), temperature=middle)[READS]
        low, high = (middle, high) if reads > 0.5 else (low, middle)
    return low


def _entropies(base: float) -> list[float]:
    temperatures = (0.25, 1, math.sqrt(3), 10)
    return [float(entropy(softmax(_book_scores(), temperature=t), base=base)) for t in temperatures]


@_value(
    "entropies",
    hint="for each T take the weights, then minus the sum of weight times its base-2 logarithm",
    note="they rise with T towards the logarithm of 6.",
    wrong=((lambda: _entropies(math.e), "these are nats; bits take the logarithm to base 2"),),
)
def _entropies_in_bits() -> list[float]:
    return _entropies(2)


@_value(
    "sparsemax-thresholds",
    hint="a word gets weight once its score / T lies above the threshold of the words before it",
    note="each is the sum of the gaps to all higher scores.",
    wrong=(
        (
            lambda: np.unique(_book_scores().max() - _book_scores())[1:],
            "these are the gaps to Reads alone; the words in between hold weight, too",
        ),
    ),
)
def _sparsemax_thresholds() -> FloatArray:
    # k words share the weight; word j joins when (sum of their scores / T - 1) / k < s_j / T,
    # that is, when T is above the sum of their gaps to s_j.
    scores = _book_scores()
    gaps = np.maximum(scores[:, None] - scores, 0).sum(axis=0)
    return np.asarray(np.unique(gaps)[1:])


def _covariance() -> float:
    """Covariance of scores and values when each word counts by its weight."""
    scores, weights, values = _book_scores(), softmax(_book_scores()), VALUES[:, 0]
    return float(weights @ (scores * values) - (weights @ scores) * (weights @ values))


@_value(
    "output-slope",
    hint="move beta a little to both sides of 1 and divide the change of the output by the step",
    note="it is the covariance of scores and values under the weights.",
    wrong=((lambda: -_covariance(), "this is the slope in T; as beta rises, T falls"),),
)
def _output_slope() -> float:
    return _covariance()


def _tied_scores() -> FloatArray:
    scores = _book_scores()
    scores[BOOK] = scores[READS]
    return scores


@_value(
    "tie-limits",
    hint="equal scores have equal weights at every T, so in the limit, too",
    wrong=(
        (
            lambda: [1, VALUES[READS, 0]],
            "argmax picks the first of two equals; softmax does not prefer either",
        ),
    ),
)
def _tie_limits() -> list[float]:
    weights = hardmax(_tied_scores())
    return [float(weights[READS]), float(weights @ VALUES[:, 0])]
