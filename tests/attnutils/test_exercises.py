"""Each exercise accepts what is right, turns away what is wrong, and survives the rest.

The right answers are typed in the modules of `tests/answers`, one for each page and named like it,
from working by hand, and nowhere in the package.
"""

import math
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from attnutils import check, exercises, softmax
from attnutils.exercises import all_exercises
from attnutils.exercises._registry import TWO_DIGITS

ANSWERS = Path(__file__).parents[1] / "answers"
PAGES = [import_module(f"tests.answers.{file.stem}") for file in ANSWERS.glob("*.py")]
RIGHT = {key: answers for page in PAGES for key, answers in page.RIGHT.items()}
WRONG = [case for page in PAGES for case in page.WRONG]
FORMS = {key: exercise.form() for key, exercise in all_exercises().items() if exercise.form}
UNANSWERED = "unanswered: put your answer for ...\n"


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
    assert set(RIGHT) == set(all_exercises())


def test_an_exercise_is_found_without_those_of_all_pages(monkeypatch):
    most = 0
    for key in all_exercises():
        for module in [name for name in sys.modules if name.startswith("attnutils.exercises.")]:
            if not module.endswith("._registry"):
                monkeypatch.delitem(sys.modules, module)
        none = {}
        monkeypatch.setattr(exercises, "EXERCISES", none)
        monkeypatch.setattr(exercises._registry, "EXERCISES", none)
        assert exercises.exercise_of(key)
        most = max(most, len(none))
    assert 4 * most < len(all_exercises())


@pytest.mark.parametrize(
    ("key", "answer"), [(k, a) for k, answers in RIGHT.items() for a in answers]
)
def test_a_right_answer_is_right(said, key, answer):
    assert said(key, answer).startswith("right")


@pytest.mark.parametrize("key", RIGHT)
def test_ellipsis_is_unanswered(said, key):
    for answer in (..., (..., ...), [0.5, ...]):
        assert said(key, answer) == UNANSWERED


@pytest.mark.parametrize("key", [key for key, answers in RIGHT.items() if callable(answers[0])])
def test_a_function_that_is_still_to_be_written_is_unanswered(said, key):
    assert said(key, lambda *args, **kwargs: ...) == UNANSWERED


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
        ("xyz", "'all-outputs', .*'catch-softmax'"),
        (7, "got 7"),
    ],
)
def test_an_unknown_exercise_is_an_error_with_close_names(key, close):
    with pytest.raises(ValueError, match=f"^check: key must be the name of an exercise.*{close}"):
        check(key, ...)


@pytest.mark.parametrize("key", FORMS)
def test_each_slip_has_its_hint(said, key):
    form = FORMS[key]
    size = len(form["right"])
    for slip, text in form["wrong"]:
        shape = form["shapes"][0 if len(slip) == size else 1]
        hint = (
            said(key, given(form, np.reshape(slip, shape))).removeprefix("not yet: ").rstrip("\n")
        )
        # Two slips may end at the same number; then the first is told.
        same = [other for other, told in form["wrong"] if told == hint]
        assert any(np.allclose(slip, other, rtol=0, atol=form["atol"]) for other in same), text


VARIED = {key: exercise for key, exercise in all_exercises().items() if exercise.variants}


def test_twenty_exercises_have_variants_and_each_has_several():
    assert len(VARIED) >= 20
    assert min(len(exercise.variants) for exercise in VARIED.values()) >= 4


@pytest.mark.parametrize("key", VARIED)
def test_each_variant_takes_its_own_answer_and_no_other(key):
    exercise = all_exercises()[key]
    all_of_it = [exercise, *(variant.exercise for variant in exercise.variants)]
    forms = [exercise.form() for exercise in all_of_it]
    answers = [np.reshape(form["right"], form["shapes"][0]) for form in forms]
    for i, exercise in enumerate(all_of_it):
        verdicts = [exercise.judge(answer) for answer in answers]
        assert verdicts[i] is None
        assert [j for j, verdict in enumerate(verdicts) if verdict is None] == [i]


