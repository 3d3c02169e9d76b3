"""Pages to try widgets on: those of the built book, and one with any widgets."""

import base64
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, FrameLocator, Locator, Page, Request, Route

from _ext import heights
from attnutils.widgets import AttentionExplorer, PlaneExplorer, TemperatureExplorer
from attnutils.widgets.pictures.temperature_explorer import temperature_under
from tests.book.test_pages import DOCUMENTS
from tests.conftest import SETTLE, Visit, some, until
from tests.examples import USUAL
from tools import widget_page as widget_pages
from tools.audit import __main__ as audit
from tools.local_server import QuietHandler, serving

PAGES = [*(f"{name}.html" for name in DOCUMENTS), "search.html?q=softmax"]
# What is made alike on every page is tried on one of each kind; with EXHAUSTIVE=1 on all.
KINDS = ["index", "temperature", "trained-heads", "api"]
ONE_OF_EACH_KIND = some(PAGES[:-1], *(f"chapters/{name}.html" for name in KINDS))

# What explorers have from one skeleton is tried on three: with a slider; with choices, a table and
# a canvas; with places that are dragged.
SKELETON = [
    widget
    for widget in USUAL
    if isinstance(widget, TemperatureExplorer | AttentionExplorer | PlaneExplorer)
]

# Positions of the slider of temperatures: the ends, and what lies between. At all of them the
# scripts are asked in Node (tests/widgets), so that pages need to be asked at a few alone.
POSITIONS = [0, 1, 10, 25, 33, 49, 50, 51, 60, 75, 90, 99, 100]
SAMPLES = some(POSITIONS, 0, 33, 100)

# What the widgets are promised of a notebook's model, no more.
MOUNT = """async ({ script, style, record }) => {
  const bytes = (text) =>
    new DataView(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
  const state = { ...record.state };
  for (const { path, data } of record.buffers) state[path[0]] = bytes(data);
  const listeners = [];
  let changed = {};
  window.saves = [];
  const put = (name, value) => {
    state[name] = value;
    for (const [event, listener] of [...listeners]) if (event === `change:${name}`) listener();
  };
  const model = {
    get: (name) => state[name],
    set(name, value) {
      changed[name] = value instanceof DataView
        ? { bytes: btoa(String.fromCharCode(...new Uint8Array(value.buffer))) } : value;
      put(name, value);
    },
    save_changes() {
      window.saves.push(changed);
      changed = {};
    },
    on: (event, listener) => listeners.push([event, listener]),
    off(event, listener) {
      const at = listeners.findIndex(([e, l]) => e === event && l === listener);
      if (at >= 0) listeners.splice(at, 1);
    },
  };
  const watching = new Set();
  window.ResizeObserver = class extends ResizeObserver {
    observe(item) {
      watching.add(this);
      super.observe(item);
    }
    disconnect() {
      watching.delete(this);
      super.disconnect();
    }
  };
  window.watching = () => watching.size;
  window.kernel = (name, value) => put(name, value?.bytes ? bytes(value.bytes) : value);
  window.listening = () => listeners.length;
  const sheet = document.createElement("style");
  sheet.textContent = style;
  document.head.append(sheet);
  const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const widget = (await import(url)).default;
  window.dispose = await widget.render({ model, el: document.body });
}"""


# The height that is kept for a widget, and the one that it has.
ROOM = """(slot) => [parseFloat(getComputedStyle(slot).minHeight),
  slot.querySelector(".widget-live").getBoundingClientRect().height]"""
# All that a widget shows, wherever on the page it stands.
SHOWN = """(slot) => {
  slot ??= document.body;
  const all = (selector, read) => [...slot.querySelectorAll(selector)].map(read);
  const spoken = slot.querySelectorAll(".unseen[role=status]");  // comes and goes with the time
  for (const each of spoken) each.hidden = true;
  const text = slot.innerText;
  for (const each of spoken) each.hidden = false;
  return JSON.stringify([
    text, all("input, select", (item) => [item.value, item.checked]),
    all("data", (item) => item.value), all("svg", (item) => item.outerHTML),
    all("canvas", (item) => item.toDataURL()),
  ]);
}"""

