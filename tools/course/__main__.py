"""Write a folder for a class, from the pages: nothing in it is kept twice.

    python -m tools.course                        into _build/course
    python -m tools.course --folder FOLDER        into a folder that is new
    python -m tools.course --sheets 1 2 3         with three sheets for each week
    python -m tools.course --pages temperature    of these pages alone

What is in it says its README.md.
"""

import argparse
import base64
import math
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from book.portable import PortableError
from tools.course import bank
from tools.course.pages import (
    CourseError,
    assignment,
    exercises,
    for_learners,
    for_teachers,
    link,
    names,
    pages,
    pieces,
    source,
)
from tools.course.sheets import sheet
from tools.project import BUILD, ROOT

# Words a minute of a text that is worked through; minutes for an explorer.
READ, LOOK = 80, 3
NO_WORDS = re.compile(r"\$\$.*?\$\$|\$.*?\$|`.*?`|\]\(.*?\)", re.S)  # formulas, code, addresses
ABOUT = Path(__file__).with_name("README.md.in")
PLAN = f"""\
# Plan

A page a week: {{weeks}} weeks, or the first part alone, which ends with a layer of one's own.
Before class learners read and answer the questions; in class, show an explorer, ask what it will
do, then move it. An address opens the page at it, or as slides.

| week | page | minutes | exercises | points | sheets |
|---|---|---|---|---|---|
{{rows}}

Minutes are a rule of thumb for the page, without its exercises: {READ} words a minute, {LOOK}
minutes an explorer. Points: easy 1, medium 2, hard 3.

{{hours}}

{{source}}. Text and figures: CC BY 4.0 (LICENSE-TEXT); code: MIT (LICENSE).
"""
FIGURES = """\
# Figures

All are under [CC BY 4.0](https://creativecommons.org/licenses/by/4.0/) (LICENSE-TEXT). Name the
source where you show one: {}. A PNG is the picture of an explorer: show the explorer (plan.md)."""
CONFIGURATION = """\
c = get_config()
c.CourseDirectory.course_id = "attention-layers"
c.ClearSolutions.code_stub = {"python": "# your answer goes here"}
c.ExecutePreprocessor.timeout = 300
"""


def write_figures(folder: Path, chosen: Sequence[str]) -> None:
    """Write figures as SVG, pictures of explorers as PNG, and a list with captions and licence."""
    book, listed = pages(alone=True), [FIGURES.format(source())]
    for page in chosen:
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


def explorers(name: str) -> list[dict[str, Any]]:
    """Return the states of the explorers of a page that have addresses, in their order."""
    outputs = [o for cell in pages().notebooks[name]["cells"] for o in cell.get("outputs", [])]
    states = [o.get("metadata", {}).get("widget", {}).get("state", {}) for o in outputs]
    return [state for state in states if state.get("address")]


def minutes(name: str) -> int:
    """Return a rule of thumb for the time that a page takes, apart from its exercises."""
    texts = [c["source"] for place, c in pieces(name) if not place and c["cell_type"] == "markdown"]
    read_words = len(re.findall(r"[^\W\d_]+", NO_WORDS.sub("", "\n".join(texts))))
    return 5 * math.ceil((read_words / READ + LOOK * len(explorers(name))) / 5)


def sheet_name(name: str, number: int) -> str:
    return f"sheets/week-{names().index(name) + 1:02}-{name}-{number}.ipynb"


def plan(chosen: Sequence[str], sheets: Sequence[int]) -> str:
    """Return the plan: a page a week, with minutes, points, sheets, and what to do in the hour."""
    book, rows, hours = pages(), [], []
    for caption, lessons in book.lessons.items():
        within = [name for name in lessons if name in chosen]
        rows += [f"| | **{caption}** | | | | |"] if within else []
        for name in within:
            week, asked = names().index(name) + 1, exercises(name).values()
            files = ", ".join(f"[{n}](student/{sheet_name(name, n)})" for n in sheets)
            points = sum(each.points for each in asked)
            rows.append(
                f"| {week} | {link(book.titles[name], f'{name}.html')}: "
                f"{book.notebooks[name]['metadata']['map']} "
                f"| {minutes(name)} | {len(asked)} | {points} | {files} |"
            )
            hours += [f"## Week {week}: {book.titles[name]}", *hour(name, sheets), ""]
    told = {"rows": "\n".join(rows), "hours": "\n".join(hours).strip(), "source": source()}
    return PLAN.format(weeks=len(chosen), **told)


