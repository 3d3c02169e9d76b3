"""Time a step of each slider of the widgets, and of the nodes of a graph: script, style and layout.

Each explorer is taken from a page of the book and, in its widest examples, from pages made for it.

The limit is one frame, 16 ms. The last columns are for a processor a quarter as fast.
"""

import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Locator

from tests.explorers.states import PLACES, WIDE_WIDGETS
from tools import browser, widget_page
from tools.project import HTML

STEPS = 100
# The sliders, and the nodes of a graph: the first of them stands for all.
CONTROLS = "input[type=range], .nodes label:first-of-type input"
LABEL = "input => (input.closest('fieldset')?.firstChild ?? input.labels[0]).textContent"
# Each step ends in a forced layout; the frame in between lets the page draw, untimed.
MEASURE = """async (control, steps) => {
  const nodes = control.closest("fieldset")?.elements;
  const times = [];
  for (let step = 0; step < steps; step++) {
    await new Promise(requestAnimationFrame);
    const input = nodes ? nodes[step % nodes.length] : control;
    const start = performance.now();
    if (nodes) input.checked = true;
    else input.value = String(Number(input.min) + (step % (input.max - input.min + 1)));
    input.dispatchEvent(new Event("input", { bubbles: true }));
    input.closest(".widget-slot").getBoundingClientRect();
    times.push(performance.now() - start);
  }
  return times;
}"""


def measure(control: Locator, slowdown: int) -> tuple[float, float]:
    """Return the median and the 95th percentile of the steps, in milliseconds."""
    session = control.page.context.new_cdp_session(control.page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": slowdown})
    control.scroll_into_view_if_needed()
    control.evaluate(MEASURE, 20)  # so that the code is compiled
    times = control.evaluate(MEASURE, STEPS)
    session.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    return statistics.median(times), statistics.quantiles(times, n=20)[-1]


def main() -> None:
    """Print a table of the widgets."""
    print(f"Milliseconds of a slider step (script, style, layout), {STEPS} steps, limit 16")
    print(f"{'':32}{'median':>8}{'95 %':>8}{'4x slower':>12}{'95 %':>8}")
    with browser.opened() as chromium, tempfile.TemporaryDirectory() as folder:
        cases = {name: f"{HTML.as_uri()}/chapters/{page}.html" for name, page in PLACES[::-1]}
        for number, widget in enumerate(WIDE_WIDGETS):
            path = Path(folder) / f"{number}.html"
            path.write_text(widget_page.html(widget), encoding="utf-8")
            cases[repr(widget)[:70]] = path.as_uri()
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        for name, address in cases.items():
            page.goto(address)
            page.wait_for_selector("html[data-widgets=ready]")
            print(name)
            slot = page.locator(f".widget-slot[data-widget={name.partition('(')[0]}]").first
            for control in slot.locator(CONTROLS).all():
                label = control.evaluate(LABEL)
                times = [*measure(control, 1), *measure(control, 4)]
                median, high, slow_median, slow_high = times
                print(f"  {label:30}{median:8.1f}{high:8.1f}{slow_median:12.1f}{slow_high:8.1f}")


if __name__ == "__main__":
    main()