# The sum of all that moves without the reader's doing. Browsers count the worst five seconds.
OBSERVE = """
window.shift = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (!entry.hadRecentInput) window.shift += entry.value;
  }
}).observe({ type: "layout-shift", buffered: true });
"""
# Nothing is open, scrolled to or in focus, and Tab starts from the top of the page.
REST = """() => {
  for (const item of document.querySelectorAll("details")) item.open = false;
  document.body.tabIndex = -1;
  document.body.focus();
  document.body.removeAttribute("tabindex");
  document.activeElement.blur();
}"""
TOP = "scrollTo({ top: 0, behavior: 'instant' })"


@pytest.fixture
def widget_page(tmp_path: Path) -> Callable[..., str]:
    """A function that writes a page with these widgets, as the book would; returns its address."""

    def write(*widgets: Any, style: str = "") -> str:
        page = tmp_path / "widgets.html"
        page.write_text(widget_pages.html(*widgets, style=style), encoding="utf-8")
        return page.as_uri()

    return write


@pytest.fixture
def roomy_page(widget_page: Callable[..., str], browser: Browser) -> Callable[[Any], str]:
    """A function that writes a page with one widget and keeps its height free, as the book does."""

    def write(widget: Any) -> str:
        tab = browser.new_page()
        (measured,) = heights.measure(tab, widget_pages.data(widget), ["widget-0"], widget._css)
        tab.close()
        body = "body { max-width: 880px; margin: 0 auto; padding: 0 16px; }"
        place = "main { container: place / inline-size; }"
        return widget_page(widget, style=body + place + heights.rules("widget-0", measured))

    return write


def forget_settings(page: Page) -> None:
    """Give a page the settings of a new one."""
    page.emulate_media(
        media="null",
        color_scheme="light",
        reduced_motion="no-preference",
        forced_colors="none",
        contrast="no-preference",
    )
    page.mouse.move(0, 0)


@pytest.fixture(scope="session")
def used(browser: Browser) -> Iterator[Visit]:
    """A page for one test after the other: opening one more takes longer than most tests."""
    visit = Visit(browser.new_page())
    visit.listen()
    yield visit
    visit.page.context.close()


@pytest.fixture
def visit(used: Visit) -> Iterator[Visit]:
    """That page, empty, with the settings of a new one and nothing stored."""
    page = used.page
    origins = {"://".join(urlsplit(address)[:2]) for address in (*used.requests, page.url)}
    page.goto("about:blank")
    forget_settings(page)
    devtools = page.context.new_cdp_session(page)
    for origin in origins:
        stored = {"origin": origin, "storageTypes": "local_storage"}
        devtools.send("Storage.clearDataForOrigin", stored)
    devtools.detach()
    used.problems.clear()
    used.requests.clear()
    yield used
    # This cannot be undone: such tests open a page of their own.
    assert "[native code]" in page.evaluate("String(setTimeout)"), (
        "the clock of a shared page is stopped"
    )


@pytest.fixture
def reopen(visit: Visit) -> Callable[..., Visit]:
    """A function that opens an address as `open_page` does, on the shared page."""

    def reopen(
        address: str, *, width: int = 1280, height: int = 800, theme: str = "light"
    ) -> Visit:
        visit.page.set_viewport_size({"width": width, "height": height})
        visit.page.emulate_media(color_scheme=theme)
        visit.open(address)
        return visit

    return reopen


# ---- one visit of a page for all questions about it -------------------------------------------
#
# A test that asks for one of these runs for every page. Its id ends in the page and the visit, and
# all tests of a visit follow each other, so that the page is opened once:
#     pytest tests/page -k "sideways and temperature"


@dataclass
class FirstVisit(Visit):
    """A visit of a reader who never was here, with how the page came."""

    #: How far its parts moved while it came.
    moved: float = 0
    #: How many fonts came when the first lines were shown.
    late_fonts: int = 0
    warnings: list[str] = field(default_factory=list)
    #: What it asked for while it came, and on a wide screen how many bytes of each kind that was.
    asked: list[Request] = field(default_factory=list)
    sizes: Counter[str] = field(default_factory=Counter)


