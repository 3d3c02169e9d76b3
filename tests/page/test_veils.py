"""What follows a question with a veil is hidden until it is answered, and from nobody else."""

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import some, until
from tests.page.conftest import resize

QUESTIONS = {
    "graph-attention": "Eli, too",
    "multi-head-attention": "Only the one with two heads",
    "temperature": "More than .9",
    "transformer": "The one with shift and mask",
}
SUPPORTED = "'onbeforematch' in document.body"


@pytest.fixture
def open_veiled(go, server):
    """A function that opens a page with a veil, as a reader who never was here."""

    def opened(name: str = "graph-attention", anchor: str = "", **options: object) -> Page:
        page = go(f"{server}/chapters/{name}.html{anchor}", **options).page
        assert page.locator(".veil").count() == 1
        return page

    return opened


def question(page: Page):
    return page.locator(".cell:has(+ .veil-note), .cell:has(+ .veil)").locator(".attn-question")


def choose(page: Page, number: int) -> None:
    question(page).get_by_role("radio").nth(number).check()
    question(page).get_by_role("button", name="Check").click()


def is_hidden(page: Page) -> bool:
    """Whether the veil takes no room; what it hides is found by searching nevertheless."""
    return page.locator(".veil").evaluate("veil => veil.offsetHeight === 0")


@pytest.mark.parametrize("name", some(QUESTIONS, "graph-attention"))
def test_the_right_answer_opens_it(open_veiled, name):
    page = open_veiled(name)
    assert is_hidden(page)
    assert page.locator(".veil").get_attribute("hidden") == "until-found"
    expect(page.locator(".veil-note")).to_contain_text("What follows is hidden")
    labels = question(page).locator("label").all_inner_texts()
    right = labels.index(QUESTIONS[name])
    choose(page, (right + 1) % len(labels))
    assert is_hidden(page)
    choose(page, right)
    assert not is_hidden(page)
    expect(page.locator(".veil-note")).to_have_count(0)


def test_show_me_opens_it(open_veiled):
    page = open_veiled()
    labels = question(page).locator("label").all_inner_texts()
    wrong = next(i for i, text in enumerate(labels) if text != QUESTIONS["graph-attention"])
    choose(page, wrong)
    choose(page, wrong)
    assert is_hidden(page)
    question(page).get_by_role("button", name="Show me").click()
    assert not is_hidden(page)


@pytest.mark.parametrize("name", QUESTIONS)
def test_it_hides_one_screen_at_most(reopen, server, name):
    page = reopen(f"{server}/chapters/{name}.html").page
    # A heading of the contents would lead to nothing.
    assert page.locator(".veil :is(h1, h2, h3)").count() == 0
    page.evaluate("document.querySelector('.veil').removeAttribute('hidden')")
    for width, height in ((1280, 800), (390, 844)):
        resize(page, width)
        assert 50 < page.locator(".veil").evaluate("veil => veil.offsetHeight") <= height


def test_searching_for_words_finds_it(open_veiled):
    # Tests cannot press Ctrl+F; a link to words takes the same way through a page.
    page = open_veiled(anchor="#:~:text=all%20receivers%20rank")
    until(page, "() => document.querySelector('.veil').offsetHeight > 0")
    expect(page.locator(".veil-note")).to_have_count(0)


def test_the_address_of_an_explorer_in_it_opens_it(open_veiled):
    page = open_veiled("temperature", anchor="#width:d=4")
    expect(page.locator("[data-address=width]")).to_be_in_viewport()
    expect(page.locator(".veil-note")).to_have_count(0)


def test_a_link_to_what_it_hides_opens_it(open_veiled):
    page = open_veiled()
    page.evaluate("document.querySelector('.veil p').id = 'inside'")
    page.evaluate("location.hash = 'inside'")
    until(page, "() => document.querySelector('.veil').offsetHeight > 0")
    expect(page.locator(".veil-note")).to_have_count(0)


def test_paper_shows_it(open_veiled):
    page = open_veiled()
    page.emulate_media(media="print")
    assert not is_hidden(page)
    expect(page.locator(".veil p").first).to_be_visible()
    expect(page.locator(".veil-note")).to_be_hidden()


def test_a_reader_without_scripts_sees_it(open_veiled):
    page = open_veiled(scripts=False)
    expect(page.locator(".veil p").first).to_be_visible()
    expect(page.locator(".veil-note")).to_have_count(0)


def test_a_browser_that_finds_nothing_hidden_hides_nothing(open_veiled):
    def forget(page: Page) -> None:
        page.add_init_script(
            "delete HTMLElement.prototype.onbeforematch;delete Element.prototype.onbeforematch"
        )

    page = open_veiled(prepare=forget)
    assert not page.evaluate(SUPPORTED)
    assert not is_hidden(page)
    expect(page.locator(".veil-note")).to_have_count(0)


def lose_the_script(page: Page) -> None:
    page.route("**/answers.js*", lambda route: route.abort())


def lose_the_widgets(page: Page) -> None:
    page.add_init_script("delete window.Blob")


@pytest.mark.parametrize("lose", [lose_the_script, lose_the_widgets])
def test_what_cannot_be_answered_hides_nothing(open_veiled, lose):
    page = open_veiled(prepare=lose)
    until(page, "() => document.querySelector('.veil').offsetHeight > 0")


def test_who_wants_no_veils_turns_them_off_once_for_all(open_veiled, server):
    page = open_veiled()
    note = page.locator(".veil-note").get_by_role("button")
    note.press("Enter")
    assert not is_hidden(page)
    page.goto(f"{server}/chapters/temperature.html")
    assert not is_hidden(page)
    expect(note).to_have_text("Hide answers until I have guessed")
    note.press("Enter")
    assert is_hidden(page)
    page.reload()
    assert is_hidden(page)