@pytest.mark.parametrize("key", VARIED)
def test_no_slip_is_right_in_a_variant_and_no_text_is_left_open(key):
    for exercise, says in all_exercises()[key].variants:
        form = exercise.form()
        for slip, _ in form["wrong"]:
            shape = form["shapes"][0 if len(slip) == len(form["right"]) else 1]
            assert exercise.judge(np.reshape(slip, shape)) is not None
        texts = [form["asks"], *form["each"], form["hint"], form["note"], exercise.note]
        assert not [text for text in texts if "{" in text or "}" in text]
        assert all(before != after for before, after in says[:1])
        assert says


def test_a_variant_is_asked_for_by_the_number_of_its_sheet(capsys):
    many = len(all_exercises()["reads-odds"].variants)
    for number in range(many):
        (right,) = all_exercises()["reads-odds"].variants[number].exercise.form()["right"]
        check("reads-odds", right, variant=number)
        check("reads-odds", right, variant=number + many)
        check("reads-odds", right, variant=number + 1)
        check("reads-odds", right)
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "right",
        "right",
        "not yet",
        "not yet",
    ] * many


@pytest.mark.parametrize("number", [-1, 1.0, True, "1"])
def test_a_sheet_has_a_whole_number(number):
    with pytest.raises(ValueError, match=r"^check: variant must be a whole number from 0 on, got"):
        check("reads-odds", ..., variant=number)


def test_an_exercise_without_variants_says_so():
    with pytest.raises(ValueError, match=r"^check: the exercise 'all-outputs' has no variants;"):
        check("all-outputs", 1, variant=1)


def given(form, array):
    """The answer in Python that says what these numbers in the fields of a page say."""
    return np.flatnonzero(array) if form["ticks"] else array


def whole(form):
    return all(decimals is None for decimals in form["decimals"])


@pytest.mark.parametrize("key", FORMS)
def test_right_to_two_digits_is_told_as_that(said, key):
    form = FORMS[key]
    target = np.reshape(form["right"], form["shapes"][0])
    digits = [2 if d is None else d for d in form["decimals"]]
    two_digits = [round(x, d) for x, d in zip(form["right"], digits, strict=True)]
    for rounded in (np.round(target, 2), np.reshape(two_digits, target.shape)):
        is_right = np.abs(rounded - target).max() <= form["atol"]
        assert said(key, given(form, rounded)).startswith(
            "right" if is_right else f"not yet: {TWO_DIGITS}"
        )
        if whole(form):
            assert is_right


def test_most_exercises_ask_for_numbers():
    assert 2 * len(FORMS) > len(all_exercises())
    assert sum(whole(form) for form in FORMS.values()) < 35


@pytest.mark.parametrize(
    ("key", "answer"),
    [
        ("rotary-scores", [0.76, 0.76, 0.96]),
        ("rotary-scores", [0.75, 0.75, 0.95]),  # cut off
        ("alibi-fading", [0.03, 0.8]),
        ("score-direction", [0, 0, 1.35, 0]),
        ("zero-state", [0.35, 0.55]),
        ("saturated-gap", 6),
        ("reads-and-sleepy", [0, 0.06, 0, 0.94, 0, 0]),
        ("book-peak", [3.2, 0.28]),
        ("reads-odds", 7.4),
    ],
)
def test_a_rounded_answer_hears_no_hint_about_the_method(said, key, answer):
    assert said(key, answer) == "not yet: right to two digits; give four\n"


@pytest.mark.parametrize(
    ("key", "answer"),
    [
        ("rotary-scores", [0.77, 0.76, 0.96]),
        ("rotary-scores", [0.7581, 0.7581, 0.9589]),  # four digits, the last of them wrong
        ("book-peak", [3.1828, 0.2852]),
        ("reads-odds", 7),
        ("recurrent-steps", 34.8),
        ("saturated-gap", -6),
    ],
)
def test_what_is_wrong_in_its_second_digit_is_wrong(said, key, answer):
    assert "digits" not in said(key, answer)


@pytest.mark.parametrize("key", FORMS)
def test_what_is_asked_for_has_a_name(key):
    form = FORMS[key]
    shape = form["shapes"][0]
    assert form["asks"]
    assert len(form["each"]) == (shape[0] if shape else 0)
    assert len(set(form["each"])) == len(form["each"])
    assert all(map(math.isfinite, form["right"]))
