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
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
import numpy as np
import yaml
from playwright.sync_api import Browser, sync_playwright

from attnutils import widgets
from attnutils.exercises import all_exercises, variant_of
from attnutils.exercises._registry import Exercise
from tools import address, browser
from tools.project import BUILD, CHAPTERS, ROOT

FOLDER = BUILD / "course"
FENCE = re.compile(
    r"^```\{(?P<what>exercise|solution)-(?P<edge>start|end)\}(?P<title>.*)\n(?:.*\n)*?```$", re.M
)
CHECK = re.compile(r'^check\("(?P<key>[\w-]+)", (?P<answer>\w+)\)$', re.M)
OPEN = re.compile(r"^answer = \.\.\..*$", re.M)
ROLE = re.compile(r"\{term\}`(?P<text>[^`<]+?)(?: <[^`]+>)?`")
LINK = re.compile(r"\[\]\((?P<page>[\w-]+)\.(?P<suffix>ipynb|md|rst)\)")
MARKS = re.compile(r"([\\`*_|<$\[])")  # of Markdown
SLIPS = 12  # at most so many are told of an exercise
# Words a minute of a text that is worked through; minutes for an explorer, and for an exercise.
READ, LOOK, SOLVE = 80, 3, 10
CODE_OR_FORMULA = re.compile(r"\$\$.*?\$\$|\$.*?\$|`.*?`", re.S)
SCALE = 2  # of PNGs: pixels a CSS pixel

Cell = Any


class CourseError(Exception):
    """The folder cannot be written; the message says why and what to do."""


class Piece(NamedTuple):
    """A cell and where it stands: in an exercise, in a solution, or in neither."""

    place: str
    cell: Cell


# -- the pages ---------------------------------------------------------------------------------


