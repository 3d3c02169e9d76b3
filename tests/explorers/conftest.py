"""An explorer on an empty page with a model behind it, as in a notebook; the test plays Python."""

import base64
import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page

from tests.conftest import PATIENCE, SETTLE, Visit, until
from tools import widget_page as widget_pages

# What a widget is promised of a notebook's model, no more. `saves` holds what it has saved, `reads`
# how often it has read each trait, `kernel` sets a trait as Python does, `dispose` closes the view.
MOUNT = """async ({ script, style, record }) => {
  window.dispose?.();  // what was shown before
  const bytes = (text) =>
    new DataView(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
  const state = { ...record.state };
  for (const { path, data } of record.buffers) state[path[0]] = bytes(data);
  const listeners = [];
  let changed = {};
  const put = (name, value) => {
    state[name] = value;
    for (const [event, listener] of [...listeners]) if (event === `change:${name}`) listener();
  };
  const model = {
    get: (name) => {
      reads.set(name, (reads.get(name) ?? 0) + 1);
      return state[name];
    },
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
  window.Watcher ??= ResizeObserver;
  const watching = new Set();
  window.ResizeObserver = class extends Watcher {
    observe(item) {
      watching.add(this);
      super.observe(item);
    }
    disconnect() {
      watching.delete(this);
      super.disconnect();
    }
  };
  Object.assign(window, {
    saves: [],
    reads: new Map(),
    kernel: (name, value) => put(name, value?.bytes ? bytes(value.bytes) : value),
    listening: () => listeners.length + watching.size,
  });
  const sheet = document.createElement("style");
  sheet.textContent = style;
  document.head.append(sheet);
  const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const widget = (await import(url)).default;
  window.dispose = await widget.render({ model, el: document.querySelector("main") });
  // What is folded away can be moved, too.
  for (const more of document.querySelectorAll(".attn details.more")) more.open = true;
}"""

# All that a widget shows, but for what is spoken, which comes and goes with the time.
SHOWN = """() => {
  document.querySelector(".attn").classList.add("moved"); // what to do with a thing is gone then
  const all = (selector, read) => [...document.querySelectorAll(`.attn ${selector}`)]
    .filter((item) => item.checkVisibility()).map(read);
  const spoken = document.querySelectorAll(".unseen[role=status]");
  for (const each of spoken) each.hidden = true;
  const text = document.querySelector(".attn").innerText;
  for (const each of spoken) each.hidden = false;
  return JSON.stringify([
    text, all("input, select, textarea", (item) => [item.value, item.checked]),
    all("data", (item) => item.value), all("[aria-valuetext]", (item) => item.ariaValueText),
  ]);
}"""


# What is being trained in the page is not there yet.
THERE = "() => !/ on the way to /.test(document.querySelector('.headline').textContent)"


def settle(page: Page) -> None:
    """Wait until all is shown as it is to be."""
    until(page, THERE)


def mount(page: Page, widget: Any) -> Page:
    """Show a widget on an empty page with a model behind it."""
    page.goto(  # in a document that is written anew, no pointer would leave anything
        "data:text/html,<!doctype html><html lang='en'><title>A notebook</title>"
        "<style>body { margin: 0 } main { max-width: 848px; margin: 16px auto; padding: 0 16px }"
        "</style><main></main>"
    )
    given = {"script": widget._esm, "style": widget._css, "record": widget_pages.saved(widget)}
    page.evaluate(MOUNT, given)
    page.evaluate(SETTLE)
    settle(page)
    return page


def from_python(page: Page, widget: Any, *names: str) -> None:
    """Send traits of the Python side to the page, as a kernel does."""
    traits = [
        [name, {"bytes": base64.b64encode(x).decode()} if isinstance(x, bytes) else x]
        for name, x in ((name, widget.get_state(name)[name]) for name in names)
    ]
    page.evaluate(
        "text => { for (const one of JSON.parse(text)) kernel(...one); }", json.dumps(traits)
    )


def to_python(page: Page, widget: Any) -> int:
    """Send what the page has saved to the Python side; return how often it saved."""
    saves = json.loads(page.evaluate("JSON.stringify(saves.splice(0))"))
    for traits in saves:
        for name, value in traits.items():
            if isinstance(value, dict):
                traits[name] = memoryview(base64.b64decode(value["bytes"]))
        widget.set_state(traits)
    return len(saves)


