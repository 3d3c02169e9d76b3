"""The shape of a lesson: questions, exercises with checks, solutions, numbers that cells print."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from attnutils.exercises import EXERCISES
from tools.project import CHAPTERS, ROOT

TOC = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
PAGES = [Path(entry["file"]).name for entry in TOC["chapters"]]
# Pages beside the path: no exercises are expected of them.
REFERENCE = {"notation", "api", "bibliography"}
LESSONS = [name for name in PAGES if name not in REFERENCE]

CHECK = re.compile(r'^check\("([\w-]+)", (\w+)\)$', re.MULTILINE)
# A number with three decimals or more was computed, so a cell must print it.
COMPUTED = re.compile(r"(?<![\w.])\d*\.\d{3,}")

each_lesson = pytest.mark.parametrize("name", LESSONS)


def cells(name: str) -> list[dict[str, Any]]:
    return json.loads((CHAPTERS / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


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
    assert len(verdicts) >= 3
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
    assert sorted(used) == sorted(EXERCISES)


@each_lesson
def test_a_lesson_asks_before_it_tells(name):
    questions = [cell for cell in cells(name) if "Question(" in source(cell)]
    assert len(questions) >= 2
    for cell in questions:
        # The answer must not be on show: not on the page, in Jupyter or in Colab.
        assert "remove-input" in cell["metadata"]["tags"]
        assert cell["metadata"]["jupyter"] == {"source_hidden": True}
        assert cell["metadata"]["cellView"] == "form"


@each_lesson
def test_a_lesson_opens_with_objectives_and_closes_with_a_summary(name):
    text = prose(name)
    objectives = text.partition("**After this page you can**")[2].partition("**You need**")[0]
    assert 3 <= len(re.findall(r"^- ", objectives, re.MULTILINE)) <= 5
    assert re.findall(r"^## (.+)$", text, re.MULTILINE)[-1] == "Summary"


@each_lesson
def test_numbers_in_the_prose_are_printed_by_a_cell(name):
    outputs = "\n".join(printed(cell) for cell in cells(name) if cell["cell_type"] == "code")
    missing = {n for n in COMPUTED.findall(prose(name)) if n.removeprefix("0") not in outputs}
    assert not missing


def test_the_map_of_the_pages_follows_the_order():
    text = prose("index")
    links = re.findall(
        r"\[\]\(([\w-]+)\.\w+\)", text.partition("## Map of the pages")[2].split("##")[0]
    )
    assert links == PAGES
