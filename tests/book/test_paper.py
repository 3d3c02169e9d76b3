"""The PDF: a small book is printed and checked as the whole one is, and each check can fail."""

import io
import json
import subprocess
import sys
from datetime import UTC, datetime

import pytest
from bs4 import BeautifulSoup
from pypdf import PdfReader, PdfWriter
from pypdf.generic import NameObject, TextStringObject

from tests.conftest import exhaustive
from tools.paper import __main__ as command
from tools.paper import checks, pdf
from tools.paper.document import PaperError, Part, assembled, slips
from tools.project import ROOT

ABOUT = {"title": "Small: a book", "version": "1", "authors": [{"name": "Nobody"}]}
MADE = datetime(2026, 1, 2, tzinfo=UTC)
SITE = "https://you.github.io/yours/"
QUESTION = {
    "prompt": "Which?",
    "choices": [["one", "No: $x$ is even."], ["two", "It is even."]],
    "answer": "two",
}
NUMBER = {"prompt": "?", "choices": [], "answer": -0.5, "right": "Half.", "hints": [[0.5, "Sign."]]}
FORMS = {"odds": {"wrong": [[[1.0, -2.0], "the other way <round>"]], "hint": "odds are a quotient"}}
TERMS = "+".join(50 * "x")
WIDE = "x = [" + "1234567890, " * 40 + "]"


def slot(kind, model, inner="", **more):
    names = "".join(f' data-{name}="{value}"' for name, value in more.items())
    return (
        f'<div class="widget-slot" data-widget="{kind}" data-model="{model}"{names}>'
        f'<div class="widget-picture">{inner}</div></div>'
    )


def formula(tex, shown):
    """A formula as KaTeX sets it, but for the details of what is shown."""
    return (
        f'<span class="katex" data-tex="{tex}"><span class="katex-mathml">'
        "<math><mi>m</mi></math></span>"
        f'<span class="katex-html" aria-hidden="true"><span class="base">{shown}</span>'
        "</span></span>"
    )


