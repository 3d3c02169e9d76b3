"""French words are marked as French, wherever the translator's words stand on a page."""

import re

import pytest

from attnutils.translation import FRENCH
from attnutils.widgets._texts import html
from tests.book.test_pages import DOCUMENTS
from tests.conftest import parsed

PAGE = "chapters/encoder-decoder-attention"
# On other pages these may be English, or Latin.
OTHER = {"chat", "et", "suit", "un"}
# Code is Python and formulas are TeX, whatever their texts are. A drawing is said by its label.
APART = "script, style, template, annotation, code, .cell_input, .doctest, [role=img]"
SAID = ("alt", "aria-label", "title", "content")


def french_words(text: str, words: set[str]) -> list[str]:
    """The translator's words in a text; *et al.* is in every list of papers."""
    return [word for word in re.findall(r"\w+", re.sub(r"\bet al\b", "", text)) if word in words]


def unmarked(document, words: set[str]) -> list[tuple[str, str]]:
    """The words of a page that are not marked, and where they stand."""
    found = []
    for text in document.find_all(string=True):
        here = french_words(text, words)  # few texts have some, and to climb from each takes long
        if here and text.parent.css.closest(f"[lang=fr], {APART}") is None:
            found += [(word, str(text)[:80]) for word in here]
    # What a picture or a control is called has one language, that of the page.
    for item in document.find_all(lambda item: not item.attrs.keys().isdisjoint(SAID)):
        for name in SAID:
            found += [(word, name) for word in french_words(item.get(name, ""), words)]
    return found


@pytest.mark.parametrize("name", DOCUMENTS)
def test_french_words_are_marked(book, name):
    words = {word for word in FRENCH if word.isalpha()}
    page = parsed(book / f"{name}.html")
    assert unmarked(page, words if name == PAGE else words - OTHER) == []


def test_french_is_there_and_marked(book):
    marked = [item.get_text() for item in parsed(book / f"{PAGE}.html").select("[lang=fr]")]
    assert "le chat noir regarde un chien." in marked
    assert "un chien suit un chien ." in marked
    assert not [text for text in marked if re.search(r"\b(the|dog|cat|is)\b", text)]


def test_a_text_of_a_widget_marks_words_of_another_language():
    assert html("“{fr}`le`” and `{fr}` <") == (
        '“<span lang="fr">le</span>” and <code>{fr}</code> &lt;'
    )
