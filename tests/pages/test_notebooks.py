"""The text of the notebooks, as it is stored: clean files, whole lessons, terms and symbols.

That outputs are those of the code is what nbval tests, which runs every notebook.
"""

import re
from decimal import Decimal

import nbformat
import pytest

from attnbook import DilutionExplorer
from attnbook.exercises import all_exercises
from attnbook.exercises.finish_line import LAWS, LAWS_OF_A_HEAD
from tests.notebooks import (
    LESSONS,
    NAMES,
    NUMBERED,
    PARTS,
    cell,
    cells,
    code_of,
    notebook,
    printed,
    prose,
    source,
)
from tools import execute, pictures
from tools.project import CHAPTERS

each_notebook = pytest.mark.parametrize("name", NAMES)
each_lesson = pytest.mark.parametrize("name", LESSONS)
# The chapter proper ends here: the reader builds a layer, and has finished.
LAST_OF_THE_CHAPTER = "finish-line"

# -- what is stored ------------------------------------------------------------------------------

# What differs from run to run or from machine to machine: addresses, paths, made-up names.
UNSTABLE = re.compile(
    r"\b0x[0-9a-f]{6,}|(?<![\w.:/])/(?:home|root|tmp|usr|opt|Users|var|private)/\w"
    r"|\b[0-9a-f]{32}\b|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-"
)


def outputs(cell, kind):
    """The stored outputs of this kind."""
    found = [output.get("data", {}).get(kind) for output in cell["outputs"]]
    return ["".join(data) for data in found if data]


@each_notebook
def test_a_notebook_is_stored_as_make_execute_writes_it(name):
    path = CHAPTERS / f"{name}.ipynb"
    read = execute.read(path)  # raises where the format or an id is wrong
    execute.clean(read)
    assert nbformat.writes(read) + "\n" == path.read_text(encoding="utf-8")
    assert set(notebook(name)["metadata"]) <= {*execute.METADATA, "map", "needs", "myst", "mystnb"}
    set_up = cells(name, "code")[0]
    assert (set_up["id"], set_up["metadata"]) == ("setup", {"tags": ["remove-cell"]})
    assert source(set_up) == source(cells("index", "code")[0])


@each_notebook
def test_outputs_are_there_and_clean(name):
    for each in cells(name, "code"):
        assert each["execution_count"], f"{each['id']} was never run"
        assert not {"execution", "scrolled", "collapsed"} & set(each["metadata"]), each["id"]
        for output in each["outputs"]:
            assert output["output_type"] != "error", each["id"]
            assert output.get("name") != "stderr", each["id"]
            kept = {k: v for k, v in output.get("data", {}).items() if k != "image/png"}
            assert execute.WIDGET_VIEW not in kept, each["id"]
            assert not UNSTABLE.search(f"{output.get('text', '')}{kept}"), each["id"]
        if outputs(each, "image/png") or outputs(each, "image/svg+xml"):
            assert each["metadata"]["mystnb"]["image"]["alt"], each["id"]
        # Other processors train a model a little otherwise: its maps alone are not compared.
        if "nbval-ignore-output" in each["metadata"].get("tags", []):
            assert all('id="image' in drawing for drawing in outputs(each, "image/svg+xml"))


@each_notebook
def test_pictures_are_of_the_explorers_as_they_are(name):
    """A script or a style that was changed, and no `make execute` since."""
    for each in cells(name, "code"):
        for output in each["outputs"]:
            saved = output["metadata"].get("widget") if "metadata" in output else None
            if saved and "text/html" not in output["data"]:
                picture = saved.get("picture", {})
                assert picture.get("digest") == pictures.digest(saved), each["id"]
                assert len(picture["room"]) == len(pictures.WIDTHS)


@pytest.mark.parametrize(
    ("part", "more", "is_old"),
    [
        ("_esm", "\n  // a word\n", False),
        ("_css", "\n/* a word */\n", False),
        ("_esm", "\ndocument.title = 1;", True),
        ("_css", ".attn { color: red }", True),
    ],
)
def test_what_makes_a_picture_old(monkeypatch, part, more, is_old):
    saved = {
        "widget": "attnbook.explorers.dilution.explorer.DilutionExplorer",
        "state": {},
        "buffers": [],
    }
    before = pictures.digest(saved)
    monkeypatch.setattr(DilutionExplorer, part, getattr(DilutionExplorer, part) + more)
    assert (pictures.digest(saved) != before) == is_old


# -- lessons -------------------------------------------------------------------------------------

CHECK = re.compile(r'^check\("([\w-]+)", (\w+)\)$', re.MULTILINE)
# A number with three decimals or more was computed, so a cell must print it.
COMPUTED = re.compile(r"(?<![\w.])\d*\.\d{3,}(?!\w)")
TOLD = r"Question\(|things_to_try="


def verdicts(name):
    """What the stored checks of each exercise say, in order."""
    found = {}
    for each in cells(name, "code"):
        for key, _ in CHECK.findall(source(each)):
            found.setdefault(key, []).append(printed(each).splitlines()[-1].partition(":")[0])
    return found


@each_lesson
def test_every_exercise_is_open_and_has_a_folded_solution_that_is_right(name):
    found = verdicts(name)
    assert len(found) >= 3, "a lesson has three exercises, or more"
    assert found == {key: ["unanswered", "right"] for key in found}
    text, keys = prose(name), [f"ex-{key}" for key in found]
    assert re.findall(r"\{exercise-start\}[^\n]*\n:label: ([\w-]+)", text) == keys
    assert re.findall(r"\{solution-start\} ([\w-]+)\n:class: dropdown", text) == keys
    assert text.count("{exercise-end}") == text.count("{solution-end}") == len(keys)


