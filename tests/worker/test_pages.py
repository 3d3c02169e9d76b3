"""What counts as another output of a cell, and what does not."""

import re

import pytest

from tests.worker import pages

CELL = next(cell for cell in pages.cells("temperature") if cell["id"] == "draw-four")
DRAWING = dict(pages.stored(CELL))[pages.FIGURE]
TEXT = {
    "cell_type": "code",
    "outputs": [{"output_type": "stream", "name": "stdout", "text": "1\n"}],
}


def moved(by: float) -> str:
    """The stored figure with all lines moved."""
    return re.sub(r' d="M(-?[\d.]+)', lambda at: f' d="M{float(at[1]) + by:.2f}', DRAWING)


def said(cell, kind, *parts, error=""):
    sent = [{"kind": kind, "name": name, "data": data} for name, data in parts]
    return pages.differences(cell, {"error": error, "parts": sent}, draws=True)


def test_the_same_is_the_same():
    assert said(CELL, "display", (pages.FIGURE, DRAWING)) == ""
    assert said(TEXT, "stream", ("stdout", "1\n")) == ""


@pytest.mark.parametrize(
    "parts", [[], [("stdout", "2\n")], [("stderr", "1\n")], [("stdout", "1\n"), ("stderr", "w")]]
)
def test_another_text_is_noticed(parts):
    assert said(TEXT, "stream", *parts)


def test_an_error_is_noticed():
    assert said(TEXT, "stream", ("stdout", "1\n"), error="NameError") == "NameError"


@pytest.mark.parametrize(
    "other",
    [
        moved(20),
        DRAWING.replace("T = 10", "T = 11"),
        DRAWING.replace("var(--ink)", "var(--q)", 1),
        re.sub(r"<path[^>]*/>", "", DRAWING, count=1),
        re.sub(r"<svg.*?</svg>", "", DRAWING, count=1),
        re.sub(r'(viewBox="\S+ \S+ )(\S+)', r"\g<1>99", DRAWING),
    ],
    ids=["moved", "another text", "another colour", "a line less", "a panel less", "smaller"],
)
def test_another_figure_is_noticed(other):
    assert other != DRAWING
    assert said(CELL, "display", (pages.FIGURE, other))


def test_a_figure_that_is_moved_a_little_is_the_same():
    assert said(CELL, "display", (pages.FIGURE, moved(1))) == ""
