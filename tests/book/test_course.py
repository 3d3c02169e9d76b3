"""The folder for a class: what learners and teachers get says what it is to say."""

import contextlib
import io
import json
import re
import sys
from functools import cache

import nbformat
import pytest

from attnutils.exercises import variant_of
from tests.book.test_lessons import LESSONS
from tests.conftest import IS_EXHAUSTIVE, parsed, some
from tools import course, execute

# Run in full; with EXHAUSTIVE=1 all are.
RUN = some(LESSONS, "positional-encoding")
VARIED = [name for name in LESSONS if course.varied(name)]
SOME_VARIED = some(VARIED, *VARIED[::4])
# As many as there are variants of the exercise that has most; without EXHAUSTIVE=1, a few.
SHEETS = range(11 if IS_EXHAUSTIVE else 3)
SOLUTION = "**Solution.**"

each_lesson = pytest.mark.parametrize("name", LESSONS)
KINDS = [(course.for_learners, "unanswered"), (course.for_teachers, "right")]
each_kind = pytest.mark.parametrize(("make", "verdict"), KINDS)


@pytest.fixture(scope="module")
def plan():
    return course.plan()


@pytest.fixture(scope="module")
def made():
    """The notebooks of a page, each made once."""
    return cache(lambda make, name: make(name))


def verdicts(text: str) -> list[tuple[str, str]]:
    """The name of each check of a notebook, and what its output begins with."""
    found = []
    for cell in nbformat.reads(text, as_version=4).cells:
        if cell.cell_type == "code" and (key := course.CHECK.search(cell.source)):
            printed = "".join(output.get("text", "") for output in cell.outputs)
            found.append((key["key"], printed.splitlines()[-1].partition(":")[0]))
    return found


def test_the_lessons_of_the_book_are_those_of_the_course():
    assert course.names() == LESSONS


@each_kind
@each_lesson
def test_each_exercise_has_one_check_in_each_notebook(made, name, make, verdict):
    found = verdicts(made(make, name))
    assert len(found) >= 3
    assert dict(found) == dict.fromkeys(course.exercises(name), verdict)
    assert len(found) == len(course.exercises(name))


@pytest.mark.parametrize(("make", "verdict"), some(KINDS, KINDS[1]))
@pytest.mark.parametrize("name", RUN)
def test_a_notebook_that_runs_says_so_everywhere(tmp_path, name, make, verdict):
    path = tmp_path / f"{name}.ipynb"
    path.write_text(make(name), encoding="utf-8")
    ran = verdicts(execute.execute(path))
    assert dict(ran) == dict.fromkeys(course.exercises(name), verdict)


@each_lesson
def test_solutions_and_slips_are_for_teachers(made, name):
    learner, teacher = made(course.for_learners, name), made(course.for_teachers, name)
    assert SOLUTION not in learner
    assert "Common slips" not in learner
    assert teacher.count(SOLUTION) == teacher.count("**Common slips**")
    assert teacher.count(SOLUTION) == len(course.exercises(name))
    for text in (learner, teacher):
        assert text.count("### Exercise: ") == len(course.exercises(name))
        assert not re.search(r"\{(exercise|solution)-(start|end)\}|\{term\}|\[\]\(\w", text)


def test_slips_name_answers_and_what_the_check_says():
    told = course.slips("reads-odds")
    assert "| 0.135335 | these are the odds Sleepy : Reads" in told
    assert "| anything else | odds are one weight" in told
    assert "|  | 3 is not a" not in told
    assert "softmax runs along" not in course.slips("which-cheats")
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


@pytest.mark.parametrize("name", SOME_VARIED)
def test_every_sheet_is_open_for_learners_and_right_for_teachers(name):
    many = len(course.varied(name))
    for number in SHEETS:
        assert said(course.sheet(name, number)) == ["unanswered"] * many
        assert said(course.sheet(name, number, solved=True)) == ["right"] * many


@pytest.mark.parametrize("name", SOME_VARIED)
def test_the_answers_of_a_sheet_are_wrong_on_the_next_and_on_the_page(name):
    many = len(course.varied(name))
    for number in SHEETS:
        solved = course.sheet(name, number, solved=True)
        asked = f", variant={number})"
        assert solved.count(asked) == many
        for other in (f", variant={number + 1})", ")"):
            assert said(solved.replace(asked, other)) == ["not yet"] * many


