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


def drawing(line):
    """A figure with one line in it, which stands somewhere in a group."""
    path = f'<path d="{line}" style="fill:url(#{len(line)});stroke:var(--ink)"/>'
    return f'<div><svg viewBox="0 0 90 90"><g transform="translate(5 5)">{path}</g></svg></div>'


@pytest.mark.parametrize(
    ("line", "same"),
    [
        ("M40 20l-40 0 0 -20 40 0z", True),  # from another corner
        ("M0 0l20 0 20 1 0 19 -10 0 -30 0z", True),  # by other points
        ("M0 0l40 0 0 20 -40 0", False),  # one side is missing
        ("M0 0l40 0 -40 20 40 0z", False),  # the same corners in another order
        ("M3 0l40 0 0 20 -40 0z", False),  # moved
        ("M0 0Q20 8 40 0L40 20L0 20z", False),  # bent
    ],
)
def test_lines_are_compared_by_what_is_drawn(line, same):
    problem = pages.other_figure(drawing("M0 0L40 0L40 20L0 20z"), drawing(line))
    assert (problem == "") is same


def test_what_holds_a_line_places_it():
    one = drawing("M0 0L9 9")
    assert pages.other_figure(one, one.replace("translate(5 5)", "translate(5 9)"))
