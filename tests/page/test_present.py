"""The presenter view: a lesson of the chapter as slides, made of what the page has."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.book.test_pages import DOCUMENTS, TOC
from tests.conftest import exhaustive, some, until
from tests.page.conftest import slider
from tests.page.frame import BAR
from tests.page.test_accessibility import CONTRAST, findings

LESSONS = [entry["file"] for entry in TOC["parts"][0]["chapters"]]
# What is wrong with the slide that is seen. At 1280 x 720 text has 18 px and code 15 at least;
# explorers are as large as on the page, or a quarter smaller where a slide is too low for them.
FLAWS = """() => {
  const article = document.querySelector("article"), flaws = [];
  const scale = Math.min(innerWidth / 1280, innerHeight / 720);
  const edge = document.querySelector(".slides").getBoundingClientRect().top;
  const blocks = [...document.querySelectorAll("[data-shown]")];
  const say = (what, node) => flaws.push(`${what}: ${node.outerHTML.slice(0, 90)}`);
  if (article.scrollHeight > article.clientHeight + 1) say("scrolls", blocks.at(-1));
  if (blocks.length < 2) say("has nothing but a heading", blocks[0]);
  for (const block of blocks) {
    const { top, bottom, left, right, width } = block.getBoundingClientRect();
    const kind = block.dataset.shown;
    if (!block.checkVisibility({ visibilityProperty: true }) || !width) say("is not seen", block);
    if (top < 0 || left < 0 || bottom > edge + 1 || right > innerWidth) say("stands out", block);
    if (kind === "explorer" && block.currentCSSZoom < 0.75 * scale) say("is small", block);
    const parts = kind === "explorer" || kind === "tries" ? []
      : [block, ...block.querySelectorAll("p, li, td, th, legend, label, figcaption, pre")];
    for (const part of parts.filter((each) => each.checkVisibility() && !each.matches("div"))) {
      const size = parseFloat(getComputedStyle(part).fontSize) * part.currentCSSZoom / scale;
      const isLabel = part.matches(".kicker");
      if (size < (part.matches("pre") || isLabel ? 15 : 18)) say(`has letters of ${size} px`, part);
    }
    for (const box of block.querySelectorAll(".katex-display, pre, .drawing")) {
      if (box.scrollWidth > 1.01 * box.clientWidth + 1) say("is cut off", box);
    }
  }
  return flaws;
}"""
# The widgets of the page that have a place on slides.
WIDGETS = """() => [...document.querySelectorAll("article .cell > .cell_output > .widget-slot")]
  .filter((slot) => !slot.closest(".exercise, section:has(> details.admonition, > .exercise)"))
  .map((slot) => slot.dataset.model).sort()"""
# What the view must give back: which blocks are seen, what they say, whether the focus goes there.
PAGE = """() => [...document.querySelectorAll(
  "article :is(p, li, h1, h2, h3, .cell, figure, .table, .math, .veil)")]
  .filter((node) => !node.closest(".attn"))
  .map((node) => [node.tagName, node.checkVisibility(), node.offsetHeight > 0, node.tabIndex,
    node.childNodes.length, node.matches(".cell, .veil") ? "" : node.textContent])"""


def arrive(page: Page, number: int) -> None:
    """Wait until a slide is there and has its size."""
    page.locator(f"html[data-slide='{number}']").wait_for(state="attached")


def shown(page: Page, kind: str) -> Locator:
    """The blocks of a kind on the slide that is seen."""
    return page.locator(f"[data-shown={kind}]")


def count(page: Page) -> tuple[int, int]:
    """The number of the slide, and how many there are."""
    here, there = re.findall(r"\d+", page.locator(".slides output").inner_text())
    return int(here), int(there)


def middle(item: Locator) -> tuple[float, float]:
    """The middle of what is seen of an element, in px."""
    box = item.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def is_left(page: Page) -> None:
    """Wait until the page is a page again."""
    page.locator("html:not([data-presents])").wait_for(state="attached")


@pytest.mark.parametrize("name", some(LESSONS, LESSONS[1]))
def test_a_lesson_is_shown_as_slides_that_fit(reopen, server, name):
    page = reopen(f"{server}/{name}.html", height=720).page
    widgets = page.evaluate(WIDGETS)
    page.get_by_role("button", name="Present").click()
    arrive(page, 1)
    _, total = count(page)
    assert 12 <= total <= 25
    flaws, seen, looked_at = {}, [], {}
    for number in range(1, total + 1):
        arrive(page, number)
        assert count(page) == (number, total)
        flaws[number] = page.evaluate(FLAWS)
        seen += page.locator("[data-shown] > .cell_output > .widget-slot").evaluate_all(
            "slots => slots.map((slot) => slot.dataset.model)"
        )
        if shown(page, "question").count():
            # The first press tells the answer, the second goes on.
            result = shown(page, "question").locator(".result")
            expect(result).to_have_text("")
            page.keyboard.press("PageDown")
            expect(result).to_contain_text("The answer.")
            arrive(page, number)
            assert count(page) == (number, total)
            flaws[f"{number}, answered"] = page.evaluate(FLAWS)
        if name == LESSONS[1] and number == 3:  # an explorer, things to try
            looked_at[number] = findings(page)
        page.keyboard.press("PageDown")
    assert not {number: told for number, told in flaws.items() if told}
    assert sorted(seen) == widgets
    assert shown(page, "heading").inner_text() == "Summary"
    if name == LESSONS[1]:
        page.emulate_media(color_scheme="dark", reduced_motion="reduce")
        looked_at["dark"] = findings(page, CONTRAST)
        assert not {slide: told for slide, told in looked_at.items() if told}


@pytest.mark.parametrize(("width", "height"), some([(1024, 768), (1920, 1080)], (1024, 768)))
def test_slides_fit_other_screens(reopen, server, width, height):
    page = reopen(f"{server}/{LESSONS[0]}.html?present", width=width, height=height).page
    arrive(page, 1)
    _, total = count(page)
    for number in range(1, total + 1):
        arrive(page, number)
        assert not page.evaluate(FLAWS), number
        page.keyboard.press("ArrowRight")
        if shown(page, "question").count():
            page.keyboard.press("ArrowRight")  # what it answers is there to be looked at


def test_leaving_gives_the_page_back(book, reopen):
    visit = reopen(f"{book.as_uri()}/{LESSONS[1]}.html", height=720)
    page = visit.page
    heat = slider(page.locator(".stage"))
    heat.fill("30")
    before = page.evaluate(PAGE)
    assert not [address for address in visit.requests if "/present." in address]
    page.get_by_role("button", name="Present").click()
    arrive(page, 1)
    for number in range(2, 13):  # past the questions, without an answer
        page.get_by_role("button", name="Next slide").click()
        arrive(page, number)
        if number == 3:
            expect(heat).to_have_value("30")
            heat.fill("40")
    assert shown(page, "explorer").get_by_role("slider").is_visible()  # of the answer under a veil
    assert not page.locator(BAR).is_visible()
    page.keyboard.press("Escape")
    is_left(page)
    expect(heat).to_have_value("40")
    assert page.evaluate(PAGE) == before
    assert page.locator(BAR).is_visible()
    assert urlsplit(page.url).query == ""
    top = page.locator("#wider-vectors h2").bounding_box()["y"]
    assert -1 < top < 200  # a scroll ends at a whole pixel
    # And again: nothing is left that would be in its way.
    page.get_by_role("button", name="Present").click()
    arrive(page, 1)
    assert not visit.problems


@exhaustive
def test_a_slide_has_an_address(book, reopen):
    address = f"{book.as_uri()}/{LESSONS[1]}.html"
    page = reopen(f"{address}?present=7", height=720).page
    arrive(page, 7)
    heading = shown(page, "heading").inner_text()
    page.keyboard.press("ArrowLeft")
    arrive(page, 6)
    assert urlsplit(page.url).query == "present=6"
    page.reload()
    arrive(page, 6)
    page.keyboard.press("End")
    arrive(page, count(page)[1])
    # A state of an explorer leads to its slide, and a section to its first one.
    page = reopen(f"{address}?present#temperature:T=0.2", height=720).page
    arrive(page, 3)
    expect(page.locator("[data-shown=explorer] .headline")).to_contain_text("0.2")
    page = reopen(f"{address}?present#the-two-ends", height=720).page
    arrive(page, 7)
    assert shown(page, "heading").inner_text() == heading == "The two ends"


def test_keys_of_a_slider_stay_with_it(reopen, server):
    page = reopen(f"{server}/{LESSONS[1]}.html?present=3", height=720).page
    arrive(page, 3)
    heat = slider(shown(page, "explorer"))
    heat.focus()
    value = heat.input_value()
    page.keyboard.press("ArrowRight")
    assert heat.input_value() != value
    assert count(page)[0] == 3
    # A clicker goes on all the same, and then the keys are those of slides.
    page.keyboard.press("PageDown")
    arrive(page, 4)
    assert page.evaluate("document.activeElement.dataset.shown") == "heading"
    page.keyboard.press("ArrowRight")
    arrive(page, 5)
    page.keyboard.press(" ")
    arrive(page, 6)
    page.keyboard.press("Home")
    arrive(page, 1)
    page.keyboard.press("f")
    until(page, "() => document.fullscreenElement !== null")
    page.keyboard.press("f")
    until(page, "() => document.fullscreenElement === null")
    # What is in focus in the bar stays so.
    page.get_by_role("button", name="Next slide").focus()
    page.keyboard.press("Enter")
    arrive(page, 2)
    expect(page.get_by_role("button", name="Next slide")).to_be_focused()


def test_an_answer_that_is_told_is_not_one_that_was_found(reopen, server):
    page = reopen(f"{server}/{LESSONS[1]}.html?present=6", height=720).page
    arrive(page, 6)
    page.get_by_role("button", name="Answer").click()
    expect(shown(page, "question").locator(".result")).to_contain_text("The answer.")
    expect(page.get_by_role("button", name="Answer")).to_be_hidden()
    arrive(page, 6)
    assert page.locator(".widget-slot[data-done]").count() == 0
    page.keyboard.press("ArrowRight")  # not the next choice
    arrive(page, 7)


def test_pages_of_the_chapter_have_slides_and_no_others(book):
    for name in DOCUMENTS:
        html = (book / f"{name}.html").read_text(encoding="utf-8")
        assert ('data-does="present"' in html) == (name in LESSONS), name


# As Safari 26 has it: what is enlarged is measured in the px that it has without that.
AS_SAFARI = """(() => {
  const { prototype } = Element;
  const measure = prototype.getBoundingClientRect;
  const { get } = Object.getOwnPropertyDescriptor(prototype, "currentCSSZoom");
  delete prototype.currentCSSZoom;
  prototype.getBoundingClientRect = function () {
    const { x, y, width, height } = measure.call(this);
    return new DOMRect(...[x, y, width, height].map((length) => length / get.call(this)));
  };
})()"""


@pytest.mark.parametrize("script", ["", AS_SAFARI], ids=["standard", "safari"])
def test_what_is_enlarged_follows_the_hand(open_page, server, script):
    page = open_page(
        f"{server}/{LESSONS[0]}.html?present#plane:",
        width=1920,
        height=1080,
        prepare=lambda page: page.add_init_script(script),
    ).page
    page.locator("html[data-slide]").wait_for(state="attached")
    assert shown(page, "explorer").evaluate("node => node.currentCSSZoom") > 1.2
    query = shown(page, "explorer").locator(".handle").first
    x, y = middle(query)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 120, y - 60, steps=4)
    page.mouse.up()
    assert middle(query) == pytest.approx((x - 120, y - 60), abs=3)


def test_arcs_end_at_their_words_where_these_are_enlarged(reopen, server):
    page = reopen(f"{server}/{LESSONS[3]}.html?present=3", width=1920, height=1080).page
    arrive(page, 3)
    line = shown(page, "explorer").locator(".words").first
    line.locator("label").nth(2).click()
    # The thickest arc, from the word that asks to the one that most weight goes to.
    until(
        page,
        """() => {
          const line = document.querySelector("[data-shown=explorer] .words");
          const rect = (node) => node.getBoundingClientRect();
          const width = (path) => Number(path.getAttribute("stroke-width"));
          const [arc] = [...line.querySelectorAll("path")].sort((a, b) => width(b) - width(a));
          const [from, to] = [".asks", ".top"].map((name) => rect(line.querySelector(name)))
            .map(({ left, width }) => left + width / 2).sort((a, b) => a - b);
          return width(arc) > 10
            && Math.abs(rect(arc).left - from) < 6 && Math.abs(rect(arc).right - to) < 6;
        }""",
    )