def lessons() -> list[tuple[str, list[str]]]:
    """Return the parts of the book that have notebooks: caption, and names of the pages."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    parts = []
    for part in toc["parts"]:
        names = [Path(page["file"]).name for page in part["chapters"]]
        kept = [name for name in names if (CHAPTERS / f"{name}.ipynb").exists()]
        parts += [(part["caption"], kept)] if kept else []
    return parts


def names() -> list[str]:
    """Return the names of the lessons in their order."""
    return [name for _, pages in lessons() for name in pages]


@cache
def read(name: str) -> Any:
    return nbformat.read(CHAPTERS / f"{name}.ipynb", as_version=4)


@cache
def title(file: str) -> str:
    """Return the title of a page: its first heading."""
    if file.endswith(".ipynb"):
        cells = read(file.removesuffix(".ipynb")).cells
        text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    else:
        text = (CHAPTERS / file).read_text(encoding="utf-8")
    found = re.search(r"^# (.+)$|^(.+)\n=+$", text, re.M)
    assert found, file
    return found[1] or found[2]


def online(file: str) -> str:
    """Return where the page of a file is published."""
    return f"{address.current().pages}chapters/{file.rpartition('.')[0]}.html"


def plain(text: str) -> str:
    """Return Markdown that a notebook shows as it is meant: links have texts, terms are words."""

    def link(found: re.Match[str]) -> str:
        file = f"{found['page']}.{found['suffix']}"
        return f"[{title(file)}]({file if found['suffix'] == 'ipynb' else online(file)})"

    return LINK.sub(link, ROLE.sub(lambda found: found["text"], text))


def exercises(name: str) -> list[str]:
    """Return the exercises of a page in their order."""
    code = [cell.source for cell in read(name).cells if cell.cell_type == "code"]
    return list(dict.fromkeys(key for text in code for key, _ in CHECK.findall(text)))


def pieces(notebook: Any) -> Iterator[Piece]:
    """Yield the cells of a page, those that hold a border of an exercise cut at it."""
    place, heading = "", ""
    for cell in notebook.cells:
        if cell.cell_type != "markdown":
            yield Piece(place, cell)
            continue
        at, number = 0, 0
        for fence in (*FENCE.finditer(cell.source), None):
            text = cell.source[at : fence.start() if fence else None].strip()
            if heading or text:
                part = nbformat.from_dict(cell | {"source": plain(f"{heading}{text}".strip())})
                part.id += f"-{number}" * bool(number)
                yield Piece(place, part)
                number, heading = number + 1, ""
            if fence:
                at = fence.end()
                place = fence["what"] if fence["edge"] == "start" else ""
                if fence["edge"] == "start":
                    told = "**Solution.** "
                    heading = told if place == "solution" else f"### Exercise:{fence['title']}\n\n"


# -- notebooks ---------------------------------------------------------------------------------


def notebook(cells: Iterable[Cell]) -> str:
    """Return the text of the file of a notebook."""
    made = nbformat.v4.new_notebook(cells=list(cells))
    made.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    nbformat.validate(made)
    return nbformat.v4.writes(made) + "\n"


def markdown(name: str, text: str) -> Cell:
    return nbformat.v4.new_markdown_cell(text, id=name)


def for_learners(name: str) -> str:
    """Return the notebook of a page without its solutions."""
    return notebook(cell for place, cell in pieces(read(name)) if place != "solution")


def for_teachers(name: str) -> str:
    """Return the notebook of a page in which each check is that of a solution, with slips."""
    cells = []
    for place, cell in pieces(read(name)):
        found = CHECK.search(cell.source) if cell.cell_type == "code" else None
        if found and place == "exercise":  # what it gives the solution to work with is kept
            source = CHECK.sub("", cell.source).strip()
            cell = nbformat.from_dict(cell | {"source": source, "outputs": []})
        cells.append(cell)
        if found and place == "solution":
            cells.append(markdown(f"slips-{found['key']}", slips(found["key"])))
    return notebook(cells)


def slips(key: str, exercise: Exercise | None = None) -> str:
    """Return what the check of an exercise, or of a variant, says of common slips, as Markdown."""
    make = (exercise or all_exercises()[key]).form
    form = make() if make else None
    if form and not form["ticks"]:
        told = [(numbers(values), text) for values, text in form["wrong"]]
        told.append(("anything else", form["hint"]))
    else:
        texts = [text for _, text in form["wrong"]] if form else said_of_wrong_answers(key)
        told = [("", text) for text in dict.fromkeys(texts)]
    rows = [f"| {answer} | {shown(text)} |" for answer, text in told[:SLIPS]]
    return "\n".join(["**Common slips**", "", "| answer | the check says |", "|---|---|", *rows])


def shown(text: str) -> str:
    """Return Markdown that shows a text as it is, in a row of a table."""
    return MARKS.sub(r"\\\1", " ".join(text.split()))


def numbers(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.6g}" for value in values)


def said_of_wrong_answers(key: str) -> list[str]:
    """Return what a check that looks at functions says of the wrong ones of its tests."""
    texts = []
    for path in sorted((ROOT / "tests" / "exercises" / "answers").glob("*.py")):
        for exercise, _, hint in import_module(f"tests.exercises.answers.{path.stem}").WRONG:
            if exercise == key and not hint.startswith("expected"):
                texts.append(hint)
    return texts


# -- sheets ------------------------------------------------------------------------------------

IMPORTS = """\
import numpy as np

