"""The report on what a class hands in: it counts right, and takes whatever lies in the folder."""

import json
import sys

import nbformat
import pytest

from tools import class_report, course


def notebook(*cells):
    """A notebook as JSON: pairs of a source and what the cell printed."""
    made = [
        {"cell_type": "code", "source": source, "outputs": [{"name": "stdout", "text": text}]}
        for source, text in cells
    ]
    return json.dumps({"cells": made, "nbformat": 4})


def checked(key, text):
    return f'answer = 1\ncheck("{key}", answer)', text


def export(*answered, **code):
    return json.dumps({"book": "file:///book/", "answered": answered, "code": code})


@pytest.fixture
def told(tmp_path, monkeypatch, capsys):
    """The report on files, by their names, and whether it ended well."""

    def tell(**files):
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/").replace("_", ".")
            path.parent.mkdir(exist_ok=True)
            data = text if isinstance(text, bytes) else text.encode()
            path.write_bytes(data)
        monkeypatch.setattr(sys, "argv", ["class_report", str(tmp_path)])
        assert class_report.main() == 0
        captured = capsys.readouterr()
        assert captured.err == ""
        return captured.out

    return tell


def row(report, key):
    """The numbers of an exercise: right, not yet, open."""
    (line,) = (line for line in report.splitlines() if line.split()[:1] == [key])
    return tuple(map(int, line.split()[1:]))


def test_three_learners_are_counted(told):
    report = told(
        a_ipynb=notebook(checked("reads-odds", "7.39\nright: only the gap\n")),
        b_ipynb=notebook(
            checked("reads-odds", "not yet: divide the weights, not the scores\n"),
            checked("book-peak", "unanswered: put your answer for ...\n"),
        ),
        c_json=export("temperature/reads-odds", "temperature/predict-odds"),
    )
    assert report.startswith("3 learners handed in something.\n\nLearners chose")
    assert "Anybody can write any answer into such a file" in report
    assert "Temperature (3 learners)" in report
    assert row(report, "reads-odds") == (2, 1, 0)
    assert row(report, "book-peak") == (0, 0, 3)
    assert "Self-attention" not in report
    hardest, slips = report.split("Hardest\n")[1].split("\nCommonest slips\n")
    assert hardest.splitlines()[0] == "  book-peak: 0 of 3 right, 0 not yet"
    assert hardest.splitlines()[-1] == "  reads-odds: 2 of 3 right, 1 not yet"
    assert slips == "  1 × reads-odds: divide the weights, not the scores\n"


def test_the_commonest_slip_comes_first_and_the_hardest_by_its_slips(told):
    slip = "not yet: the first number is beta"
    report = told(
        a_ipynb=notebook(checked("reads-odds", "not yet: no"), checked("book-peak", slip)),
        b_ipynb=notebook(checked("book-peak", slip), checked("reads-odds", "right")),
    )
    hardest, slips = report.split("Hardest\n")[1].split("\nCommonest slips\n")
    assert hardest.splitlines()[0] == "  book-peak: 0 of 2 right, 2 not yet"
    assert slips.splitlines() == [
        "  2 × book-peak: the first number is beta",
        "  1 × reads-odds: no",
    ]


def test_a_learner_may_hand_in_several_files_and_what_is_right_stays(told):
    report = told(
        ada__x_ipynb=notebook(checked("reads-odds", "right"), checked("reads-odds", "not yet: no")),
        ada__y_ipynb=notebook(checked("reads-odds", "not yet: no"), checked("book-peak", "right")),
        ada__z_json=export(),
    )
    assert report.startswith("1 learner handed")
    assert row(report, "reads-odds") == row(report, "book-peak") == (1, 0, 0)
    assert "none that the files tell of" in report


def test_a_notebook_of_the_course_is_read_as_it_is(told):
    teacher = course.for_teachers("temperature")
    report = told(a_ipynb=teacher, b_ipynb=course.for_learners("temperature"))
    assert report.startswith("2 learners")
    assert all(row(report, key) == (1, 0, 0) for key in course.exercises("temperature"))
    assert "none: all are right" in report
    assert nbformat.reads(teacher, as_version=4).cells


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('answer = 7\ncheck("reads-odds", answer)', "divide the weights, not the scores"),
        ('answer = -1\nanswer = 7\ncheck("reads-odds", answer)', "divide the weights, not"),
        ('x = "\\d"\nanswer = 7\ncheck("reads-odds", answer)', "divide the weights, not"),
        ('answer = (0.3142, 0.2752)\ncheck("book-peak", answer)', "the first number is beta"),
        ('answer = 7\ncheck("reads-odds", answer, variant=0)', "divide the weights, not"),
    ],
)
def test_numbers_that_a_page_keeps_are_judged(told, text, said):
    assert f"× {'book-peak' if 'peak' in text else 'reads-odds'}: {said}" in told(
        a_json=export(cell=text)
    )


