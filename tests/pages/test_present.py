"""The presenter view: a lesson of the chapter as slides, made of what the page has."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.conftest import until

LESSON = "chapters/temperature"
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
    const texts = kind === "explorer" ? "nothing" : "p, li, pre";
    const parts = block.querySelectorAll(texts);
    for (const part of [...parts].filter((each) => each.checkVisibility())) {
      const size = parseFloat(getComputedStyle(part).fontSize) * part.currentCSSZoom / scale;
      if (size < (part.matches("pre, .kicker") ? 15 : 18)) say(`has letters of ${size} px`, part);
    }
    for (const box of block.querySelectorAll(".katex-display, pre, .drawing")) {
      if (box.scrollWidth > 1.01 * box.clientWidth + 1) say("is cut off", box);
    }
  }
  return flaws;
}"""


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


def check_slides(page: Page) -> None:
    """Go through all slides: each fits, and a press on a question tells its answer first."""
    page.get_by_role("button", name="Present").click()
    arrive(page, 1)
    _, total = count(page)
    assert 12 <= total <= 25
    flaws, widgets = {}, 0
    for number in range(1, total + 1):
        arrive(page, number)
        assert count(page) == (number, total)
        flaws[number] = page.evaluate(FLAWS)
        widgets += shown(page, "explorer").count()
        if shown(page, "question").count():
            result = shown(page, "question").locator(".result")
            expect(result).to_have_text("")
            page.keyboard.press("PageDown")
            expect(result).to_contain_text("The answer.")
            assert count(page) == (number, total)
            flaws[f"{number}, answered"] = page.evaluate(FLAWS)
        page.keyboard.press("PageDown")
    assert not {number: told for number, told in flaws.items() if told}
    assert widgets > 1
    assert shown(page, "heading").inner_text() == "Summary"


@pytest.mark.parametrize(
    ("name", "width", "height"), [("temperature", 1280, 720), ("attention-mechanism", 1024, 768)]
)
def test_a_lesson_is_shown_as_slides_that_fit(reopen, server, name, width, height):
    page = reopen(f"{server}/chapters/{name}.html", width=width, height=height).page
    check_slides(page)
    # What was told is not what was found.
    assert page.locator(".widget-slot[data-done]").count() == 0


def test_leaving_gives_the_page_back(book, reopen):
    visit = reopen(f"{book.as_uri()}/{LESSON}.html", height=720)
    page = visit.page
    heat = page.locator(".stage").get_by_role("slider")
    heat.fill("30")
    before = page.locator("article p:visible").count()
    assert not [address for address in visit.requests if "/present." in address]
    page.get_by_role("button", name="Present").click()
    arrive(page, 1)
    for number in range(2, 14):  # past the questions, without an answer
        page.get_by_role("button", name="Next slide").click()
        arrive(page, number)
    assert shown(page, "explorer").get_by_role("slider").is_visible()  # of the answer under a veil
    assert not page.locator("body > header").is_visible()
    page.keyboard.press("Escape")
    page.locator("html:not([data-presents])").wait_for(state="attached")
    expect(heat).to_have_value("30")
    expect(page.locator("article p:visible")).to_have_count(before)
    assert urlsplit(page.url).query == ""
    assert -1 < page.locator("#wider-vectors h2").bounding_box()["y"] < 200
    assert not visit.problems


def test_keys_of_a_slider_stay_with_it(reopen, server):
    page = reopen(f"{server}/{LESSON}.html?present=3", height=720).page
    arrive(page, 3)
    heat = shown(page, "explorer").get_by_role("slider")
    value = heat.input_value()
    heat.press("ArrowRight")
    assert heat.input_value() != value
    assert count(page)[0] == 3
    # A clicker goes on all the same, and then the keys are those of slides: on the next one is a
    # question, whose answer is told first.
    for key, number in (("PageDown", 4), ("ArrowRight", 4), (" ", 5), ("Home", 1)):
        page.keyboard.press(key)
        arrive(page, number)
    page.keyboard.press("f")
    until(page, "() => document.fullscreenElement !== null")
    page.keyboard.press("f")
    until(page, "() => document.fullscreenElement === null")
