"""The right answer of every question is proved: computed here, from what the question claims.

The proofs of a page are in the module of `tests/answers` that is named like it, one for each
question, a function that is named like the cell. It is given a random generator and returns what
is right: for each choice whether it is true, or the number. Seeds are new in each run: a claim that
holds for some numbers alone is not proved.
"""

import ast
import importlib
from pathlib import Path

import numpy as np
import pytest

from attnutils import Question
from tests.book.test_lessons import cell, cells, source
from tools.project import CHAPTERS

QUESTIONS = [
    (path.stem, cell["id"])
    for path in sorted(CHAPTERS.glob("*.ipynb"))
    for cell in cells(path.stem)
    if cell["cell_type"] == "code" and "Question(" in source(cell)
]
PROOFS = sorted(path.stem for path in (Path(__file__).parents[1] / "answers").glob("*.py"))


def module(page):
    return importlib.import_module(f"tests.answers.{page.replace('-', '_')}")


def asked(page, cell_id):
    """The question that a cell shows: the value of its last line."""
    *_, last = ast.parse(source(cell(page, cell_id))).body
    return eval(compile(ast.Expression(last.value), cell_id, "eval"), {"Question": Question})


@pytest.mark.parametrize(("page", "cell_id"), QUESTIONS)
def test_the_answer_of_a_question_is_right(page, cell_id):
    question = asked(page, cell_id)
    proof = getattr(module(page), cell_id.replace("-", "_"))
    seed = np.random.SeedSequence().entropy
    print(f"seed {seed}")  # comes with a failure, also with one in the proof
    proved = proof(np.random.default_rng(seed))
    if question.choices:
        assert {text for text, _ in question.choices} == set(proved)
        assert [text for text, true in proved.items() if true] == [question.answer]
    else:
        assert question.answer == pytest.approx(proved, rel=1e-9)
        assert all(abs(wrong - proved) > question.tolerance for wrong, _ in question.hints)
        # It forgives rounding, not another answer.
        assert question.tolerance <= 0.01 * abs(proved) * (1 + 1e-9)


@pytest.mark.parametrize("name", PROOFS)
def test_every_proof_belongs_to_a_question(name):
    proved = {proof for proof in vars(module(name)) if proof.startswith("predict_")}
    on_pages = {(page.replace("-", "_"), cell_id.replace("-", "_")) for page, cell_id in QUESTIONS}
    assert proved == {cell_id for page, cell_id in on_pages if page == name}


@pytest.fixture(scope="module")
def questions():
    return [asked(page, cell_id) for page, cell_id in QUESTIONS]


@pytest.fixture(scope="module")
def with_choices(questions):
    """The texts of the choices of each question, as they are shown, and the right one."""
    return [([text for text, _ in q.choices], q.answer) for q in questions if q.choices]


@pytest.mark.parametrize("size", [2, 3, 4])
def test_the_right_choice_is_at_each_place_about_equally_often(with_choices, size):
    places = [texts.index(right) for texts, right in with_choices if len(texts) == size]
    for place in range(size):
        assert abs(places.count(place) - len(places) / size) <= 1.5


def test_the_right_choice_is_the_longest_no_more_often_than_chance(with_choices):
    shares = []
    for texts, right in with_choices:
        longest = [text for text in texts if len(text) == max(map(len, texts))]
        shares.append((right in longest) / len(longest))
    assert sum(shares) <= sum(1 / len(texts) for texts, _ in with_choices)


def test_a_question_can_be_read(questions):
    for question in questions:
        pairs = [*question.choices, *question.hints]
        texts = [question.prompt, question.right, *(str(part) for pair in pairs for part in pair)]
        assert all(text.count("$") % 2 == text.count("`") % 2 == 0 for text in texts)
        # In a notebook formulas are plain letters.
        assert not set("\\{}$") & set("".join(question.formulas.values()))
        assert bool(question.choices) != bool(question.quantity)
