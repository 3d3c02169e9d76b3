"""Links between a widget and an ordinary slider of ipywidgets, and between two views."""

import pytest
from playwright.sync_api import expect

LINKED = """
w = explore()
other = ipywidgets.FloatSlider(value=1, min=0, max=10, step=0.1)
link = ipywidgets.{link}((w, "temperature"), (other, "value"))
ipywidgets.VBox([w, other])
"""


@pytest.fixture(params=["link", "jslink"])
def linked(request, notebook):
    """A notebook with an explorer, its view, and a FloatSlider linked to it."""
    return notebook, notebook.show(LINKED.format(link=request.param))


def readout(notebook):
    return notebook.page.locator(".widget-readout")


def test_the_explorer_moves_the_other(linked):
    notebook, view = linked
    view.get_by_role("slider").press("ArrowRight")
    expect(readout(notebook)).to_have_text("1.10")
    notebook.waits_for("w.temperature, other.value", "(1.1, 1.1)")


def test_the_other_moves_the_explorer(linked):
    notebook, view = linked
    readout(notebook).click()
    notebook.page.keyboard.press("Control+a")
    notebook.page.keyboard.type("2.5")
    notebook.page.keyboard.press("Enter")
    expect(view.locator("output")).to_have_text("2.5")
    notebook.waits_for("w.temperature, other.value", "(2.5, 2.5)")


def test_python_moves_both(linked):
    notebook, view = linked
    notebook.run("w.temperature = 0.2")
    expect(readout(notebook)).to_have_text("0.20")
    notebook.run("other.value = 3")
    expect(view.locator("output")).to_have_text("3")
    notebook.waits_for("w.temperature, other.value", "(3.0, 3.0)")


def test_infinity_breaks_nothing(linked):
    """An ordinary slider has no place for it; the next finite temperature moves both again."""
    notebook, view = linked
    slider = view.get_by_role("slider")
    slider.press("End")
    notebook.waits_for("other.value < np.inf and w.temperature >= other.value", "True")
    slider.press("Home")
    expect(readout(notebook)).to_have_text("0.00")
    notebook.waits_for("w.temperature, other.value", "(0.0, 0.0)")
    notebook.run("w.temperature = np.inf")
    notebook.run("other.value = 3")
    expect(view.locator("output")).to_have_text("3")
    notebook.waits_for("w.temperature, other.value", "(3.0, 3.0)")


def test_two_views_stay_in_step(notebook):
    first = notebook.show("w = explore()\ndisplay(w, w)", views=2)
    second = notebook.page.locator(".attn").nth(1)
    first.get_by_role("slider").press("ArrowRight")
    expect(second.get_by_role("slider")).to_have_value("51")
    second.get_by_role("slider").press("End")
    expect(first.locator("output")).to_have_text("∞")
    notebook.run("w.temperature = 0.2")
    for view in (first, second):
        expect(view.get_by_role("slider")).to_have_value("33")


def test_a_view_that_is_gone_hears_no_more(notebook):
    gone = notebook.show("w = explore()\nw").get_by_role("slider").element_handle()
    notebook.clear()
    view = notebook.show("w")
    expect(notebook.page.locator(".attn")).to_have_count(1)
    notebook.run("w.temperature = 0.2")
    expect(view.get_by_role("slider")).to_have_value("33")
    assert gone.evaluate("(slider) => slider.value") == "50"
    view.get_by_role("slider").press("End")
    notebook.waits_for("w.temperature", "inf")
