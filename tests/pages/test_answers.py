"""Exercises answered in their fields, answers under a veil, and the progress that is kept."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from attnbook.exercises import all_exercises
from tests.conftest import until

KEY = "temperature/reads-odds"


def answer(form: Locator, *texts: str) -> Locator:
    """Type into the fields, or tick them, and press Enter; return what is said."""
    keyboard, fields = form.page.keyboard, form.locator("input")
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


def odds(page: Page) -> Locator:
    return page.locator("[data-exercise=reads-odds]")


def is_marked(page: Page) -> bool:
    """Whether the title of that exercise has its mark."""
    title = page.locator("#ex-reads-odds > .admonition-title")
    return "✓" in title.evaluate("title => getComputedStyle(title, '::after').content")


def kept(page: Page) -> dict[str, str]:
    return page.evaluate("({ ...localStorage })")


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_right_answers_and_slips_by_keyboard(scheme, reopen, server, book):
    """On two pages that have every kind of field, one of them from a folder."""
    root, name = (server, "language-model") if scheme == "http" else (book.as_uri(), "training")
    visit = reopen(f"{root}/chapters/{name}.html")
    forms = visit.page.locator("form.exercise-fields")
    assert forms.count() > 1
    for form in forms.all():
        exercise = all_exercises()[form.get_attribute("data-exercise")].form()
        hints = {f"Not yet: {hint}" for _, hint in exercise["wrong"]}
        slips = [slip for slip, _ in exercise["wrong"] if len(slip) == len(exercise["right"])]
        for slip in slips[:1]:
            assert answer(form, *written(slip)).inner_text() in hints
        note = f": {exercise['note']}" if exercise["note"] else ""
        expect(answer(form, *written(exercise["right"]))).to_have_text(f"✓ Right{note}")
    assert visit.problems == []


def test_an_empty_field_is_asked_for(reopen, server):
    page = reopen(f"{server}/chapters/attention-mechanism.html").page
    form = page.locator("[data-exercise=all-outputs]")
    expect(answer(form, "0", *[""] * 5)).to_have_text("Fill in every field first.")
    expect(form.get_by_label("Output for each query, Sleepy")).to_be_focused()


def question(page: Page) -> Locator:
    return page.locator(".cell:has(+ .veil-note), .cell:has(+ .veil)").locator(".attn-question")


def choose(page: Page, *, right: bool) -> None:
    """Choose the right or a wrong answer of the question above the veil."""
    labels = question(page).locator("label").all_inner_texts()
    number = (labels.index("Eli, too") + (not right)) % len(labels)
    question(page).get_by_role("radio").nth(number).check()
    question(page).get_by_role("button", name="Check").click()


def is_hidden(page: Page) -> bool:
    """Whether the veil takes no room; what it hides is found by searching nevertheless."""
    return page.locator(".veil").first.evaluate("veil => veil.offsetHeight === 0")


def test_a_veil_opens_and_counts_for_the_right_answer_and_only_opens_when_shown(reopen, server):
    page = reopen(f"{server}/chapters/graph-attention.html").page
    assert page.locator(".veil").get_attribute("hidden") == "until-found"
    expect(page.locator(".veil-note")).to_contain_text("What follows is hidden")
    choose(page, right=False)
    choose(page, right=False)
    assert is_hidden(page)
    question(page).get_by_role("button", name="Show me").click()
    assert not is_hidden(page)
    expect(page.locator(".veil-note")).to_have_count(0)
    assert not [name for name in kept(page) if "answered" in name or "given" in name]
    page.reload()
    assert is_hidden(page)
    choose(page, right=True)
    assert not is_hidden(page)
    (key,) = json.loads(kept(page)["/answered"])
    page.reload()
    assert not is_hidden(page)
    expect(page.locator(f"[data-answer='{key}']")).to_have_attribute("data-done", "")


@pytest.mark.parametrize(
    ("name", "anchor"),
    [("temperature", "#width:d=4"), ("graph-attention", "#:~:text=all%20receivers%20rank")],
)
def test_what_leads_into_a_veil_opens_it(reopen, server, name, anchor):
    """The address of an explorer; words, on the way that the browser's own search takes."""
    page = reopen(f"{server}/chapters/{name}.html{anchor}").page
    until(page, "() => [...document.querySelectorAll('.veil')].some((v) => v.offsetHeight > 0)")
    assert page.locator(".veil-note").count() == page.locator(".veil").count() - 1


