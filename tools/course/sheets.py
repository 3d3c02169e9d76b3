"""A sheet for each week: exercises with other numbers than the page, and questions of the bank."""

import re
from collections.abc import Iterator
from itertools import groupby

import numpy as np

from attnbook.exercises import all_exercises, variant_of
from attnutils.worked_example import KEYS, VALUES, WORDS
from book.portable import Cell, markdown, written
from tools.course.bank import Item, given, items
from tools.course.pages import (
    CHECK,
    TITLE,
    CourseError,
    exercises,
    link,
    names,
    pages,
    pieces,
    slips,
)

OPEN = re.compile(r"^answer = \.\.\..*$", re.M)
QUESTIONS = 4  # at most so many on a sheet
IMPORTS = "import numpy as np\n\nfrom attnbook import check\n"
IMPORTS += "from attnutils.worked_example import KEYS, VALUES, WORDS"
#: Titles that say a number of the page.
RENAMED = {"Half for Reads": "A share for Reads"}


def vector(numbers: list[float]) -> str:
    return f"({', '.join(f'{x:g}' for x in numbers)})".replace("-", "−")


def sentence() -> str:
    """Return the worked example: its words, keys and values."""
    rows = [
        f"| {word} | {vector(key)} | {vector(value)[1:-1]} |"
        for word, key, value in zip(WORDS, KEYS.tolist(), VALUES.tolist(), strict=True)
    ]
    said = "A query meets the keys of six words. It is *Book* that asks, with its own key as the "
    said += "query; scores are dot products, not divided by anything."
    return "\n".join([said, "", "| word | key | value |", "|---|---|---|", *rows])


def varied(name: str) -> list[str]:
    """Return the exercises of a page that have variants."""
    return [key for key in exercises(name) if all_exercises()[key].variants]


def sheet(name: str, number: int, *, solved: bool = False) -> str:
    """Return a sheet of a page as a notebook: its varied exercises, and questions."""
    book = pages(alone=True)
    week = names().index(name) + 1
    _, setup = next(book.pieces(name))
    about = f"Exercises of {link(book.titles[name], f'{name}.html')} with numbers of their own, "
    about += "and questions. Run a cell to check its answer."
    title = f"# Week {week}: {book.titles[name]}. Sheet {number}\n\n{about}"
    cells = [setup, markdown("title", title)]
    cells.append(setup | {"id": "imports", "metadata": {}, "source": IMPORTS, "outputs": []})
    if (told := given(name)) and varied(name):
        cells.append(markdown("given", f"**Given.** {told.format(sentence=sentence())}"))
    at = 0
    for place, group in groupby(pieces(name, alone=True), lambda piece: piece[0]):
        asked = [cell for _, cell in group] if place == "exercise" else []
        keys = [key for cell in asked for key, _ in CHECK.findall(cell["source"])]
        if keys and all_exercises()[keys[0]].variants:
            at += 1
            cells += with_other_numbers(keys[0], number, at, asked, solved)
    found = items(pages(), name)
    start = QUESTIONS * (number - 1)
    for k in range(min(QUESTIONS, len(found))):
        at += 1
        cells += question(found[(start + k) % len(found)], at, solved)
    return written(cells)


def with_other_numbers(
    key: str, number: int, at: int, asked: list[Cell], solved: bool
) -> Iterator[Cell]:
    """Yield the cells of an exercise in the variant of a sheet, if asked with answer and slips."""
    variant = variant_of(key, number)
    sources = [
        TITLE.sub(lambda t: f"### {at}. {RENAMED.get(t['title'], t['title'])}", cell["source"])
        for cell in asked
    ]
    for before, after in variant.says:
        if sum(text.count(before) for text in sources) != 1:
            raise CourseError(f"the page must say {before!r} once, or {key!r} have another `says`.")
        sources = [text.replace(before, after) for text in sources]
    form = variant.exercise.form()
    answer = np.reshape(form["right"], form["shapes"][0]).tolist()
    for cell, text in zip(asked, sources, strict=True):
        if cell["cell_type"] == "code":
            text = CHECK.sub(rf'check("\g<key>", \g<answer>, variant={number})', text)
            text = re.sub(r"^from attnbook import check\n+", "", text)
            cell = cell | {"outputs": []}
            if solved:
                text = OPEN.sub(f"answer = {answer}", text)
        yield cell | {"source": text}
    if solved:
        yield markdown(f"way-{key}", f"**Way.** {variant.way}")
        yield markdown(f"slips-{key}", slips(key, variant.exercise))


def question(item: Item, at: int, solved: bool) -> Iterator[Cell]:
    """Yield a question, if asked with its answer and what to say to the others."""
    name = item.name.partition("/")[2]
    listed = [] if item.is_number else [f"- {answer.value}" for answer in item.answers]
    text = "\n".join([f"### {at}. Predict\n", item.prompt, "", *listed])
    yield markdown(name, text.strip())
    if not solved:
        yield markdown(f"{name}-words", "*Your answer, and why (double-click here to write):*")
        return

    def shown(value: object) -> str:
        return (f"{value:g}" if item.is_number else str(value)).replace("|", "\\|")

    right, *wrong = sorted(item.answers, key=lambda answer: not answer.is_right)
    rows = [f"| {shown(answer.value)} | {answer.said} |" for answer in wrong]
    head = [
        f"**Answer.** {shown(right.value)}: {right.said}",
        "",
        "| other answers | what to say |",
    ]
    yield markdown(f"{name}-answer", "\n".join([*head, "|---|---|", *rows]))
