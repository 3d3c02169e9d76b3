"""The mark of the finish line: drawn in ink once the layer was found right."""

import json

from playwright.sync_api import Page

KEY = "graph-attention/finish-line"


def ink(page: Page) -> bool:
    """Whether the mark has the colour of the text."""
    return page.locator(".finished").evaluate(
        "mark => getComputedStyle(mark).stroke === getComputedStyle(mark.parentElement).color"
    )


def test_the_mark_is_drawn_when_the_layer_is_right(reopen, server):
    address = f"{server}/chapters/graph-attention.html"
    page = reopen(address).page
    assert not ink(page)
    page.evaluate(f"localStorage.setItem('/answered', {json.dumps(json.dumps([KEY]))})")
    page.reload()
    page.locator(f"[data-answer='{KEY}'][data-done]").wait_for()
    assert ink(page)


def test_another_exercise_does_not_draw_it(reopen, server):
    page = reopen(f"{server}/chapters/graph-attention.html").page
    other = json.dumps(json.dumps(["graph-attention/hides-two-bugs"]))
    page.evaluate(f"localStorage.setItem('/answered', {other})")
    page.reload()
    page.locator("form[data-answer='graph-attention/hides-two-bugs'][data-done]").wait_for()
    assert not ink(page)