def hour(name: str, sheets: Sequence[int]) -> list[str]:
    """Return what to show, ask and let do in the hour of a page, in five lines."""
    found, asked = explorers(name), bank.items(pages(), name)
    shown = [link("the page as slides", f"{name}.html?present")]
    shown += [link(f"*{each['address']}*", f"{name}.html#{each['address']}:") for each in found]
    tries = [each["ask"] for state in found for each in state.get("tries") or ()]
    works = sorted(exercises(name).values(), key=lambda each: each.points)
    first, rest = works[0], [f"{each.number}, *{each.title}*" for each in works[1:]]
    hand_out = " or ".join(f"`{sheet_name(name, n)}`" for n in sheets) or "the bank of questions"
    lines = [
        f"**Show** (10 minutes): {', '.join(shown)}.",
        f"**Ask** (5 minutes; all vote before anybody speaks): {asked[0].prompt}",
        f"**Let do** (15 minutes, in pairs, at an explorer): {tries[0]}" if tries else "",
        f"**Work** ({first.minutes} minutes): exercise {first.number}, *{first.title}*.",
        f"**For home**: exercises {'; '.join(rest)}; and {hand_out}.",
    ]
    if not tries:
        what = asked[1].prompt if len(asked) > 1 else "the page's own explorer, from its start."
        lines[2] = f"**Let do** (15 minutes, in pairs): {what}"
    return [f"{n}. {line}" for n, line in enumerate(lines, start=1)]


def write(folder: Path, chosen: Sequence[str], sheets: Sequence[int]) -> None:
    """Write all of the course into a folder that is there and empty."""
    stand_alone = sum(len(bank.items(pages(), name)) for name in chosen)
    about = ABOUT.read_text(encoding="utf-8").format(source=source(), questions=stand_alone)
    files: dict[str, str | bytes] = {"README.md": about, "plan.md": plan(chosen, sheets)}
    for name in chosen:
        files[f"student/{name}.ipynb"] = for_learners(name)
        files[f"teacher/{name}.ipynb"] = for_teachers(name)
        files[f"nbgrader/source/{name}/{name}.ipynb"] = assignment(name)
        for number in sheets:
            files[f"student/{sheet_name(name, number)}"] = sheet(name, number)
            files[f"teacher/{sheet_name(name, number)}"] = sheet(name, number, solved=True)
    files["nbgrader/nbgrader_config.py"] = CONFIGURATION
    files["bank/questions.gift"] = bank.gift(pages(), chosen)
    files["bank/questions-moodle.xml"] = bank.moodle(pages(), chosen)
    files["bank/questions-qti21.zip"] = bank.qti(pages(), chosen)
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content.encode() if isinstance(content, str) else content)
    (folder / "figures").mkdir()
    write_figures(folder / "figures", chosen)
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


def chosen_of(asked: Sequence[str]) -> list[str]:
    """Return the pages that are asked for, in the order of the book; all, if none are."""
    if unknown := [name for name in asked if name not in names()]:
        there = ", ".join(names())
        raise CourseError(f"there is no page {' or '.join(map(repr, unknown))}. Pages: {there}.")
    return [name for name in names() if not asked or name in asked]


def sheet_number(text: str) -> int:
    if not re.fullmatch(r"[1-9][0-9]{0,8}", text):
        raise argparse.ArgumentTypeError(f"a sheet has a whole number, such as 7, not {text!r}")
    return int(text)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, help="a new folder; default: _build/course")
    parser.add_argument("--sheets", type=sheet_number, nargs="*", default=[1, 2], help="numbers")
    parser.add_argument("--pages", nargs="*", default=[], help="names of pages; default: all")
    given = parser.parse_args(arguments)
    try:
        chosen = chosen_of(given.pages)
        folder = emptied(given.folder)
        write(folder, chosen, [*dict.fromkeys(given.sheets)])
    except (CourseError, bank.BankError, PortableError, OSError) as error:
        print(f"The course was not written: {error}", file=sys.stderr)
        return 1
    print(f"The course: {folder}. Read its README.md first.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
