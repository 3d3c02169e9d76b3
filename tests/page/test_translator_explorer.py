"""The translator explorer in a browser: steps, sentences, translators, and what Python does."""

import numpy as np
import pytest
from playwright.sync_api import expect

from attnutils.translation import FRENCH
from tests.conftest import some
from tests.examples.translator_explorer import made
from tests.page.conftest import from_python, to_python

# French words that no element says are French, and what is said to be French.
LANGUAGES = """(words) => {
  const [plain, marked] = [[], []];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const parent = node.parentElement;
    if (parent.closest("script, style")) continue;
    if (parent.closest("[lang=fr]")) marked.push(node.data);
    else plain.push(...node.data.match(/\\p{L}+/gu)?.filter((word) => words.includes(word)) ?? []);
  }
  return [plain, marked];
}"""


def values(items):
    return items.evaluate_all("all => all.map((item) => Number(item.value))")


def check(page, explorer):
    """Weights, context, the next word and what is written, as they are in Python."""
    shown = values(page.locator(".keys li:not([hidden]) data"))
    if explorer.weights is None:
        assert not any(shown)
        assert page.locator(".alone").is_visible()
    else:
        np.testing.assert_allclose(shown, explorer.weights, rtol=0, atol=1e-12)
        parts = page.locator(".mixture span").evaluate_all(
            "all => all.map((e) => +e.style.flexGrow)"
        )
        np.testing.assert_allclose(parts[: len(shown)], explorer.weights, rtol=0, atol=1e-6)
        assert not any(parts[len(shown) :])
    first = page.locator("tbody tr").first
    assert first.locator("th").inner_text() == explorer.word
    chance = float(first.locator("data").get_attribute("value"))
    assert chance == pytest.approx(explorer.probabilities.max(), abs=1e-12)
    assert page.locator(".written .now").inner_text() == explorer.word
    plain, marked = page.evaluate(LANGUAGES, FRENCH)
    assert plain == []
    assert explorer.word in marked
    assert set(marked) <= {*FRENCH, "·"}


def test_next_leads_through_a_translation_and_starts_again(show):
    explorer = made()
    page = show(explorer)
    assert page.get_by_role("button", name="Back").is_disabled()
    for step in range(7):
        to_python(page, explorer)
        assert explorer.step == step
        check(page, explorer)
        page.locator(".acts button").last.press("Enter")
    to_python(page, explorer)
    assert explorer.step == 0
    assert page.locator(".written li:not([hidden]):not(.open)").all_inner_texts() == ["le"]


def test_a_sentence_starts_at_its_first_word(show):
    explorer = made(step=4)
    page = show(explorer)
    page.get_by_role("combobox", name="Sentence").select_option("1")
    to_python(page, explorer)
    assert (explorer.sentence, explorer.step) == (1, 0)
    check(page, explorer)
    page.get_by_role("slider", name="Step").fill("9")
    to_python(page, explorer)
    assert explorer.step == 9
    check(page, explorer)


def test_a_wrong_word_is_named_and_struck_out(show):
    explorer = made(translator=1, sentence=1)
    wrong = []
    page = show(explorer)
    for step in range(len(explorer.written[1][1])):
        page.get_by_role("slider", name="Step").fill(str(step))
        to_python(page, explorer)
        check(page, explorer)
        if explorer.word != explorer.right_word:
            wrong.append(explorer.word)
            right = explorer.right_word or "over"
            assert f", wrong (it is {right})" in page.locator(".headline").inner_text()
    assert wrong
    assert page.locator(".written .wrong").all_inner_texts() == wrong
    # What is spoken once the hand rests has its languages, too.
    expect(page.locator("[role=status] [lang=fr]").first).to_be_attached()


def test_python_moves_everything(show):
    explorer = made()
    page = show(explorer)
    explorer.translator, explorer.sentence, explorer.step = 1, 1, 5
    from_python(page, explorer, "translator", "sentence", "step")
    check(page, explorer)
    assert page.get_by_role("radio", name="last state").is_checked()
    page.get_by_role("radio", name="attention").check()
    to_python(page, explorer)
    assert explorer.translator == 0
    check(page, explorer)


@pytest.mark.parametrize("width", some([1280, 390, 320], 320))
def test_a_long_sentence_wraps(still, width):
    page = still(made(sentence=1, step=3), width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
