"""What was answered right is kept on the reader's machine, shown, exported, forgotten, undone."""

import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.conftest import some
from tests.page.test_answers import answer
from tests.page.test_veils import choose, is_hidden, question
from tests.page.test_without import BLOCKED

KEY = "temperature/reads-odds"


@pytest.fixture
def temperature(reopen, server):
    """A page of a reader who never was here."""
    return reopen(f"{server}/chapters/temperature.html").page


def odds(page: Page) -> Locator:
    return page.locator("[data-exercise=reads-odds]")


def is_marked(page: Page) -> bool:
    """Whether the title of the exercise has its mark."""
    title = page.locator("#ex-reads-odds > .admonition-title")
    return "✓" in title.evaluate("title => getComputedStyle(title, '::after').content")


def kept(page: Page) -> dict[str, str]:
    return page.evaluate("({ ...localStorage })")


def test_nothing_is_shown_or_kept_before_an_answer(temperature):
    assert kept(temperature) == {}
    expect(temperature.locator(".progress")).to_be_hidden()
    expect(temperature.locator(".done")).to_have_count(0)
    answer(odds(temperature), "3")
    assert kept(temperature) == {}


def test_a_right_answer_is_kept_for_the_next_visit_and_shown_on_every_page(temperature, server):
    answer(odds(temperature), "7.389")
    assert kept(temperature) == {"/answered": json.dumps([KEY])}
    odds(temperature).locator("input").fill("5")
    assert is_marked(temperature)  # it was right once
    temperature.reload()
    assert is_marked(temperature)
    for page in ("index", "training"):
        temperature.goto(f"{server}/chapters/{page}.html")
        link = temperature.locator(".book nav a", has_text="Temperature")
        expect(link.locator(".done")).to_have_text("✓ 1")
        expect(temperature.locator(".progress")).to_contain_text("1 answered right")
    temperature.goto(f"{server}/chapters/index.html")
    expect(temperature.locator(".pagemap a .done")).to_have_text("✓ 1")


def test_the_book_has_its_own_name_for_it(book, open_page):
    page = open_page((book / "chapters" / "temperature.html").as_uri()).page
    answer(odds(page), "7.389")
    assert list(kept(page)) == [f"{urlsplit(book.as_uri()).path}/answered"]


def test_a_question_counts_when_answered_and_not_when_shown(reopen, server):
    page = reopen(f"{server}/chapters/graph-attention.html").page
    labels = question(page).locator("label").all_inner_texts()
    right = labels.index("Eli, too")
    for _ in range(2):
        choose(page, (right + 1) % len(labels))
    question(page).get_by_role("button", name="Show me").click()
    assert kept(page) == {}
    page.reload()
    choose(page, right)
    (key,) = json.loads(kept(page)["/answered"])
    assert key.startswith("graph-attention/")
    page.reload()
    assert not is_hidden(page)
    slot = page.locator(f"[data-answer='{key}']")
    expect(slot).to_have_attribute("data-done", "")


def test_it_is_exported_and_forgotten_on_a_press(temperature):
    answer(odds(temperature), "7.389")
    with temperature.expect_download() as download:
        temperature.get_by_role("button", name="Export").press("Enter")
    exported = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert exported["answered"] == [KEY]
    temperature.get_by_role("button", name="Forget").press("Enter")
    assert kept(temperature) == {}
    expect(temperature.locator(".done")).to_have_count(0)
    expect(temperature.locator(".progress")).to_contain_text("Forgotten")
    temperature.reload()
    assert not is_marked(temperature)
    expect(temperature.locator(".progress")).to_be_hidden()


def test_what_was_forgotten_comes_back_on_a_press_until_the_page_is_left(temperature):
    forget, undo = (temperature.get_by_role("button", name=name) for name in ("Forget", "Undo"))
    answer(odds(temperature), "7.389")
    theirs = {"/other/answered": "[]", "/code temperature gone 1": "x = 1"}
    temperature.evaluate("all => Object.assign(localStorage, all)", theirs)
    before = kept(temperature)
    forget.press("Enter")
    assert kept(temperature) == {"/other/answered": "[]"}
    expect(undo).to_be_focused()
    undo.press("Enter")
    assert kept(temperature) == before
    assert is_marked(temperature)
    expect(forget).to_be_focused()
    expect(undo).to_be_hidden()
    # Twice, and with an answer between: nothing is lost of either.
    forget.press("Enter")
    answer(temperature.locator("[data-exercise=output-slope]"), "0.0737")
    forget.press("Enter")
    assert kept(temperature) == {"/other/answered": "[]"}
    undo.press("Enter")
    assert len(json.loads(kept(temperature)["/answered"])) == 2
    assert kept(temperature)["/code temperature gone 1"] == "x = 1"
    forget.press("Enter")
    temperature.reload()
    expect(temperature.locator(".progress")).to_be_hidden()


def test_two_tabs_agree(open_page, server):
    temperature = open_page(f"{server}/chapters/temperature.html").page
    other = temperature.context.new_page()
    other.goto(temperature.url)
    answer(odds(temperature), "7.389")
    expect(other.locator(".progress")).to_contain_text("1 answered right")
    answer(other.locator("[data-exercise=output-slope]"), "0.0737")
    expect(temperature.locator(".progress")).to_contain_text("2 answered right")
    assert len(json.loads(kept(temperature)["/answered"])) == 2


HOSTILE = ["null", "7", "{", '{"a": 1}', '[[1], null, {"x": 2}]', '["temperature/none"]']


@pytest.mark.parametrize("text", some(HOSTILE, *HOSTILE[::3]))
def test_what_is_kept_may_be_anything(open_page, server, text):
    visit = open_page("about:blank")
    visit.page.add_init_script(f"localStorage.setItem('/answered', {json.dumps(text)})")
    visit.open(f"{server}/chapters/temperature.html")
    answer(odds(visit.page), "7.389")
    assert KEY in json.loads(kept(visit.page)["/answered"])
    assert not visit.problems


FULL = "Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); }"


@pytest.mark.parametrize("script", some([BLOCKED, FULL], FULL))
def test_storage_that_is_refused_or_full_does_no_harm(open_page, server, script):
    address = f"{server}/chapters/temperature.html"
    visit = open_page(address, prepare=lambda page: page.add_init_script(script))
    answer(odds(visit.page), "7.389")
    assert is_marked(visit.page)
    expect(visit.page.locator(".progress")).to_contain_text("1 answered right")
    assert not visit.problems