NO_SEARCH = "delete HTMLElement.prototype.onbeforematch; delete Element.prototype.onbeforematch"


@pytest.mark.parametrize("lost", ["**/answers.js*", "delete window.Blob", NO_SEARCH])
def test_a_veil_that_nothing_could_open_hides_nothing(open_page: Callable, server, lost):
    def lose(page: Page) -> None:
        if lost.startswith("delete"):
            page.add_init_script(lost)
        else:
            page.route(lost, lambda route: route.abort())

    page = open_page(f"{server}/chapters/graph-attention.html", prepare=lose).page
    until(page, "() => document.querySelector('.veil').offsetHeight > 0")


def test_who_wants_no_veils_turns_them_off_once_for_all(reopen, server):
    page = reopen(f"{server}/chapters/graph-attention.html").page
    note = page.locator(".veil-note").get_by_role("button").first
    note.press("Enter")
    page.goto(f"{server}/chapters/temperature.html")
    assert not is_hidden(page)
    expect(note).to_have_text("Hide answers until I have guessed")
    note.press("Enter")
    expect(page.locator(".veil:not([hidden])")).to_have_count(0)  # one press, all veils
    page.reload()
    assert is_hidden(page)


def test_a_right_answer_is_kept_and_shown_on_every_page_and_nothing_before(reopen, server):
    page = reopen(f"{server}/chapters/temperature.html").page
    expect(page.locator(".progress")).to_be_hidden()
    answer(odds(page), "3")
    assert kept(page) == {}
    answer(odds(page), "7.389")
    assert kept(page)["/answered"] == json.dumps([KEY])
    odds(page).locator("input").fill("5")
    assert is_marked(page)  # it was right once
    page.reload()
    assert is_marked(page)
    page.goto(f"{server}/chapters/index.html")
    for where in (".book nav", ".pagemap"):
        link = page.locator(f"{where} a", has_text="Temperature")
        expect(link.locator(".done")).to_have_text("✓ 1")
    expect(page.locator(".progress")).to_contain_text("1 answered right")
    page.evaluate("localStorage['/answered'] = JSON.stringify(['finish-line/finish-line'])")
    page.goto(f"{server}/chapters/finish-line.html")
    until(page, "() => document.querySelector('[data-answer$=finish-line][data-done]')")
    ink = "mark => getComputedStyle(mark).stroke === getComputedStyle(mark.parentElement).color"
    assert page.locator(".finished").evaluate(ink)  # the layer stands


def test_it_is_exported_forgotten_and_brought_back_and_another_book_keeps_its_own(reopen, server):
    page = reopen(f"{server}/chapters/temperature.html").page
    export, forget, undo = (
        page.get_by_role("button", name=name) for name in ("Export", "Forget", "Undo")
    )
    theirs = {"/other/answered": "[]"}
    page.evaluate("all => Object.assign(localStorage, all)", theirs)
    page.evaluate("localStorage['/answered'] = JSON.stringify(['width/one'])")  # by another tab
    answer(odds(page), "7.389")
    before = kept(page)
    with page.expect_download() as download:
        export.press("Enter")
    exported = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert exported["answered"] == [KEY, "width/one"]
    forget.press("Enter")
    assert kept(page) == theirs
    expect(page.locator(".done")).to_have_count(0)
    expect(undo).to_be_focused()
    undo.press("Enter")
    assert kept(page) == before
    assert is_marked(page)
    forget.press("Enter")
    page.reload()
    assert not is_marked(page)
    expect(page.locator(".progress")).to_be_hidden()
