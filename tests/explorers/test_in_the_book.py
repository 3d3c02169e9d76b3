"""Explorers on the pages of the built book: their room, things to try, addresses, questions."""

import re

import pytest
from playwright.sync_api import Page, expect

from attnbook import Question, TemperatureExplorer
from tests.conftest import resize
from tests.explorers.conftest import headline
from tests.explorers.labels import IMAGE
from tests.explorers.states import PLACES

PAGES = sorted({page for _, page in PLACES})
COLD = PAGES[::5]  # on these an address is opened by who was not there before
A_NUMBER = re.compile(r"−?\d*\.\d+")
OPEN = """() => {
  for (const veil of document.querySelectorAll(".veil[hidden]"))
    veil.dispatchEvent(new Event("beforematch"));
}"""
# For each explorer of a page: its address, the height that is kept for it, the one that it has.
ROOMS = """() => [...document.querySelectorAll(".widget-slot:has(.headline)")].map((slot) =>
  [slot.dataset.address, parseFloat(getComputedStyle(slot).minHeight),
    slot.querySelector(".widget-live").getBoundingClientRect().height])"""
# All numbers that an explorer shows.
NUMBERS = """(slot) => [slot.querySelector(".headline").textContent,
  ...[...slot.querySelectorAll("data, td")].map((item) => item.textContent)].join(" ")"""


def normal(number: str) -> str:
    """A number with its zero in front."""
    return re.sub(r"^(−?)\.", r"\g<1>0.", number)


def state(page: Page) -> str:
    """The address after its #."""
    return page.url.partition("#")[2]


# What lies over the part of an explorer that stays in sight, when the rest scrolls under it.
COVERS = """() => {
  const over = new Set();
  for (const root of document.querySelectorAll(".attn:is(.sticks, .sticks-line)")) {
    const part = root.querySelector(root.matches(".sticks") ? ".top" : ".headline");
    for (const down of [50, 150, 250, 350]) {
      scrollBy({ top: root.getBoundingClientRect().top + down, behavior: "instant" });
      const { left, top, width, height } = part.getBoundingClientRect();
      for (let i = 1; i < 20; i++) for (let j = 1; j < 10; j++) {
        const e = document.elementFromPoint(left + (width * i) / 20, top + (height * j) / 10);
        if (e !== root && root.contains(e) && !part.contains(e)) over.add(e.outerHTML);
      }
    }
  }
  return [...over];
}"""
# Captions of more than some lines: by the page's own rule one may have no width.
TALL = """() => {
  const folds = [...document.querySelectorAll(".attn details:not([open])")];
  for (const fold of folds) fold.open = true;
  const tall = [...document.querySelectorAll(".attn caption")]
    .filter((e) => e.scrollHeight > 60).map((e) => `tall: ${e.innerText}`);
  for (const fold of folds) fold.open = false;
  return tall;
}"""


@pytest.mark.parametrize("name", PAGES)
def test_explorers_have_their_room_and_things_to_try_are_as_they_say(visit, server, name):
    address = f"{server}/chapters/{name}.html"
    page, told, states = visit.page, [], {}
    page.set_viewport_size({"width": 390, "height": 900})
    visit.open(address)
    page.evaluate(OPEN)
    for width in (390, 1280):
        resize(page, width)
        for explorer, kept, height in page.evaluate(ROOMS):
            if not -2 <= kept - height <= 8:
                told.append(f"{explorer} is {height} px high at {width}, {kept} are kept")
        told += page.evaluate(COVERS) + page.evaluate(TALL)
    # A button sets a state and has what to see folded below: a number that is shown.
    for explorer in page.locator(".widget-slot:has(.try)").all():
        strip, fold = explorer.locator(".try"), explorer.locator(".try details")
        count = re.search(r" of (\d+)", strip.inner_text())
        for number in range(int(count[1]) if count else 1):
            if number > 0:
                strip.get_by_role("button", name="The next one").press("Enter")
            strip.locator(".set-up").press("Enter")
            assert not fold.evaluate("fold => fold.open")
            see = fold.locator("p").text_content()
            shown = {normal(each) for each in A_NUMBER.findall(explorer.evaluate(NUMBERS))}
            if (found := A_NUMBER.search(see)) and normal(found[0]) not in shown:
                told.append(f"{state(page)} shows nothing of: {see}")
            states[state(page)] = headline(explorer)
    assert states or name == "index"
    if states and name in COLD:  # an address says what the page said
        at, said = states.popitem()
        visit.open("about:blank", wait=False)
        visit.open(f"{address}#{at}")
        explorer = page.locator(f"[data-address={at.partition(':')[0]}]")
        expect(explorer.locator(".headline")).to_have_text(said)
        expect(explorer).to_be_in_viewport()
    assert not told, "\n".join(told)