def pages(folder, **changed):
    """Write the pages of a small book."""
    x = f'<span class="math" data-tex="x">{formula("x", "x")}</span>'
    wide = f'<span class="katex-display">{formula(TERMS, TERMS)}</span>'
    data = {"models": {"a": {"state": QUESTION}, "b": {"state": NUMBER}}}
    question = slot("Question", "a", "<p>Predict first. Which?</p><small>Scripts.</small>")
    texts = {
        "one": f"""
          <h1>One<a class="headerlink" href="#first">#</a></h1>
          <section id="first"><h2>The first<a class="headerlink" href="#first">#</a></h2>
          {question.replace("</div></div>", f"</div><template>{x}</template></div>")}
          {slot("Question", "b", "<p>A number.</p>")}
          {slot("Explorer", "c", '<img alt="Bars" src="../p.svg" loading="lazy">', address="bars")}
          <div class="share"><button>Copy link</button></div>
          <p>See <a href="two.html#end">the end</a> of <a href="two.html">two</a>, {x}.</p>
          <p>These words can be found.</p></section>
          <script type="application/json" id="widget-data">{json.dumps(data)}</script>""",
        "two": f"""
          <h1>Two</h1><p><a href="https://example.org/">Elsewhere</a></p>
          <section id="first"><h2>Again</h2><div class="math">{wide}</div>
          <div class="highlight"><pre><span>{WIDE}</span></pre></div></section>
          <section id="end"><h2>Exercises</h2>
          <div class="exercise admonition" id="ex"><p class="admonition-title">Exercise 1</p>
          <form class="exercise-fields" data-exercise="odds"><input></form></div>
          <details class="solution admonition"><summary>Solution</summary><p>It is two.</p>
          <p>Back to <a href="#first">above</a>.</p></details>
          <p>Other words are there, too.</p></section>
          <script type="application/json" id="exercise-data">{json.dumps(FORMS)}</script>""",
    } | changed
    (folder / "chapters").mkdir(exist_ok=True)
    (folder / "p.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="6"/>')
    for name, text in texts.items():
        html = f"<main><article>{text}</article></main>"
        (folder / "chapters" / f"{name}.html").write_text(html, encoding="utf-8")
    parts = [Part("one", "", ""), Part("two", "", "More", 1)]
    return assembled(parts, folder, ABOUT, "Version 1", SITE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, book):
    """A folder as that of the built book, with its style."""
    made = tmp_path_factory.mktemp("Ein Buch")
    (made / "_static").symlink_to(book / "_static")
    return made


@pytest.fixture(scope="module")
def small(folder):
    return pages(folder)


@pytest.fixture(scope="module")
def soup(small):
    return BeautifulSoup(small.html, "html.parser")


def print_(document, folder, browser):
    (folder / "paper.html").write_text(document.html, encoding="utf-8")
    page = browser.new_page()
    try:
        return pdf.printed(page, (folder / "paper.html").as_uri())
    finally:
        page.close()


@pytest.fixture(scope="module")
def printed(small, folder, browser):
    return print_(small, folder, browser)


@pytest.fixture(scope="module")
def data(printed, small):
    return pdf.finished(printed, small, ABOUT, MADE)


# ---- the document ------------------------------------------------------------------------------


def test_links_between_pages_lead_within_the_document(soup):
    ids = [tag["id"] for tag in soup.select("[id]")]
    assert len(set(ids)) == len(ids)
    assert {"one", "one--first", "two--first", "two--end", "answers"} < set(ids)
    led = [link["href"] for link in soup.select("#one p > a:not(.page-of)")]
    assert led == [f"{SITE}chapters/one.html#bars:", "#two--end", "#two"]
    assert {a["href"][1:] for a in soup.select('a[href^="#"]')} <= set(ids)
    assert soup.find("h2", string="The first")["id"] == "one--first"


def test_answers_stand_at_the_end_and_lead_back(soup):
    told = soup.select("#answers .told")
    words = [" ".join(each.get_text(" ").split()) for each in told]
    assert words == [
        "Question 1 page 000 two It is even. Other answers one : No: x is even.",
        "Question 2 page 000 −0.5 Half. Other answers 0.5 : Sign.",
        "Exercise 1 page 000 It is two. Back to above . Common slips "
        "1, −2 : the other way <round> Anything else : odds are a quotient",
    ]
    there = [each.a["href"] for each in told]
    assert there == ["#one--question-1", "#one--question-2", "#two--ex"]
    back = [link["href"] for link in soup.select(".see .page-of")]
    assert back == [f"#{each['id']}" for each in told]
    assert "It is two." not in soup.find(id="two").get_text()
    assert told[2].select_one('a[href="#two--first"]')


def test_slips_in_ticks_are_told_without_numbers():
    told = BeautifulSoup(slips(FORMS["odds"], ticks=True), "html.parser")
    assert [each.get_text() for each in told.select("li")] == [
        "the other way <round>",
        "odds are a quotient",
    ]


def test_paper_has_nothing_that_only_a_screen_can_do(soup):
    useless = "script, template, form, input, button, details, summary, .headerlink, small"
    assert soup.body.select(useless) == []
    assert [tag["loading"] for tag in soup.select("[loading]")] == []


def test_an_explorer_says_where_it_moves_if_that_is_known(folder, soup):
    (see,) = soup.select("[data-address] .see")
    assert see.get_text() == ("An explorer: move it at you.github.io/yours/chapters/one.html#bars:")
    parts = [Part("one", ""), Part("two", "")]
    alone = BeautifulSoup(assembled(parts, folder, ABOUT, "", None).html, "html.parser")
    (see,) = alone.select("[data-address] .see")
    assert see.find("a") is None


# ---- the PDF -----------------------------------------------------------------------------------


def test_a_small_book_is_printed_as_it_is_to_be(small, data):
    assert checks.problems(data, small) == []
    reader = PdfReader(io.BytesIO(data))
    text = [" ".join(page.extract_text().split()) for page in reader.pages]
    assert reader.metadata.title == ABOUT["title"]
    assert reader.metadata.creation_date == MADE
    assert len(text) == 5  # cover, contents, two pages, answers
    assert "The first 3" in text[1]
    assert "Exercises 4" in text[1]
    assert "Answer: page 5" in text[2]
    assert "Exercise 1 page 4" in text[4]


def test_a_formula_is_told_by_its_tex(data):
    root = PdfReader(io.BytesIO(data)).root_object["/StructTreeRoot"]
    told, stack = [], [root]
    while stack:
        element = stack.pop()
        if element.get("/S") == "/Formula":
            told.append(element["/Alt"])
        assert element.get("/S") != "/NonStruct"
        kids = (kid.get_object() for kid in pdf.kids(element))
        stack += [kid for kid in kids if isinstance(kid, dict) and kid.get("/S")]
    assert told.count("x") == 2
    assert told.count(TERMS) == 1


def test_the_same_pages_give_the_same_file(small, data, folder, browser):
    again = pdf.finished(print_(small, folder, browser), small, ABOUT, MADE)
    assert again == data


def test_what_does_not_fit_is_named(folder, browser):
    wide = '<h1>Two</h1><p id="wide" style="min-width: 1500px">Wider than the paper</p>'
    document = pages(folder, two=wide)
    with pytest.raises(PaperError, match="two--wide: Wider than the paper"):
        print_(document, folder, browser)


def without_font(writer):
    for page in writer.pages:
        for font in page["/Resources"]["/Font"].values():
            inner = font["/DescendantFonts"][0].get_object()
            inner["/FontDescriptor"].pop("/FontFile2", None)


def without_text(writer):
    writer.pages[3][NameObject("/Contents")] = writer.pages[0].raw_get("/Contents")


def without_place(writer):
    del writer.root_object["/Dests"]["/two--end"]


def without_tags(writer):
    root = writer.root_object["/StructTreeRoot"]
    document = pdf.kids(root)[0].get_object()
    document["/K"].pop()


def with_a_bookmark(writer):
    writer.add_outline_item(title="Not a heading", page_number=2)


def without_title(writer):
    writer.metadata = {}


def leading_home(writer):
    for annotation in writer.pages[2]["/Annots"]:
        link = annotation.get_object()
        if "/A" in link:
            link["/A"][NameObject("/URI")] = TextStringObject("file:///x")
            return


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (without_font, "is not embedded"),
        (without_text, "two does not have as text: Other words"),
        (without_text, "page 4 does not show its number"),
        (without_text, "'Again' leads to a page without these words"),
        (without_place, "a link leads to two--end, which is not there"),
        (without_tags, "not in the tree of tags"),
        (with_a_bookmark, "bookmarks differ"),
        (without_title, "the file has no title"),
        (leading_home, "leads to file:///x"),
    ],
)
def test_each_check_notices(small, data, spoil, told):
    writer = PdfWriter(clone_from=io.BytesIO(data))
    spoil(writer)
    spoilt = io.BytesIO()
    writer.write(spoilt)
    assert told in "\n".join(checks.problems(spoilt.getvalue(), small))


def test_a_file_that_is_too_large_is_noticed(small, data, monkeypatch):
    monkeypatch.setattr(checks, "LARGEST", len(data) - 1)
    assert checks.problems(data, small) != []


def test_a_book_that_cannot_be_printed_leaves_no_file(tmp_path, monkeypatch, capsys):
    old = tmp_path / "old.pdf"
    old.write_bytes(b"of another book")
    monkeypatch.setattr(command, "FILE", old)
    monkeypatch.setattr(command, "HTML", tmp_path)
    assert command.main() == 1
    assert "The PDF was not written" in capsys.readouterr().err
    assert not old.exists()


@exhaustive
def test_the_whole_book_is_printed(book):
    done = subprocess.run([sys.executable, "-m", "tools.paper"], cwd=ROOT, check=False)
    assert done.returncode == 0
    assert len(PdfReader(command.FILE).pages) > 100
