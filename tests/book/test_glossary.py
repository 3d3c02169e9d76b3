"""The glossary: every term is linked from a page, and once a page, before any other use there."""

import json
import re
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import parsed
from tools.project import CHAPTERS

NOTEBOOKS = sorted(CHAPTERS.glob("*.ipynb"))
LINK = re.compile(r"\{term\}`([^`<]+?)(?: <([^`>]+)>)?`")
# What is not running text: code, formulas, tables, headings, links and other roles.
ASIDE = re.compile(
    r"(\{term\}`[^`]*`)|```.*?```|\$\$.*?\$\$|\$[^$]*\$|\{[\w:]+\}`[^`]*`|`[^`]*`|^ *\|[^\n]*"
    r"|^#[^\n]*|\[[^\]]*\]\([^)]*\)",
    re.DOTALL | re.MULTILINE,
)


@cache
def terms() -> list[str]:
    """The terms as the glossary writes them."""
    glossary = (CHAPTERS / "notation.md").read_text(encoding="utf-8").partition("{glossary}")[2]
    return re.findall(r"^(\w.*)$", glossary, re.MULTILINE)


def running_text(path: Path) -> str:
    """What a reader reads in order, without title and objectives, wherever those stand."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    aside = ("# ", "**After this page you can**")
    text = "\n\n".join(text for text in texts if not text.startswith(aside))
    return ASIDE.sub(lambda found: found[1] or " ", text)


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
        for link in parsed(page).select("article a[href^='notation.html#term-']")
    }
    assert built == {"term-" + re.sub(r"\W+", "-", term) for term in terms()}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_page_links_a_term_once_and_at_its_first_use(path):
    text = running_text(path)
    found = list(LINK.finditer(text))
    linked = [(link[2] or link[1]).lower() for link in found]
    assert len(linked) == len(set(linked))
    for link in found:
        before = LINK.sub(lambda earlier: earlier[1], text[: link.start()])
        assert not uses(before, link[2] or link[1]), f"used before it is linked: {link[0]}"


def test_the_links_are_in_the_text_that_is_searched():
    """All but those in tables: if the search lost others, the test above would see nothing."""
    for path in NOTEBOOKS:
        n_links = path.read_text(encoding="utf-8").count("{term}`")
        n_tables = len(re.findall(r'^ *"\|.*\{term\}`', path.read_text("utf-8"), re.MULTILINE))
        assert len(LINK.findall(running_text(path))) == n_links - n_tables
