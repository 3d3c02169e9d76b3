"""Figures: the same text each time, as pages show them, and nothing in them that acts."""

import json
import re
from xml.etree.ElementTree import fromstring

import matplotlib.pyplot as plt
import numpy as np
import pytest

from _ext.figures import FigureError, on_page
from attnutils import plot_scores, plot_weights
from attnutils._figures import WIDEST, draw
from attnutils.plotting import FACE, INKS, ROLE_COLORS
from tools.project import CHAPTERS

SVG = "{http://www.w3.org/2000/svg}"
BAR = {f"{SVG}text", f"{SVG}rect"}
FIXED = re.compile(r"(?:fill|stroke):\s*(?:#|rgb)")


@pytest.fixture(autouse=True)
def _style():
    with plt.style.context("attnutils.book"):
        yield
    plt.close("all")


def lines(columns=1, size=(6.2, 3.4), **options):
    """A figure of the book: panels with lines, marks, a formula and lines of text."""
    figure, axes = plt.subplots(1, columns, figsize=size, squeeze=False, **options)
    for ax in axes.flat:
        ax.plot([0, 1, 2], [1, 3, 2], "o--", color=ROLE_COLORS["q"])
        ax.axhline(2, color="0.6")
        ax.text(1, 1.5, "two lines\nof text", ha="center", fontsize=7)
        ax.set(xlabel="words", ylabel="MiB", title=r"$\sigma$ = 3")
    return figure


def heatmaps(columns=1, n=4, size=(6.2, 3.4)):
    figure, axes = plt.subplots(1, columns, figsize=size, squeeze=False)
    for ax in axes.flat:
        plot_weights(np.full((n, n), 0.5), mask=np.tri(n, dtype=bool), ax=ax)
    return figure


def svg(body="", style=""):
    """A figure as short as one can be."""
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'viewBox="0 0 9 9"><g id="figure_1"><path d="M 0 0" style="{style}"/>{body}</g></svg>'
    )


def parsed(html):
    return fromstring(html)


def test_a_line_is_told_step_by_step_and_keeps_its_corners():
    path = "M 1 1 L 2 1 L 3.5 1 L 3 1 L 3 2 L 3 2.25 L 0.05 0.1 z M 0 0 L 9 9"
    told = [part.get("d") for part in parsed(on_page(svg(f'<path d="{path}"/>'), "name")).iter()]
    assert "M1 1l2.5 0 -0.5 0 0 1.25 -2.95 -2.15zM0 0L9 9" in told


@pytest.mark.parametrize("make", [lines, heatmaps])
def test_a_figure_is_the_same_text_each_time(make):
    one, other = draw(make()), draw(make())
    assert one == other
    assert "<text" in one  # text is text
    assert not re.search(r"\b20\d\d-\d\d|[Mm]atplotlib v", one)  # no date, no version
    assert on_page(one, "a") == on_page(other, "a")


@pytest.mark.parametrize("make", [lines, heatmaps])
def test_a_figure_is_no_wider_than_a_phone(make):
    _, _, width, _ = map(float, fromstring(draw(make())).get("viewBox").split())
    assert width <= WIDEST


def test_no_letter_is_smaller_than_ten_points():
    sizes = re.findall(r"font-size:\s*([\d.]+)px", on_page(draw(lines()), "a"))
    assert min(map(float, sizes)) == 10


def test_panels_become_drawings_with_their_own_labels():
    page = parsed(on_page(draw(lines(3, sharey=True)), "a"))
    drawings = page.findall("svg")
    assert len(drawings) == 3
    for drawing in drawings:
        texts = ["".join(text.itertext()) for text in drawing.iter("text")]
        assert "words" in texts
        assert "2.00" in texts  # shared, and said again
        assert float(drawing.get("viewBox").split()[2]) <= WIDEST
    tops = {drawing.get("viewBox").split()[1] for drawing in drawings}
    assert len(tops) == 1


def test_heat_maps_stay_together_where_their_numbers_have_room():
    assert len(parsed(on_page(draw(heatmaps(2)), "a")).findall("svg")) == 1
    assert len(parsed(on_page(draw(heatmaps(3, n=8)), "a")).findall("svg")) == 3


@pytest.mark.parametrize("make", [lines, heatmaps])
def test_no_colour_is_left_that_does_not_turn_with_the_page(make):
    html = on_page(draw(make()), "a")
    assert not FIXED.search(html)
    assert "<style" not in html


def test_the_colours_of_the_book_have_their_names():
    html = on_page(svg(style=f"fill: {ROLE_COLORS['v']}; stroke: {FACE}"), "a")
    assert "fill:var(--v);stroke:var(--face)" in html
    html = on_page(svg(style="fill: #ffffff; stroke: #999999"), "a")
    assert "fill:var(--page);stroke:color-mix(in srgb, var(--ink) 46%, var(--page))" in html


