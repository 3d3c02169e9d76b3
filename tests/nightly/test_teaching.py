"""The folder for a class in the hands of others: nbgrader grades it, parsers read its banks."""

import csv
import json
import os
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tools.course import __main__ as course
from tools.course import bank
from tools.course.pages import exercises, names, pages
from tools.project import ROOT

PAGES = ("temperature", "self-attention")
BIN = ROOT / ".venv-teaching" / "bin"
# What other programs read: for each question the right answers, and what is said to how many.
READ_GIFT = """
import json, sys
from pygiftparser import parser
found = {}
for q in parser.parseFile(open(sys.argv[1], encoding="utf-8")):
    answers = [vars(answer) for answer in q.answers.answers]
    right = [each.get("answer", each.get("value")) for each in answers if each["fraction"] == 100]
    found[q.title] = q.valid, right, sum(bool(each["feedback"]) for each in answers)
print(json.dumps(found))
"""
READ_QTI = """
import io, json, sys, warnings, zipfile
warnings.simplefilter("ignore")
from pyslet.qtiv2 import variables, xml
found, package = {}, zipfile.ZipFile(sys.argv[1])
for name in package.namelist():
    if name == "imsmanifest.xml":
        continue
    document = xml.QTIDocument()
    document.read(io.BytesIO(package.read(name)))
    item, scores = document.root, {}
    right = item.declarations["RESPONSE"].get_correct_value()
    for choice in item.find_children_depth_first(xml.interactions.SimpleChoice):
        state = variables.ItemSessionState(item)
        state.begin_session()
        state.map["RESPONSE"] = variables.IdentifierValue(choice.identifier)
        item.ResponseProcessing.run(state)
        scores[choice.identifier] = state["SCORE"].value, state["FEEDBACK"].value
    found[item.title] = right.value, scores
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """The folder for a class."""
    folder = tmp_path_factory.mktemp("class") / "course"
    assert course.main(["--folder", str(folder), "--sheets", "1"]) == 0
    return folder


def run(program: str, *arguments: str | Path, place: Path) -> str:
    """Run a program of a teacher's server, where the packages of the book are installed."""
    hidden = ("PYTHON", "VIRTUAL_ENV", "JUPYTER_", "IPYTHON", "MPLBACKEND")
    variables = {k: v for k, v in os.environ.items() if not k.startswith(hidden)}
    variables |= {
        "PYTHONPATH": str(ROOT),
        "HOME": str(place),
        "PATH": f"{BIN}:{os.environ['PATH']}",
    }
    command = [str(BIN / program), *map(str, arguments)]
    done = subprocess.run(command, cwd=place, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_nbgrader_gives_each_submission_its_points(folder):
    place = folder / "nbgrader"
    written = {}
    for page in PAGES:
        run("nbgrader", "generate_assignment", page, place=place)
        source, release = (
            json.loads((place / kind / page / f"{page}.ipynb").read_text(encoding="utf-8"))
            for kind in ("source", "release")
        )
        told = "".join("".join(cell["source"]) for cell in release["cells"])
        assert "SOLUTION" not in told
        keys = list(exercises(page))
        solved = {cell["id"]: cell["source"] for cell in source["cells"]}
        named = {
            cell["metadata"]["nbgrader"]["grade_id"]: cell["id"]
            for cell in source["cells"]
            if "nbgrader" in cell["metadata"]
        }
        for student, right in {"all": keys, "some": keys[:1], "none": [], "cheat": []}.items():
            submitted = json.loads(json.dumps(release))
            for cell in submitted["cells"]:
                if cell["id"] in [named[key] for key in right]:
                    cell["source"] = solved[cell["id"]]
                if student == "cheat" and cell["id"] in [named[f"{key}-grade"] for key in keys]:
                    cell["source"] = "3"
            path = place / "submitted" / student / page / f"{page}.ipynb"
            path.parent.mkdir(parents=True)
            path.write_text(json.dumps(submitted), encoding="utf-8")
            written[page, student] = sum(exercises(page)[key].points for key in right)
        run("nbgrader", "autograde", page, place=place)
        run("nbgrader", "generate_feedback", page, place=place)
        feedback = place / "feedback" / "some" / page / f"{page}.html"
        assert "unanswered: put your answer" in feedback.read_text(encoding="utf-8")
    run("nbgrader", "export", place=place)
    with (place / "grades.csv").open(encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    assert {(row["assignment"], row["student_id"]): float(row["score"]) for row in rows} == written
    assert {(row["assignment"], float(row["max_score"])) for row in rows} == {
        (page, float(sum(asked.points for asked in exercises(page).values()))) for page in PAGES
    }


@pytest.fixture(scope="module")
def asked() -> dict[str, bank.Item]:
    """The questions that stand alone, by their names."""
    return {item.name: item for page in names() for item in bank.items(pages(), page)}


def test_a_parser_of_gift_reads_every_question(folder, asked):
    told = json.loads(run("python", "-c", READ_GIFT, folder / "bank/questions.gift", place=folder))
    assert {*told} == {*asked}
    for name, (is_valid, right, n_said) in told.items():
        answers = asked[name].answers
        wanted = next(answer.value for answer in answers if answer.is_right)
        shown = wanted if asked[name].is_number else bank.escaped(bank.in_letters(wanted))
        assert (is_valid, right, n_said) == (True, [shown], sum(bool(a.said) for a in answers))


def test_moodle_xml_has_each_question_with_what_is_said(folder, asked):
    quiz = ElementTree.parse(folder / "bank/questions-moodle.xml").getroot()
    told = {each.findtext("name/text"): each for each in quiz if each.get("type") != "category"}
    assert {*told} == {*asked}
    for name, each in told.items():
        shares = [float(answer.get("fraction")) for answer in each.iter("answer")]
        assert shares == [100.0 * answer.is_right for answer in asked[name].answers]
        assert all(part.text for part in each.iterfind("answer/text"))
        assert len(each.findall("answer/feedback/text")) == len(shares)


def test_an_engine_of_qti_scores_every_choice(folder, asked):
    told = json.loads(
        run("python", "-c", READ_QTI, folder / "bank/questions-qti21.zip", place=folder)
    )
    assert {*told} == {*asked}
    for name, (right, scores) in told.items():
        answers = asked[name].answers
        if asked[name].is_number:
            assert right == next(answer.value for answer in answers if answer.is_right)
        else:
            wanted = {f"A{n}": [float(a.is_right), f"F{n}"] for n, a in enumerate(answers)}
            assert scores == wanted
