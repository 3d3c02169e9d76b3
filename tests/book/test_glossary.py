"""The glossary: every term is linked from a page, and once a page, before any other use there.

An entry names the page that the term is explained on, and where it is met before.
"""

import json
import re
from functools import cache
from pathlib import Path

import pytest

from tests.book.test_lessons import LESSONS
from tools.project import CHAPTERS

NOTEBOOKS = sorted(CHAPTERS.glob("*.ipynb"))
LINK = re.compile(r"\{term\}`([^`<]+?)(?: <([^`>]+)>)?`")
GLOSSARY = (CHAPTERS / "notation.md").read_text(encoding="utf-8").partition("{glossary}")[2]
# What is not running text: code, formulas, tables, headings, links and other roles.
ASIDE = re.compile(
    r"(\{term\}`[^`]*`)|```.*?```|\$\$.*?\$\$|\$[^$]*\$|\{[\w:]+\}`[^`]*`|`[^`]*`|^ *\|[^\n]*"
    r"|^#[^\n]*|\[[^\]]*\]\([^)]*\)",
    re.DOTALL | re.MULTILINE,
)
# Pages that come before a term is met and say its word in the sense of every day.
OTHERWISE = {
    "head": {"attention-mechanism"},
    "loss": {"multi-head-attention"},
    "memory": {
        "self-attention",
        "graph-attention",
        "scoring-functions",
        "encoder-decoder-attention",
    },
    "state": {"temperature", "self-attention"},
}


@cache
def terms() -> list[str]:
    """The terms as the glossary writes them."""
    return re.findall(r"^(\w.*)$", GLOSSARY, re.MULTILINE)


def running_text(path: Path) -> str:
    """What a reader reads in order, without title and objectives, wherever those stand."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    aside = ("# ", "**After this page you can**")
    text = "\n\n".join(text for text in texts if not text.startswith(aside))
    return ASIDE.sub(lambda found: found[1] or " ", text)


def use(text: str, word: str) -> str:
    """Where a text uses this word, and not only a longer term that contains it; nothing if not."""
    for other in terms():
        if word.lower() in other.lower() and word.lower() != other.lower():
            text = re.sub(re.escape(other), "", text, flags=re.IGNORECASE)
    alone = rf".{{0,30}}(?<![\w-]){re.escape(word)}(?![\w-]).{{0,30}}"
    return found[0] if (found := re.search(alone, text, re.IGNORECASE)) else ""


def test_there_are_many_terms_in_order():
    assert len(terms()) >= 40
    assert terms() == sorted(terms(), key=str.lower)


def test_every_term_is_linked_from_a_page(book):
    """A link to a term that does not exist fails the build, so only links that work count."""
    articles = (
        page.read_text(encoding="utf-8").partition("<article")[2].partition("</article>")[0]
        for page in book.glob("chapters/*.html")
    )
    links = (re.findall(r'<a [^>]*href="notation\.html#(term-[^"]*)"', html) for html in articles)
    built = {term for found in links for term in found}
    assert built == {"term-" + re.sub(r"\W+", "-", term) for term in terms()}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_page_links_a_term_once_and_at_its_first_use(path):
    text = running_text(path)
    found = list(LINK.finditer(text))
    linked = [(link[2] or link[1]).lower() for link in found]
    assert len(linked) == len(set(linked))
    for link in found:
        before = LINK.sub(lambda earlier: earlier[1], text[: link.start()])
        if used := use(before, link[2] or link[1]):
            pytest.fail(f"{link[0]}: used before it is linked, in: {used}", pytrace=False)


def test_the_links_are_in_the_text_that_is_searched():
    """All but those in tables: if the search lost others, the test above would see nothing."""
    for path in NOTEBOOKS:
        n_links = path.read_text(encoding="utf-8").count("{term}`")
        n_tables = len(re.findall(r'^ *"\|.*\{term\}`', path.read_text("utf-8"), re.MULTILINE))
        found = len(LINK.findall(running_text(path)))
        seen = f"{path.name}: a term is linked in running text, not in a title or the objectives"
        assert found == n_links - n_tables, seen


def test_an_entry_names_the_page_on_which_its_term_is_first_met():
    texts = {name: running_text(CHAPTERS / f"{name}.ipynb") for name in LESSONS}
    texts = {name: LINK.sub(lambda link: link[2] or link[1], texts[name]) for name in texts}
    entries = re.findall(r"^(\w.*)\n((?:  .*\n)+)", GLOSSARY, re.MULTILINE)
    assert [term for term, _ in entries] == terms()
    for term, definition in entries:
        users = [n for n in LESSONS if term.lower() in texts[n].lower() and use(texts[n], term)]
        met = next(name for name in users if name not in OTHERWISE.get(term, ()))
        explained = re.findall(r"\[\]\(([\w-]+)\.ipynb\)", definition.partition("First met")[0])
        before = re.findall(r"First met in \[\]\(([\w-]+)\.ipynb\)", definition)
        assert before == [met] * (met not in explained), f"{term}: first met in {met}"
        links = LINK.findall((CHAPTERS / f"{met}.ipynb").read_text(encoding="utf-8"))
        linked = {(other or shown).lower() for shown, other in links}
        assert term.lower() in linked, f"{term}: not linked in {met}"