@pytest.mark.parametrize(
    "text",
    [
        'answer = __import__("os").system("touch ran")\ncheck("reads-odds", answer)',
        'answer = 9**9**9\ncheck("reads-odds", answer)',
        'answer = [f() for f in x]\ncheck("reads-odds", answer)',
        'open("ran", "w")\ncheck("reads-odds", answer)',
        'answer = ...\ncheck("nothing", answer)',
        'answer = 1\ncheck("all-outputs", answer, variant=3)',
        "answer = " + "(" * 900 + '1\ncheck("reads-odds", answer)',
        'answer = \x00\ncheck("reads-odds", answer)',
        'answer = 7\ncheck("reads-odds", answer)' + " " * 3000,
        "def",
        "",
    ],
)
def test_nothing_that_was_handed_in_is_run(told, monkeypatch, tmp_path, text):
    monkeypatch.chdir(tmp_path)
    report = told(a_json=export("temperature/reads-odds", cell=text, other=7))
    assert "none that the files tell of" in report
    assert not (tmp_path / "ran").exists()


def test_no_files_are_no_learners(told):
    assert told() == "No learner has handed in anything that can be read.\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "it is not JSON"),
        (b"\xff\xfe\x00", "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        ("9" * 5000, "it is not JSON"),
        ("[]", "it is neither an export"),
        ("7", "it is neither an export"),
        ('{"answered": 7, "cells": "x"}', "it is neither an export"),
        (export("another/page"), "its answers are of another book"),
        (notebook(("print(1)", "right")), "no exercise of this book is in it"),
        (notebook(checked("another", "right")), "no exercise of this book is in it"),
        ('{"cells": [7, null, {}, {"source": [1, {}]}]}', "no exercise of this book is in it"),
    ],
)
def test_what_cannot_be_read_is_left_out_with_the_reason(told, text, reason):
    report = told(a_json=text)
    assert report.startswith("No learner has handed in anything")
    assert f"Left out:\n  a.json: {reason}" in report
    both = told(b_json=export("temperature/reads-odds"))
    assert both.startswith("1 learner")
    assert f"a.json: {reason}" in both


def test_a_file_that_is_too_large_is_not_read(told, monkeypatch):
    monkeypatch.setattr(class_report, "LARGEST", 10)
    assert "a.json: it is larger than any notebook" in told(a_json=export())


@pytest.mark.parametrize(
    "outputs",
    [None, 7, [7], [{"text": 7}], [{"text": ["not ", 3, "yet"]}], [{}], [{"text": "\n\n"}]],
)
def test_outputs_may_be_anything(told, outputs):
    cell = {"source": 'check("reads-odds", answer)', "outputs": outputs}
    peak = {"source": ['check("book', '-peak", answer)'], "outputs": [{"text": ["ri", "ght"]}]}
    report = told(a_json=json.dumps({"cells": [cell, peak]}))
    assert row(report, "reads-odds") == (0, 0, 1)
    assert row(report, "book-peak") == (1, 0, 0)


def test_what_a_file_says_is_one_short_line_without_control_characters(told):
    nasty = "not yet: \x1b[31mred\x07\u202e" + "x" * 500
    report = told(a_ipynb=notebook(checked("reads-odds", nasty)))
    assert all(line.isprintable() and len(line) < 130 for line in report.splitlines())
    assert "1 × reads-odds: [31mredxxx" in report


def test_what_programs_leave_is_no_learner(told):
    report = told(a__x_json=export("temperature/reads-odds"), _DS_Store="{")
    assert report.startswith("1 learner")
    assert "Left out" not in report


@pytest.mark.parametrize("folder", ["", "none", "file"])
def test_a_folder_that_is_not_there_is_told(monkeypatch, capsys, tmp_path, folder):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text(export())
    monkeypatch.setattr(sys, "argv", ["class_report", folder])
    assert class_report.main() == 1
    assert f"{folder!r} is no folder: name the one with what" in capsys.readouterr().err