def test_what_opens_a_page_has_both_columns_and_no_frame(visit, server):
    visit.open(f"{server}/chapters/attention-mechanism.html")
    stage = visit.page.locator("[data-address=bench]")
    box, article = stage.bounding_box(), visit.page.locator("article").bounding_box()
    assert (box["x"], box["width"]) == (article["x"], article["width"])
    assert box["y"] < 450  # it begins on the first screen
    root = stage.locator(".attn")
    assert root.evaluate("e => getComputedStyle(e).borderTopWidth") == "0px"
    assert box["height"] - root.bounding_box()["height"] < 5


# ---- addresses ----------------------------------------------------------------------------------

LESSON = "chapters/temperature.html"
# So many steps to the left without a rest, however slow the machine is.
STEPS = """(slider, count) => {
  window.changes = 0;
  const replace = history.replaceState.bind(history);
  history.replaceState = (...given) => { changes++; replace(...given); };
  for (let step = 0; step < count; step++) {
    slider.stepDown();
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }
}"""


@pytest.fixture
def lesson(visit, server):
    """A function that opens a page with an address; returns its explorer of temperatures."""

    def open_(hash_: str = ""):
        visit.open(f"{server}/{LESSON}{hash_}")
        return visit.page.locator("[data-address=temperature]")

    return open_


def test_the_address_follows_at_rest_and_back_leads_through_states(visit, lesson):
    explorer, page = lesson("#objectives"), visit.page
    explorer.get_by_role("slider").evaluate(STEPS, 12)
    expect(page).to_have_url(re.compile(r"#temperature:T=0\.33$"))
    assert page.evaluate("changes") == 1
    page.evaluate("location.hash = '#exercises'")  # an ordinary link leaves the explorer alone
    assert headline(explorer).startswith("At T = 0.33,")
    page.evaluate("location.hash = '#temperature:tie=1'")
    expect(explorer.get_by_role("checkbox")).to_be_checked()
    assert headline(explorer).startswith("At T = 1,")
    page.go_back()
    assert state(page) == "exercises"
    page.go_back()
    assert headline(explorer).startswith("At T = 0.33,")


def test_a_button_pushes_and_back_leads_to_what_was_there(visit, lesson):
    explorer, page = lesson("#temperature:by=sparsemax&T=3"), visit.page
    explorer.get_by_role("slider").press("ArrowLeft")
    before = headline(explorer)
    for _ in range(2):
        explorer.get_by_role("button", name="The next one").press("Enter")
    explorer.get_by_role("button", name="Set it up: Hardmax").press("Enter")
    expect(page).to_have_url(re.compile("#temperature:by=hardmax$"))
    expect(explorer.locator(".headline")).to_contain_text("Reads takes 1.000")
    page.go_back()
    expect(page).to_have_url(re.compile(r"#temperature:T=2\.8&by=sparsemax$"))
    expect(explorer.locator(".headline")).to_have_text(before)


def test_what_has_moved_is_found_at_its_old_address(visit, lesson):
    for old, at in (("#sparsemax-widget", "3"), ("#sparsemax:T=2.8", "2.8")):
        explorer = lesson(old)
        expect(visit.page).to_have_url(re.compile(rf"#temperature:T={at}&by=sparsemax$"))
        assert headline(explorer).startswith(f"Sparsemax at T = {at}:")
        visit.page.goto("about:blank")


def test_other_addresses_change_nothing_and_leave_no_markup(visit, lesson):
    assert headline(lesson("#x:%E0%A4%A")).startswith("At T = 1,")
    assert visit.page.evaluate("scrollY") == 0
    visit.page.goto("about:blank")
    attack = "%3Cimg src=x onerror=alert(1)%3E"
    explorer = lesson(f"#temperature:by={attack}&tie={'x' * 9999}&T=2&__proto__=1")
    assert headline(explorer).startswith("At T = 2,")
    assert explorer.locator("img[src=x]").count() == 0
    expect(visit.page).to_have_url(re.compile("#temperature:T=2$"))


