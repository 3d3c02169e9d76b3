"""On paper: text, formulas, pictures for the widgets, and nothing that only a screen can do."""

import re

from playwright.sync_api import Page

from tests.book.test_pages import DOCUMENTS
from tests.conftest import some
from tests.page.conftest import ONE_OF_EACH_KIND, PAGES, only, resize
from tests.page.frame import FRAME

A4 = {"width": 718, "height": 1047}  # in CSS pixels, within margins of 1 cm
CONTROLS = "button, input, select, textarea, [role=slider], summary:not(.admonition-title)"


def print_(page: Page) -> Page:
    """Show a page as it is on paper."""
    resize(page, A4["width"])
    page.emulate_media(media="print")
    return page


def visible(page: Page, selector: str) -> list[str]:
    """What a printed page shows of the elements, as the start of their markup."""
    return page.locator(selector).evaluate_all(
        """items => items.filter((item) => item.checkVisibility({ visibilityProperty: true }))
             .map((item) => item.outerHTML.slice(0, 120))"""
    )


@only("screen", ONE_OF_EACH_KIND)
def test_paper_has_pictures_and_no_controls(screen):
    page = screen
    slots = page.locator(".widget-slot").count()
    # It is there on the screen, or nothing could be missing on paper.
    assert visible(page, ", ".join(FRAME))
    assert visible(page, CONTROLS)
    veiled = page.locator("[hidden] .widget-slot").count()
    assert len(visible(page, ".widget-live")) == slots - veiled
    print_(page)
    assert len(visible(page, "article h1")) == 1
    assert visible(page, ", ".join(FRAME)) == []
    assert visible(page, CONTROLS) == []
    assert visible(page, ".widget-live") == []
    assert len(visible(page, ".widget-slot > .widget-picture")) == slots
    # A question is its text.
    for question in page.locator(".widget-slot[data-widget=Question]").all():
        said = question.inner_text()
        assert "Predict first." in said
        assert "scripts must be on" not in said


@only("screen", ONE_OF_EACH_KIND)
def test_what_is_folded_is_open_on_paper(screen):
    page = print_(screen)
    solutions = page.locator("article details.solution")
    folded_cells = page.locator("article .tag_hide-cell > details")
    for folded in [*solutions.all(), *folded_cells.all()]:
        assert folded.locator(":scope > :not(summary)").last.is_visible()
    assert solutions.count() == page.locator("article .exercise").count()
    assert folded_cells.count() == page.locator("article .tag_hide-cell").count()


@only("screen", some(PAGES, *ONE_OF_EACH_KIND))
def test_nothing_is_cut_off_at_the_edge(screen):
    page = print_(screen)
    wide = page.locator("article :is(pre, img, table, .katex, .drawing svg)").evaluate_all(
        """items => items.filter((item) => item.checkVisibility()
               && item.getBoundingClientRect().right > innerWidth + 1)
             .map((item) => item.outerHTML.slice(0, 120))"""
    )
    assert wide == []
    hidden = page.locator("article pre").evaluate_all(
        "items => items.filter((item) => item.scrollWidth > item.clientWidth + 1).length"
    )
    assert hidden == 0


def test_paper_is_white_in_the_dark(reopen, server):
    page = print_(reopen(f"{server}/{DOCUMENTS[2]}.html", theme="dark").page)
    ink = page.locator("article :is(p, pre, pre span)").evaluate_all(
        """items => items.filter((item) => item.checkVisibility())
             .map((item) => getComputedStyle(item).color)"""
    )
    assert set(ink) == {"rgb(31, 35, 40)", "rgb(89, 99, 110)"}  # text and captions, as in the light
    filters = page.locator("article img").evaluate_all(
        "items => [...new Set(items.map((item) => getComputedStyle(item).filter))]"
    )
    assert filters == ["none"]


def test_pictures_that_were_never_on_the_screen_are_printed(open_page, server):
    """They load when they are wanted: printing must want them."""
    page = open_page(f"{server}/{DOCUMENTS[2]}.html", **A4).page
    lazy = page.locator(".widget-picture img")
    assert lazy.count()
    assert not any(lazy.evaluate_all("images => images.map((image) => image.complete)"))
    images = page.locator("article img").count()
    paper = page.pdf(format="A4")
    assert len(re.findall(rb"/Subtype\s*/Image", paper)) >= images
