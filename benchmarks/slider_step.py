"""Time a step of each temperature slider in the built book: script, style and layout.

The limit is one frame, 16 ms. The last columns are for a processor a quarter as fast.
"""

import statistics

from playwright.sync_api import Page, sync_playwright

from tools import browser
from tools.project import HTML

PAGES = {
    "AttentionBench": "chapters/index.html",
    "TemperatureExplorer": "chapters/temperature.html",
}
STEPS = 100
# Each step ends in a forced layout; the frame in between lets the page draw, untimed.
MEASURE = """async (input, steps) => {
  const times = [];
  for (let step = 0; step < steps; step++) {
    await new Promise(requestAnimationFrame);
    const start = performance.now();
    input.value = String(step + 1);
    input.dispatchEvent(new Event("input", { bubbles: true }));
    input.closest(".widget-slot").getBoundingClientRect();
    times.push(performance.now() - start);
  }
  return times;
}"""


def measure(page: Page, widget: str, slowdown: int) -> tuple[float, float]:
    """Return the median and the 95th percentile of the steps, in milliseconds."""
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": slowdown})
    slider = page.locator(f".widget-slot[data-widget={widget}] input[type=range]").first
    slider.scroll_into_view_if_needed()
    slider.evaluate(MEASURE, 20)  # so that the code is compiled
    times = slider.evaluate(MEASURE, STEPS)
    session.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    return statistics.median(times), statistics.quantiles(times, n=20)[-1]


def main() -> None:
    """Print a table of the widgets."""
    print(f"Milliseconds of a slider step (script, style, layout), {STEPS} steps, limit 16")
    print(f"{'':24}{'median':>8}{'95 %':>8}{'4x slower':>12}{'95 %':>8}")
    program = browser.path()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=browser.FLAGS)
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        for widget, name in PAGES.items():
            page.goto(f"{HTML.as_uri()}/{name}")
            page.wait_for_selector("html[data-widgets=ready]")
            median, high = measure(page, widget, 1)
            slow_median, slow_high = measure(page, widget, 4)
            print(f"{widget:24}{median:8.1f}{high:8.1f}{slow_median:12.1f}{slow_high:8.1f}")
        chromium.close()


if __name__ == "__main__":
    main()