@contextmanager
def first_visit(browser: Browser, address: str, width: int, height: int) -> Iterator[FirstVisit]:
    """Open a page in a context of its own; its fonts come late."""
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme="light")
    visit, held = FirstVisit(page), []
    visit.listen()
    page.on("console", lambda m: visit.warnings.append(m.text) if m.type == "warning" else None)
    page.on("request", lambda request: visit.asked.append(request))
    page.add_init_script(OBSERVE)
    may_come = threading.Event()

    def hold(route: Route) -> None:
        if may_come.is_set():
            route.continue_()
        else:
            held.append(route)

    # To the end: who takes a route away loses, now and then, what is on its way, for ever.
    page.route("**/*.woff2", hold)
    visit.open(address, wait=False)
    until(page, "() => document.readyState !== 'loading'")
    page.evaluate(SETTLE)
    may_come.set()
    for font in held:
        font.continue_()
    page.wait_for_load_state("networkidle")
    if page.locator(".widget-slot").count():
        page.wait_for_selector("html[data-widgets=ready]")
    until(page, "() => document.fonts.status === 'loaded'")
    page.evaluate(SETTLE)
    visit.moved, visit.late_fonts = page.evaluate("shift"), len(held)
    yield visit
    page.close()


def visited(way: str) -> Callable:
    """A fixture with the visits of all pages, one after the other."""
    return pytest.fixture(scope="session", params=PAGES, ids=lambda page: f"{page}@{way}")


def only(way: str, pages: list[str]) -> pytest.MarkDecorator:
    """A mark of a test that asks not all pages."""
    ids = [f"{page}@{way}" for page in pages]
    return pytest.mark.parametrize(f"{way}_visit", pages, indirect=True, scope="session", ids=ids)


@pytest.fixture(scope="session")
def packed_server(book: Path) -> Iterator[str]:
    """The address of the built book from a server that packs what travels."""
    with audit.serving(book) as address:
        yield address


@visited("screen")
def screen_visit(request: pytest.FixtureRequest, browser: Browser, packed_server: str):
    """A page on a wide screen."""
    with first_visit(browser, f"{packed_server}/{request.param}", 1280, 800) as visit:
        visit.sizes = audit.travelled(visit.page, visit.asked)
        yield visit


@visited("phone")
def phone_visit(request: pytest.FixtureRequest, browser: Browser, server: str):
    """A page on a phone."""
    with first_visit(browser, f"{server}/{request.param}", 390, 700) as visit:
        yield visit


def at_rest(page: Page, width: int) -> Page:
    """Bring a page back from what the test before did to it."""
    forget_settings(page)
    page.evaluate(REST)
    page.evaluate(TOP)
    resize(page, width)
    return page


@pytest.fixture
def screen(screen_visit: FirstVisit) -> Page:
    """A page at rest on a wide screen."""
    return at_rest(screen_visit.page, 1280)


@pytest.fixture
def phone(phone_visit: FirstVisit) -> Page:
    """A page at rest on a phone."""
    return at_rest(phone_visit.page, 390)


@pytest.fixture
def numbers() -> Callable[[Locator], list[float]]:
    """A function that reads the exact numbers behind what a widget shows."""

    def read(data: Locator) -> list[float]:
        return data.evaluate_all("items => items.map((item) => Number(item.value))")

    return read


@pytest.fixture
def go(reopen, open_page) -> Callable[..., Visit]:
    """A function that opens an address as `open_page` does, on the shared page where it can.

    A page of its own takes half as long again.
    """

    def go(address: str, **options: object) -> Visit:
        return (open_page if {"prepare", "scripts"} & set(options) else reopen)(address, **options)

    return go


def first(page: Page, widget: str) -> Locator:
    """The first slot of a widget on a page."""
    return page.locator(f".widget-slot[data-widget={widget}]").first


@pytest.fixture
def slot(go, server):
    """A function that opens a page of the book and returns the first slot of a widget."""

    def find(widget: str, page: str, **options: object) -> Locator:
        found = first(go(f"{server}/chapters/{page}.html", **options).page, widget)
        if options.get("scripts", True) and found.locator("xpath=ancestor::*[@hidden]").count():
            # It is part of an answer that is veiled: found by a search, it opens.
            found.evaluate("e => e.closest('.veil').dispatchEvent(new Event('beforematch'))")
        return found

    return find