def test_letters_on_a_cell_turn_over():
    html = on_page(svg('<text style="fill: #ffffff">.9</text><text>.1</text>'), "a")
    assert "light-dark(#ffffff, #000000)" in html
    assert "light-dark(#000000, #ffffff)" in html


def test_a_heat_map_is_so_much_of_the_inks():
    figure, ax = plt.subplots()
    plot_scores([[-2, 0, 2, np.nan]], ax=ax)
    html = on_page(draw(figure), "a")
    assert {name for name in (*INKS, "face") if f"fill:var(--{name})" in html} == {
        "minus",
        "plus",
        "face",
    }
    for mask in parsed(html).iter("mask"):
        assert mask.find("image").get("href").startswith("data:image/png;base64,")


def test_a_picture_that_is_no_heat_map_stays():
    figure, ax = plt.subplots()
    ax.imshow([[[0.2, 0.9, 0.1]]])
    assert not list(parsed(on_page(draw(figure), "a")).iter("mask"))


def test_ids_are_those_of_the_figure():
    stored = draw(heatmaps())
    one, other = (parsed(on_page(stored, name)) for name in ("one", "other"))
    ids = [part.get("id") for page in (one, other) for part in page.iter() if part.get("id")]
    assert len(ids) == len(set(ids)) > 4
    named = set(re.findall(r"url\(#([^)]+)\)", on_page(stored, "one")))
    assert named <= set(ids)
    assert named


@pytest.mark.parametrize(
    "body",
    [
        "<script>alert(1)</script>",
        "<foreignObject/>",
        "<a/>",
        '<path onclick="alert(1)"/>',
        '<use xlink:href="https://elsewhere.invalid/a.svg#b"/>',
        '<image xlink:href="https://elsewhere.invalid/a.png"/>',
        '<image xlink:href="data:image/svg+xml;base64,PHN2Zy8+"/>',
        '<path style="fill: url(https://elsewhere.invalid/)"/>',
        '<path clip-path="url(//elsewhere.invalid)"/>',
        '<path style="@import x"/>',
    ],
)
def test_what_acts_or_fetches_is_refused(body):
    with pytest.raises(FigureError):
        on_page(svg(body), "a")


def test_text_stays_text():
    html = on_page(svg("<text>&lt;script&gt; &amp; more</text>"), "a", '"><script>')
    assert "<script" not in html
    assert "".join(parsed(html).find(".//text").itertext()) == "<script> & more"


def test_lines_are_held_where_matplotlib_held_them():
    figure, ax = plt.subplots()
    for align in ("left", "center", "right"):
        ax.text(0.5, 0.5, "long line\nshort", ha=align)
    anchors = re.findall(r"text-anchor:(\w+)\"[^>]*>short", on_page(draw(figure), "a"))
    assert anchors == ["start", "middle", "end"]


def roots(svg):
    """The groups of a figure in which matplotlib drew the bar of a root or a fraction."""
    return [group for group in fromstring(svg).iter(f"{SVG}g") if {p.tag for p in group} >= BAR]


def test_the_bar_of_a_root_is_found():
    figure, ax = plt.subplots()
    ax.set_title("$d$ and √$d$")
    assert not roots(draw(figure))
    ax.set_title(r"$\sqrt{d}$")
    assert len(roots(draw(figure))) == 1


def test_no_stored_figure_has_a_root_that_matplotlib_drew():
    """A page has other letters, and the sign, the bar and what is below it come apart: write √d."""
    figures = [
        (path.stem, cell["id"], "".join(output["data"]["image/svg+xml"]))
        for path in CHAPTERS.glob("*.ipynb")
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
        for output in cell.get("outputs", [])
        if "image/svg+xml" in output.get("data", {})
    ]
    assert len(figures) > 20
    assert [(page, cell) for page, cell, svg in figures if roots(svg)] == []


def test_every_stored_figure_is_a_drawing(book):
    pages = [path.read_text(encoding="utf-8") for path in (book / "chapters").glob("*.html")]
    drawings = [html.count('class="drawing"') for html in pages]
    assert sum(drawings) > 20
    assert not list((book / "_images").glob("*.svg"))


def test_a_symbol_with_a_hat_stands_in_the_middle_of_its_place():
    figure, ax = plt.subplots()
    ax.set_axis_off()
    for told in ("$x_j$", r"$\hat{x}_j$"):
        ax.text(0, 0.5, told, fontsize=11)
    plain, hat = (float(part.get("x")) for part in parsed(on_page(draw(figure), "a")).iter("text"))
    assert hat == pytest.approx(plain, abs=0.2)
