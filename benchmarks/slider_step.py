"""Time a step of each slider of the widgets, and of the nodes of a graph: script, style and layout.

They are taken from the built book and, where a widget can take more than the book has, from a page
made for it.

The limit is one frame, 16 ms. The last columns are for a processor a quarter as fast.
"""

import statistics
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import Locator, sync_playwright

from attnutils import AttentionExplorer, GraphAttentionExplorer, PositionalEncodingExplorer
from tools import browser, widget_page
from tools.project import HTML

PAGES = {
    "AttentionBench": "chapters/index.html",
    "TemperatureExplorer": "chapters/temperature.html",
    "AttentionExplorer": "chapters/self-attention.html",
    "KernelRegressionExplorer": "chapters/scoring-functions.html",
    "PositionalEncodingExplorer": "chapters/positional-encoding.html",
    "GraphAttentionExplorer": "chapters/graph-attention.html",
    "OnlineSoftmaxExplorer": "chapters/efficient-attention.html",
}
CIRCLE = 2 * np.pi * np.arange(24) / 24
TOKENS = [f"token {i}" for i in range(32)]
LARGEST = {
    "AttentionExplorer, 12 x 32 x 32": AttentionExplorer(
        TOKENS, np.random.default_rng(0).normal(size=(12, 32, 32)), axes=("head",)
    ),
    "PositionalEncodingExplorer, 128 x 128": PositionalEncodingExplorer(length=128, dim=128),
    "GraphAttentionExplorer, 24 nodes, 576 edges": GraphAttentionExplorer(
        TOKENS[:24],
        np.c_[np.cos(CIRCLE), np.sin(CIRCLE)],
        *np.indices((24, 24)).reshape(2, -1),
        {"dot": np.random.default_rng(0).normal(size=(576, 8))},
    ),
}
STEPS = 100
# The sliders, and the nodes of a graph: the first of them stands for all.
CONTROLS = "input[type=range], .stage label:first-of-type input"
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
    program = browser.path()
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        cases = {name: f"{HTML.as_uri()}/{page}" for name, page in PAGES.items()}
        for name, widget in LARGEST.items():
            path = Path(folder) / f"{name}.html"
            path.write_text(widget_page.html(widget), encoding="utf-8")
            cases[name] = path.as_uri()
        chromium = playwright.chromium.launch(executable_path=program, args=browser.FLAGS)
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        for name, address in cases.items():
            page.goto(address)
            page.wait_for_selector("html[data-widgets=ready]")
            print(name)
            slot = page.locator(f".widget-slot[data-widget={name.partition(',')[0]}]").first
            for control in slot.locator(CONTROLS).all():
                label = control.evaluate(LABEL)
                times = [*measure(control, 1), *measure(control, 4)]
                median, high, slow_median, slow_high = times
                print(f"  {label:30}{median:8.1f}{high:8.1f}{slow_median:12.1f}{slow_high:8.1f}")
        chromium.close()


if __name__ == "__main__":
    main()
