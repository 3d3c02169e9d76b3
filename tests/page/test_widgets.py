"""The widgets on the pages of the book: what the reader moves changes what the reader sees."""

import pytest
from playwright.sync_api import Locator, Page, expect

from attnutils import Question, widgets
from attnutils.widgets._base import Temperature
from tests.book.test_lessons import LESSONS
from tests.book.test_questions import QUESTIONS, asked
from tests.conftest import IS_EXHAUSTIVE, some
from tests.examples import HOSTILE_WIDGETS, PLACES, USUAL, WIDE_WIDGETS
from tests.examples._texts import IMAGE
from tests.page.conftest import (
    ONE_OF_EACH_KIND,
    ROOM,
    SHOWN,
    SKELETON,
    drag,
    first,
    mover,
    only,
    resize,
    slider,
)

each_widget = pytest.mark.parametrize("widget", USUAL, ids=lambda widget: type(widget).__name__)
# Made by what all have from core.js.
one_of_each_skeleton = pytest.mark.parametrize(
    "widget", some(USUAL, *SKELETON), ids=lambda widget: type(widget).__name__
)


WITH_EXPLORER = [f"chapters/{name}.html" for name in sorted({page for _, page in PLACES})]
ON_KINDS = [page for page in WITH_EXPLORER if page in ONE_OF_EACH_KIND]


def place(page: Page) -> str:
    """The name of a page."""
    return page.url.partition("chapters/")[2].partition(".html")[0]


def kinds(page: Page) -> list[str]:
    """The kinds of explorers of a page."""
    found = [kind for kind, at in PLACES if at == place(page)]
    assert found
    return found


def explorers(page: Page) -> dict[str, Locator]:
    """The explorers of a page, the first of each kind; what is veiled opens."""
    found = page.locator(".veil[hidden]")
    found.evaluate_all("veils => veils.map((e) => e.dispatchEvent(new Event('beforematch')))")
    return {kind: first(page, kind) for kind in kinds(page)}


@only("phone", some(WITH_EXPLORER, *ON_KINDS))
def test_explorers_have_the_height_that_was_kept_for_them(phone):
    found = explorers(phone)
    for width in (320, 390, 600, 768, 1280) if IS_EXHAUSTIVE else (390, 1280):
        resize(phone, width)
        for widget, live in found.items():
            kept, height = live.evaluate(ROOM)
            # A line of text may break between two of the widths that are measured, not at these.
            most = 8 if width in (390, 600, 1280) else 30
            assert -2 <= kept - height <= most, f"{widget}: {height}, not {kept} at {width}"


@only("screen", some(WITH_EXPLORER, *ON_KINDS))
def test_explorers_on_their_page_follow_the_keyboard_and_the_pointer(screen):
    for widget, live in explorers(screen).items():
        headline = live.locator(".headline")
        said = headline.inner_text()
        # The first or the last is in the sentence; the last one of this one takes all back.
        for which in (0,) if widget == "OnlineSoftmaxExplorer" else (0, -1):
            for key in ("ArrowDown", "ArrowDown", "ArrowUp"):  # from either end, and between
                mover(live, which).press(key)
        expect(headline, widget).not_to_have_text(said)
        once = next(at for kind, at in PLACES if kind == widget)
        if has_temperature(widget) and (IS_EXHAUSTIVE or place(screen) == once):
            check_temperature(live)


def has_temperature(widget: str) -> bool:
    """Whether a kind of explorer has a slider of temperatures."""
    return isinstance(vars(getattr(widgets, widget)).get("temperature"), Temperature)


def check_temperature(live: Locator) -> None:
    """Check that the slider of the temperature moves what an explorer shows, by every key."""
    control = slider(live)
    control.fill("50")
    seen, headline = live.evaluate(SHOWN), live.locator(".headline").inner_text()
    control.focus()
    for _ in range(10):
        control.press("ArrowRight")
    assert control.input_value() == "60"
    assert control.get_attribute("aria-valuetext") == "temperature 2.5"
    moved = live.evaluate(SHOWN)
    assert moved != seen
    assert live.locator(".headline").inner_text() != headline
    drag(live.page, control, 0.8)
    assert 75 <= int(control.input_value()) <= 85
    assert live.evaluate(SHOWN) != moved
    control.press("Home")
    assert control.get_attribute("aria-valuetext").startswith("temperature 0, hard")
    control.press("End")
    assert control.get_attribute("aria-valuetext").startswith("temperature infinite, uniform")


