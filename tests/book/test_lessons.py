"""The shape of a lesson: questions, exercises with checks, solutions, numbers that cells print."""

import ast
import json
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from attnutils.exercises import all_exercises
from tests.book.test_pages import DOCUMENTS
from tools.project import CHAPTERS

# Pages beside the path: no exercises are expected of them.
REFERENCE = {"notation", "api", "widgets", "bibliography", "accessibility"}
LESSONS = [Path(name).name for name in DOCUMENTS[1:] if Path(name).name not in REFERENCE]

# The chapter proper ends here: the reader builds a layer, and has finished.
LAST_OF_THE_CHAPTER = "graph-attention"

CHECK = re.compile(r'^check\("([\w-]+)", (\w+)\)$', re.MULTILINE)
# A number with three decimals or more was computed, so a cell must print it.
COMPUTED = re.compile(r"(?<![\w.])\d*\.\d{3,}(?!\w)")

each_lesson = pytest.mark.parametrize("name", LESSONS)


def cells(name: str) -> list[dict[str, Any]]:
    return json.loads((CHAPTERS / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]


def cell(name: str, cell_id: str) -> dict[str, Any]:
    (found,) = (cell for cell in cells(name) if cell["id"] == cell_id)
    return found


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def functions(name: str, cell_id: str, **given: Any) -> dict[str, Any]:
    """The functions that a code cell defines; `given` are names that they take from other cells."""
    tree = ast.parse(source(cell(name, cell_id)))
    tree.body = [statement for statement in tree.body if isinstance(statement, ast.FunctionDef)]
    exec(compile(tree, cell_id, "exec"), given)
    return given


def printed(cell: dict[str, Any]) -> str:
    return "".join("".join(output.get("text", "")) for output in cell.get("outputs", []))


def prose(name: str) -> str:
    return "\n".join(source(cell) for cell in cells(name) if cell["cell_type"] == "markdown")


def checks(name: str) -> Iterator[tuple[str, str]]:
    """The key and the verdict of every check of a page, in order."""
    for cell in cells(name):
        for key, _ in CHECK.findall(source(cell) if cell["cell_type"] == "code" else ""):
            yield key, printed(cell).splitlines()[-1].partition(":")[0]


@each_lesson
def test_every_exercise_is_open_and_its_solution_is_right(name):
    verdicts: dict[str, list[str]] = {}
    for key, verdict in checks(name):
        verdicts.setdefault(key, []).append(verdict)
    assert len(verdicts) >= 3, "a lesson has three exercises, or more"
    assert verdicts == {key: ["unanswered", "right"] for key in verdicts}


@each_lesson
def test_exercises_and_folded_solutions_come_in_pairs(name):
    text = prose(name)
    labels = re.findall(r"\{exercise-start\}[^\n]*\n:label: ([\w-]+)", text)
    solutions = re.findall(r"\{solution-start\} ([\w-]+)\n:class: dropdown", text)
    assert labels == solutions == [f"ex-{key}" for key in dict.fromkeys(k for k, _ in checks(name))]
    assert text.count("{exercise-end}") == text.count("{solution-end}") == len(labels)


def test_every_exercise_of_the_package_is_on_one_page():
    used = [key for name in LESSONS for key in dict.fromkeys(key for key, _ in checks(name))]
    assert sorted(used) == sorted(all_exercises())


@each_lesson
def test_a_lesson_asks_before_it_tells(name):
    questions = [cell for cell in cells(name) if "Question(" in source(cell)]
    assert len(questions) >= 2, "a lesson asks two questions, or more"
    things = [cell for cell in cells(name) if "ThingsToTry(" in source(cell)]
    for cell in questions + things:
        # The answer must not be on show: not on the page, in Jupyter or in Colab.
        assert "remove-input" in cell["metadata"]["tags"]
        assert cell["metadata"]["jupyter"] == {"source_hidden": True}
        assert cell["metadata"]["cellView"] == "form"


@each_lesson
def test_a_lesson_opens_with_objectives_and_closes_with_a_summary(name):
    text = prose(name)
    objectives = text.partition("**After this page you can**")[2].partition("**You need**")[0]
    n_objectives = len(re.findall(r"^- ", objectives, re.MULTILINE))
    assert 3 <= n_objectives <= 5, "a lesson has three to five objectives"
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    if name == LAST_OF_THE_CHAPTER:
        assert headings.pop() == "The finish line"
    assert headings[-1] == "Summary"


def stands_for(number: str, printed: str) -> bool:
    """Whether a number is one that was printed, or that one with fewer decimals."""
    unit = Decimal(1).scaleb(Decimal(number).as_tuple().exponent)
    return abs(Decimal(number) - Decimal(printed)) < unit / 2


@pytest.mark.parametrize(
    ("number", "printed", "verdict"),
    [
        (".877", "0.8775", False),
        (".878", "0.8775", False),
        (".877", "0.8774", True),
        (".8775", "0.8775", True),
        ("0.8775", "0.877", False),
        ("0.0034", "1.0034", False),
    ],
)
def test_a_number_is_not_a_part_of_another(number, printed, verdict):
    assert stands_for(number, printed) == verdict


@each_lesson
def test_numbers_in_the_prose_are_printed_by_a_cell(name):
    # What a question or a thing to try says is no print-out.
    told = ("Question(", "ThingsToTry(")
    code = [
        c
        for c in cells(name)
        if c["cell_type"] == "code" and not any(kind in source(c) for kind in told)
    ]
    # A constant in the code was not computed: it is given.
    known = {n for cell in code for n in COMPUTED.findall(f"{printed(cell)}\n{source(cell)}")}
    numbers = set(COMPUTED.findall(prose(name)))
    assert not {n for n in numbers if not any(stands_for(n, other) for other in known)}
