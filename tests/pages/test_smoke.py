"""Every page once in a browser: no error, nothing from elsewhere, no sideways scroll, axe."""

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import SETTLE, resize
from tests.pages.axe import CONTRAST, findings
from tests.pages.conftest import DOCUMENTS

LESSON = "chapters/temperature"
#: A drawing by hand that is wider than a phone: it scrolls, and its letters stay large.
WIDE = {"A drawing from left to right. The query Book, (0, 2, 1), is "}
# Of each drawing: its letters in pixels, without indices, how far it scrolls, and how far its text
# goes beyond its edge.
DRAWN = """drawings => drawings.filter((item) => item.checkVisibility()).map((item) => ({
  name: item.getAttribute("aria-label").slice(0, 60),
  scrolls: item.scrollWidth - item.clientWidth,
  letters: [...item.querySelectorAll("text")].map((text) => {
    const parts = text.children.length ? [...text.children] : [text];
    const sizes = parts.map((part) => parseFloat(getComputedStyle(part).fontSize));
    const { a, b, c, d } = text.getScreenCTM(); // some are turned
    return Math.max(...sizes) * Math.sqrt(a * d - b * c);
  }).map((size) => Math.round(10 * size) / 10),
  cut: Math.max(...[...item.querySelectorAll("text")].map((text) => {
    const [box, edge] = [text, text.ownerSVGElement].map((part) => part.getBoundingClientRect());
    return Math.max(edge.left - box.left, box.right - edge.right);
  })),
}))"""


def unfold(page: Page) -> None:
    """Open all that is folded, and answer every question by checking nothing."""
    page.evaluate("for (const item of document.querySelectorAll('details')) item.open = true")
    # In one go: a press by Playwright scrolls there, and the page is painted for each.
    checks = page.locator(".attn-question [type=submit]")
    checks.evaluate_all("buttons => buttons.forEach((button) => button.click())")
    page.evaluate(SETTLE)


@pytest.mark.parametrize("name", [*DOCUMENTS, "search"])
def test_a_page_comes_well_fits_every_screen_and_axe_finds_nothing(reopen, server, name):
    address = f"{server}/{name}.html" + ("?q=softmax" if name == "search" else "")
    visit = reopen(address, height=900, reduced_motion="reduce")
    page = visit.page
    if name == "search":
        expect(page.locator("#search-results li a").first).to_be_visible()
    states = page.locator(".widget-slot").evaluate_all("all => all.map((e) => e.dataset.state)")
    assert set(states) <= {"live"}
    unfold(page)
    assert findings(page) == []
    text = page.locator("article").evaluate("e => parseFloat(getComputedStyle(e).fontSize)")
    for width in (1280, 390, 320):
        if width < 1280:
            resize(page, width)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        if width > 320:
            for drawing in page.locator(".drawing").evaluate_all(DRAWN):
                assert drawing["cut"] < 1, drawing
                assert drawing["scrolls"] <= 0 or drawing["name"] in WIDE, drawing
                assert all(11 <= size <= text + 0.05 for size in drawing["letters"]), drawing
    assert not visit.problems
    assert [a for a in visit.requests if not a.startswith((server, "data:", "blob:"))] == []


def test_text_can_be_read_in_the_dark(reopen, server):
    page = reopen(f"{server}/{LESSON}.html", theme="dark", reduced_motion="reduce").page
    unfold(page)
    assert findings(page, CONTRAST) == []


def test_a_page_comes_from_a_folder(book, reopen):
    root = book.as_uri()
    for name in (LESSON, "search", "index"):
        visit = reopen(f"{root}/{name}.html?q=softmax")
        page = visit.page
        if name == "search":
            expect(page.locator("#search-results li a").first).to_be_visible()
        if name == "index":  # it leads on
            page.wait_for_url(f"**/{DOCUMENTS[0]}.html")
        expect(page.locator(".widget-slot:not([data-state=live])")).to_have_count(0)
        assert not visit.problems
        assert page.locator(".run").count() == 0  # Python comes from a server alone
        others = [a for a in visit.requests if not a.startswith((root, "data:", "blob:"))]
        assert not others