def test_a_link_is_copied_or_there_to_copy(visit, lesson):
    explorer, page = lesson("#temperature:T=0.5"), visit.page
    corner = explorer.locator("xpath=following-sibling::*[1]")
    copy, field = corner.get_by_role("button").first, corner.get_by_role("textbox")
    page.evaluate("() => { navigator.clipboard.writeText = (text) => { window.copied = text; }; }")
    copy.press("Enter")
    expect(copy).to_have_text("Copied")
    assert page.evaluate("copied") == page.url
    expect(field).to_be_hidden()
    page.evaluate("() => { navigator.clipboard.writeText = () => { throw new Error(); }; }")
    explorer.get_by_role("slider").press("End")
    copy.press("Enter")
    expect(field).to_have_value(re.compile("#temperature:T=inf$"))
    assert page.evaluate("getSelection().toString()") == field.input_value()


# ---- questions, things to try, a form -----------------------------------------------------------


def test_a_choice_is_answered_by_keyboard_and_shown_after_two_tries(open_widgets):
    choices = {"It changes": "Subtract the `maximum`.", "Nothing": "It cancels."}
    page = open_widgets(Question("And `softmax`?", choices, answer="Nothing", ordered=True)).page
    result, show = page.get_by_role("status"), page.get_by_role("button", name="Show me")
    page.get_by_role("button", name="Check").press("Enter")
    assert result.inner_text() == "Choose an answer first."
    page.get_by_role("radio").first.press("Space")
    page.keyboard.press("Enter")
    assert result.inner_text() == "Not yet. Subtract the maximum."
    assert result.locator("code").inner_text() == "maximum"
    expect(show).to_be_hidden()
    page.keyboard.press("Enter")
    show.press("Enter")
    expect(page.get_by_role("radio", name="Nothing")).to_be_checked()
    expect(result).to_have_text("The answer. It cancels.")
    page.get_by_role("radio").last.press("Enter")
    assert result.inner_text() == "✓ Right. It cancels."
    others = page.locator(".others")
    others.locator("summary").press("Enter")
    assert others.inner_text().split("\n")[1:] == ["It changes", "Subtract the maximum."]


def test_a_number_is_answered_by_keyboard_and_shown_after_two_tries(open_widgets):
    hints = {0.6: "Do not add up."}
    page = open_widgets(Question("How much?", answer=-0.1, hints=hints, right="The mean.")).page
    field, result = page.get_by_role("textbox", name="How much?"), page.get_by_role("status")
    show = page.get_by_role("button", name="Show me")
    for typed, says, can_show in (
        ("", "Type a number first.", False),
        ("two", "That is not a plain number.", False),
        ("1/0", "That is not a plain number.", False),
        ("0,6", "Not yet. Do not add up.", False),
        ("7", "Not yet. The answer is smaller.", True),
        ("−0.1", "✓ Right. The mean.", False),
        ("0.2", "Not yet. The answer is smaller.", True),
        ("−1/10", "✓ Right. The mean.", False),
    ):
        field.fill(typed)
        field.press("Enter")
        assert result.inner_text().startswith(says)
        assert show.is_visible() == can_show
        assert page.locator(".others dt").all_text_contents() == (["0.6"] if "✓" in says else [])


def test_texts_of_things_to_try_are_text_and_have_their_language(open_widgets):
    asked = [(IMAGE, f"{{fr}}`chat` and `x` {IMAGE}", {"temperature": 2})]
    page = open_widgets(TemperatureExplorer(["a", "b"], [0, 1], things_to_try=asked)).page
    strip = page.locator(".try")
    strip.get_by_role("button").press("Enter")
    page.keyboard.press("Tab")
    expect(strip.locator("summary")).to_be_focused()
    strip.locator("summary").press("Enter")
    assert strip.inner_text().count(IMAGE) == 2
    assert strip.locator("img").count() == 0
    assert strip.locator("[lang=fr]").all_inner_texts() == ["chat"]
    assert headline(page).startswith("At T = 2,")


def test_a_sentence_becomes_a_text_of_its_cell_and_nothing_else(open_page, server):
    def without_python(page: Page) -> None:
        page.route("**/python/worker.js*", lambda r: r.fulfill(content_type="text/javascript"))

    page = open_page(f"{server}/chapters/trained-heads.html", prepare=without_python).page
    cell, hostile = page.locator("[data-cell=own-sentence-code]"), 'a "b" \\ c\\d $& $1 {x} ")#'
    field = cell.get_by_label("Your sentence")
    field.fill("   ")
    field.press("Enter")
    expect(cell.locator(".run-note").last).to_have_text("Write a sentence first.")
    field.fill(hostile)
    field.press("Enter")
    line = cell.locator(".cm-line", has_text="sentence = ").first
    expect(line).to_contain_text("$1")
    names: dict[str, object] = {}
    exec(line.text_content(), names)
    assert names["sentence"] == hostile
