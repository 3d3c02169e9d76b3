"""The folder for a class."""

import contextlib
import io
import json
import re

import nbformat
import pytest

from attnbook.exercises import variant_of
from tools import course

LESSONS = course.names()
VARIED = [name for name in LESSONS if course.varied(name)]


def verdicts(text: str) -> dict[str, str]:
    """What the output of each check of a notebook begins with, by its exercise."""
    found = {}
    for cell in nbformat.reads(text, as_version=4).cells:
        if cell.cell_type == "code" and (key := course.CHECK.search(cell.source)):
            printed = "".join(output.get("text", "") for output in cell.outputs)
            found[key["key"]] = printed.splitlines()[-1].partition(":")[0]
    return found


# The slips of one page take seconds.
@pytest.mark.parametrize("name", sorted({*LESSONS} - {"language-model"}))
def test_solutions_and_slips_are_for_teachers(name):
    keys = course.exercises(name)
    learner, teacher = course.for_learners(name), course.for_teachers(name)
    assert verdicts(learner) == dict.fromkeys(keys, "unanswered")
    assert verdicts(teacher) == dict.fromkeys(keys, "right")
    for mark in ("**Solution.**", "**Common slips**"):
        assert (learner.count(mark), teacher.count(mark)) == (0, len(keys))
    for text in (learner, teacher):
        assert len(re.findall(r"### Exercise \d+", text)) == len(keys) >= 3
        assert not re.search(r"\{(exercise|solution)-(start|end)\}|\{term\}|\[\]\(\w", text)


def test_slips_name_answers_and_what_the_check_says():
    told = course.slips("reads-odds")
    assert "| 0.135335 | these are the odds Sleepy : Reads" in told
    assert "| anything else | odds are one weight" in told
    assert "that is the honest training" in course.slips("which-cheats")
    assert "for x of shape (5, 3) and d\\_k = 2, there is no mask" in course.slips("write-causal")


def said(text: str) -> list[str]:
    """What the checks of a sheet print that runs here: only its text matters."""
    printed, names = io.StringIO(), {}
    with contextlib.redirect_stdout(printed):
        for cell in nbformat.reads(text, as_version=4).cells:
            if cell.cell_type == "code":
                exec(cell.source, names)
    return [line.partition(":")[0] for line in printed.getvalue().splitlines()]


@pytest.mark.parametrize("name", VARIED)
def test_a_sheet_has_numbers_of_its_own(name, monkeypatch):
    monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)  # else its first cell installs
    many = len(course.varied(name))
    sheet, solved = course.sheet(name, 1), course.sheet(name, 1, solved=True)
    assert said(sheet) == ["unanswered"] * many
    assert said(solved) == ["right"] * many
    for other in (", variant=2)", ")"):
        assert said(solved.replace(", variant=1)", other)) == ["not yet"] * many
    for key in course.varied(name):
        for before, after in variant_of(key, 1).says:
            assert json.dumps(before, ensure_ascii=False)[1:-1] not in sheet or after == before
            assert json.dumps(after, ensure_ascii=False)[1:-1] in sheet


def test_the_plan_has_every_page_in_order_with_its_explorers(book, monkeypatch):
    monkeypatch.setenv("BOOK_URL", "https://example.org/")
    plan = course.plan()
    rows = [row for row in plan.splitlines() if re.match(r"\| \d", row)]
    assert [re.search(r"chapters/([\w-]+)\.html", row)[1] for row in rows] == LESSONS
    for name, row in zip(LESSONS, rows, strict=True):
        html = (book / "chapters" / f"{name}.html").read_text(encoding="utf-8")
        there = re.findall(r'<[^>]* data-address="([^"]+)"', html)
        assert re.findall(r"html#([a-z0-9-]+):\)", row) == there


def test_a_folder_with_something_in_it_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").touch()
    with pytest.raises(course.CourseError, match="is there and not empty: name a new folder"):
        course.emptied(tmp_path)
