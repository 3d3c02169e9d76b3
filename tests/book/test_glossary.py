"""The glossary: every term is linked, once a page, from where the page first uses it."""

import json
import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from tools.project import CHAPTERS

NOTEBOOKS = sorted(CHAPTERS.glob("*.ipynb"))
LINK = re.compile(r"\{term\}`([^`<]+?)(?: <([^`>]+)>)?`")
# What is not running text: code, formulas, tables, headings, links and other roles.
ASIDE = re.compile(
    r"```.*?```|\$\$.*?\$\$|\$[^$]*\$|(?<!\})`[^`]*`|^ *\|[^\n]*|^#[^\n]*|\[[^\]]*\]\([^)]*\)"
    r"|\{(?!term)[\w:]+\}`[^`]*`",
    re.DOTALL | re.MULTILINE,
)


def terms() -> list[str]:
    """The terms as the glossary writes them."""
    glossary = (CHAPTERS / "notation.md").read_text(encoding="utf-8").partition("{glossary}")[2]
    return re.findall(r"^(\w.*)$", glossary, re.MULTILINE)


def links(path: Path) -> list[tuple[str, str]]:
    """The text of each link to the glossary in a notebook, and the term, in order."""
    return [(text, term or text) for text, term in LINK.findall(running_text(path))]


def running_text(path: Path) -> str:
    """What a reader reads in order, without title and objectives."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    return ASIDE.sub(" ", "\n\n".join(text for text in texts if not text.startswith("# ")))


def uses(text: str, word: str) -> bool:
    """Whether a text uses this word, and not only a longer term that contains it."""
    for other in terms():
        if word.lower() in other.lower() and word.lower() != other.lower():
            text = re.sub(re.escape(other), "", text, flags=re.IGNORECASE)
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text, re.IGNORECASE) is not None


def test_there_are_many_terms_in_order():
    assert len(terms()) >= 40
    assert terms() == sorted(terms(), key=str.lower)


def test_every_term_is_linked_from_a_page(book):
    """A link to a term that does not exist fails the build, so only links that work count."""
    built = {
        link["href"].partition("#")[2]
        for page in book.glob("chapters/*.html")
        for link in BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser").select(
            "article a[href^='notation.html#term-']"
        )
    }
    assert built == {"term-" + re.sub(r"\W+", "-", term) for term in terms()}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_page_links_a_term_once_and_at_its_first_use(path):
    found = links(path)
    linked = [term.lower() for _, term in found]
    assert len(linked) == len(set(linked))
    text = running_text(path)
    for words, term in found:
        before = text[: text.index("{term}`" + words)]
        before = LINK.sub(lambda link: link[1], before)
        assert not uses(before, words), f"used before it is linked: {words}"
        assert not uses(before, term), f"used before it is linked: {term}"
