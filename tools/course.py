"""Write a folder for a class, from the pages: nothing in it is kept twice.

    python -m tools.course                        into _build/course
    python -m tools.course --folder FOLDER        into a folder that is new
    python -m tools.course --sheets 1 2 3         with three sheets of other numbers

Notebooks for learners (exercises open, no solutions), notebooks for teachers (solutions, and what
the checks say of common slips), sheets of exercises with other numbers than the pages, the figures
with their captions, and a plan of one page.
"""

import argparse
import base64
import math
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from itertools import groupby
from pathlib import Path

import numpy as np
import yaml

from attnbook.exercises import all_exercises, variant_of
from attnbook.exercises._registry import Exercise
from book import address
from book.portable import Book, Cell, PortableError, markdown, written
from tools.project import BUILD, ROOT

CHECK = re.compile(r'^check\("(?P<key>[\w-]+)", (?P<answer>\w+)\)$', re.M)
OPEN = re.compile(r"^answer = \.\.\..*$", re.M)
HEADING = re.compile(r"^(### Exercise \d+):.*", re.M)
MARKS = re.compile(r"([\\`*_|<$\[])")  # of Markdown
SLIPS = 12  # at most so many are told of an exercise
# Words a minute of a text that is worked through; minutes for an explorer, and for an exercise.
READ, LOOK, SOLVE = 80, 3, 10
NO_WORDS = re.compile(r"\$\$.*?\$\$|\$.*?\$|`.*?`|\]\(.*?\)", re.S)  # formulas, code, addresses
PLAN = f"""\
# Plan

A page a week: {{week}} weeks, or the first part alone, which ends with a layer of one's own.
Before class learners read and answer the questions; in class, show an explorer, ask what it will
do, then move it. An address opens the page at it, or as slides.

| week | page | minutes | exercises | show |
|---|---|---|---|---|
{{rows}}

Minutes are a rule of thumb: {READ} words a minute, {LOOK} minutes an explorer. An exercise takes
{SOLVE} more.

{{source}}. Text and figures: CC BY 4.0 (LICENSE-TEXT); code: MIT (LICENSE).
"""
FIGURES = """\
# Figures

All are under [CC BY 4.0](https://creativecommons.org/licenses/by/4.0/) (LICENSE-TEXT). Name the
source where you show one: {}. A PNG is the picture of an explorer: show the explorer (plan.md)."""
IMPORTS = "import numpy as np\n\nfrom attnbook import check\n"
IMPORTS += "from attnutils.worked_example import KEYS, VALUES, WORDS"


class CourseError(Exception):
    """The folder cannot be written; the message says why and what to do."""


@cache
def pages(*, alone: bool = False) -> Book:
    """Return the lessons, or one alone: its links lead to what is published."""
    book = Book(online=address.pages(), install=address.install())
    book.beside = set() if alone else {name for part in book.lessons.values() for name in part}
    return book


def names() -> list[str]:
    """Return the names of the lessons in their order."""
    return [name for lessons in pages().lessons.values() for name in lessons]


def exercises(name: str) -> list[str]:
    """Return the exercises of a page in their order."""
    code = "\n".join(cell["source"] for cell in pages().notebooks[name]["cells"])
    return list(dict.fromkeys(key for key, _ in CHECK.findall(code)))


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
    return written(cell for place, cell in pages().pieces(name) if place != "solution")


def for_teachers(name: str) -> str:
    """Return the notebook of a page in which each check is that of a solution, with slips."""
    cells, before = [], ""
    for place, cell in pages().pieces(name):
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


