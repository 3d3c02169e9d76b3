"""The PDF: the whole book is printed and checked, answers stand behind, nothing is cut off."""

import re

import pytest
from bs4 import BeautifulSoup
from pypdf import PdfReader

from book.portable import CHECKS
from tests.conftest import parsed
from tools.paper import __main__ as paper
from tools.paper.document import PaperError


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The folder that what is made goes into."""
    monkeypatch.setattr(paper, "FILE", tmp_path / "book.pdf")
    monkeypatch.setattr(paper, "PAGE", tmp_path / "book.html")
    return tmp_path


def test_the_whole_book_is_printed_and_has_its_outline(book, files):
    reader = PdfReader(paper.write())
    assert len(reader.pages) > 100
    pages = [each for each in reader.outline if not isinstance(each, list)]
    assert len(pages) > 20  # the pages of the book, and the answers


def test_answers_stand_at_the_end_and_lead_back(book):
    soup = BeautifulSoup(paper.read(), "html.parser")
    told = soup.select("#answers .told")
    there = {each["id"] for each in told}
    asked = 0
    for path in (book / "chapters").glob("*.html"):
        page, part = parsed(path), soup.find(id=path.stem)
        asked += len(page.select("details.solution, [data-widget=Question]"))
        asked += len(page.select(".widget-picture:has(ol > li > details)"))
        assert not part.find(string=re.compile(CHECKS))
        for solution in page.select("details.solution > :is(p, div)"):
            words = " ".join(solution.get_text().split())[:40]
            assert words not in " ".join(part.get_text().split()), words
    assert len(told) == asked > 100
    assert {a["href"][1:] for a in soup.select(".part .see .page-of")} == there
    ids = [tag["id"] for tag in soup.select("[id]")]
    assert len({*ids}) == len(ids)
    assert {a["href"][1:] for a in soup.select('a[href^="#"]')} <= {*ids}


def test_what_does_not_fit_is_made_smaller_or_named(files, browser):
    page = browser.new_page()
    formula = '<div class="part"><table id="t"><tr><td><div style="width: %dpx">a</div></table>'
    paper.PAGE.write_text(formula % 900)
    assert paper.printed(page, paper.PAGE.as_uri()).startswith(b"%PDF")
    paper.PAGE.write_text(f"{formula % 900}<p id=wide style='min-width: 1500px'>Wider</p>")
    with pytest.raises(PaperError, match="wide: Wider"):
        paper.printed(page, paper.PAGE.as_uri())
    page.close()
