"""Each exercise accepts what is right, turns away what is wrong, and survives the rest.

The right answers are typed here, from working by hand, and nowhere in the package.
"""

import math

import numpy as np
import pytest

from attnutils import attention, check, dot_scores, exercises, softmax, sparsemax
from attnutils.worked_example import KEYS, VALUES

SCORES = np.array([0.0, 1, -4, 7, 0, 5])
UNANSWERED = "unanswered: replace ... with your answer\n"


def repaired(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def is_softmax(f):
    """A learner's test that is good enough."""
    x = np.array([[1.0, 2, 4], [0, -3, 1], [2, 2, 800]])
    return all(np.allclose(f(x, axis=a).sum(axis=a), 1) for a in (0, 1))


def asserts_softmax(f):
    assert is_softmax(f)
    return True


RIGHT = {
    "all-outputs": [
        [0.1, 0.1003, 0.2979, 0.3997, 0.0025, 0.3624],
        attention(KEYS, KEYS, VALUES, scores=dot_scores).output,
    ],
    "zero-query": [
        [0.167] * 6,
        np.full((1, 6), 1 / 6),
        np.full(6, 1 / 6, np.float32),
    ],
    "repair-softmax": [repaired, softmax],
    "catch-softmax": [is_softmax, asserts_softmax, lambda f: np.bool_(is_softmax(f))],
    "not-an-output": [0.45, np.float32(0.45), [0.45]],
    "shift-keys": [(0, 0.4655), [1e-16, 0.4655]],
    "reads-odds": [7.389, 7.39, math.e**2, np.array([math.e**2])],
    "half-temperature": [3.344, 3.3441],
    "entropies": [[0.0044, 0.5665, 1.1204, 2.4922]],
    "sparsemax-thresholds": [(2, 10, 13, 33), np.array([2, 10, 13, 33], dtype=np.int8)],
    "output-slope": [0.0737, 0.074],
    "tie-limits": [(0.5, 0.25)],
}


@pytest.fixture
def said(capsys):
    """What a check prints, and nothing else may be printed."""

    def say(key, answer):
        assert check(key, answer) is None
        captured = capsys.readouterr()
        assert captured.err == ""
        assert captured.out.count("\n") == 1
        return captured.out

    return say


def test_every_exercise_is_tested_here():
    assert set(RIGHT) == set(exercises._EXERCISES)


@pytest.mark.parametrize(
    ("key", "answer"), [(k, a) for k, answers in RIGHT.items() for a in answers]
)
def test_a_right_answer_is_right(said, key, answer):
    assert said(key, answer).startswith("right")


@pytest.mark.parametrize("key", RIGHT)
def test_ellipsis_is_unanswered(said, key):
    for answer in (..., (..., ...), [0.5, ...]):
        assert said(key, answer) == UNANSWERED


@pytest.mark.parametrize("key", ["repair-softmax", "catch-softmax"])
def test_a_function_that_is_still_to_be_written_is_unanswered(said, key):
    assert said(key, lambda *args, **kwargs: ...) == UNANSWERED


def no_maximum(x, axis=-1):
    return np.exp(x) / np.exp(x).sum(axis=axis, keepdims=True)


def no_keepdims(x, axis=-1):
    return np.exp(x) / np.sum(np.exp(x), axis=axis)


def in_place(x, axis=-1):
    x -= x.max(axis=axis, keepdims=True)
    return repaired(x, axis)


def without_exp(x, axis=-1):
    return x / x.sum(axis=axis, keepdims=True)


def one_axis(x, axis=-1):
    return repaired(x, -1)


def one_row(x, axis=-1):
    return repaired(x, axis)[:1]


def square_only(x, axis=-1):
    """Right for a vector, and for matrices that are not square it does as asked, too."""
    if x.ndim == 2 and x.shape[0] == x.shape[1]:
        return np.exp(x) / np.exp(x).sum(axis=axis)
    return repaired(x, axis)


WRONG = [
    ("all-outputs", [0.1, 0.1023, 0.2740, 0.3915, 0.0170, 0.3078], "these are the outputs of"),
    ("all-outputs", attention(KEYS, KEYS, VALUES, temperature=0).output, "this is hard attention"),
    ("all-outputs", VALUES[(KEYS @ KEYS.T).argmax(axis=-1)], "this is hard attention"),
    ("all-outputs", softmax(KEYS @ KEYS.T, axis=0) @ VALUES, "here the columns"),
    ("all-outputs", [0.1] * 6, "scores are KEYS @ KEYS.T"),
    ("all-outputs", [0.1] * 5, "expected an array of shape (6,), got (5,)"),
    ("all-outputs", np.ones((1, 6)), "expected an array of shape (6,), got (1, 6)"),
    ("all-outputs", 0.1, "expected an array of shape (6,), got a number"),
    ("all-outputs", attention(KEYS, KEYS, VALUES), "expected an array of shape (6,), got Att"),
    ("zero-query", np.full((6, 1), 1 / 6), "expected an array of shape (6,), got (6, 1)"),
    ("zero-query", [0] * 6, "equal scores of 0 still share"),
    ("zero-query", [1, 0, 0, 0, 0, 0], "work out the six scores"),
    ("not-an-output", 0.2, "half of the weight on Reads"),
    ("not-an-output", -0.2, "hard attention on Sleepy"),
    ("not-an-output", 0.3, "choose one of"),
    ("not-an-output", ".45", "expected a number, got str"),
    ("not-an-output", [0.2, 0.45], "expected a number, got an array of shape (2,)"),
    ("not-an-output", True, "expected a number, got bool"),
    ("not-an-output", 0.45 + 0j, "expected a number, got complex"),
    ("not-an-output", np.array("a"), "expected a number, got ndarray of dtype <U1"),
    ("shift-keys", (0.4655, 0), "the two numbers are in the wrong order"),
    ("shift-keys", (0, 0), "the query does not add the same"),
    ("shift-keys", (0, 0.3), "take the largest absolute difference"),
    ("reads-odds", 0.1353, "these are the odds Book : Reads"),
    ("reads-odds", 1.4, "divide the weights"),
    ("reads-odds", math.e ** (2 / math.sqrt(3)), "leave the scores unscaled"),
    ("reads-odds", 7, "odds are one weight divided by another"),
    ("reads-odds", math.nan, "NaN is among your numbers"),
    ("reads-odds", math.inf, "odds are one weight divided by another"),
    ("half-temperature", 3.35, "the weight of Reads falls"),
    ("entropies", np.array([0.004354, 0.56647, 1.12045, 2.49217]) * math.log(2), "these are nats"),
    ("entropies", [0, 0.5665, 1.1204, 2.4922], "for each T"),
    ("sparsemax-thresholds", [2, 6, 7, 11], "these are the gaps to Reads alone"),
    ("sparsemax-thresholds", [33, 13, 10, 2], "a word gets weight once"),
    ("output-slope", -0.0737, "this is the slope in T"),
    ("output-slope", 0.0, "move beta a little"),
    ("tie-limits", (1, 0.4), "argmax picks"),
    ("tie-limits", (0.5, 0.4), "equal scores have equal weights"),
    ("repair-softmax", no_keepdims, "for x of shape (2, 3) and axis=-1, it raises ValueError"),
    ("repair-softmax", square_only, "for x of shape (3, 3) and axis=-1, the weights along"),
    ("repair-softmax", no_maximum, "for scores of 1000 or -1000 and axis=-1, there is NaN or inf"),
    ("repair-softmax", in_place, "it changes the array"),
    ("repair-softmax", without_exp, "for x of shape (6,) and axis=-1, a weight is negative"),
    ("repair-softmax", one_axis, "for x of shape (2, 3) and axis=0, the weights along that axis"),
    ("repair-softmax", one_row, "for x of shape (6,) and axis=-1, expected an array of shape (6,)"),
    ("repair-softmax", sparsemax, "for x of shape (6,) and axis=-1, the odds of two weights"),
    ("repair-softmax", lambda x, axis=-1: None, "for x of shape (6,) and axis=-1, expected"),
    ("repair-softmax", lambda x: repaired(x), "for x of shape (6,) and axis=-1, it raises Type"),
    ("repair-softmax", softmax(SCORES), "expected a function softmax(x, axis=-1), got ndarray"),
    ("catch-softmax", True, "expected a function is_softmax(f), got bool"),
    ("catch-softmax", lambda f: True, "a wrong softmax slips through: it divides a row"),
    ("catch-softmax", lambda f: False, "your test turns a right softmax away"),
    ("catch-softmax", lambda f: None, "expected True or False from your test, got NoneType"),
    ("catch-softmax", lambda f: 1 / 0, "on a right softmax your test raises ZeroDivisionError"),
]  # fmt: skip


@pytest.mark.parametrize(("key", "answer", "hint"), WRONG)
def test_a_wrong_answer_gets_a_hint(said, key, answer, hint):
    assert said(key, answer).startswith(f"not yet: {hint}")


def rows_sum_to_one(f, x):
    return bool(np.allclose(f(np.array(x), axis=-1).sum(axis=-1), 1))


def row_vectors_alone(f):
    return rows_sum_to_one(f, [1, 2, 800])


def small_scores_alone(f):
    return rows_sum_to_one(f, [[1, 2], [0, 5]])


def shape_alone(f):
    return f(np.ones((2, 3)), axis=-1).shape == (2, 3) and bool(np.isfinite(f([800, 0])).all())


@pytest.mark.parametrize(
    ("test", "slip"),
    [
        (row_vectors_alone, "a row by the total of another row"),
        (small_scores_alone, "by a total that has overflowed"),
        (shape_alone, "by a total along another axis"),
    ],
)
def test_the_mistake_that_slips_through_is_told(said, test, slip):
    assert said("catch-softmax", test).startswith(
        f"not yet: a wrong softmax slips through: it divides {slip}"
    )


class Hostile:
    """An object that fails wherever it is touched."""

    def __array__(self, *args, **kwargs):
        raise RuntimeError

    def __bool__(self):
        raise RuntimeError

    def __call__(self, *args, **kwargs):
        raise RuntimeError

    def __eq__(self, other):
        raise RuntimeError

    __hash__ = None
    __float__ = __len__ = __iter__ = __repr__ = __bool__


def recursive():
    answer = []
    answer.append(answer)
    return answer


def leave(*args, **kwargs):
    raise SystemExit


HOSTILE = [
    None, "", "0.45", b"7", True, 1j, [], {}, {1, 2}, object(), object, Hostile(), Hostile,
    [[1, 2], [3]], [None] * 6, ["a"] * 6, [1j] * 6, recursive(), math.nan, math.inf, -math.inf,
    [math.nan] * 6, [math.inf] * 6, 10**400, np.array([None] * 6), np.ones((0, 6)), np.ones(6) > 0,
    np.array(["a", 1], dtype=object), np.ma.masked, lambda: None, lambda *a, **k: 1 / 0, leave,
    lambda *a, **k: Hostile(), lambda *a, **k: [[1], [1, 2]], lambda *a, **k: a[0], range(6), print,
    np.full(6, 1e308), np.datetime64("2020"), softmax, check,
]  # fmt: skip


@pytest.mark.parametrize("key", RIGHT)
def test_no_answer_makes_a_check_fail(capsys, key):
    for answer in HOSTILE:
        if answer is softmax and key == "repair-softmax":
            continue
        check(key, answer)
        printed = capsys.readouterr().out.splitlines()[-1]
        assert printed.startswith("not yet: ")


@pytest.mark.parametrize("key", RIGHT)
def test_answers_are_not_modified(key):
    answer = np.ones(6)
    answer.flags.writeable = False
    check(key, answer)
    assert (answer == 1).all()


@pytest.mark.parametrize(
    ("key", "close"),
    [
        ("reads-ods", "close names: 'reads-odds'"),
        ("xyz", "'all-outputs', 'catch-softmax'"),
        (7, "got 7"),
    ],
)
def test_an_unknown_exercise_is_an_error_with_close_names(key, close):
    with pytest.raises(ValueError, match=f"^check: key must be the name of an exercise.*{close}"):
        check(key, ...)