@pytest.mark.parametrize("name", VARIED)
def test_each_sheet_says_its_numbers_and_not_those_of_the_page(name):
    for number in SHEETS:
        text = course.sheet(name, number)
        for key in course.varied(name):
            for before, after in variant_of(key, number).says:
                assert json.dumps(before, ensure_ascii=False)[1:-1] not in text or after == before
                assert json.dumps(after, ensure_ascii=False)[1:-1] in text


@pytest.mark.parametrize("solved", [False, True])
def test_a_sheet_runs_as_a_notebook(tmp_path, solved):
    path = tmp_path / "sheet.ipynb"
    path.write_text(course.sheet("temperature", 7, solved=solved), encoding="utf-8")
    ran = nbformat.reads(execute.execute(path), as_version=4)
    outputs = [output.text for cell in ran.cells for output in cell.get("outputs", [])]
    verdict = "right" if solved else "unanswered"
    assert [text.partition(":")[0].strip() for text in outputs] == [verdict] * 4


def test_a_page_that_has_lost_the_numbers_of_a_variant_is_told():
    cells = [course.markdown("lost", "The odds at another temperature?")]
    with pytest.raises(course.CourseError, match=r"'reads-odds' is to say 'at \$T = 3\$\?' once"):
        list(course.with_other_numbers("reads-odds", 1, cells, solved=False))


@pytest.mark.parametrize("text", ["-1", "1.5", "one", "٣", "", "1e3"])
def test_a_sheet_is_named_by_a_whole_number(monkeypatch, capsys, text):
    monkeypatch.setattr(sys, "argv", ["course", "--sheets", text])
    with pytest.raises(SystemExit):
        course.main()
    assert "a sheet has a whole number, such as 7" in capsys.readouterr().err


def test_links_of_a_notebook_have_texts_and_lead_somewhere():
    told = course.plain("[](temperature.ipynb), [](notation.md), {term}`keys <key>`, {term}`odds`")
    pages = re.escape(course.address.current().pages)
    link = rf"\[Temperature\]\(temperature.ipynb\), \[.+\]\({pages}chapters/notation.html\), "
    assert re.fullmatch(link + "keys, odds", told)


def test_every_figure_has_a_caption_and_every_drawing_is_there_twice(tmp_path, browser):
    found = list(course.figures())
    assert len({figure.name for figure in found}) == len(found) > 50
    assert all(len(figure.caption) > 20 for figure in found)
    drawn = [figure for figure in found if "image/svg+xml" in figure.data]
    chosen = found if IS_EXHAUSTIVE else [drawn[0], next(f for f in found if f not in drawn)]
    course.write_figures(tmp_path, browser, chosen)
    told = (tmp_path / "captions.md").read_text(encoding="utf-8")
    assert "CC BY 4.0" in told
    assert "authors of Attention Layers" in told
    for figure in chosen:
        assert figure.caption in told
        png = (tmp_path / f"{figure.name}.png").read_bytes()
        assert png.startswith(b"\x89PNG")
        assert len(png) > 2000
        assert (tmp_path / f"{figure.name}.svg").exists() == (figure in drawn)


def test_the_plan_has_every_page_in_order(plan):
    rows = [row for row in plan.splitlines() if re.match(r"\| \d", row)]
    assert [re.search(r"chapters/([\w-]+)\.html", row)[1] for row in rows] == LESSONS
    assert [int(row.split("|")[1]) for row in rows] == list(range(1, len(LESSONS) + 1))
    assert len(plan) < 12_000


@pytest.mark.parametrize("name", some(LESSONS, *LESSONS[::4]))
def test_the_plan_has_the_addresses_of_a_page(book, plan, name):
    there = [
        slot["data-address"]
        for slot in parsed(book / "chapters" / f"{name}.html").select("[data-address]")
    ]
    assert course.explorers(name) == there
    for address in there:
        assert f"chapters/{name}.html#{address}:)" in plan
    presents = parsed(book / "chapters" / f"{name}.html").select("[data-does=present]")
    assert (f"chapters/{name}.html?present)" in plan) == bool(presents)


def test_a_folder_with_something_in_it_is_left_alone(monkeypatch, capsys, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    monkeypatch.setattr(sys, "argv", ["course", "--folder", str(tmp_path)])
    monkeypatch.setattr(course.browser, "path", lambda: "no browser is started")
    assert course.main() == 1
    assert "is there and not empty: name a new folder" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