@each_widget
def test_a_closed_view_leaves_nothing_behind(show, widget):
    page = show(widget)
    assert page.evaluate("listening()") > 0
    if page.locator(".attn svg").count():
        assert page.evaluate("watching()") > 0
    page.evaluate("dispose()")
    assert page.evaluate("listening()") == 0
    assert page.evaluate("watching()") == 0
    assert page.locator(".attn").count() == 0


@one_of_each_skeleton
def test_two_instances_do_not_interfere(reopen, widget_page, widget):
    page = reopen(widget_page(widget, widget)).page
    slots = page.locator(".widget-slot")
    seen = slots.evaluate_all(f"slots => slots.map({SHOWN})")
    mover(slots.nth(0)).press("ArrowUp")
    for radio in slots.nth(0).get_by_role("radio").all():
        radio.check()
    first, second = slots.evaluate_all(f"slots => slots.map({SHOWN})")
    assert first != seen[0]
    assert second == seen[1]
    # A choice has one name for all its buttons.
    named = "[...document.querySelectorAll('[id], [type=radio][value=\"0\"]')]"
    ids = page.evaluate(f"{named}.map((item) => item.id || item.name)")
    assert len(set(ids)) == len(ids)


def test_labels_are_text(reopen, widget_page):
    visit = reopen(widget_page(*HOSTILE_WIDGETS))
    slots = visit.page.locator(".widget-slot")
    question = visit.page.locator(".attn-question")
    question.get_by_role("radio").first.check()
    question.get_by_role("button").click()
    for slot in slots.all():
        texts = [field.input_value() for field in slot.locator("textarea").all()]
        names = "all => all.map((each) => each.getAttribute('aria-label'))"
        texts += slot.locator("[aria-label]").evaluate_all(names)  # where a picture cuts a word
        assert IMAGE in slot.inner_text() + "".join(texts)
    assert any(IMAGE in text for text in visit.page.locator("svg text").all_text_contents())
    assert visit.page.locator("main img, main b:text-is('y')").count() == 0
    assert question.locator("code").inner_text() == IMAGE
    assert not visit.problems


def test_without_scripts_the_pictures_show(open_page, server):
    visit = open_page("about:blank", scripts=False)
    for page in some(WITH_EXPLORER, *ON_KINDS):
        visit.open(f"{server}/{page}", scripts=False)
        for kind in kinds(visit.page):
            image = first(visit.page, kind).locator("img").first
            assert image.is_visible(), page
            assert image.bounding_box()["width"] > 600, page
            assert len(image.get_attribute("alt")) > 20, page


def test_without_scripts_a_question_shows_its_choices(slot):
    text = slot("Question", "temperature", scripts=False).inner_text()
    assert "Predict first" in text
    assert "scripts must be on" in text
    assert "Not yet" not in text


def test_widgets_that_fail_keep_their_pictures(open_page, server):
    def lose_what_they_need(page):
        page.add_init_script(
            """const set = Element.prototype.setAttribute;
            Element.prototype.setAttribute = function (name, value) {
              if (name === "role" && value === "group") throw new Error("on purpose");
              set.call(this, name, value);
            };"""
        )

    visit = open_page("about:blank", prepare=lose_what_they_need)
    for page in some(WITH_EXPLORER, *ON_KINDS):
        visit.open(f"{server}/{page}")
        for kind in kinds(visit.page):
            slot = first(visit.page, kind)
            assert slot.get_attribute("data-state") == "failed", page
            assert slot.locator("img").is_visible(), page
            assert slot.locator(".widget-live").count() == 0, page


def choices(reopen, widget_page) -> Locator:
    question = Question(
        "What happens to `softmax`?",
        {"It changes": "Subtract the `maximum`.", "Nothing": "It cancels."},
        answer="Nothing",
        ordered=True,
    )
    return reopen(widget_page(question)).page.locator(".widget-slot")


def test_a_choice_is_answered_by_keyboard(reopen, widget_page):
    place = choices(reopen, widget_page)
    result, keyboard = place.get_by_role("status"), place.page.keyboard
    assert result.inner_text() == ""
    place.get_by_role("button", name="Check").press("Enter")
    assert result.inner_text() == "Choose an answer first."
    place.get_by_role("radio").first.focus()
    keyboard.press("Space")
    keyboard.press("Enter")
    assert result.inner_text() == "Not yet. Subtract the maximum."
    assert result.locator("code").inner_text() == "maximum"
    keyboard.press("ArrowDown")
    assert result.inner_text() == ""
    keyboard.press("Enter")
    assert result.inner_text() == "✓ Right. It cancels."


