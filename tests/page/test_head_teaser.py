"""The teaser of heads in a browser: a guess, what the head does, another sentence."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from attnutils import HeadTeaser, load_pronoun_heads, load_trained_heads, softmax
from tests.page.conftest import resize, to_python

PAIR = list(load_pronoun_heads().values())[:2]


def three_heads() -> HeadTeaser:
    heads = load_trained_heads()["The cat slept because it was tired"]
    scores = heads.scores[[0, 1, 5], [2, 8, 11], 5]
    return HeadTeaser(heads.tokens, scores, 5, heads=["previous", "next", "pointing"])


FAINT = {0.7}  # every arc that there may be, before a guess


def thick(line) -> list[float]:
    """How thick the arcs of a line are."""
    widths = line.locator("path").evaluate_all(
        "all => all.map((p) => p.getAttribute('stroke-width'))"
    )
    return [float(width) for width in widths]


def test_nothing_is_told_before_a_guess_and_the_head_after_it(slot, numbers):
    live = slot("HeadTeaser", "index")
    line, headline = live.locator(".words"), live.locator(".headline")
    assert headline.inner_text() == (
        "Where does it look in one head of a real model? Press a word."
    )
    assert set(thick(line)) == FAINT
    assert re.search(r"\d", line.inner_text()) is None
    words = live.get_by_role("group", name="Your guess").get_by_role("radio")
    words.nth(7).check()
    np.testing.assert_allclose(
        numbers(line.locator("data")), softmax(PAIR[0].scores[5, 11]), rtol=0, atol=1e-6
    )
    widths = thick(line)
    assert max(widths) == widths[2] > 10
    assert headline.inner_text() == (
        "it looks most at animal: weight 0.635. Your guess, street, gets 0.024."
    )
    # The surprise of the page: the word decides, and the head does not follow.
    live.get_by_role("radio", name="too wide").check()
    assert line.locator("bdi").all_inner_texts()[-3:] == ["too", "wide", "[SEP]"]
    assert headline.inner_text().endswith("? Press a word.")  # another sentence, another guess
    assert set(thick(line)) == FAINT
    words.nth(7).check()
    assert "looks most at animal: weight 0.507. Your guess, street, gets" in headline.inner_text()
    np.testing.assert_allclose(
        numbers(line.locator("data")), softmax(PAIR[1].scores[5, 11]), rtol=0, atol=1e-6
    )
    words.nth(2).check()
    assert headline.inner_text() == "it looks most at animal: weight 0.507, as you guessed."


def test_a_guess_moves_no_word(slot):
    live = slot("HeadTeaser", "index")
    boxes = "all => all.map((e) => e.getBoundingClientRect()).map((r) => [r.left, r.top])"
    before = live.locator(".words bdi").evaluate_all(boxes)
    height = live.bounding_box()["height"]
    live.get_by_role("radio").nth(2).check()
    assert live.locator(".words bdi").evaluate_all(boxes) == before
    lines = live.locator(".words label > span").evaluate_all(
        "all => all.map((e) => getComputedStyle(e).borderBottomColor !== 'rgba(0, 0, 0, 0)')"
    )
    assert [i for i, has_line in enumerate(lines) if has_line] == [2]  # the guess is marked
    assert live.bounding_box()["height"] == height


# Where the ends of each arc are off the middle of its word, in px across.
ENDS = """(line) => {
  const own = line.getBoundingClientRect();
  const spans = [...line.querySelectorAll(".words label > span, .words > span")];
  return [...line.querySelectorAll("path")].map((path, j) => {
    const end = path.getPointAtLength(path.getTotalLength());
    const { left, width, top, bottom } = spans[j].getBoundingClientRect();
    return [Math.abs(own.left + end.x - left - width / 2),
      Math.min(...[top, bottom].map((edge) => Math.abs(own.top + end.y - edge)))];
  });
}"""


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_arcs_end_at_their_words_when_lines_break(reopen, widget_page, width):
    page = reopen(widget_page(three_heads())).page
    page.get_by_role("radio").nth(2).check()
    resize(page, width)
    assert page.locator(".words").count() == 3
    for line in page.locator(".words").all():
        ends = line.evaluate(f"line => ({ENDS})(line)")
        assert max(across for across, _ in ends) < 6  # of a loop: beside the middle
        assert max(down for _, down in ends) < 1.5


def test_several_heads_are_told_together(show):
    teaser = three_heads()
    page = show(teaser)
    assert (
        page.locator(".headline").inner_text() == "Where do three heads look from it? Press a word."
    )
    page.get_by_role("radio").nth(0).check()
    assert page.locator(".headline").inner_text() == (
        "it looks most at: because 1.000 (previous); was 0.745 (next); cat 0.690 (pointing)."
    )
    to_python(page, teaser)
    assert teaser.guess == 0


def test_traits_set_from_outside_move_the_widget(show):
    names = ("tired", "wide")
    tokens = {name: heads.tokens for name, heads in zip(names, PAIR, strict=True)}
    scores = {name: heads.scores[5, [11]] for name, heads in zip(names, PAIR, strict=True)}
    page = show(HeadTeaser(tokens, scores, PAIR[0].asks, heads=["a head"]))
    page.evaluate("kernel('sentence', 'wide')")
    assert "wide" in page.locator(".words").inner_text()
    page.evaluate("kernel('guess', 2)")
    expect(page.get_by_role("radio").nth(2)).to_be_checked()
    page.evaluate("kernel('guess', -1)")
    expect(
        page.get_by_role("group", name="Your guess").get_by_role("radio", checked=True)
    ).to_have_count(0)
    assert set(thick(page.locator(".words"))) == FAINT
