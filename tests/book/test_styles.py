"""The fonts of formulas, cut once and again when the book needs more, and the colours of code.

That the fonts have what it needs is judged on the built pages (`test_pages`).
"""

import re

import pytest
from bs4 import BeautifulSoup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from _ext import styles

WHOLE = sorted((styles.PACKAGE / "dist" / "fonts").glob("*.woff2"))


def test_fonts_are_kept_until_a_formula_has_a_new_character(tmp_path, monkeypatch):
    name = WHOLE[0].name
    monkeypatch.setattr(styles, "AT_ONCE", ())
    kept, first, second, third = (tmp_path / name for name in ("kept", "1", "2", "3"))
    styles.formulas(first, kept, {"a"})
    cut = []
    monkeypatch.setattr(styles, "cut", lambda path, used: cut.append((path.name, used)))
    styles.formulas(second, kept, {"a"})
    assert not cut
    assert (second / "fonts" / name).read_bytes() == (first / "fonts" / name).read_bytes()
    styles.formulas(third, kept, {"a", "b"})
    assert (name, {"a", "b"}) in cut
    assert len(cut) == len(WHOLE)


def test_a_cut_that_was_broken_off_is_made_again(tmp_path, monkeypatch):
    def stop(path, used):
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(styles, "cut", stop)
        with pytest.raises(KeyboardInterrupt):
            styles.formulas(tmp_path / "1", tmp_path / "kept", {"a"})
    cut = []
    monkeypatch.setattr(styles, "cut", lambda path, used: cut.append(path.name))
    styles.formulas(tmp_path / "2", tmp_path / "kept", {"a"})
    assert len(cut) == len(WHOLE)


SOURCE = '''@door
def f(x: int) -> dict[str, float]:
    """One line."""
    return {"a": 1.5 + x ** 2, f"{x:.2f}": None} if x is not ... else np.exp(-x)  # why
'''


def test_every_letter_of_code_has_the_colour_of_its_token_with_fewer_spans():
    colours = {
        name: rule
        for names, rule in re.findall(r"\.highlight :is\((.+?)\) \{ (.+?) \}", styles.code())
        for name in names.replace(".", "").split(", ")
    }
    few, all_spans = (
        BeautifulSoup(highlight(SOURCE, PythonLexer(), kind()), "html.parser").pre
        for kind in (styles.FewSpans, HtmlFormatter)
    )
    seen, wanted = (
        [
            # The dot of an attribute is as the names beside it.
            (letter, None if (names, letter) == ("o", ".") else colours.get(names))
            for text in code.find_all(string=True)
            for names in [" ".join(text.parent.get("class", []))]
            for letter in text
            if letter != " "  # which shows no colour
        ]
        for code in (few, all_spans)
    )
    assert "n" not in colours  # names have the colour of the page
    assert seen == wanted
    assert len(set(colour for _, colour in seen)) > 5
    assert len(few.find_all("span")) < 0.6 * len(all_spans.find_all("span"))
