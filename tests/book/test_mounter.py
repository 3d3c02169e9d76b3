"""The static mounter in a real browser, on a page that the real extension wrote."""

import json
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import expect

from tests.conftest import Visit, until

# Two counters, one widget that throws, one whose script does not parse, and a last counter.
CELLS = (
    """
import anywidget
import numpy as np
import traitlets


class Counter(anywidget.AnyWidget):
    _esm = '''
    export default {
      initialize({ model }) { model.set("started", model.get("started") + 1); },
      render({ model, el }) {
        const button = document.createElement("button");
        const show = () => { button.textContent = `${model.get("label")} ${model.get("count")}`; };
        button.addEventListener("click", () => {
          model.set("count", model.get("count") + 1);
          model.save_changes();
        });
        model.on("change:count", show);
        el.dataset.second = model.get("numbers").getFloat64(8, true);
        el.dataset.started = model.get("started");
        show();
        el.append(button);
      },
    };
    '''
    _css = ".widget-slot[data-widget=Counter] { min-height: 321px; }"
    label = traitlets.Unicode("count").tag(sync=True)
    count = traitlets.Int(0).tag(sync=True)
    started = traitlets.Int(0).tag(sync=True)
    numbers = traitlets.Bytes(np.array([1.0, 2.5]).astype("<f8").tobytes()).tag(sync=True)

    def __repr__(self):
        return "a counter"

    def _repr_mimebundle_(self, **options):
        data, metadata = super()._repr_mimebundle_(**options)
        return {**data, "text/plain": repr(self)}, metadata


class Throws(Counter):
    _esm = "export default { render() { throw new Error('on purpose'); } };"
    _css = ""


class Unreadable(Counter):
    _esm = "this is not JavaScript"
    _css = ""


first = Counter(count=5)
first
""",
    "Counter(label='</script><img src=x onerror=alert(1)>')",
    "Throws()",
    "Unreadable()",
    "first",
)


@pytest.fixture(scope="module")
def address(scratch_book) -> str:
    scratch_book.write(*CELLS)
    scratch_book.built()
    return scratch_book.page.as_uri()


@pytest.fixture(scope="module")
def visit(browser, address: str):
    """The page once it is ready, for all tests that leave it as it is."""
    visit = Visit(browser.new_page())
    visit.listen()
    visit.open(address)
    yield visit
    visit.page.close()


@pytest.fixture
def slots(visit):
    """The slots of the page."""
    return visit.page.locator(".widget-slot")


def test_widgets_replace_their_pictures(slots):
    assert slots.count() == 5
    for index in (0, 1, 4):
        slot = slots.nth(index)
        assert slot.get_attribute("data-state") == "live"
        assert slot.locator("button").is_visible()
        assert not slot.locator(".widget-picture").is_visible()


def test_two_instances_are_independent_and_two_views_of_one_are_not(open_page, address):
    slots = open_page(address).page.locator(".widget-slot")
    slots.nth(0).locator("button").click()
    texts = [slots.nth(index).locator("button").inner_text() for index in (0, 1, 4)]
    assert texts[0] == texts[2] == "count 6"
    assert texts[1].endswith(" 0")


def test_a_label_is_text(slots):
    assert "<img src=x onerror=alert(1)>" in slots.nth(1).inner_text()
    assert slots.locator("img").count() == 0


def test_bytes_arrive_and_a_model_starts_once(slots):
    live = slots.nth(4).locator(".widget-live")
    assert live.get_attribute("data-second") == "2.5"
    assert live.get_attribute("data-started") == "1"


def test_a_failing_widget_keeps_its_picture_and_says_so(visit, slots):
    for index in (2, 3):
        slot = slots.nth(index)
        assert slot.get_attribute("data-state") == "failed"
        assert slot.locator(".widget-picture").is_visible()
        assert slot.locator(".widget-live").count() == 0
    assert len(visit.problems) == 2
    assert "Throws could not be shown" in visit.problems[0]
    assert "Unreadable could not be shown" in visit.problems[1]


def test_without_scripts_every_picture_shows(open_page, address):
    slots = open_page(address, scripts=False).page.locator(".widget-slot")
    for index in range(5):
        assert slots.nth(index).locator(".widget-picture").is_visible()
    assert slots.first.bounding_box()["height"] < 321


def test_in_print_every_picture_shows(open_page, address):
    page = open_page(address).page
    page.emulate_media(media="print")
    for slot in page.locator(".widget-slot").all():
        assert slot.locator(".widget-picture").is_visible()
    assert page.locator(".widget-live:visible").count() == 0


def test_the_picture_does_not_flash_before_the_widget(open_page, address):
    held = []

    def hold_the_mounter(page):
        page.route("**/mount-widgets.js*", lambda route: held.append(route))

    page = open_page(address, prepare=hold_the_mounter, wait=False).page
    until(page, "() => document.querySelectorAll('.widget-slot').length === 5")
    # Nothing is painted before the styles are there.
    until(page, "() => [...document.querySelectorAll('[rel=stylesheet]')].every((e) => e.sheet)")
    assert page.locator(".widget-picture:visible").count() == 0
    assert page.locator(".widget-slot").first.bounding_box()["height"] == 321
    for script in held:
        script.continue_()
    page.wait_for_selector("html[data-widgets=ready]")


def test_pictures_come_back_if_the_mounter_never_starts(open_page, address):
    def lose_the_mounter(page):
        page.route("**/mount-widgets.js*", lambda route: route.abort())

    page = open_page(address, prepare=lose_the_mounter, wait=False).page
    expect(page.locator(".widget-picture:visible")).to_have_count(5)


def test_a_script_travels_once_and_only_what_the_page_shows(scratch_book, address):
    page = BeautifulSoup(scratch_book.page.read_text(encoding="utf-8"), "html.parser")
    data = json.loads(page.find(id="widget-data").string)
    assert set(data) == {"shared", "scripts", "models"}
    assert set(data["scripts"]) == {"__main__.Counter", "__main__.Throws", "__main__.Unreadable"}
    loaded = [Path(script["src"]).name for script in page.head.select("script[src*='/widget-']")]
    assert loaded == [script["file"] for script in data["scripts"].values()]
    assert len(data["models"]) == 4  # `first` is on the page twice
    traits = {"label", "count", "started", "numbers", "tabbable", "tooltip"}
    assert all(set(model["state"]) <= traits for model in data["models"].values())
    (style,) = page.head.select("link[href*='/widgets-']")
    assert (scratch_book.page.parent / style["href"]).read_text(encoding="utf-8") == (
        ".widget-slot[data-widget=Counter]{min-height:321px}\n"
    )
