"""Figures: the same text each time, as pages show them, and nothing in them that acts."""

import re
from xml.etree.ElementTree import fromstring

import matplotlib.pyplot as plt
import numpy as np
import pytest

from attnbook.page.drawings import FigureError, on_page
from attnbook.page.figures import draw
from attnutils import plot_weights
from attnutils.plotting import FACE, ROLE_COLORS

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


@pytest.mark.parametrize("make", [lines, heatmaps])
def test_a_figure_is_the_same_text_each_time(make):
    one, other = draw(make()), draw(make())
    assert one == other
    assert "<text" in one  # text is text
    assert not re.search(r"\b20\d\d-\d\d|[Mm]atplotlib v", one)  # no date, no version
    assert on_page(one, "a") == on_page(other, "a")


def test_a_last_digit_that_another_processor_has_changes_nothing():
    drawn = []
    for digit in (0, 1e-14):
        figure, ax = plt.subplots()
        ax.set_position((0.1, 0.1, 0.8 + digit, 0.8))  # what clips
        ax.bar([0], [1], hatch="//", linewidth=2 + digit)
        ax.scatter([0], [1], s=9 + digit)
        ax.plot([0], [1], "o", markersize=4 + digit)
        drawn.append(draw(figure))
    assert drawn[0] == drawn[1]


def test_a_panel_has_the_labels_that_it_shares_with_others():
    """On a phone it stands below them."""
    figure = lines(columns=2, sharex=True, sharey=True)
    for ax in figure.axes:
        ax.set(xlabel="", ylabel="")
    figure.supxlabel("all words")
    figure.supylabel("all sizes")
    page = fromstring(draw(figure))
    for panel in [part for part in page.iter() if (part.get("id") or "").startswith("panel_")]:
        told = {"".join(part.itertext()).strip() for part in panel.iter()}
        assert {"all words", "all sizes", "1.0", "2.0"} <= told


def test_no_letter_is_smaller_than_ten_points():
    sizes = re.findall(r"font-size:\s*([\d.]+)px", on_page(draw(lines()), "a"))
    assert min(map(float, sizes)) == 10


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


def test_ids_are_those_of_the_figure():
    stored = draw(heatmaps())
    one, other = (fromstring(on_page(stored, name)) for name in ("one", "other"))
    ids = [part.get("id") for page in (one, other) for part in page.iter() if part.get("id")]
    assert len(ids) == len(set(ids)) > 3
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
    assert "".join(fromstring(html).find(".//text").itertext()) == "<script> & more"