def slips(key: str, exercise: Exercise | None = None) -> str:
    """Return what the check of an exercise, or of a variant, says of common slips, as Markdown."""
    make = (exercise or all_exercises()[key]).form
    form = make() if make else None
    if form and not form["ticks"]:
        told = [(", ".join(f"{x:.6g}" for x in values), text) for values, text in form["wrong"]]
        told.append(("anything else", form["hint"]))
    else:
        texts = [text for _, text in form["wrong"]] if form else said_of_wrong_answers(key)
        told = [("", text) for text in dict.fromkeys(texts)]
    shown = ((answer, MARKS.sub(r"\\\1", " ".join(text.split()))) for answer, text in told[:SLIPS])
    rows = [f"| {answer} | {text} |" for answer, text in shown]
    head = ["**Common slips**", "", "| answer | the check says |", "|---|---|"]
    return "\n".join([*head, *rows]) if rows else ""


def said_of_wrong_answers(key: str) -> Iterator[str]:
    """Yield what a check that looks at functions says of the wrong ones of its tests."""
    for path in sorted((ROOT / "tests" / "exercises" / "answers").glob("[a-z]*.py")):
        for exercise, _, hint in import_module(f"tests.exercises.answers.{path.stem}").WRONG:
            if exercise == key and not hint.startswith("expected"):
                yield hint


def varied(name: str) -> list[str]:
    """Return the exercises of a page that have variants."""
    return [key for key in exercises(name) if all_exercises()[key].variants]


def sheet(name: str, number: int, *, solved: bool = False) -> str:
    """Return a notebook with those exercises of a page that have variants, in the one asked for."""
    book = pages(alone=True)
    _, setup = next(book.pieces(name))
    about = f"Exercises of {link(book.titles[name], f'{name}.html')}, with other numbers."
    imports = setup | {"id": "imports", "metadata": {}, "source": IMPORTS}
    cells = [setup, markdown("title", f"# Sheet {number}\n\n{about}"), imports]
    for place, group in groupby(book.pieces(name), lambda piece: piece[0]):
        asked = [cell for _, cell in group] if place == "exercise" else []
        keys = [key for cell in asked for key, _ in CHECK.findall(cell["source"])]
        if keys and all_exercises()[keys[0]].variants:
            cells += with_other_numbers(keys[0], number, asked, solved)
    return written(cells)


def with_other_numbers(key: str, number: int, asked: list[Cell], solved: bool) -> Iterator[Cell]:
    """Yield the cells of an exercise in the variant of a sheet, if asked with answer and slips."""
    variant = variant_of(key, number)
    # A title may hold a number of the page's exercise in words.
    sources = [HEADING.sub(r"\1", cell["source"]) for cell in asked]
    for before, after in variant.says:
        if sum(text.count(before) for text in sources) != 1:
            raise CourseError(f"the page must say {before!r} once, or {key!r} have another `says`.")
        sources = [text.replace(before, after) for text in sources]
    form = variant.exercise.form()
    answer = np.reshape(form["right"], form["shapes"][0]).tolist()
    for cell, text in zip(asked, sources, strict=True):
        if cell["cell_type"] == "code":
            text = CHECK.sub(rf'check("\g<key>", \g<answer>, variant={number})', text)
            cell = cell | {"outputs": []}
            if solved:
                text = OPEN.sub(f"answer = {answer}", text)
        yield cell | {"source": text}
    if solved:
        yield markdown(f"slips-{key}", slips(key, variant.exercise))


def write_figures(folder: Path) -> None:
    """Write figures as SVG, pictures of explorers as PNG, and a list with captions and licence."""
    book, listed = pages(alone=True), [FIGURES.format(source())]
    for page in names():
        for cell in book.notebooks[page]["cells"]:
            about = cell["metadata"].get("mystnb", {})
            caption = about.get("figure", {}).get("caption") or about.get("image", {}).get("alt")
            shown = [output.get("data", {}) for output in cell.get("outputs", [])]
            drawn = [data for data in shown if {"image/svg+xml", "image/png"} & {*data}]
            for number, data in enumerate(drawn, start=1):
                name = f"{page}-{cell['id']}" + (f"-{number}" if number > 1 else "")
                file, image = f"{name}.svg", "".join(data.get("image/svg+xml", "")).encode()
                if not image:
                    file, image = f"{name}.png", base64.b64decode("".join(data["image/png"]))
                (folder / file).write_bytes(image)
                where = link(book.titles[page], f"{page}.html")
                listed += [f"## {name}", book.plain(caption, page), f"{where} · [{file}]({file})"]
    (folder / "captions.md").write_text("\n\n".join(listed) + "\n", encoding="utf-8")


