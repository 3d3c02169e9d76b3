"""The binding explorer in a browser: questions, things, heads, and what Python does."""

import numpy as np
import pytest

from tests.conftest import some
from tests.examples.binding_explorer import trained
from tests.page.conftest import from_python, to_python


def slider(page):
    return page.get_by_role("slider", name="Heads H")


def values(items):
    return items.evaluate_all("all => all.map((item) => Number(item.value))")


def check(page, explorer):
    """The weights and what was found, as they are in Python."""
    rows = page.locator(".grid tbody tr:not([hidden]):not(.whole)")
    assert rows.count() == explorer.n_heads
    weights = np.reshape(values(rows.locator("td:not(.x) data")), explorer.weights.shape)
    np.testing.assert_allclose(weights, explorer.weights, rtol=0, atol=1e-12)
    found = values(page.locator(".whole td.x data"))
    np.testing.assert_allclose(found, explorer.found, rtol=0, atol=1e-12)


def test_one_head_mixes_and_two_tell_apart(show):
    explorer = trained()
    page = show(explorer)
    headline = page.locator(".headline")
    assert headline.inner_text().startswith("One head. red: ")
    assert "wrong (it is" in headline.inner_text()
    check(page, explorer)
    for place, n_heads in enumerate([1, 2, 4, 8]):
        slider(page).fill(str(place))
        to_python(page, explorer)
        assert explorer.n_heads == n_heads
        check(page, explorer)
        bold = page.locator(".shares tr.right th").inner_text()
        assert bold == f"{n_heads} head{'s' if n_heads > 1 else ''}"
        assert values(page.locator(".shares data")) == [explorer.shares[place]]
    slider(page).fill("1")
    said = headline.inner_text()
    assert said.startswith("Two heads. red: cup ")
    assert said.count(", right") == 2


def test_the_reader_asks_and_changes_things(show):
    explorer = trained(n_heads=2)
    page = show(explorer)
    page.get_by_role("group", name="First colour").get_by_role("radio", name="green").check()
    page.get_by_role("group", name="Second colour").get_by_role("radio", name="gold").check()
    page.get_by_role("combobox", name="the gold thing").select_option("jar")
    to_python(page, explorer)
    assert (explorer.first, explorer.second, explorer.item_things[5]) == (2, 5, 11)
    check(page, explorer)
    assert explorer.answers == ["key", "jar"]
    assert page.locator(".results tr.right th").all_inner_texts()[:2] == ["key ✓", "jar ✓"]
    page.get_by_role("button", name="Swap the two").press("Enter")
    to_python(page, explorer)
    assert explorer.answers == ["jar", "key"]


def test_the_two_colours_of_a_question_differ(show):
    explorer = trained(n_heads=2)
    page = show(explorer)
    page.get_by_role("group", name="First colour").get_by_role("radio", name="pink").check()
    to_python(page, explorer)
    assert (explorer.first, explorer.second) == (3, 0)
    page.get_by_role("group", name="Second colour").get_by_role("radio", name="pink").check()
    to_python(page, explorer)
    assert (explorer.first, explorer.second) == (0, 3)


def test_python_moves_everything(show):
    explorer = trained()
    page = show(explorer)
    explorer.n_heads, explorer.first, explorer.second = 8, 4, 0
    explorer.item_things = [11, 1, 2, 3, 7, 1]
    from_python(page, explorer, "n_heads", "first", "second", "item_things")
    check(page, explorer)
    assert page.get_by_role("combobox", name="the grey thing").input_value() == "7"
    assert (
        page.get_by_role("group", name="First colour")
        .get_by_role("radio", name="grey")
        .is_checked()
    )


@pytest.mark.parametrize("width", some([1280, 390, 320], 320))
def test_what_heads_find_stands_in_columns_of_their_own(still, width):
    page = still(trained(n_heads=2), width)
    boxes = "all => all.map((e) => e.getBoundingClientRect()).map((r) => [r.left, r.right])"
    whole = page.locator(".whole td.x").evaluate_all(boxes)
    for row in page.locator(".grid tbody tr:not([hidden]):not(.whole)").all():
        np.testing.assert_allclose(row.locator("td.x").evaluate_all(boxes), whole, atol=1)
    filled = (
        page.locator(".grid tbody tr:not(.whole)")
        .first.locator("td.x")
        .evaluate_all("all => all.map((cell) => cell.style.background !== '')")
    )
    assert filled == [True] * 4 + [False] * 4
    assert page.evaluate("document.documentElement.scrollWidth") <= width
