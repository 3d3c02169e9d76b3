"""Things to try: a button sets the state, asks, and has what to see folded below."""

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from attnutils import TemperatureExplorer, ThingsToTry
from tests.book.test_lessons import LESSONS, cells, source
from tests.examples._texts import IMAGE
from tests.page.conftest import only

THINGS = [name for name in LESSONS if any("ThingsToTry(" in source(cell) for cell in cells(name))]
A_NUMBER = re.compile(r"[−]?\d*\.\d+")
# All numbers that an explorer shows.
NUMBERS = """(slot) => [slot.querySelector(".headline").textContent,
  ...[...slot.querySelectorAll("data, td")].map((item) => item.textContent)].join(" ")"""


# The address of the explorer that stands last above an element.
ABOVE = """(item) => [...document.querySelectorAll("[data-address]")].findLast((slot) =>
  slot.compareDocumentPosition(item) & Node.DOCUMENT_POSITION_FOLLOWING).dataset.address"""


def normal(number: str) -> str:
    """A number with its zero in front."""
    return re.sub(r"^(−?)\.", r"\g<1>0.", number)


def test_every_page_with_an_explorer_of_its_own_has_things_to_try():
    assert len(THINGS) >= 12
    assert not [n for n in LESSONS for c in cells(n) if "Things to try:" in source(c)]


def test_words_of_another_language_are_marked(show):
    explorer = TemperatureExplorer(["a", "b"], [1, 0])
    page = show(ThingsToTry(explorer, ("“{fr}`le`” at $T$?", "{fr}`chat`, not `x`.", {})))
    expect(page.locator("[lang=fr]")).to_have_text(["le", "chat"])
    expect(page.locator("code")).to_have_text("x")
    expect(page.get_by_role("button", name="“le” at T?")).to_have_text("“le” at T?")


@only("screen", [f"chapters/{name}.html" for name in THINGS])
def test_what_to_see_is_what_the_explorer_shows(screen: Page, screen_visit):
    """The first computed number of what to see is on the screen once the button is pressed."""
    page, addresses = screen, set()
    # What is under a veil is tried, too.
    page.evaluate("for (const veil of document.querySelectorAll('.veil')) veil.hidden = false")
    things = page.locator(".attn-try li")
    assert things.count() >= 3
    for thing in things.all():
        explorer = page.locator(f"[data-address={thing.evaluate(ABOVE)}]")
        button, fold = thing.get_by_role("button"), thing.locator("details")
        expect(fold).to_be_hidden()
        button.press("Enter")
        expect(fold).to_be_visible()
        assert not fold.evaluate("fold => fold.open")
        assert thing.evaluate("item => item.classList.contains('chosen')")
        address, colon, _ = page.url.partition("#")[2].partition(":")
        assert colon
        addresses.add(address)
        explorer = page.locator(f"[data-address={address}]")  # the one that it has set
        see = fold.locator("p").text_content()
        if found := A_NUMBER.search(see):
            shown = {normal(number) for number in A_NUMBER.findall(explorer.evaluate(NUMBERS))}
            assert normal(found[0]) in shown, see
    for address in addresses:  # for the tests of this visit that follow
        page.evaluate("address => { location.hash = `${address}:`; }", address)
    assert not screen_visit.problems


def test_a_button_pushes_and_back_leads_to_what_was_there(server, reopen: Callable):
    page: Page = reopen(f"{server}/chapters/temperature.html").page
    explorer = page.locator("[data-address=temperature]")
    headline = explorer.locator(".headline")
    explorer.get_by_role("slider").press("ArrowLeft")
    before = headline.inner_text()
    hard = page.locator(".attn-try").get_by_role("button", name="Hardmax")
    hard.press("Enter")
    expect(page).to_have_url(re.compile("#temperature:by=hardmax$"))
    expect(headline).to_contain_text("Reads takes 1.000")
    expect(explorer.locator(".unseen[role=status]")).to_contain_text("Reads takes 1.000")
    page.go_back()
    expect(page).to_have_url(re.compile(r"#temperature:T=0\.91$"))
    expect(headline).to_have_text(before)
    page.go_forward()
    expect(headline).to_contain_text("Reads takes 1.000")
    # What the reader changes, the button sets back.
    explorer.get_by_role("combobox").select_option("sparsemax")
    hard.press("Enter")
    expect(explorer.get_by_role("combobox")).to_have_value("hardmax")
    expect(explorer).to_be_in_viewport()


def test_without_scripts_and_on_paper_questions_and_answers_can_be_read(server, open_page, reopen):
    page: Page = open_page(f"{server}/chapters/temperature.html", scripts=False).page
    things: Locator = page.locator("[data-widget=ThingsToTry]")
    expect(things.get_by_text("Make the weight of Book as large as it gets.")).to_be_visible()
    summary = things.get_by_text("What to see").first
    summary.click()
    expect(things.get_by_text("where it passes 5")).to_be_visible()
    page = reopen(f"{server}/chapters/temperature.html").page
    page.emulate_media(media="print")
    things = page.locator("[data-widget=ThingsToTry] .widget-picture")
    expect(things.get_by_text("where it passes 5")).to_be_visible()


def test_texts_are_text(reopen: Callable, widget_page):
    explorer = TemperatureExplorer.example()
    things = ThingsToTry(explorer, (IMAGE, f"`x` {IMAGE}", {"temperature": 2}))
    visit = reopen(widget_page(explorer, things))
    slot = visit.page.locator("[data-widget=ThingsToTry]")
    slot.get_by_role("button").press("Enter")
    visit.page.keyboard.press("Tab")
    expect(slot.locator("summary")).to_be_focused()
    expect(slot.locator("summary")).to_have_css("outline-style", "solid")
    slot.locator("summary").press("Enter")
    assert slot.inner_text().count(IMAGE) == 2
    assert slot.locator("img").count() == 0
    expect(visit.page.locator(".headline")).to_contain_text("At T = 2,")
    assert not visit.problems
