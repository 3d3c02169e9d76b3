"""Exercises that ask for numbers, answered on the page: by keyboard, over http and from a file."""

import json
import re

import pytest
from playwright.sync_api import Locator, expect

from tests.attnutils.test_exercises import FORMS
from tests.book.test_lessons import LESSONS
from tests.conftest import some

PAGES = [f"chapters/{name}" for name in LESSONS]


def forms(page) -> list[Locator]:
    return page.locator("form.exercise-fields").all()


def answer(form: Locator, *texts: str) -> Locator:
    """Type into the fields, or tick them, and press Enter; return what is said."""
    keyboard = form.page.keyboard
    fields = form.locator("input")
    fields.first.focus()
    for number, text in enumerate(texts):
        if number:
            keyboard.press("Tab")
        if fields.nth(number).get_attribute("type") != "checkbox":
            keyboard.press("ControlOrMeta+A")
            keyboard.insert_text(text)
        elif fields.nth(number).is_checked() != (text == "1"):
            keyboard.press("Space")
    keyboard.press("Enter")
    return form.get_by_role("status")


def written(numbers: list[float]) -> list[str]:
    """Numbers as a reader writes them, some with a comma."""
    texts = [repr(x).removesuffix(".0") for x in numbers]
    return [text.replace(".", ",") if i % 2 else text for i, text in enumerate(texts)]


def spoken(text: str) -> str:
    return f": {text}" if text else ""


def test_every_exercise_that_asks_for_numbers_has_its_fields(book):
    found = []
    for name in PAGES:
        html = (book / f"{name}.html").read_text(encoding="utf-8")
        found += re.findall(r'<form class="exercise-fields" data-exercise="([^"]*)"', html)
    assert sorted(found) == sorted(FORMS)


@pytest.mark.parametrize(
    ("scheme", "name"),
    [
        *(("http", name) for name in some(PAGES, PAGES[1])),
        *(("file", name) for name in some(PAGES, PAGES[0])),
    ],
)
def test_right_answers_and_slips_by_keyboard(name, scheme, reopen, server, book):
    address = f"{server}/{name}.html" if scheme == "http" else (book / f"{name}.html").as_uri()
    visit = reopen(address)
    for form in forms(visit.page):
        exercise = FORMS[form.get_attribute("data-exercise")]
        fields = len(exercise["right"])
        for slip, hint in exercise["wrong"]:
            if len(slip) == fields:
                said = answer(form, *written(slip)).inner_text()
                assert said.startswith("Not yet: ")
                hints = {text for _, text in exercise["wrong"]}
                assert said.removeprefix("Not yet: ") in hints, hint
        expect(answer(form, *written(exercise["right"]))).to_have_text(
            "✓ Right" + spoken(exercise["note"])
        )
        title = form.locator("xpath=ancestor::*[contains(@class, 'exercise')]/p")
        mark = title.evaluate("title => getComputedStyle(title, '::after').content")
        assert "✓" in mark
    assert visit.problems == []


@pytest.fixture
def odds(reopen, server):
    page = reopen(f"{server}/chapters/temperature.html").page
    return page.locator("[data-exercise=reads-odds]")


def test_what_is_said_of_an_answer(odds):
    for text, said in (
        ("", "Type a number first."),
        ("seven", "That is not a plain number. Write it as 0.25, −3 or 1/6, say."),
        ("7.39", "✓ Right: only the gap between two scores matters."),
        ("7,4", "Not yet: right to two digits; give four"),
        ("nan", "Not yet: NaN is among your numbers: something was divided by 0, or inf by inf"),
        ("7/1", "Not yet: divide the weights, not the scores"),
    ):
        odds.locator("input").fill("")
        expect(answer(odds, text)).to_have_text(said)


def test_an_old_verdict_goes_with_the_answer_that_it_was_about(odds):
    expect(answer(odds, "7.389")).not_to_be_empty()
    odds.locator("input").press("Backspace")
    expect(odds.get_by_role("status")).to_be_empty()
    expect(odds).not_to_have_attribute("data-right", "")


def test_an_empty_field_is_asked_for(reopen, server):
    page = reopen(f"{server}/chapters/attention-mechanism.html").page
    form = page.locator("[data-exercise=shift-keys]")
    expect(answer(form, "0", "")).to_have_text("Fill in every field first.")
    expect(form.get_by_label("Largest change of a weight, query moved")).to_be_focused()


PASTE = """(input, text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text", text);
  input.dispatchEvent(
    new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}"""


def test_an_array_is_pasted_whole(reopen, server):
    page = reopen(f"{server}/chapters/attention-mechanism.html").page
    form = page.locator("[data-exercise=all-outputs]")
    right = FORMS["all-outputs"]["right"]
    form.locator("input").first.evaluate(PASTE, json.dumps(right))
    form.get_by_role("button").click()
    expect(form.get_by_role("status")).to_contain_text("✓ Right")
    form.locator("input").first.evaluate(PASTE, json.dumps(right[:5]))
    said = "Not yet: expected an array of shape (6,), got (5,)"
    expect(form.get_by_role("status")).to_have_text(said)


def test_without_scripts_no_field_is_shown_and_the_cell_is(open_page, server):
    page = open_page(f"{server}/chapters/temperature.html", scripts=False).page
    exercise = page.locator("#ex-reads-odds")
    expect(exercise.locator("form")).to_be_hidden()
    expect(exercise.locator(".cell_input")).to_contain_text('check("reads-odds", answer)')