from attnutils import check
from attnutils.worked_example import KEYS, VALUES, WORDS"""


def varied(name: str) -> list[str]:
    """Return the exercises of a page that have variants."""
    return [key for key in exercises(name) if all_exercises()[key].variants]


def sheet(name: str, number: int, *, solved: bool = False) -> str:
    """Return a notebook with those exercises of a page that have variants, in the one asked for.

    The text is the page's; the numbers, the answers and the slips are those of the exercise.
    """
    page = f"[{title(f'{name}.ipynb')}]({online(f'{name}.ipynb')})"
    cells = [
        read(name).cells[0],
        markdown("title", f"# Sheet {number}\n\nExercises of {page}, with other numbers."),
        nbformat.v4.new_code_cell(IMPORTS, id="imports"),
    ]
    for place, group in groupby(pieces(read(name)), lambda piece: piece.place):
        asked = [cell for _, cell in group] if place == "exercise" else []
        keys = [key for cell in asked for key, _ in CHECK.findall(cell.source)]
        if keys and all_exercises()[keys[0]].variants:
            cells += with_other_numbers(keys[0], number, asked, solved=solved)
    return notebook(cells)


def with_other_numbers(
    key: str, number: int, asked: Sequence[Cell], *, solved: bool
) -> Iterator[Cell]:
    """Yield the cells of an exercise in the variant of a sheet, if asked with answer and slips."""
    variant = variant_of(key, number)
    sources = [cell.source for cell in asked]
    for before, after in variant.says:
        if sum(source.count(before) for source in sources) != 1:
            raise CourseError(
                f"the exercise {key!r} is to say {before!r} once, and does not: mend `says` in "
                "attnutils/exercises, or the page."
            )
        sources = [source.replace(before, after) for source in sources]
    form = variant.exercise.form()
    answer = np.reshape(form["right"], form["shapes"][0]).tolist()
    for cell, source in zip(asked, sources, strict=True):
        if cell.cell_type == "code":
            source = CHECK.sub(rf'check("\g<key>", \g<answer>, variant={number})', source)
            if solved:
                source = OPEN.sub(f"answer = {answer}", source)
        new = {"source": source} | ({"outputs": []} if cell.cell_type == "code" else {})
        yield nbformat.from_dict(cell | new)
    if solved:
        yield markdown(f"slips-{key}", slips(key, variant.exercise))


# -- figures -----------------------------------------------------------------------------------


class Figure(NamedTuple):
    """A picture of a page: a name for its files, what it shows, and its data by kind."""

    name: str
    page: str
    caption: str
    data: dict[str, str]


def figures() -> Iterator[Figure]:
    """Yield the figures of the pages, and the pictures of explorers, which are PNG only."""
    for page in names():
        for cell in read(page).cells:
            shown = [output.get("data", {}) for output in cell.get("outputs", [])]
            kinds = [
                {kind: data[kind] for kind in ("image/svg+xml", "image/png") if kind in data}
                for data in shown
            ]
            about = cell.metadata.get("mystnb", {})
            caption = about.get("figure", {}).get("caption") or about.get("image", {}).get("alt")
            for number, data in enumerate(filter(None, kinds)):
                name = f"{page}-{cell.id}" + f"-{number + 1}" * bool(number)
                yield Figure(name, page, plain(caption), data)


def write_figures(folder: Path, chromium: Browser, chosen: Iterable[Figure]) -> None:
    """Write figures as SVG and as PNG, and a list of them with captions and the licence."""
    listed = [
        "# Figures",
        "All are under [CC BY 4.0](https://creativecommons.org/licenses/by/4.0/) (LICENSE-TEXT). "
        f"Name the source where you show one: {source()}.",
        "What has no SVG is the picture of an explorer: show the explorer itself (plan.md).",
    ]
    page = chromium.new_page(device_scale_factor=SCALE)
    for figure in chosen:
        svg = figure.data.get("image/svg+xml")
        png = folder / f"{figure.name}.png"
        if svg:
            (folder / f"{figure.name}.svg").write_text(svg, encoding="utf-8")
            page.set_content(f"<body style='margin: 0'>{svg[svg.index('<svg') :]}")
            page.locator("svg").first.screenshot(path=png)
        else:
            png.write_bytes(base64.b64decode(figure.data["image/png"]))
        kinds = ("SVG", "PNG") if svg else ("PNG",)
        files = " · ".join(f"[{kind}]({figure.name}.{kind.lower()})" for kind in kinds)
        link = f"[{title(f'{figure.page}.ipynb')}]({online(f'{figure.page}.ipynb')})"
        listed += [f"## {figure.name}", figure.caption, f"{link} · {files}"]
    page.close()
    (folder / "captions.md").write_text("\n\n".join(listed) + "\n", encoding="utf-8")


def source() -> str:
    """Return how the book is named: title, authors, address."""
    about = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    authors = ", ".join(author["name"] for author in about["authors"])
    return f"*{about['title']}*, {authors}, {address.current().pages}"


# -- the plan ----------------------------------------------------------------------------------


def explorers(name: str) -> list[str]:
    """Return the addresses of the explorers of a page, in their order."""
    found = []
    for cell in read(name).cells:
        for output in cell.get("outputs", []):
            made = re.match(r"\w+", output.get("data", {}).get("text/plain", ""))
            if made and made[0] in widgets.__all__:
                trait = getattr(widgets, made[0]).class_traits().get("address")
                own = re.search(r'\baddress="([a-z0-9-]+)"', cell.source)
                if trait:
                    found.append(own[1] if own else trait.default_value)
    return found


def minutes(name: str) -> int:
    """Return a rule of thumb for the time that a page takes, apart from its exercises."""
    read_words = 0
    for place, cell in pieces(read(name)):
        if place == "" and cell.cell_type == "markdown":
            read_words += len(re.findall(r"[^\W\d_]+", CODE_OR_FORMULA.sub("", cell.source)))
    return 5 * math.ceil((read_words / READ + LOOK * len(explorers(name))) / 5)


def plan() -> str:
    """Return the plan: a page a week, its minutes, and what to show."""
    rows, week = [], 0
    (chapter, _), *_ = lessons()  # its pages can be shown as slides
    for caption, pages in lessons():
        rows.append(f"| | **{caption}** | | | |")
        for name in pages:
            week += 1
            page = online(f"{name}.ipynb")
            slides = [f"[slides]({page}?present)"] * (caption == chapter)
            shown = slides + [f"[{each}]({page}#{each}:)" for each in explorers(name)]
            rows.append(
                f"| {week} | [{title(f'{name}.ipynb')}]({page}): {read(name).metadata['map']} "
                f"| {minutes(name)} | {len(exercises(name))} | {', '.join(shown) or 'the page'} |"
            )
    return "\n".join(
        [
            "# Plan",
            "",
            f"A page a week: {week} weeks, or the first part alone, which ends with a layer of the "
            "learner's own. Before class learners read and answer the questions; in class, show an "
            "explorer, ask what it will do, then move it. An address opens the page at it, or as "
            "slides.",
            "",
            "| week | page | minutes | exercises | show |",
            "|---|---|---|---|---|",
            *rows,
            "",
            f"Minutes are a rule of thumb: {READ} words a minute, {LOOK} minutes an explorer. "
            f"An exercise takes {SOLVE} more.",
            "",
            f"{source()}. Text and figures: CC BY 4.0 (LICENSE-TEXT); code: MIT (LICENSE).",
            "",
        ]
    )


# -- the folder --------------------------------------------------------------------------------


def write(folder: Path, chromium: Browser, sheets: Iterable[int]) -> None:
    """Write all of the course into a folder that is there and empty."""
    for kind, make in (("student", for_learners), ("teacher", for_teachers)):
        (folder / kind).mkdir()
        for name in names():
            (folder / kind / f"{name}.ipynb").write_text(make(name), encoding="utf-8")
    for number in sheets:
        for kind in ("student", "teacher"):
            place = folder / f"sheet-{number}" / kind
            place.mkdir(parents=True)
            for name in filter(varied, names()):
                text = sheet(name, number, solved=kind == "teacher")
                (place / f"{name}.ipynb").write_text(text, encoding="utf-8")
    (folder / "figures").mkdir()
    write_figures(folder / "figures", chromium, figures())
    (folder / "plan.md").write_text(plan(), encoding="utf-8")
    for licence in ("LICENSE", "LICENSE-TEXT"):
        shutil.copy(ROOT / licence, folder)


def emptied(folder: Path | None) -> Path:
    """Return a folder that is there and empty: the usual one, or one that is new."""
    if folder is None:
        folder = FOLDER
        shutil.rmtree(folder, ignore_errors=True)
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
    parser.add_argument(
        "--sheets", type=sheet_number, nargs="*", default=[1, 2], help="numbers, default: 1 2"
    )
    arguments = parser.parse_args()
    try:
        program = browser.path()
        folder = emptied(arguments.folder)
        with sync_playwright() as playwright:
            chromium = browser.launch(playwright.chromium, program)
            write(folder, chromium, dict.fromkeys(arguments.sheets))
    except (CourseError, OSError, browser.NoBrowserError) as error:
        print(f"The course was not written: {error}", file=sys.stderr)
        return 1
    print(f"The course: {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
