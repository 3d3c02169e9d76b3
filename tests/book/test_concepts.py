"""Nothing that the book grew out of is lost: each of its concepts has a page and a place there.

The files of `concepts`, one for each page that teaches some and named like it, list every concept,
formula, method, experiment, figure and cited origin of the four works, a row for each work that
names it. A mistake of the source is listed for the page that teaches it right.

source   chapter, summary, note or post: the attention chapter that the book set out from, a
         summary of another, a note on the attention layer, a post on transformers and graphs
concept  its name, in the words of the field
anchor   an id on that page: of a section, a figure or an exercise
says     text that a reader finds there

The text of an anchor is all that one reads in its element, subsections included: prose, tables,
code, outputs, captions and descriptions of pictures; a formula is its TeX without the spacing.
Headings do not count, so that none can stay behind when its text is gone, nor does the folded code
that draws a figure. White space and case do not matter. The title of a page is no anchor: its
section is the whole page.
"""

import csv
import re
from copy import copy
from dataclasses import dataclass
from pathlib import Path

import pytest
from bs4 import Tag

from tests.conftest import parsed

TABLES = sorted((Path(__file__).parent / "concepts").glob("*.csv"))
COLUMNS = ["source", "concept", "anchor", "says"]
SOURCES = {"chapter", "summary", "note", "post"}

# Headings below the title, titles of exercises, and the folded code that draws a figure.
UNREAD = "h2, h3, h4, h5, h6, .admonition-title, details.hide"
# What sets the parts of a formula apart or in line.
TEX_SPACE = re.compile(r"\\[,;:!]|\\q?quad\b|&")
# How many rows there are: a file that is lost is noticed.
ROWS_IN_ALL = 387


@dataclass(frozen=True)
class Row:
    """A line of a page's file, with its number."""

    page: str
    number: int
    source: str
    concept: str
    anchor: str
    says: str

    def __str__(self) -> str:
        """Say which row it is and what it wants."""
        return f"{self.page}#{self.anchor} (line {self.number}, {self.source}, {self.concept})"


def read(table: Path) -> list[Row]:
    with table.open(encoding="utf-8", newline="") as file:
        lines = csv.reader(file)
        assert next(lines) == COLUMNS
        rows = []
        for line in lines:
            assert len(line) == len(COLUMNS), f"{table.name}, line {lines.line_num}: {line}"
            rows.append(Row(table.stem, lines.line_num, *line))
        return rows


ROWS = [row for table in TABLES for row in read(table)]


def folded(text: str) -> str:
    """The text without differences of case and white space."""
    return "".join(text.split()).casefold()


def readable(file: Path) -> Tag:
    """What one reads on a page: text in place of formulas and pictures, no headings."""
    article = copy(parsed(file).find("article"))
    for unread in article.select(UNREAD):
        unread.decompose()
    for formula in article.select(".katex"):
        formula.replace_with(TEX_SPACE.sub("", formula["data-tex"]))
    for image in article.find_all("img", alt=True):
        image.replace_with(f" {image['alt']} ")
    for drawing in article.select(".drawing"):
        drawing.replace_with(f" {drawing['aria-label']} ")
    return article


def problem(row: Row, page: Tag) -> str | None:
    """What a readable page does not have of a row, if anything."""
    element = page.find(id=row.anchor)
    if element is None:
        return f"{row}: no such anchor"
    if element.find("h1"):
        return f"{row}: this anchor is the whole page"
    if folded(row.says) not in folded(element.get_text()):
        return f"{row}: it does not say: {row.says}"
    return None


def lost(rows: list[Row], book: Path) -> list[str]:
    """What the built book does not have of these rows."""
    problems = []
    for name in dict.fromkeys(row.page for row in rows):
        file = book / "chapters" / f"{name}.html"
        here = [row for row in rows if row.page == name]
        if not file.is_file():
            problems += [f"{row}: no such page" for row in here]
            continue
        page = readable(file)
        problems += filter(None, (problem(row, page) for row in here))
    return problems


BOOK = """<article><section id="title"><h1>A page</h1>
<section id="part"><h2>Soft attention</h2><p>Plain
words, <span class="katex" data-tex="x \\, y"><i>drawn</i></span></p>
<figure id="drawing"><details class="hide">code</details><img alt="A picture.">
<div class="drawing" aria-label="A drawing."><svg><text>.5</text></svg></div></figure>
</section></section></article>"""


@pytest.mark.parametrize(
    ("page", "anchor", "says", "verdict"),
    [
        ("here", "part", "plain words", None),
        ("here", "part", "a picture", None),
        ("here", "drawing", "a picture", None),
        ("here", "drawing", "a drawing", None),
        ("here", "part", "words, xy", None),
        ("here", "part", "drawn", "it does not say: drawn"),
        ("here", "part", "Soft attention", "it does not say: Soft attention"),
        ("here", "drawing", "code", "it does not say: code"),
        ("here", "drawing", "plain words", "it does not say: plain words"),
        ("here", "section", "plain words", "no such anchor"),
        ("here", "title", "plain words", "this anchor is the whole page"),
        ("there", "part", "plain words", "no such page"),
    ],
)
def test_what_is_lost_is_noticed(page, anchor, says, verdict, tmp_path):
    (tmp_path / "chapters").mkdir()
    (tmp_path / "chapters" / "here.html").write_text(BOOK)
    row = Row(page, 2, "chapter", "soft attention", anchor, says)
    expected = [f"{page}#{anchor} (line 2, chapter, soft attention): {verdict}"]
    assert lost([row], tmp_path) == (expected if verdict else [])


@pytest.mark.parametrize("page", dict.fromkeys(row.page for row in ROWS))
def test_every_concept_is_where_the_table_says(page, book):
    problems = lost([row for row in ROWS if row.page == page], book)
    assert not problems, "\n".join(problems)


def test_the_tables_are_complete_in_themselves():
    assert len(ROWS) == ROWS_IN_ALL
    assert {row.source for row in ROWS} == SOURCES
    for row in ROWS:
        for field in (row.concept, row.anchor, row.says):
            assert "" != field == field.strip(), row


def test_no_concept_of_a_source_is_listed_twice():
    names = [(row.source, folded(row.concept)) for row in ROWS]
    twice = {name for name in names if names.count(name) > 1}
    assert not twice
