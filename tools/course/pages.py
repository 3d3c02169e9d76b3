"""The pages of the book as a class gets them: for learners, for teachers, for nbgrader."""

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import yaml

from attnbook.exercises import all_exercises, verdict
from attnbook.exercises._registry import Exercise
from book import address
from book.portable import CHECKS, Book, Cell, markdown, written
from tools.project import ROOT

CHECK = re.compile(r'^check\("(?P<key>[\w-]+)", (?P<answer>\w+)\)$', re.M)
TITLE = re.compile(r"^### Exercise (?P<number>\d+): (?P<title>.+)", re.M)
LEVEL = re.compile(r"\b(easy|medium|hard)\b", re.I)
TIME = re.compile(r"\b(\d+) minutes\b")
#: What an exercise is worth, and the minutes that it takes; medium where it does not say.
POINTS, MINUTES = {"easy": 1, "medium": 2, "hard": 3}, 10
MARKS = re.compile(r"([\\`*_|<$\[])")  # of Markdown
SLIPS = 12  # at most so many are told of an exercise
ANSWERS = ROOT / "tests" / "exercises" / "answers"
GRADE = 'from attnbook import grade\n\ngrade("{}", {}, points={})'


class CourseError(Exception):
    """The folder cannot be written; the message says why and what to do."""


class Asked(NamedTuple):
    """An exercise as a page asks it."""

    number: int
    title: str
    points: int
    minutes: int


@cache
def pages(*, alone: bool = False) -> Book:
    """Return the lessons, or one alone: its links lead to what is published."""
    book = Book(online=address.pages(), install=address.install())
    book.beside = set() if alone else {name for part in book.lessons.values() for name in part}
    return book


def names() -> list[str]:
    """Return the names of the lessons in their order."""
    return [name for lessons in pages().lessons.values() for name in lessons]


def pieces(name: str, *, alone: bool = False) -> Iterator[tuple[str, Cell]]:
    """Yield the cells of a page and where they stand, without those that check the page."""
    for place, cell in pages(alone=alone).pieces(name):
        if not cell["source"].startswith(f"# @title {CHECKS}\n"):
            yield place, cell


@cache
def exercises(name: str) -> dict[str, Asked]:
    """Return the exercises of a page by their keys, in their order."""
    asked, text = {}, ""
    for place, cell in pieces(name):
        if place == "exercise" and cell["cell_type"] == "markdown":
            text = cell["source"] if TITLE.match(cell["source"]) else text
        elif place == "exercise" and (found := CHECK.search(cell["source"])):
            title, level, time = TITLE.match(text), LEVEL.search(text), TIME.search(text)
            points = POINTS[level[1].lower() if level else "medium"]
            minutes = int(time[1]) if time else MINUTES
            asked[found["key"]] = Asked(int(title["number"]), title["title"], points, minutes)
    return asked


def link(text: str, path: str) -> str:
    """Return a link to what is published, or the text alone."""
    return f"[{text}]({address.pages()}chapters/{path})" if address.pages() else text


def source() -> str:
    """Return how the book is named: title, authors, address."""
    about = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    names = [f"*{about['title']}*", *(author["name"] for author in about["authors"])]
    return ", ".join([*names, address.pages()] if address.pages() else names)


def for_learners(name: str) -> str:
    """Return the notebook of a page without its solutions."""
    return written(cell for place, cell in pieces(name) if place != "solution")


def for_teachers(name: str) -> str:
    """Return the notebook of a page in which each check is that of a solution, with slips."""
    cells, before = [], ""
    for place, cell in pieces(name):
        found = CHECK.search(cell["source"]) if cell["cell_type"] == "code" else None
        if found and place == "exercise":  # what it gives the solution to work with is kept
            cell |= {"source": CHECK.sub("", cell["source"]).strip(), "outputs": []}
        elif place == "solution" != before:
            cells.append(markdown(f"{cell['id']}-heading", "**Solution.**"))
        before = place
        cells.append(cell)
        if found and place == "solution" and (told := slips(found["key"])):
            cells.append(markdown(f"slips-{found['key']}", told))
    return written(cells)


# -- common slips ------------------------------------------------------------------------------


