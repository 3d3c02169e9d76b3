"""Room for explorers is measured when the book is built, if there is a browser."""

import re

import pytest

from _ext import heights

CELL = "from attnutils import KernelRegressionExplorer\nKernelRegressionExplorer.example()"


def styles(book) -> str:
    """What the styles of the widgets of a book keep free."""
    found = book.root.glob("_build/html/_static/widgets-*.css")
    return "".join(path.read_text(encoding="utf-8") for path in found)


def test_heights_are_measured_once_and_a_book_without_a_browser_says_so(scratch_book, monkeypatch):
    scratch_book.write(CELL)
    monkeypatch.setenv("CHROME_PATH", "/bin/false")
    without = scratch_book.build()
    assert without.returncode == 0, without.stderr
    told = [line for line in without.stderr.splitlines() if "No room is kept" in line]
    assert len(told) == 1
    assert "CHROME_PATH is /bin/false" in told[0]
    assert "widget-0" not in styles(scratch_book)

    monkeypatch.undo()
    with_browser = scratch_book.build("--clean")
    assert "No room is kept" not in with_browser.stderr
    kept = styles(scratch_book)
    assert re.search(r"data-model=widget-0\]\{min-height:\d+px\}", kept)

    # What was measured is remembered: no browser is asked again.
    monkeypatch.setenv("CHROME_PATH", "/bin/false")
    scratch_book.write(CELL, text="# Another title")
    again = scratch_book.build()
    assert "No room is kept" not in again.stderr
    assert styles(scratch_book) == kept


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
