"""A widget with a kernel behind it: Python moves the widget, and the reader moves Python.

The page holds a model as a notebook does, which notes what the widget saves; the test plays the
kernel and passes it on to the Python side of the same widget, and back.
"""

import json
import re
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pytest
from playwright.sync_api import Page

from attnutils import widgets
from attnutils.widgets._base import ArrayTrait, Checked, Explorer, Temperature
from tests.conftest import some
from tests.examples import WITH_EXAMPLE
from tests.page.conftest import SHOWN, from_python, to_python

WARM = [each for each in WITH_EXAMPLE if isinstance(vars(each).get("temperature"), Temperature)]
hot = pytest.mark.parametrize(
    "make",
    some(WARM, WARM[0]),
    ids=lambda each: each.__name__,
)


# What has traits of numbers. Elsewhere the explorer's own test moves it both ways.
SLIDING = [
    each
    for each in WITH_EXAMPLE
    if any(isinstance(trait, Checked) for trait in each.example().traits().values())
]
LARGEST_ENTROPIES = np.log2(np.arange(1, 33))  # in bits, of so many weights


# A place in the drawing where nothing else takes the press, far from what has it now.
FREE = """(thing) => {
  const drawing = thing.closest(".plane, .clock, .board");
  const { left, top, width, height } = drawing.getBoundingClientRect();
  const own = thing.getBoundingClientRect();
  const places = [0.15, 0.3, 0.45, 0.6, 0.75, 0.9].flatMap((x) =>
    [0.15, 0.5, 0.8].map((y) => [left + x * width, top + y * height]));
  return places.find(([x, y]) => Math.abs(x - own.x - own.width / 2) > own.width
    && !document.elementFromPoint(x, y).closest("[tabindex]"));
}"""


def python_numbers(widget: Explorer) -> np.ndarray:
    """All numbers that a widget has in Python, as traits or computed by attnutils."""
    found = []
    own = {name: x for each in type(widget).__mro__[:2] for name, x in vars(each).items()}
    for name, thing in own.items():
        if name[0] == "_" or not isinstance(thing, property | Checked | ArrayTrait):
            continue
        try:
            found.append(np.ravel(getattr(widget, name)).astype(float))
        except (TypeError, ValueError):
            continue  # no numbers
    return np.concatenate([*found, LARGEST_ENTROPIES])


def read(page: Page) -> list[object]:
    """The text, the controls and the exact numbers of a widget."""
    return json.loads(page.evaluate(SHOWN))[:3]


def check_headline(page: Page, widget: Explorer) -> None:
    """Check that each number in the sentence is one that Python has."""
    shown = page.locator(".headline data").evaluate_all("all => all.map((x) => Number(x.value))")
    text = page.locator(".headline").inner_text()
    assert shown or not re.search(r"\d\.\d", text), f"a number that no script reads: {text}"
    numbers = python_numbers(widget)
    strangers = [x for x in shown if not np.isclose(numbers, x, rtol=1e-9, atol=1e-12).any()]
    assert not strangers, f"{widget} has no {strangers}: {page.locator('.headline').inner_text()}"


def steps(page: Page) -> Iterator[list[Callable[[], None]]]:
    """The steps of each slider: to its ends and between; else of fields, else of choices."""
    sliders = page.locator("input[type=range]:visible").all()
    for slider in sliders:
        low, high = (int(slider.get_attribute(end)) for end in ("min", "max"))
        places = (low, (low + 2 * high) // 3, high)
        yield [partial(slider.fill, str(place)) for place in places]
    fields = [] if sliders else page.get_by_role("spinbutton").all()
    for field in fields[::9]:  # they are alike
        yield [partial(field.fill, number) for number in ("3", "-1.5")]
    if not sliders + fields:
        yield [each.check for each in page.get_by_role("radio").all() if not each.is_checked()]


@pytest.mark.parametrize("make", some(SLIDING, *SLIDING[::4]), ids=lambda each: each.__name__)
def test_what_the_reader_moves_moves_python_and_back(show, make):
    widget = make.example()
    page = show(widget)
    check_headline(page, widget)
    traits = widget.moved()
    start, sent = {name: getattr(widget, name) for name in traits}, widget.get_state(traits)
    seen, moved = read(page), 0
    for control in steps(page):
        for step in control:
            step()
            assert to_python(page, widget) == 1
            check_headline(page, widget)
            moved += widget.get_state(traits) != sent
        for name in traits:
            setattr(widget, name, start[name])
        from_python(page, widget, *traits)
        assert read(page) == seen
    assert moved, "no control moves a trait"


@hot
def test_python_moves_the_temperature_and_is_moved_by_it(show, make):
    widget = make.example()
    page = show(widget)
    slider = page.get_by_role("slider", name="Temperature T")
    for t, position, says in ((0.2, 33, "0.2"), (np.inf, 100, "∞"), (0, 0, "0"), (1e-9, 1, "1e−9")):
        widget.temperature = t
        from_python(page, widget, "temperature")
        assert slider.input_value() == str(position)
        assert slider.locator("xpath=../output").inner_text() == says
        check_headline(page, widget)
    for position, t in ((0, 0.0), (33, 0.21), (100, np.inf)):
        slider.fill(str(position))
        assert to_python(page, widget) == 1
        assert widget.temperature == t


@pytest.mark.parametrize(
    "name", ["PlaneExplorer", "RotaryBench", "WinnerExplorer", "WordOrderExplorer"]
)
def test_what_is_dragged_can_be_pressed_and_then_its_place(still, name):
    page = still(getattr(widgets, name).example())
    things = page.locator("div[role=slider]:visible").all()
    assert things
    for thing in things:
        thing.click()
        was = thing.get_attribute("aria-valuetext")
        page.mouse.click(*thing.evaluate(FREE))
        assert thing.get_attribute("aria-valuetext") != was, thing.get_attribute("aria-label")
        assert thing.evaluate("e => e === document.activeElement")