def mount(page: Page, widget: Any) -> Page:
    """Show a widget on an empty page with a model behind it."""
    page.set_content("<!doctype html><html lang='en'><title>A notebook</title>")
    given = {"script": widget._esm, "style": widget._css, "record": widget_pages.saved(widget)}
    page.evaluate(MOUNT, given)
    return page


@pytest.fixture
def show(visit: Visit) -> Callable[[Any], Page]:
    """A function that shows a widget on the shared page with a model behind it."""
    visit.page.set_viewport_size({"width": 1280, "height": 720})
    return partial(mount, visit.page)


@pytest.fixture
def show_alone(browser: Browser) -> Iterator[Callable[[Any], Page]]:
    """The same on a page of its own, for a test that stops the clock."""
    page = browser.new_page()
    yield partial(mount, page)
    page.close()


def resize(page: Page, width: int) -> None:
    """Give a page another width, and wait until what follows it, and its fonts, are there."""
    page.set_viewport_size({"width": width, "height": 900})
    until(page, "width => innerWidth === width && document.fonts.status === 'loaded'", width)
    page.evaluate(SETTLE)


def unfold(page: Page) -> None:
    """Open all that is folded, and answer every question by checking nothing."""
    page.evaluate("for (const item of document.querySelectorAll('details')) item.open = true")
    # In one go: a press by Playwright scrolls there, and the page is painted for each.
    checks = page.locator(".attn-question [type=submit]")
    checks.evaluate_all("buttons => buttons.forEach((button) => button.click())")
    page.evaluate(SETTLE)


@pytest.fixture
def still(show: Callable[[Any], Page]) -> Callable[..., Page]:
    """A function that shows a widget to a reader who wants no motion, and waits until it stands."""

    def show_still(widget: Any, width: int = 1280) -> Page:
        page = show(widget)
        page.emulate_media(reduced_motion="reduce")
        resize(page, width)
        return page

    return show_still


def from_python(page: Page, widget: Any, *names: str) -> None:
    """Send traits of the Python side to the page, as a kernel does."""
    for name, value in widget.get_state(names).items():
        if isinstance(value, bytes):
            value = {"bytes": base64.b64encode(value).decode()}
        page.evaluate("text => kernel(...JSON.parse(text))", json.dumps([name, value]))


def to_python(page: Page, widget: Any) -> int:
    """Send what the page has saved to the Python side; return how often it saved."""
    saves = json.loads(page.evaluate("JSON.stringify(saves.splice(0))"))
    for traits in saves:
        widget.set_state(
            {
                name: memoryview(base64.b64decode(value["bytes"]))
                if isinstance(value, dict)
                else value
                for name, value in traits.items()
            }
        )
    return len(saves)


def slider(widget: Locator) -> Locator:
    return widget.get_by_role("slider", name="Temperature T")


def mover(widget: Locator | Page | FrameLocator, which: int = 0) -> Locator:
    """A control whose arrow keys change the headline: a slider, else a field, else a choice."""
    for role in ("slider", "spinbutton"):
        if (found := widget.get_by_role(role)).count():
            return found.nth(which)
    return widget.get_by_role("radio").first


def picture(widget: Locator) -> bytes:
    """What the widget looks like, once nothing in it moves."""
    return widget.screenshot(animations="disabled")


def drag(page: Page, control: Locator, share: float) -> None:
    """Press on the middle of a slider and pull it to a share of its length."""
    control.scroll_into_view_if_needed()
    box = control.bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * share, y, steps=5)
    page.mouse.up()


def temperature_at(position: int) -> float:
    """The temperature at a position of the slider, as the pages say: two digits."""
    return float(f"{temperature_under(position):.1e}")


@pytest.fixture
def elsewhere() -> Iterator[tuple[str, list[str]]]:
    """The address of another host, and what was asked of it."""
    asked = []

    class Handler(QuietHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(204)
            self.end_headers()

    with serving(Handler) as address:
        yield f"{address}/", asked
