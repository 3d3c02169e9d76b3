"""The writing explorer in a browser: text that grows, bars, switches, and text that attacks."""

import re

import numpy as np
import pytest

from attnutils.widgets import WritingExplorer
from attnutils.widgets.writing_explorer import MOST_TEXT
from tests.conftest import some, until
from tests.examples._texts import IMAGE
from tests.examples.writing_explorer import MODELS
from tests.page.conftest import from_python, slider, to_python

TEXT = "The Queen "


@pytest.fixture
def explorer():
    return WritingExplorer(MODELS, TEXT)


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def paper(page):
    return page.get_by_role("textbox", name="Your text")


def check_bars(page, explorer):
    """Compare the ten bars with attnutils, character by character."""
    shares = explorer.probabilities
    got = page.locator("tbody data").evaluate_all("all => all.map((x) => Number(x.value))")
    names = page.locator("tbody button").evaluate_all("all => all.map((x) => x.value)")
    order = [explorer.alphabet.index(name) for name in names]
    assert len(order) == 10
    np.testing.assert_allclose(got, shares[order], rtol=0, atol=1e-6)
    logits = explorer.logits
    assert logits[order].tolist() == sorted(logits.tolist(), reverse=True)[:10]


def test_bars_follow_every_control(show, explorer):
    page = show(explorer)
    check_bars(page, explorer)
    steps = [
        lambda: paper(page).fill("Off with "),
        lambda: slider(page).fill("40"),
        lambda: page.get_by_role("checkbox", name="block 0, head 3").uncheck(),
        lambda: page.get_by_role("checkbox", name="block 1, head 0").uncheck(),
        lambda: page.get_by_role("checkbox", name="causal mask").uncheck(),
        lambda: page.get_by_role("combobox", name="Trained").select_option("unmasked"),
        lambda: page.get_by_role("slider", name="Characters it reads").fill("4"),
        lambda: slider(page).fill("100"),
        lambda: slider(page).fill("0"),
    ]
    for step in steps:
        step()
        assert to_python(page, explorer) == 1
        check_bars(page, explorer)
    assert explorer.heads == [1, 1, 1, 0, 0, 1, 1, 1]
    assert (explorer.text, explorer.mask, explorer.context) == ("Off with ", False, 4)


def test_it_goes_on_as_attnutils_does_until_it_is_stopped(show, explorer):
    page = show(explorer)
    press(page, "Go on")
    until(page, "() => document.querySelector('textarea').value.length >= 30")
    press(page, "Stop")
    text = paper(page).input_value()
    wanted = WritingExplorer(MODELS, TEXT)
    wanted.go_on(len(text) - len(TEXT))
    assert text == wanted.text
    press(page, "One character")
    wanted.go_on()
    assert paper(page).input_value() == wanted.text
    to_python(page, explorer)
    assert explorer.text == wanted.text
    press(page, "Start again")
    assert paper(page).input_value() == TEXT


def test_another_seed_writes_something_else(show, explorer):
    page = show(explorer)
    press(page, "Another seed")
    to_python(page, explorer)
    assert explorer.seed == 1
    for _ in range(12):
        press(page, "One character")
    wanted = WritingExplorer(MODELS, TEXT, seed=1)
    wanted.go_on(12)
    assert paper(page).input_value() == wanted.text


def test_typing_stops_it(show, explorer):
    page = show(explorer)
    press(page, "Go on")
    paper(page).fill("Alice")
    assert page.get_by_role("button", name="Go on").count() == 1
    assert paper(page).input_value() == "Alice"


def test_a_bar_writes_its_character(show, explorer):
    page = show(explorer)
    first = page.locator("tbody button").first
    letter = first.get_attribute("value")
    first.press("Enter")
    assert paper(page).input_value() == TEXT + letter


def test_the_cache_serves_while_the_text_grows(show, explorer):
    page = show(explorer)
    headline = page.locator(".headline")
    assert "Read: 11 characters, all computed now." in headline.inner_text()
    press(page, "One character")
    assert "Read: 12 characters, of them 1 now" in headline.inner_text()
    page.get_by_role("checkbox", name="causal mask").uncheck()
    press(page, "One character")
    assert "Read: 13 characters, all computed now." in headline.inner_text()
    page.get_by_role("checkbox", name="causal mask").check()
    paper(page).fill("x" * 100)
    press(page, "One character")
    assert "Read: 64 characters, all computed now." in headline.inner_text()


def test_a_full_paper_takes_no_more(show):
    explorer = WritingExplorer(MODELS, "x" * (MOST_TEXT - 1))
    page = show(explorer)
    press(page, "Go on")
    page.get_by_text("The paper is full.").wait_for()
    assert page.get_by_role("button", name="Go on").count() == 1
    press(page, "One character")
    page.locator("tbody button").first.click()
    assert len(paper(page).input_value()) == MOST_TEXT


def test_hostile_text_is_text(show, explorer):
    page = show(explorer)
    text = f"{IMAGE}</textarea><b>é😀"
    paper(page).fill(text)
    assert paper(page).input_value() == text
    assert page.locator("img, .attn-writing textarea b").count() == 0
    note = page.locator(".note").inner_text()
    assert note == "No character of the book: < = 1 > / é 😀. The model reads a blank there."
    to_python(page, explorer)
    assert explorer.text == text
    check_bars(page, explorer)
    press(page, "One character")
    explorer.go_on()
    assert paper(page).input_value() == explorer.text


def test_python_writes_on_the_paper(show, explorer):
    page = show(explorer)
    explorer.text, explorer.heads, explorer.model = "Said ", [0] * 8, "unmasked"
    from_python(page, explorer, "text", "heads", "model")
    assert paper(page).input_value() == "Said "
    assert page.get_by_role("checkbox", checked=True).count() == 1  # the mask
    check_bars(page, explorer)


@pytest.mark.parametrize("where", some(["http", "folder", "embed"], "http", "folder"))
def test_the_parameters_lie_beside_the_page(book, server, open_page, where):
    root = book.as_uri() if where == "folder" else server
    path = "embed/language-model-writing" if where == "embed" else "chapters/language-model"
    visit = open_page(f"{root}/{path}.html")
    visit.page.wait_for_selector("[data-widget=WritingExplorer][data-state=live]")
    files = [name for name in visit.requests if re.search(r"/buffer-\w{8}\.js$", name)]
    assert len(files) == 1
    text = paper(visit.page).input_value()
    press(visit.page, "One character")
    assert len(paper(visit.page).input_value()) == len(text) + 1
    html = (book / f"{path}.html").read_text(encoding="utf-8")
    assert len(html) < 1_000_000
    assert not re.search(r'"data":"[^"]{50000}', html)