def explorers(name: str) -> list[str]:
    """Return the addresses of the explorers of a page, in their order."""
    outputs = [o for cell in pages().notebooks[name]["cells"] for o in cell.get("outputs", [])]
    states = [o.get("metadata", {}).get("widget", {}).get("state", {}) for o in outputs]
    return [state["address"] for state in states if state.get("address")]


def minutes(name: str) -> int:
    """Return a rule of thumb for the time that a page takes, apart from its exercises."""
    texts = [
        c["source"]
        for place, c in pages().pieces(name)
        if not place and c["cell_type"] == "markdown"
    ]
    read_words = len(re.findall(r"[^\W\d_]+", NO_WORDS.sub("", "\n".join(texts))))
    return 5 * math.ceil((read_words / READ + LOOK * len(explorers(name))) / 5)


def plan() -> str:
    """Return the plan: a page a week, its minutes, and what to show."""
    book, rows, week = pages(), [], 0
    chapter, *_ = book.lessons  # its pages can be shown as slides
    for caption, lessons in book.lessons.items():
        rows += [f"| | **{caption}** | | | |"] if lessons else []
        for name in lessons:
            week += 1
            slides = [link("slides", f"{name}.html?present")] * (caption == chapter)
            show = slides + [link(each, f"{name}.html#{each}:") for each in explorers(name)]
            rows.append(
                f"| {week} | {link(book.titles[name], f'{name}.html')}: "
                f"{book.notebooks[name]['metadata']['map']} | {minutes(name)} "
                f"| {len(exercises(name))} | {', '.join(show) or 'the page'} |"
            )
    return PLAN.format(week=week, rows="\n".join(rows), source=source())


def write(folder: Path, sheets: Iterable[int]) -> None:
    """Write all of the course into a folder that is there and empty."""
    files = {"plan.md": plan()}
    for name in names():
        files[f"student/{name}.ipynb"] = for_learners(name)
        files[f"teacher/{name}.ipynb"] = for_teachers(name)
        for number in sheets if varied(name) else ():
            files[f"sheet-{number}/student/{name}.ipynb"] = sheet(name, number)
            files[f"sheet-{number}/teacher/{name}.ipynb"] = sheet(name, number, solved=True)
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    (folder / "figures").mkdir()
    write_figures(folder / "figures")
    for licence in ("LICENSE", "LICENSE-TEXT"):
        shutil.copy(ROOT / licence, folder)


def emptied(folder: Path | None) -> Path:
    """Return a folder that is there and empty: the usual one, or one that is new."""
    if folder is None:
        folder = BUILD / "course"
        shutil.rmtree(folder, ignore_errors=True)
    whole = folder.resolve()
    if whole.is_relative_to(ROOT) and not whole.is_relative_to(BUILD):
        what = "is in the folder of the book, whose checks would read it: name one beside that"
        raise CourseError(f"{folder} {what}, such as ../{whole.name}.")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CourseError(f"{folder} is there and not empty: name a new folder.")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def sheet_number(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise argparse.ArgumentTypeError(f"a sheet has a whole number, such as 7, not {text!r}")
    return int(text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, help="a new folder; default: _build/course")
    parser.add_argument("--sheets", type=sheet_number, nargs="*", default=[1, 2], help="numbers")
    arguments = parser.parse_args()
    try:
        folder = emptied(arguments.folder)
        write(folder, dict.fromkeys(arguments.sheets))
    except (CourseError, PortableError, OSError) as error:
        print(f"The course was not written: {error}", file=sys.stderr)
        return 1
    print(f"The course: {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
