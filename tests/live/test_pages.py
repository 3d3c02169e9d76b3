"""A whole chapter as a learner runs it, and the colours of the page around a widget."""

import json

import pytest
from playwright.sync_api import expect

from tests.live.conftest import SETUP
from tools.project import CHAPTERS

# How much what is written stands out from what it is written on, as WCAG counts it.
CONTRAST = """(widget) => {
  const light = (color) => {
    const [r, g, b] = color.match(/[\\d.]+/g).slice(0, 3)
      .map((x) => x / 255).map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  let behind = widget;
  const paper = () => getComputedStyle(behind).backgroundColor;
  while (paper() === "rgba(0, 0, 0, 0)") behind = behind.parentElement;
  const [dark, bright] = [light(getComputedStyle(widget).color), light(paper())]
    .sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}"""


@pytest.fixture
def open_notebook(front_end, browser):
    """A function that opens a notebook of its own; at the end nothing may have gone wrong in it."""
    opened = []

    def open_notebook(*content, **options):
        opened.append(front_end.open(browser, *content, **options))
        return opened[-1]

    yield open_notebook
    for notebook in opened:
        notebook.page.context.close()
        assert notebook.problems == []


def test_a_chapter_runs_to_its_end(front_end, open_notebook):
    chapter = json.loads((CHAPTERS / "temperature.ipynb").read_text(encoding="utf-8"))
    notebook = open_notebook(chapter)
    front_end.run_all(notebook)
    # A cell that fails would stop the run before the last one, which sets this.
    notebook.waits_for("f'{answer:.4f}'", "0.2222")

    notebook.run("w = next(x for x in Out.values() if type(x).__name__ == 'TemperatureExplorer')")
    view = notebook.page.locator(".attn-temperature")
    slider = view.get_by_role("slider")
    slider.hover()  # waits until the page stands still
    box = slider.bounding_box()
    y = box["y"] + box["height"] / 2
    notebook.page.mouse.move(box["x"] + box["width"] / 2, y)
    notebook.page.mouse.down()
    notebook.page.mouse.move(box["x"] + box["width"] + 20, y, steps=10)
    notebook.page.mouse.up()
    expect(view.locator("output")).to_have_text("∞")
    notebook.waits_for("w.temperature", "inf")

    question = notebook.page.locator(".attn-question").first
    question.get_by_label("e = 2.718").check()
    question.get_by_role("button", name="Check").click()
    expect(question.get_by_role("status")).to_contain_text("✓ Right.")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_widget_has_the_colours_of_its_page(front_end, open_notebook, scheme):
    """The system may want it dark where the notebook is light, or the other way round."""
    notebook = open_notebook(color_scheme=scheme)
    notebook.run(SETUP)
    view = notebook.show("explore()")
    for theme in front_end.themes:
        front_end.set_theme(notebook, theme)
        assert view.evaluate(CONTRAST) > 7, theme