def test_every_exercise_of_the_package_is_on_one_page():
    assert sorted(key for name in LESSONS for key in verdicts(name)) == sorted(all_exercises())


@each_lesson
def test_a_lesson_asks_before_it_tells(name):
    assert len(code_of(name, r"Question\(")) >= 2, "a lesson asks two questions, or more"
    for each in code_of(name, TOLD):
        # The answer must not be on show: not on the page, in Jupyter or in Colab.
        assert {"remove-input", "hide-input"} & {*each["metadata"]["tags"]}
        assert each["metadata"]["jupyter"] == {"source_hidden": True}
        assert each["metadata"]["cellView"] == "form"


@each_lesson
def test_a_lesson_opens_with_objectives_and_closes_with_a_summary(name):
    text = prose(name)
    objectives = text.partition("**After this page you can**")[2].partition("**You need**")[0]
    assert 3 <= len(re.findall(r"^- ", objectives, re.MULTILINE)) <= 5
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    if name == LAST_OF_THE_CHAPTER:
        assert "You have finished" in headings
    else:
        assert headings[-1] == "Summary"


def stands_for(number, printed):
    """Whether a number is one that was printed, or that one with fewer decimals."""
    unit = Decimal(1).scaleb(Decimal(number).as_tuple().exponent)
    return abs(Decimal(number) - Decimal(printed)) < unit / 2


@each_lesson
def test_numbers_in_the_prose_are_printed_by_a_cell(name):
    # What a question or a thing to try says is no print-out; a constant in the code is given.
    code = [each for each in cells(name, "code") if not re.search(TOLD, source(each))]
    known = {n for each in code for n in COMPUTED.findall(f"{printed(each)}\n{source(each)}")}
    numbers = set(COMPUTED.findall(prose(name)))
    assert not {n for n in numbers if not any(stands_for(n, other) for other in known)}


def test_the_finish_line_is_the_end_of_the_chapter_and_lists_the_laws_that_are_tried():
    assert PARTS[0]["chapters"][-1]["file"] == f"chapters/{LAST_OF_THE_CHAPTER}"
    of_a_head, added = (
        re.findall(r"^\d\. \*(\w+)\*:", source(cell(LAST_OF_THE_CHAPTER, name)), re.MULTILINE)
        for name in ("ex-head", "ex-layer")
    )
    assert of_a_head == list(LAWS_OF_A_HEAD)
    assert sorted(of_a_head + added) == sorted(LAWS)


# -- terms ---------------------------------------------------------------------------------------

NOTATION = (CHAPTERS / "notation.md").read_text(encoding="utf-8")
ENTRIES = re.findall(r"^(\w.*)\n((?:  .*\n)+)", NOTATION.partition("{glossary}")[2], re.MULTILINE)
TERMS = [term for term, _ in ENTRIES]
LINK = re.compile(r"\{term\}`([^`<]+?)(?: <([^`>]+)>)?`")
# What is not running text: code, formulas, tables, headings, links and other roles.
ASIDE = re.compile(
    r"(\{term\}`[^`]*`)|```.*?```|\$\$.*?\$\$|\$[^$]*\$|\{[\w:]+\}`[^`]*`|`[^`]*`|^ *\|[^\n]*"
    r"|^#[^\n]*|\[[^\]]*\]\([^)]*\)",
    re.DOTALL | re.MULTILINE,
)


def linked(text):
    return [(other or word).lower() for word, other in LINK.findall(text)]


def use(text, word):
    """Where a text uses this word, and not only a longer term that contains it; nothing if not."""
    for longer in TERMS:
        if word.lower() in longer.lower() != word.lower():
            text = re.sub(re.escape(longer), "", text, flags=re.IGNORECASE)
    alone = rf".{{0,30}}(?<![\w-]){re.escape(word)}(?![\w-]).{{0,30}}"
    return found[0] if (found := re.search(alone, text, re.IGNORECASE)) else ""


@each_notebook
def test_a_page_links_a_term_once_and_at_its_first_use(name):
    aside = ("# ", "**After this page you can**")
    texts = [
        text for each in cells(name, "markdown") if not (text := source(each)).startswith(aside)
    ]
    text = ASIDE.sub(lambda found: found[1] or " ", "\n\n".join(texts))
    assert len(linked(text)) == len(set(linked(text)))
    for link in LINK.finditer(text):
        before = LINK.sub(lambda earlier: earlier[1], text[: link.start()])
        assert use(before, link[2] or link[1]) == "", f"{link[0]} is used before it is linked"


def test_every_term_is_linked():
    assert sorted(TERMS, key=str.lower) == TERMS
    assert {each.lower() for each in TERMS} <= {
        each for name in NAMES for each in linked(prose(name))
    }


# -- symbols -------------------------------------------------------------------------------------

GREEK = (
    r"\\(?:alpha|beta|gamma|delta|epsilon|eta|theta|kappa|lambda|mu|nu|rho|sigma|tau|phi|omega)"
    r"(?![A-Za-z])"
)
# What a page quotes is in the letters of its source.
QUOTED = re.compile(r"^(:{3,})\{[^\n]*\n(?::[^\n]*\n)*:class:[^\n]*\bquoted\b.*?^\1$", re.M | re.S)


def test_the_notation_has_each_greek_letter():
    rows = re.findall(r"^\| (\$.*?) \|", NOTATION.partition("## Glossary")[0], re.MULTILINE)
    named = {letter for row in rows for letter in re.findall(GREEK, row)}
    for name in NUMBERED:
        assert set(re.findall(GREEK, QUOTED.sub(" ", prose(name)))) <= named, name
