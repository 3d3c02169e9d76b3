"""The right answer of every question is proved: computed here, from what the question claims.

The proofs of a page are in the module of `answers` that is named like it, one for each question, a
function that is named like the cell. It is given a random generator and returns what is right: for
each choice whether it is true, or the number. Seeds are made of names, so that nobody has chosen
them: a claim that holds for some numbers alone is not proved.
"""

from functools import cache

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from attnbook import Question
from tests.exercises.test_exercises import ANSWERS
from tests.notebooks import NAMES, code_of, shown

PAGES = [name for name in NAMES if code_of(name, r"Question\(")]


@cache
def questions(page):
    """The questions of a page by the names of their proofs."""
    asked = code_of(page, r"Question\(")
    return {cell["id"].replace("-", "_"): shown(cell, Question=Question) for cell in asked}


QUESTIONS = [(page, name) for page in PAGES for name in questions(page)]


def test_each_proof_belongs_to_a_question_and_each_question_has_one():
    proofs = [
        (page.replace("_", "-"), name)
        for page, module in ANSWERS.items()
        for name in vars(module)
        if name.startswith("predict_")
    ]
    assert sorted(proofs) == sorted(QUESTIONS)


@pytest.mark.parametrize(("page", "name"), QUESTIONS)
def test_the_answer_of_a_question_is_right(page, name):
    question = questions(page)[name]
    rng = np.random.default_rng([*f"{page} {name}".encode()])
    proved = getattr(ANSWERS[page.replace("-", "_")], name)(rng)
    if question.choices:
        assert {text for text, _ in question.choices} == set(proved)
        assert [text for text, true in proved.items() if true] == [question.answer]
    else:
        assert question.answer == pytest.approx(proved, rel=1e-9)
        assert all(abs(wrong - proved) > question.tolerance for wrong, _ in question.hints)
        # It forgives rounding, not another answer.
        assert question.tolerance <= 0.01 * abs(proved) * (1 + 1e-9)


def test_what_is_right_cannot_be_guessed_from_its_place_or_length():
    asked = [q for page in PAGES for q in questions(page).values() if q.choices]
    texts = [([text for text, _ in question.choices], question.answer) for question in asked]
    for size in (2, 3, 4):
        places = [choices.index(right) for choices, right in texts if len(choices) == size]
        for place in range(size):
            assert abs(places.count(place) - len(places) / size) <= 1.5
    longest = [(right, [x for x in each if len(x) == max(map(len, each))]) for each, right in texts]
    found = sum((right in choices) / len(choices) for right, choices in longest)
    assert found <= sum(1 / len(choices) for choices, _ in texts)


def written(name, question):
    """All that a question says, as it is shown: its choices in their order."""
    is_number = not question.choices
    pairs = question.choices or [[question.answer, question.right], *question.hints]
    rows = [f"{'*' if x == question.answer else '-'} {x}: {told}" for x, told in pairs]
    unit = f"{question.quantity} ± {question.tolerance:g}"
    formulas = [f"{tex} = {plain}" for tex, plain in question.formulas.items() if tex != plain]
    head = [f"## {name}{' (veil)' * question.veil}", question.prompt, *[unit] * is_number]
    return "\n".join([*head, *rows, *formulas])


@pytest.mark.parametrize("page", PAGES)
def test_the_questions_of_a_page_say_what_they_said(page: str, snapshot: SnapshotAssertion):
    assert "\n\n".join(written(*item) for item in questions(page).items()) == snapshot
