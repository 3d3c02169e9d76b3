"""Nothing that the book grew out of is lost: each of its concepts has a page and a place there.

`data/concepts.csv` lists every concept, formula, method, experiment, figure and cited origin of
the four works, a row for each work that names it:

source   chapter, summary, note or post: the attention chapter that the book set out from, a
         summary of another, a note on the attention layer, a post on transformers and graphs
concept  its name, in the words of the field
page     the page that teaches it; a mistake of the source has the page that teaches it right
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
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from bs4 import BeautifulSoup, Tag

from tools.project import ROOT

TABLE = Path(__file__).parent / "data" / "concepts.csv"
COLUMNS = ["source", "concept", "page", "anchor", "says"]
SOURCES = {"chapter", "summary", "note", "post"}

TOC = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
PAGES = [Path(name).name for name in (TOC["root"], *(e["file"] for e in TOC["chapters"]))]
# Headings below the title, titles of exercises, and the folded code that draws a figure.
UNREAD = "h2, h3, h4, h5, h6, .admonition-title, details.hide"
# What sets the parts of a formula apart or in line.
TEX_SPACE = re.compile(r"\\[,;:!]|\\q?quad\b|&")
# These pages list what the others use. They teach nothing themselves.
LISTS = {"api", "bibliography"}


@dataclass(frozen=True)
class Row:
    """A line of the table, with its number in the file."""

    number: int
    source: str
    concept: str
    page: str
    anchor: str
    says: str

    def __str__(self) -> str:
        """Say which row it is and what it wants."""
        return f"line {self.number}, {self.source}, {self.concept} ({self.page}#{self.anchor})"


def read(table: Path = TABLE) -> list[Row]:
    with table.open(encoding="utf-8", newline="") as file:
        lines = csv.reader(file)
        assert next(lines) == COLUMNS
        rows = []
        for line in lines:
            assert len(line) == len(COLUMNS), f"{table.name}, line {lines.line_num}: {line}"
            rows.append(Row(lines.line_num, *line))
        return rows


ROWS = read()


def folded(text: str) -> str:
    """The text without differences of case and white space."""
    return "".join(text.split()).casefold()


def readable(file: Path) -> Tag:
    """What one reads on a page: text in place of formulas and pictures, no headings."""
    article = BeautifulSoup(file.read_text(encoding="utf-8"), "html.parser").select_one("article")
    for unread in article.select(UNREAD):
        unread.decompose()
    for formula in article.select(".katex"):
        formula.replace_with(TEX_SPACE.sub("", formula.find("annotation").get_text()))
    for image in article.find_all("img", alt=True):
        image.replace_with(f" {image['alt']} ")
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
words, <span class="katex"><annotation>x \\, y</annotation><i>drawn</i></span></p>
<figure id="drawing"><details class="hide">code</details><img alt="A picture."></figure>
</section></section></article>"""


@pytest.mark.parametrize(
    ("page", "anchor", "says", "verdict"),
    [
        ("here", "part", "plain words", None),
        ("here", "part", "a picture", None),
        ("here", "drawing", "a picture", None),
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
    row = Row(2, "chapter", "soft attention", page, anchor, says)
    expected = [f"line 2, chapter, soft attention ({page}#{anchor}): {verdict}"]
    assert lost([row], tmp_path) == (expected if verdict else [])


@pytest.mark.parametrize("page", dict.fromkeys(row.page for row in ROWS))
def test_every_concept_is_where_the_table_says(page, book):
    problems = lost([row for row in ROWS if row.page == page], book)
    assert not problems, "\n".join(problems)


def test_the_table_is_complete_in_itself():
    assert {row.source for row in ROWS} == SOURCES
    for row in ROWS:
        for field in (row.concept, row.page, row.anchor, row.says):
            assert "" != field == field.strip(), row


def test_no_concept_of_a_source_is_listed_twice():
    names = [(row.source, folded(row.concept)) for row in ROWS]
    twice = {name for name in names if names.count(name) > 1}
    assert not twice


def test_every_page_that_teaches_has_concepts_and_no_other():
    assert {row.page for row in ROWS} == set(PAGES) - LISTS
