"""Plain notebooks: what Colab, JupyterLab and a reader who downloads a page get."""

import json
import re

import pytest
from bs4 import BeautifulSoup, SoupStrainer
from markdown_it import MarkdownIt

from book import address
from book.portable import FORMULA, HERE, LIVE, Book, PortableError, read, strip_colours
from tools.project import ROOT

BOOK = Book(online="https://book.org/", install="https://github.com/you/yours@1a2b3c")
KEPT = re.compile(r"(?ms)^```.*?^```$|\$\$.*?\$\$|\$[^$\n]+\$|`[^`]+`")  # code and formulas
LEFT = re.compile(r"(?m)\{[^}]*\}|^[`:~]{3,}|^\([\w-]+\)=|\[\]\(|^:[\w-]+:|<!--")


each_page = pytest.mark.parametrize("page", BOOK.notebooks)


def cells(page: str, kind: str = "markdown") -> list[dict]:
    return [c for c in json.loads(BOOK.notebook(page))["cells"] if c["cell_type"] == kind]


@each_page
def test_nothing_is_left_that_only_the_book_reads(page):
    for cell in cells(page):
        assert not LEFT.findall(KEPT.sub("code", cell["source"])), cell["id"]
        shown = BeautifulSoup(MarkdownIt("commonmark").render(cell["source"]), "html.parser")
        assert not re.search(r"\{(term|cite|ref|numref|fr|[qkvo]\})|:::", shown.get_text())
        assert not FORMULA.search(cell["source"])
    assert not any(o.get("metadata") for cell in cells(page, "code") for o in cell["outputs"])


@each_page
def test_links_have_words_and_lead_somewhere(page):
    text = "\n".join(cell["source"] for cell in cells(page))
    there = {f"{name}.ipynb" for name in BOOK.notebooks}
    there |= {f"https://book.org/chapters/{name}.html" for name in BOOK.titles}
    there |= {f"https://book.org/_static/{file.name}" for file in (ROOT / "book/static").iterdir()}
    there |= {f"#{name}" for name in re.findall(r'<a id="([\w-]+)"', text)}
    for words, to in re.findall(r"\[([^\]]*)\]\(([^)\s]+)\)", KEPT.sub("code", text)):
        assert words and (to in there or re.match("https://(?!book.org)", to)), to  # noqa: PT018


@each_page
def test_numbers_and_titles_are_those_of_the_page(book, page):
    text = "\n".join(cell["source"] for cell in cells(page)).replace("*", "")
    only = SoupStrainer(class_=re.compile("caption-number|exercise"))
    html = (book / f"chapters/{page}.html").read_text("utf-8")
    built = BeautifulSoup(html, "html.parser", parse_only=only)
    for number in built.select(".caption-number"):
        assert re.search(rf"{number.get_text().strip()}\b", text)
    for title in built.select(".exercise > .admonition-title"):
        told = " ".join(title.get_text().split())
        assert re.sub(r"(Exercise \d+) \((.*)\)", r"### \1: \2\n", told) in text


@each_page
def test_solutions_are_folded_and_tell_nothing(page):
    text = "\n".join(cell["source"] for cell in cells(page))
    assert text.count("<summary><b>Solution") >= text.count("### Exercise")
    assert text.count("<details>") == text.count("</details>")
    for cell in cells(page, "code"):
        is_folded = cell["source"].startswith("# @title")
        assert is_folded == ("cellView" in cell["metadata"])
        assert not (is_folded and 'check("' in cell["source"] and cell["outputs"])
    assert f'"git+{BOOK.install}"' in cells(page, "code")[0]["source"]


def test_a_sentence_reads_as_on_the_page():
    told = "".join(cell["source"] for cell in cells("self-attention") if cell["id"] == "objectives")
    assert "You need** queries, keys and values from [The attention mechanism](attention" in told
    cited = BOOK.plain("{cite:t}`velickovic2018`, {cite}`nadaraya1964,dao2022`", "index")
    assert re.sub(r"\]\(https://[^)]*\)", "]", cited) == (
        "[Veličković et al. [2018]], [[Nadaraya, 1964]; [Dao et al., 2022]]"
    )
    for text in ("{odd}`x`", ":::{odd}\n:::", "{numref}`odd`", "{cite}`odd`", "[](odd.md)"):
        with pytest.raises(PortableError, match=r"^index: .* has the name 'odd'"):
            BOOK.plain(text, "index")


def test_what_is_true_of_a_page_alone_stays_there():
    said = (
        "Lit<!-- page -->, here<!-- elsewhere -->.<!-- page --> Press.<!-- elsewhere:  [](api). -->"
    )
    assert BOOK.plain(said.replace("(api)", "(temperature.ipynb)"), "index") == (
        "Lit. [Temperature](temperature.ipynb)."
    )


@each_page
def test_a_notebook_says_how_it_lives_and_whom_it_cites(page):
    texts = [cell["source"] for cell in cells(page)]
    assert texts[0].startswith("# ") and LIVE in texts[0]  # noqa: PT018
    works = {w.url for w in BOOK.works.values() if w.url}
    cited = {
        url for text in texts[:-1] for url in re.findall(r"\]\((https://[^\s\]]+)\)", text)
    } & works
    assert all(url in texts[-1] for url in cited)
    shown = [
        o["data"].get("text/html", "")
        for c in cells(page, "code")
        for o in c["outputs"]
        if "data" in o
    ]
    assert not any(re.search("script|<small>(?!Run this cell)", html) for html in shown)


def test_a_notebook_becomes_a_script():
    about = json.loads(BOOK.notebook("temperature"))["metadata"]["language_info"]
    assert about["file_extension"] == ".py"


def test_colours_the_stop_line_and_the_place_are_plain_text():
    for coloured, plain in {
        r"{q}`queries`, $\cq{Q}\ck{K}^\top$": r"queries, $QK^\top$",
        r"$\co{y_i} = \alpha_{ij} \cv{\ck{v}_{j}}$": r"$y_i = \alpha_{ij} v_{j}$",
        r"$\top\cq{\alpha}x, \top\ck{K}, x_\cq{ij}, \cq{q_i}^2$": (
            r"$\top{\alpha}x, \top{K}, x_{ij}, {q_i}^2$"
        ),
    }.items():
        assert strip_colours(coloured) == plain
    with pytest.raises(PortableError, match="not closed"):
        strip_colours(r"$\cq{a$ {")
    text = BOOK.plain("```{you-are-here} head\n```\n\n:::{stop-line}\nEnd.\n:::", "index")
    assert text == f"*You are here: {HERE['head']}.*\n\n---\n\nEnd."


def test_a_file_that_is_no_notebook_is_named(tmp_path):
    for text in ("", "[1]", "{", "<<<<<<< HEAD\n{}"):
        (tmp_path / "page.ipynb").write_text(text)
        with pytest.raises(PortableError, match=r"page\.ipynb, line 1: .* git checkout HEAD"):
            read(tmp_path / "page.ipynb")


def test_the_address_is_that_of_the_remote_or_of_the_workflow(monkeypatch):
    for start in ("https://github.com/", "git@github.com:", "https://name:word@github.com/"):
        assert address.REMOTE.fullmatch(f"{start}you/it.git\n")["name"] == "you/it"
    assert not address.REMOTE.fullmatch("/somewhere/it.git\n")
    monkeypatch.setenv("GITHUB_REPOSITORY", "You/it")
    monkeypatch.setenv("BOOK_URL", "")
    assert address.pages() == "https://you.github.io/it/"
