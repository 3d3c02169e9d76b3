"""The drawing of the transformer in a browser: each place, its numbers, keys, and Python."""

import numpy as np
import pytest

from tests.conftest import some
from tests.examples.architecture_explorer import trained
from tests.page.conftest import from_python, to_python


def check(page, explorer):
    """The numbers of the place are those in Python, and the headline has its shape."""
    shown = page.locator(".arrays td data").evaluate_all(
        "all => all.map((item) => Number(item.value))"
    )
    np.testing.assert_allclose(np.reshape(shown, explorer.array.shape), explorer.array, atol=1e-12)
    said = page.locator(".headline").inner_text()
    assert said.startswith(f"{explorer.place}: (")
    assert said.endswith(f"= {explorer.array.shape}.")


def test_a_press_on_each_place_shows_its_array(show):
    explorer = trained()
    page = show(explorer)
    labels = page.locator(".choice label")
    assert labels.count() == 21
    for at in range(21):
        labels.nth(at).click()
        to_python(page, explorer)
        assert explorer.at == at
        check(page, explorer)


def test_keys_and_buttons_follow_the_arrows(show):
    explorer = trained()
    page = show(explorer)
    page.get_by_role("radio", checked=True).focus()
    page.keyboard.press("ArrowDown")
    to_python(page, explorer)
    assert explorer.place == "Encoder, positions"
    page.get_by_role("button", name="Next").press("Enter")
    to_python(page, explorer)
    assert explorer.place == "Encoder, self-attention, weights"
    for _ in range(3):
        page.get_by_role("button", name="Back").click()
    to_python(page, explorer)
    assert explorer.place == "Softmax"  # round the end
    check(page, explorer)


def test_python_moves_it_and_masked_weights_are_hatched(show):
    explorer = trained(at=20)
    page = show(explorer)
    explorer.at = 10
    from_python(page, explorer, "at")
    check(page, explorer)
    assert page.locator(".arrays table").count() == 2
    assert page.locator(".arrays .masked").count() == 2 * 10
    assert page.locator(".code").inner_text().endswith("is_causal=True)")


@pytest.mark.parametrize("width", some([1280, 390, 320], 320))
def test_every_array_fits_and_places_are_large_enough(still, width):
    page = still(trained(at=20), width)
    sizes = page.locator(".choice label").evaluate_all(
        "all => all.map((e) => e.getBoundingClientRect()).map((r) => Math.min(r.width, r.height))"
    )
    assert min(sizes) >= (24 if width >= 390 else 21)
    for at in (2, 5, 19, 20):
        page.locator(".choice label").nth(at).click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        spilt = page.locator(".arrays td").evaluate_all(
            "all => all.filter((e) => e.scrollWidth > e.clientWidth + 1).length"
        )
        assert spilt == 0, at
