"""The finish line keeps what the map promises: a layer of the reader's, judged by laws."""

import re

import yaml

from attnutils.exercises.finish_line import LAWS
from tests.answers.finish_line import WRONG
from tests.book.test_lessons import LAST_OF_THE_CHAPTER, cell, source
from tests.book.test_pages import pages as pages
from tools.project import CHAPTERS, ROOT

TOC = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))


def test_it_stands_at_the_end_of_the_chapter_proper():
    chapter = TOC["parts"][0]
    assert chapter["caption"] == "The chapter"
    assert chapter["chapters"][-1]["file"] == f"chapters/{LAST_OF_THE_CHAPTER}"
    assert "You have finished" in (CHAPTERS / "index.ipynb").read_text(encoding="utf-8")


def test_the_page_lists_the_laws_that_are_tried():
    text = source(cell(LAST_OF_THE_CHAPTER, "finish-line"))
    assert re.findall(r"^\d\. \*(\w+)\*:", text, re.MULTILINE) == list(LAWS)


def test_each_law_is_the_first_that_some_slip_breaks():
    told = [hint for _, _, hint in WRONG]
    for law in LAWS:
        assert any(re.search(rf"Broken is {law}[: (]", hint) for hint in told), law


def test_what_follows_lists_the_pages_to_go_on_to(pages):
    (page,) = (page for path, page in pages.items() if path.stem == LAST_OF_THE_CHAPTER)
    links = [a["href"] for a in page.select("#going-on .pagemap a[href]")]
    others = [f"{part['file'].split('/')[1]}.html" for part in TOC["parts"][1]["chapters"]]
    assert links == others
    assert not page.select("#going-on .pagemap em")
