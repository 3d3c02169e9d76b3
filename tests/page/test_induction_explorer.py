"""The induction explorer in a browser: letters, places, switches, and what Python does."""

import pytest

from attnutils.widgets import InductionExplorer
from tests.conftest import some
from tests.examples.induction_explorer import PARAMS
from tests.page.conftest import from_python, to_python

TEXT = "gbalcegbalce"


def explorer(**options):
    return InductionExplorer(PARAMS, TEXT, **options)


def guesses(page):
    """The line below the letters, and which of it is bold."""
    line = page.locator("svg.heads text:is(.dim, .o)[text-anchor]")
    return "".join(line.all_text_contents())


def field(page):
    return page.get_by_role("textbox", name="Letters, a to t")


def test_it_shows_what_python_computes(show):
    made = explorer(place=8)
    page = show(made)
    assert guesses(page) == made.guesses
    said = page.locator(".headline").inner_text()
    assert said.startswith("Place 8, a: layer 1 looks at l ")
    assert said.endswith(", right. After letters that had come before: 5 of 5 right.")
    shown = page.locator(".headline data").evaluate_all("all => all.map((x) => Number(x.value))")
    assert shown == pytest.approx([made.weights[1, 8].max(), made.probabilities[8].max()])


def test_a_switch_turns_a_head_off(show):
    made = explorer(place=8)
    page = show(made)
    page.get_by_role("checkbox", name="head of layer 0").uncheck()
    to_python(page, made)
    assert made.heads == [0, 1]
    assert guesses(page) == made.guesses
    assert "with layer 0 off" in page.locator(".headline").inner_text()
    page.get_by_role("checkbox", name="head of layer 1").uncheck()
    to_python(page, made)
    assert guesses(page) == made.guesses
    assert "layer 1 is off" in page.locator(".headline").inner_text()
    assert page.locator("svg.heads path").count() == 0


def test_the_reader_types_letters(show):
    made = explorer(place=8)
    page = show(made)
    field(page).fill("Stop That stop")
    to_python(page, made)
    assert made.text == "stopthatstop"
    assert made.place == 31
    assert guesses(page) == made.guesses
    assert field(page).input_value() == "Stop That stop"  # what is typed stays
    assert page.locator(".headline").inner_text().startswith("Place 11, p: ")


def test_what_the_model_does_not_know_is_said_and_the_text_stays(show):
    made = explorer()
    page = show(made)
    alert = page.get_by_role("alert")
    field(page).fill("<b>zoo</b>")
    assert alert.inner_text() == (
        "The model knows the letters a to t. It has never met <, >, z and /; below is still the "
        "text before."
    )
    assert field(page).get_attribute("aria-invalid") == "true"
    assert made.text == TEXT
    assert guesses(page) == made.guesses
    field(page).fill(" ")
    assert alert.inner_text() == "Type a letter, a to t."
    field(page).fill("cat")
    assert alert.inner_text() == ""
    to_python(page, made)
    assert made.text == "cat"


def test_a_right_guess_that_nobody_could_know_is_called_luck(show):
    made = InductionExplorer(PARAMS, "dpmhaktcgsfibdpmh", place=12)
    assert made.guesses[12:16] == "dpmh"  # the first of them after b, which is new
    page = show(made)
    assert ", right by luck." in page.locator(".headline").inner_text()
    assert page.locator("svg.heads text.o").all_text_contents() == ["p", "m", "h"]
    page.get_by_role("slider", name="Place that asks").press("ArrowRight")
    assert ", right. After" in page.locator(".headline").inner_text()


def test_other_letters_repeat(show):
    made = explorer()
    page = show(made)
    page.get_by_role("button", name="Other letters").click()
    to_python(page, made)
    assert len(made.text) == 24
    assert made.text != TEXT
    assert field(page).input_value() == made.text
    assert guesses(page) == made.guesses


def test_a_place_is_chosen_by_slider_and_by_pointer(show):
    made = explorer(place=8)
    page = show(made)
    slider = page.get_by_role("slider", name="Place that asks")
    slider.press("ArrowRight")
    to_python(page, made)
    assert made.place == 9
    assert slider.get_attribute("aria-valuetext").startswith("place 9, l: guess c ")
    box = page.locator("svg.heads").bounding_box()
    page.mouse.click(box["x"] + 2.5 / 33 * box["width"], box["y"] + 150)
    to_python(page, made)
    assert made.place == 2
    page.mouse.click(box["x"] + 30.5 / 33 * box["width"], box["y"] + 150)
    to_python(page, made)
    assert made.place == 11  # the last


def test_python_moves_everything(show):
    made = explorer()
    page = show(made)
    made.text, made.place, made.heads = "abcabcab", 5, [1, 0]
    from_python(page, made, "text", "place", "heads")
    assert field(page).input_value() == "abcabcab"
    assert guesses(page) == made.guesses
    assert not page.get_by_role("checkbox", name="head of layer 1").is_checked()
    assert page.get_by_role("slider", name="Place that asks").input_value() == "5"


@pytest.mark.parametrize("width", some([1280, 390, 320], 320))
def test_all_letters_stay_inside(still, width):
    page = still(InductionExplorer(PARAMS, "m" * 32), width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    frame = page.locator("svg.heads").bounding_box()
    for box in [each.bounding_box() for each in page.locator("svg.heads text").all()]:
        assert box["x"] >= frame["x"] - 1
        assert box["x"] + box["width"] <= frame["x"] + frame["width"] + 1