def slips(key: str, exercise: Exercise | None = None) -> str:
    """Return which wrong answers of an exercise, or of a variant, get which words, as Markdown."""
    make = (exercise or all_exercises()[key]).form
    form = make() if make else None
    told: dict[str, str] = {}  # by what is said; of several answers that hear it the first
    if form is None:
        for text, answer in said_of_wrong_answers(key):
            told.setdefault(text, answer)
    elif form["ticks"]:
        for ticks, text in form["wrong"]:
            off = [int(i) for i in np.flatnonzero(np.not_equal(ticks, form["right"]))]
            if len(off) == 1:  # of several the first is told
                told[text] = f"{off[0]} {'as well' if ticks[off[0]] else 'is missing'}"
    else:
        for values, text in form["wrong"]:
            told.setdefault(text, ", ".join(f"{x:.6g}" for x in values))
        told[form["hint"]] = "anything else"
    rows = [f"| {answer} | {escaped(text)} |" for text, answer in told.items()][:SLIPS]
    head = ["**Common slips**", "", "| wrong answer | the check says |", "|---|---|"]
    return "\n".join([*head, *rows]) if rows else ""


def escaped(text: str) -> str:
    return MARKS.sub(r"\\\1", " ".join(text.split()))


def said_of_wrong_answers(key: str) -> Iterator[tuple[str, str]]:
    """Yield what a check says of the wrong answers of its tests, all of it, and the answers."""
    for path in sorted(ANSWERS.glob("[a-z]*.py")):
        for exercise, answer, hint in import_module(f"tests.exercises.answers.{path.stem}").WRONG:
            if exercise == key and not hint.startswith("expected"):
                code = " ".join(described(answer).replace("|", "\\|").split())
                yield verdict(key, answer).removeprefix("not yet: "), f"`{code}`"


def described(answer: Any) -> str:
    """Return a wrong answer as Python; a function by its name, and by what is changed in it."""
    if isinstance(answer, partial):
        given = [*map(described, answer.args)]
        given += [f"{name}={described(value)}" for name, value in answer.keywords.items()]
        return f"{described(answer.func)}({', '.join(given)})"
    if isinstance(answer, tuple | list) and any(map(callable, answer)):
        return f"({', '.join(map(described, answer))})"
    if callable(answer):
        name = getattr(answer, "__name__", type(answer).__name__)
        return lambda_of(answer) if name == "<lambda>" else name
    return repr(np.round(answer, 4).tolist() if isinstance(answer, np.ndarray) else answer)


def lambda_of(function: Callable[..., Any]) -> str:
    """Return the text of a function without a name, where its line has no other."""
    line = function.__code__.co_firstlineno
    tree = ast.parse(inspect.getsource(inspect.getmodule(function)))
    found = [n for n in ast.walk(tree) if isinstance(n, ast.Lambda) and n.lineno == line]
    return ast.unparse(found[0]) if len(found) == 1 else "another function"


# -- nbgrader ----------------------------------------------------------------------------------


def assignment(name: str) -> str:
    """Return the source notebook of a page for nbgrader.

    An exercise is a cell to answer, with the solution between nbgrader's marks, and a locked cell
    that gives points.
    """
    cells, kept = [*pieces(name)], []
    for at, (place, cell) in enumerate(cells):
        found = CHECK.search(cell["source"]) if cell["cell_type"] == "code" else None
        if found is None or place != "exercise":
            kept += [cell] if place != "solution" else []
            continue
        key, answer = found["key"], found["answer"]
        stub, solved = CHECK.sub("", cell["source"]).strip(), solution(key, answer, cells[at:])
        text = f"{stub}\n### BEGIN SOLUTION\n{solved}\n### END SOLUTION"
        kept.append(cell | {"metadata": marks(key, solution=True), "outputs": [], "source": text})
        points = exercises(name)[key].points
        marked = marks(f"{key}-grade", grade=True, locked=True, points=points)
        graded = {
            "id": f"{key}-grade",
            "metadata": marked,
            "source": GRADE.format(key, answer, points),
        }
        kept.append(cell | graded | {"outputs": []})
    return written(kept)


def solution(key: str, answer: str, cells: list[tuple[str, Cell]]) -> str:
    """Return the code of the solution of an exercise, which ends with the answer by its name."""
    code = next(
        cell["source"]
        for place, cell in cells
        if place == "solution" and f'check("{key}"' in cell["source"]
    )
    named = CHECK.search(code)["answer"]
    return CHECK.sub("" if named == answer else f"{answer} = {named}", code).strip()


def marks(name: str, **kinds: Any) -> dict[str, Any]:
    """Return what nbgrader reads of a cell."""
    plain = {"grade": False, "solution": False, "locked": False, "task": False}
    return {"nbgrader": plain | kinds | {"grade_id": name, "schema_version": 3}}
