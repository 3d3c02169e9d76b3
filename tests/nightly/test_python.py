"""Python itself in the page: every cell against what its notebook stores, and a reader's visit."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from attnbook import explorers as widgets
from book.sphinx.python import code_cells
from tests.notebooks import NAMES
from tests.pages.test_python import OUTPUT, STATUS, cell, press, ran, start, write
from tests.pages.test_worker import WIDGET
from tools.exercises import run, started
from tools.project import CHAPTERS


@pytest.fixture
def python(server: str, browser) -> Any:
    """A page with nothing but Python, which has started."""
    page = started(browser, server)
    yield page
    page.close()


FIGURE = "image/svg+xml"
SHOWN = ("text/html", FIGURE, "image/png", "text/plain")  # the best first
Parts = tuple[dict[str, str], list[tuple[str, str]]]


def parts(outputs: list[tuple[str, str]]) -> Parts:
    """The text of each stream in one piece, and what is shown: of a figure that there is one."""
    streams = {"stdout": "", "stderr": ""}
    shown = []
    for kind, text in outputs:
        if kind in streams:
            streams[kind] += text
        else:
            shown.append((kind, "" if kind == FIGURE else text.strip()))
    return streams, shown


def stored(cell: dict[str, Any]) -> Parts:
    outputs = []
    for output in cell["outputs"]:
        if output["output_type"] == "stream":
            outputs.append((output["name"], "".join(output["text"])))
            continue
        data = {kind: "".join(text) for kind, text in output["data"].items()}
        kind = next(each for each in SHOWN if each in data)
        name = data["text/plain"].partition("(")[0]
        outputs.append((WIDGET, name) if name in widgets.__all__ else (kind, data[kind]))
    return parts(outputs)


def sent(messages: list[dict[str, Any]]) -> Parts:
    """The same of what the worker sent."""
    return parts(
        [
            (each["name"], each["data"]["widget"] if each["name"] == WIDGET else each["data"])
            for each in messages
        ]
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_cell_puts_out_what_its_notebook_stores(name: str, python: Page):
    for _, each in code_cells(CHAPTERS / f"{name}.ipynb"):
        answer = run(python, "".join(each["source"]), each["id"])
        assert (answer["error"], sent(answer["parts"])) == ("", stored(each)), each["id"]


EXAMPLES = """
import doctest, importlib, pkgutil, attnutils, matplotlib.pyplot as plt
for found in pkgutil.walk_packages(attnutils.__path__, "attnutils."):
    if ".pictures" not in found.name:  # of notebooks: a page shows the widgets themselves
        doctest.testmod(importlib.import_module(found.name), optionflags=doctest.ELLIPSIS)
plt.close("all")
"""


def test_the_examples_hold_where_an_index_has_32_bits(python: Page):
    answer = run(python, EXAMPLES)
    assert (answer["error"], answer["parts"]) == ("", [])


MAKE = """from attnbook import TemperatureExplorer
from attnutils.worked_example import KEYS, VALUES, WORDS
explorer = TemperatureExplorer(WORDS, KEYS @ KEYS[5], VALUES)
explorer"""


def test_a_visit_with_python_itself(open_page, server):
    visit = open_page(f"{server}/chapters/temperature.html")
    page = visit.page
    box = cell(page, "ex-odds-answer")

    def says(text: str) -> None:
        expect(box.locator(OUTPUT)).to_contain_text(text, timeout=120_000)

    start(box)
    expect(box.locator(STATUS)).to_have_text("Python is ready.", timeout=120_000)
    write(box, "from attnbook import check\nanswer = np.exp(2)\ncheck('reads-odds', answer)")
    says("✓ Right: only the gap between two scores matters.")
    made = cell(page, "explorer-widget")  # a widget, both ways
    made.locator("summary").first.press("Enter")
    start(made)
    write(made, MAKE)
    temperature = made.locator(OUTPUT).get_by_role("slider")
    expect(temperature).to_have_js_property("value", "50", timeout=120_000)
    write(box, "explorer.temperature = 10")
    expect(temperature).to_have_js_property("value", "75")
    temperature.fill("100")
    write(box, "print(explorer.temperature, explorer.weights[3].round(3))")
    says("inf 0.167")
    drawn = cell(page, "draw-four")
    drawn.locator("summary").press("Enter")
    start(drawn)
    expect(drawn.locator(f"{OUTPUT} figure .drawing")).to_be_visible(timeout=120_000)
    ran(drawn)

    write(box, "big = [np.empty(2**25) for _ in range(100)]")  # memory, really exhausted
    says("A page has less memory than a program.")
    write(box, "kept = 1\nwhile True:\n    pass")
    press(box, "Stop")
    write(box, "print('kept' in globals(), 'big' in globals())")
    says("False False")
    assert all(asked.startswith((server, "blob:", "data:")) for asked in visit.requests)