def acts(page: Page) -> Iterator[tuple[str, Callable[[], Any]]]:
    """What a reader may do to each control, one after the other."""
    root = page.locator(".attn")
    for control in root.locator("input[type=range]:visible").all():
        low, high, at = (int(control.evaluate(f"e => e.{x}")) for x in ("min", "max", "value"))
        yield "slider", partial(control.press, "ArrowLeft" if at == high else "ArrowRight")
        place = low + max(1, (high - low) // 10)
        yield "slider", partial(control.fill, str(place + (place == at)))
    for thing in root.locator("div[role=slider]:visible").all()[:3]:
        yield "slider", partial(thing.press, "ArrowRight")
    for choice in root.locator("select:visible").all()[:3]:
        others = "e => [...e.options].filter((x) => !x.selected && !x.disabled).map((x) => x.value)"
        for other in choice.evaluate(others)[-1:]:
            yield "list", partial(choice.select_option, other)
    radios = root.locator("[type=radio]")
    names = radios.evaluate_all("all => all.map((e) => e.checked ? '' : e.name)")
    for name in dict.fromkeys(filter(None, names)):
        yield "radio", radios.nth(len(names) - 1 - names[::-1].index(name)).check
    boxes, fields = (root.locator(f"[type={x}]:visible").all() for x in ("checkbox", "number"))
    for at in sorted({0, 1, len(boxes) - 1} & {*range(len(boxes))}):
        yield "checkbox", boxes[at].click
    for at in sorted({0, len(fields) // 2, len(fields) - 1} & {*range(len(fields))}):
        yield "number", partial(fields[at].fill, "-1.5")
    for field in root.locator("[type=text]:visible, textarea:visible").all():
        yield "text", partial(field.fill, "cat")
    for button in root.locator("button:visible:enabled").all()[:6]:
        if button.inner_text() != "Play":  # it takes its time
            yield "button", button.click


def headline(page: Page | Locator) -> str:
    """The sentence with the numbers."""
    return page.locator(".headline").first.inner_text()


def drag(page: Page, start: tuple[float, float], *ways: tuple[float, float]) -> None:
    """Press at a place, pull to others, and let go."""
    page.mouse.move(*start)
    page.mouse.down()
    for way in ways:
        page.mouse.move(*way, steps=4)
    page.mouse.up()


def middle(item: Locator) -> tuple[float, float]:
    """The middle of an element on the screen."""
    item.scroll_into_view_if_needed()
    box = item.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.fixture(scope="session")
def used(browser: Browser) -> Iterator[Visit]:
    """A page for one test after the other: opening one more takes longer than most tests."""
    visit = Visit(browser.new_page(color_scheme="light", reduced_motion="reduce"))
    visit.listen()
    visit.page.screenshot()  # what is pressed before the first frame is lost
    yield visit
    visit.page.context.close()


@pytest.fixture
def visit(used: Visit) -> Iterator[Visit]:
    """That page on a wide screen; a test that leaves errors on it fails."""
    used.page.goto("about:blank")
    used.page.set_viewport_size({"width": 1280, "height": 900})
    used.problems.clear()
    yield used
    assert not used.problems


@pytest.fixture
def show(visit: Visit) -> Callable[..., Page]:
    """A function that shows a widget on the shared page, with a model behind it."""

    def show(widget: Any, width: int = 1280) -> Page:
        if visit.page.viewport_size["width"] != width:
            visit.page.set_viewport_size({"width": width, "height": 900})
        return mount(visit.page, widget)

    return show


@pytest.fixture
def open_widgets(visit: Visit, tmp_path: Path) -> Callable[..., Visit]:
    """A function that opens a static page with these widgets, as the book would show them."""

    def open_widgets(*widgets: Any, width: int = 1280) -> Visit:
        page = tmp_path / "widgets.html"
        page.write_text(widget_pages.html(*widgets), encoding="utf-8")
        visit.page.set_viewport_size({"width": width, "height": 900})
        visit.open(page.as_uri())
        return visit

    return open_widgets


@pytest.fixture
def show_alone(browser: Browser) -> Iterator[Callable[[Any], Page]]:
    """The same on a page of its own, for a test that stops the clock."""
    page = browser.new_page(reduced_motion="reduce")
    page.set_default_timeout(PATIENCE)
    yield partial(mount, page)
    page.close()
