"""The folder for a class."""

import contextlib
import io
import json
import re

import nbformat
import pytest

from attnbook.exercises import variant_of
from book.portable import CHECKS
from tools.course import __main__ as course
from tools.course import bank, sheets
from tools.course import pages as course_pages
from tools.course.pages import CHECK, exercises, pages

LESSONS = course_pages.names()
VARIED = [name for name in LESSONS if sheets.varied(name)]
# What is on a page alone, where a question that stands alone cannot point.
PLACES = re.compile(
    r"(?i)explorer|this page|the table|figure|drawing|button|slider|try it|above:|below:"
)


def verdicts(text: str) -> dict[str, str]:
    """What the output of each check of a notebook begins with, by its exercise."""
    found = {}
    for cell in nbformat.reads(text, as_version=4).cells:
        if cell.cell_type == "code" and (key := CHECK.search(cell.source)):
            printed = "".join(output.get("text", "") for output in cell.outputs)
            found[key["key"]] = printed.splitlines()[-1].partition(":")[0]
    return found


# The slips of one page take seconds.
@pytest.mark.parametrize("name", sorted({*LESSONS} - {"language-model"}))
def test_solutions_and_slips_are_for_teachers(name):
    keys = [*exercises(name)]
    learner, teacher = course.for_learners(name), course.for_teachers(name)
    assert verdicts(learner) == dict.fromkeys(keys, "unanswered")
    assert verdicts(teacher) == dict.fromkeys(keys, "right")
    for mark in ("**Solution.**", "**Common slips**"):
        assert (learner.count(mark), teacher.count(mark)) == (0, len(keys))
    cells = nbformat.reads(teacher, as_version=4).cells
    rows = [row for c in cells if c.id.startswith("slips-") for row in c.source.splitlines()[4:]]
    for row in rows:  # which wrong answer is told what
        assert re.fullmatch(r"\| \S.* \| \S.* \|", row), row
    for text in (learner, teacher):
        assert CHECKS not in text
        assert len(re.findall(r"### Exercise \d+", text)) == len(keys) >= 3
        assert not re.search(r"\{(exercise|solution)-(start|end)\}|\{term\}|\[\]\(\w", text)


def test_slips_name_answers_and_what_the_check_says():
    told = course_pages.slips("reads-odds")
    assert "| 0.135335 | these are the odds Sleepy : Reads, the other way round |" in told
    assert "| anything else | odds are one weight" in told
    assert "| 3 as well |" in course_pages.slips("one-layer")
    told = course_pages.slips("write-causal")
    assert (
        "| `causal(scale=False)` | for x of shape (5, 3) and d\\_k = 2, there is no scale" in told
    )
    assert "| `lambda layer: True` | causal attention does not leak" in course_pages.slips(
        "find-leak"
    )


def test_a_notebook_for_nbgrader_gives_points_for_answers():
    text = course_pages.assignment("temperature")
    cells = nbformat.reads(text, as_version=4).cells
    marked = {c.metadata.nbgrader.grade_id: c for c in cells if "nbgrader" in c.metadata}
    assert [*marked] == [k for key in exercises("temperature") for k in (key, f"{key}-grade")]
    answer, graded = marked["reads-odds"], marked["reads-odds-grade"]
    assert "answer = ...\n### BEGIN SOLUTION\nanswer = np.exp" in answer.source
    assert graded.metadata.nbgrader.locked
    assert graded.source.endswith('grade("reads-odds", answer, points=1)')
    assert graded.metadata.nbgrader.points == 1


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
    keys = sheets.varied(name)
    sheet, solved = course.sheet(name, 1), course.sheet(name, 1, solved=True)
    assert said(sheet) == ["unanswered"] * len(keys)
    assert said(solved) == ["right"] * len(keys)
    for other in (", variant=2)", ")"):
        assert said(solved.replace(", variant=1)", other)) == ["not yet"] * len(keys)
    assert solved.count("**Way.**") == len(keys)
    for key in keys:
        for before, after in variant_of(key, 1).says:
            assert json.dumps(before, ensure_ascii=False)[1:-1] not in sheet or after == before
            assert json.dumps(after, ensure_ascii=False)[1:-1] in sheet


@pytest.mark.parametrize("name", LESSONS)
def test_each_week_has_a_sheet_whose_tasks_have_names_and_numbers(name):
    texts = [cell.source for cell in nbformat.reads(course.sheet(name, 1), as_version=4).cells]
    assert texts[1].startswith(f"# Week {LESSONS.index(name) + 1}: {pages().titles[name]}. Sheet 1")
    heads = [text for text in texts if text.startswith("### ")]
    assert heads
    assert all(re.match(rf"### {n}\. \w", text) for n, text in enumerate(heads, start=1))


def test_each_question_of_the_book_is_said_to_stand_alone_or_not():
    there = {name for page in LESSONS for name, _ in bank.states(pages(), page)}
    assert {*bank.standing_alone()} == there
    alone = [item for page in LESSONS for item in bank.items(pages(), page)]
    assert len(alone) >= 0.8 * len(there)
    for name, prompt, answers, *_ in alone:
        texts = [prompt, *(str(part) for answer in answers for part in answer)]
        assert not [text for text in texts if PLACES.search(text)], name
        assert all(answer.said for answer in answers), name


def test_the_plan_has_every_page_in_order_with_its_explorers(book, monkeypatch):
    monkeypatch.setenv("BOOK_URL", "https://example.org/")
    plan = course.plan(LESSONS, [1, 2])
    rows = [row for row in plan.splitlines() if re.match(r"\| \d", row)]
    assert [re.search(r"chapters/([\w-]+)\.html", row)[1] for row in rows] == LESSONS
    weeks = plan.split("## Week ")[1:]
    for name, row, week in zip(LESSONS, rows, weeks, strict=True):
        assert all(f"(student/{course.sheet_name(name, n)})" in row for n in (1, 2))
        assert re.findall(r"(?m)^(\d)\. \*\*", week) == ["1", "2", "3", "4", "5"]
        html = (book / "chapters" / f"{name}.html").read_text(encoding="utf-8")
        there = re.findall(r'<[^>]* data-address="([^"]+)"', html)
        assert re.findall(r"html#([a-z0-9-]+):\)", week) == there


def test_a_folder_with_something_in_it_is_left_alone(tmp_path, capsys):
    (tmp_path / "mine.txt").touch()
    assert course.main(["--folder", str(tmp_path)]) == 1
    assert "is there and not empty: name a new folder" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


def test_what_there_is_not_is_named_and_nothing_is_written(tmp_path, capsys):
    folder = ["--folder", str(tmp_path / "new")]
    assert course.main([*folder, "--pages", "temperature", "heat"]) == 1
    assert "there is no page 'heat'. Pages: attention-mechanism," in capsys.readouterr().err
    for number in ("1a", "0", "-1"):
        with pytest.raises(SystemExit):
            course.main([*folder, f"--sheets={number}"])
        assert f"a sheet has a whole number, such as 7, not '{number}'" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_what_a_question_says_no_more_is_an_error():
    name, state = next(bank.states(pages(), "temperature"))
    with pytest.raises(
        bank.BankError, match=r"in the question temperature/.* says 'Nonsense' any more"
    ):
        bank.item(name, state, {"swap": [["Nonsense", ""]]})
