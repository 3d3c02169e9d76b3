"""Each exercise takes what is right, turns away what is wrong with a hint, and survives the rest.

The answers are in `answers`, in a module for each page: typed from working by hand.
"""

import math
import re
from fractions import Fraction
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from attnbook import check
from attnbook.exercises import all_exercises
from attnbook.exercises._registry import TWO_DIGITS

ANSWERS = {
    file.stem: import_module(f"tests.exercises.answers.{file.stem}")
    for file in sorted(Path(__file__).with_name("answers").glob("*.py"))
}
RIGHT = {key: answers for page in ANSWERS.values() for key, answers in page.RIGHT.items()}
WRONG = [case for page in ANSWERS.values() for case in page.WRONG]
#: Exercises that ask for numbers, as pages judge them; and those that come with other numbers.
FORMS = {key: exercise.form() for key, exercise in all_exercises().items() if exercise.form}
VARIED = {key: exercise for key, exercise in all_exercises().items() if exercise.variants}
UNANSWERED = "unanswered: put your answer for ...\n"

each_exercise = pytest.mark.parametrize("key", all_exercises())
each_form = pytest.mark.parametrize("key", FORMS)
each_varied = pytest.mark.parametrize("key", VARIED)


@pytest.fixture
def said(capsys):
    """What a check prints: one line, and nothing else may be printed."""

    def say(key, answer, **options):
        assert check(key, answer, **options) is None
        captured = capsys.readouterr()
        assert captured.err == ""
        assert captured.out.count("\n") == 1
        return captured.out

    return say


def given(form, array):
    """The answer in Python that says what these numbers in the fields of a page say."""
    return np.flatnonzero(array) if form["ticks"] else array


def reshaped(form, numbers):
    """A slip may be a single number that stands for all."""
    return np.reshape(numbers, form["shapes"][0 if len(numbers) == len(form["right"]) else 1])


def test_every_exercise_has_answers_here():
    assert set(RIGHT) == {key for key, _, _ in WRONG} == set(all_exercises())


@each_exercise
def test_a_right_answer_is_right(said, key):
    for answer in RIGHT[key]:
        assert said(key, answer).startswith("right")
    for unanswered in (..., (..., ...), [0.5, ...]):
        assert said(key, unanswered) == UNANSWERED


@each_exercise
def test_a_wrong_answer_gets_its_hint(said, key):
    wrong = [(said(key, answer), f"not yet: {hint}") for k, answer, hint in WRONG if k == key]
    assert [(got, hint) for got, hint in wrong if not got.startswith(hint)] == []


@each_form
def test_the_right_numbers_in_any_form_are_right_and_nothing_else_is_read(said, key):
    form, shape = FORMS[key], FORMS[key]["shapes"][0]
    assert len(set(form["each"])) == len(form["each"]) == (shape[0] if shape else 0)
    right = given(form, np.reshape(form["right"], shape))
    right.flags.writeable = False
    for answer in (right, right.tolist(), np.float32(right), *([] if shape else [[float(right)]])):
        assert said(key, answer).startswith("right")
    wrong = "not yet: expected an? (array|number)|not yet: expected positions"
    for answer in ("0.45", np.full((9, 9), 9)):
        assert re.match(wrong, said(key, answer))
    assert re.match(wrong if form["ticks"] else "not yet: NaN is among", said(key, right * np.nan))


@pytest.mark.parametrize("key", [key for key in RIGHT if callable(RIGHT[key][0])])
def test_what_is_said_of_no_function_and_of_one_that_fails(said, key):
    assert re.match("not yet: expected a function .*, got int", said(key, 3))
    assert said(key, lambda *args, **kwargs: ...) == UNANSWERED
    assert re.match("not yet: .*(expected|arrays)", said(key, lambda *args, **kwargs: None))
    assert " raises ZeroDivisionError" in said(key, lambda *args, **kwargs: 1 / 0)


@each_form
def test_each_slip_has_its_hint(said, key):
    form = FORMS[key]
    for slip, text in form["wrong"]:
        hint = said(key, given(form, reshaped(form, slip)))[len("not yet: ") : -1]
        # Two slips may end at the same number; then the first is told.
        same = [other for other, told in form["wrong"] if told == hint]
        assert any(np.allclose(slip, other, rtol=0, atol=form["atol"]) for other in same), text


@pytest.mark.parametrize("key", [key for key in RIGHT if all_exercises()[key].mixed])
def test_what_is_mixed_up_is_told(said, key):
    """By this exercise, or by another one of the same judge."""
    mixed = all_exercises()[key].mixed
    told = [said(k, answer) for k, answer, _ in WRONG if all_exercises()[k].mixed == mixed]
    told += [text for _, text in FORMS[key]["wrong"]] if key in FORMS else []
    assert [text for text in mixed if not any(text in each for each in told)] == []


class Hostile:
    """An object that fails wherever it is touched."""

    def fail(self, *args, **kwargs):
        raise RuntimeError

    __array__ = __bool__ = __call__ = __eq__ = __float__ = __len__ = __iter__ = __repr__ = fail
    __hash__ = None


