"""Room for explorers is measured when the book is built, if there is a browser (test_fresh)."""

import re
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from _ext import heights
from _ext.theme import STYLE

MEASURED = [[(100, 50), (200, 50)]]


def test_what_was_measured_is_not_measured_again(tmp_path, monkeypatch, capsys):
    (tmp_path / "_static").mkdir()
    (tmp_path / "_static" / STYLE).touch()

    def room(open_browser, state):
        """What is kept for a widget by a builder that knows nothing but the folder."""
        config = SimpleNamespace(open_browser=open_browser)
        builder = SimpleNamespace(outdir=tmp_path, doctreedir=tmp_path, config=config)
        return heights.room(builder, {"models": state}, ["widget-0"], [], set())

    def none_found():
        raise RuntimeError("There is no browser.")

    monkeypatch.setattr(heights, "measure", lambda *given: MEASURED)
    kept = room(lambda: nullcontext(SimpleNamespace(new_page=object)), "a state")
    assert "min-height: 50px" in kept
    assert room(none_found, "a state") == kept
    assert capsys.readouterr().err == ""
    assert room(none_found, "another state") == ""
    assert "There is no browser." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("measured", "kept"),
    [
        # Nothing changes; it changes little; a line breaks between 100 and 101; it grows.
        ([(100, 50), (200, 50)], [("", "50")]),
        ([(100, 53), (200, 50)], [("", "50"), ("199", "53")]),
        ([(99, 72), (100, 72), (101, 50), (200, 50)], [("", "50"), ("100", "72")]),
        ([(100, 20), (108, 30), (116, 40)], [("", "40"), ("108", "30")]),
    ],
)
def test_the_larger_height_of_two_widths_is_kept(measured, kept):
    text = heights.rules("widget-0", measured)
    got = re.findall(r"(?:max-width: (\d+)px\) \{ )?\.widget-slot.*?min-height: (\d+)px", text)
    assert got == kept