def test_a_number_is_answered_by_keyboard(reopen, widget_page):
    question = Question(
        "How much?", answer=-0.1, tolerance=0.001, hints={0.6: "Do not add up."}, right="The mean."
    )
    place = reopen(widget_page(question)).page.locator(".widget-slot")
    field, result = place.get_by_role("textbox", name="How much?"), place.get_by_role("status")
    for typed, says in (
        ("", "Type a number first."),
        ("2/3", "That is not a plain number."),
        ("0,6", "Not yet. Do not add up."),
        ("7", "Not yet. The answer is smaller."),
        ("−0.1", "✓ Right. The mean."),
    ):
        field.fill(typed)
        field.press("Enter")
        assert result.inner_text().startswith(says)


def test_after_two_tries_the_choice_is_shown_on_demand(reopen, widget_page):
    place = choices(reopen, widget_page)
    show, keyboard = place.get_by_role("button", name="Show me"), place.page.keyboard
    place.get_by_role("radio").first.focus()
    keyboard.press("Space")
    keyboard.press("Enter")
    expect(show).to_be_hidden()
    keyboard.press("Enter")
    expect(show).to_be_visible()
    show.press("Enter")
    expect(place.get_by_role("radio", name="Nothing")).to_be_checked()
    expect(place.get_by_role("status")).to_have_text("The answer. It cancels.")
    expect(show).to_be_hidden()


def test_after_two_tries_the_number_is_shown_on_demand(reopen, widget_page):
    question = Question("How much?", answer=-0.5, quantity="sum", right="The mean.")
    place = reopen(widget_page(question)).page.locator(".widget-slot")
    field, show = place.get_by_role("textbox"), place.get_by_role("button", name="Show me")
    for typed, can_show in (("1", False), ("x", False), ("-2", True), ("", True)):
        field.fill(typed)
        field.press("Enter")
        assert show.is_visible() == can_show
    show.click()
    expect(field).to_have_value("−0.5")
    expect(place.get_by_role("status")).to_have_text("The answer. The mean.")
    field.press("Enter")
    expect(place.get_by_role("status")).to_have_text("✓ Right. The mean.")


@pytest.mark.parametrize("name", some(LESSONS, "temperature"))
def test_the_questions_of_a_lesson_take_the_right_answer_alone(reopen, server, name):
    page = reopen(f"{server}/chapters/{name}.html").page
    slots = page.locator(".widget-slot[data-widget=Question]").all()
    proved = [asked(page_name, cell_id) for page_name, cell_id in QUESTIONS if page_name == name]
    for slot, question in zip(slots, proved, strict=True):
        check, status = slot.get_by_role("button", name="Check"), slot.get_by_role("status")
        check.click()
        assert status.inner_text().endswith("first.")
        answers = [text for text, _ in question.choices] or [question.answer, *dict(question.hints)]
        verdicts = []
        for at, answer in enumerate(answers):
            if question.choices:
                slot.get_by_role("radio").nth(at).check()
            else:
                slot.get_by_role("textbox").fill(str(answer))
            check.click()
            verdicts.append(status.inner_text())
            assert verdicts[-1].startswith("✓ Right.") == (answer == question.answer)
        assert len(set(verdicts)) == len(verdicts)


@pytest.mark.parametrize("width", some([390, 320], 320))
def test_widgets_fit_a_phone(reopen, widget_page, width):
    page = reopen(widget_page(*WIDE_WIDGETS), width=width).page
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_what_opens_a_page_has_both_columns_and_no_frame(slot):
    stage = slot("AttentionBench", "attention-mechanism")
    page, frame = stage.page, ["border-top-width", "padding-top"]
    box, article = stage.bounding_box(), page.locator("article").bounding_box()
    assert (box["x"], box["width"]) == (article["x"], article["width"])
    assert box["y"] < 450  # it begins on the first screen
    root = stage.locator(".attn")
    assert [root.evaluate(f"e => getComputedStyle(e)['{name}']") for name in frame] == ["0px"] * 2
    # The height that was kept for it is its own there.
    assert box["height"] - root.bounding_box()["height"] < 5
    # Further down an explorer has its line.
    other = page.locator("[data-widget=PlaneExplorer] .attn")
    assert other.evaluate("e => getComputedStyle(e)['border-top-width']") == "1px"