def recursive():
    answer = []
    answer.append(answer)
    return answer


def leave(*args, **kwargs):
    raise SystemExit


HOSTILE = [
    None, "", "0.45", True, 1j, [], {}, object(), Hostile(), Hostile, [[1, 2], [3]], [None] * 6,
    ["a"] * 6, recursive(), math.nan, [math.inf] * 6, 10**400, np.ones((0, 6)), np.ones(6) > 0,
    np.array(["a", 1], dtype=object), np.ma.masked, lambda: None, lambda *a, **k: 1 / 0, leave,
    lambda *a, **k: Hostile(), lambda *a, **k: [[1], [1, 2]], lambda *a, **k: a[0], print,
]  # fmt: skip


# One of each kind: numbers, ticks, an array that is looked at, a function, a test of functions.
@pytest.mark.parametrize(
    "key", ["all-outputs", "not-a-mean", "book-wins", "write-merge", "catch-softmax"]
)
def test_no_answer_makes_a_check_fail(capsys, key):
    for answer in HOSTILE:
        check(key, answer)
        assert capsys.readouterr().out.splitlines()[-1].startswith("not yet: ")


@pytest.mark.parametrize(
    ("key", "options", "message"),
    [
        ("reads-ods", {}, "key must be the name of an exercise.*close names: 'reads-odds'"),
        (7, {}, "key must be the name of an exercise, got 7"),
        ("nope", {}, r"key must .*; close names: '[^']+', '[^']+', '[^']+'\.$"),
        ("all-outputs", {"variant": 1}, "the exercise 'all-outputs' has no variants;"),
        ("reads-odds", {"variant": -1}, "variant must be a whole number from 0 on, got -1"),
    ],
)
def test_an_unknown_exercise_is_an_error(key, options, message):
    with pytest.raises(ValueError, match=f"^check: {message}"):
        check(key, ..., **options)


@each_varied
def test_each_variant_takes_its_own_answer_and_no_other(key):
    exercise = all_exercises()[key]
    everyone = [exercise, *(variant.exercise for variant in exercise.variants)]
    assert len(everyone) >= 5
    forms = [each.form() for each in everyone]
    answers = [np.reshape(form["right"], form["shapes"][0]) for form in forms]
    for number, each in enumerate(everyone):
        verdicts = [each.judge(answer) for answer in answers]
        assert [at for at, verdict in enumerate(verdicts) if verdict is None] == [number]


@each_varied
def test_no_slip_is_right_in_a_variant_and_no_text_is_left_open(key):
    for exercise, says, way in all_exercises()[key].variants:
        form = exercise.form()
        for slip, _ in form["wrong"]:
            assert exercise.judge(reshaped(form, slip)) is not None
        texts = [form["asks"], *form["each"], form["hint"], form["note"], exercise.note]
        assert not re.search("[{}]", "".join(texts))
        assert way
        before, after = says[0]
        assert before != after


def test_a_variant_is_asked_for_by_the_number_of_its_sheet(said):
    many = len(all_exercises()["reads-odds"].variants)
    for number in range(many):
        (right,) = all_exercises()["reads-odds"].variants[number].exercise.form()["right"]
        sheets = (number, number + many, number + 1, None)
        verdicts = [said("reads-odds", right, variant=sheet).partition(":")[0] for sheet in sheets]
        assert verdicts == ["right", "right", "not yet", "not yet"]


@each_form
def test_right_to_two_digits_is_told_as_that(said, key):
    form = FORMS[key]
    target = np.reshape(form["right"], form["shapes"][0])
    digits = [2 if d is None else d for d in form["decimals"]]
    two_digits = [round(x, d) for x, d in zip(form["right"], digits, strict=True)]
    for rounded in (np.round(target, 2), np.reshape(two_digits, target.shape)):
        is_right = np.abs(rounded - target).max() <= form["atol"]
        verdict = "right" if is_right else f"not yet: {TWO_DIGITS}"
        assert said(key, given(form, rounded)).startswith(verdict)


@pytest.mark.parametrize(
    ("key", "answer", "is_rounded"),
    [
        ("rotary-scores", [0.76, 0.76, 0.96], True),
        ("rotary-scores", [0.75, 0.75, 0.95], True),  # cut off
        ("rotary-scores", [0.77, 0.76, 0.96], False),
        ("rotary-scores", [0.7581, 0.7581, 0.9589], False),  # the last of four digits is wrong
        ("saturated-gap", 6, True),
        ("saturated-gap", -6, False),
        ("book-peak", [3.2, 0.28], True),
        ("book-peak", [3.1828, 0.2852], False),
        ("recurrent-steps", 34.8, False),
    ],
)
def test_a_rounded_answer_hears_no_hint_about_the_method(said, key, answer, is_rounded):
    assert (said(key, answer) == f"not yet: {TWO_DIGITS}\n") == is_rounded


def test_a_fraction_is_a_number(capsys):
    check("second-reads", Fraction(3624, 10000))
    check("second-reads", [Fraction(1, 3), "x"])
    assert capsys.readouterr().out.splitlines()[1] == "not yet: expected a number, got list"
