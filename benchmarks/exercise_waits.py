"""Time what an exercise of a page waits for in a browser: the earlier cells that its cell needs.

The cells run in the page's own worker, silently, as after a press on "Write your answer". Variables
are forgotten before each exercise, modules stay: the first time of a page that one is needed counts
its import, too, so each exercise is measured twice. The limit is 5 s. Seconds of a busy machine say
little.

    python -m benchmarks.exercise_waits graph-attention training
"""

import json
import os
import sys
from collections.abc import Iterator
from functools import partial

from playwright.sync_api import Page

from _ext.python import FOLDER
from tools import browser
from tools.local_server import QuietHandler, serving
from tools.project import CHAPTERS, HTML, ROOT

LIMIT = 5
PLAN = (ROOT / "_python" / "page" / "plan.js").read_text(encoding="utf-8")
START = """async (plan) => {
  window.plan = await import(`data:text/javascript,${encodeURIComponent(plan)}`);
  const base = new URL("/_static/python/", location.href).href;
  const worker = new Worker(`${base}worker.js`, { type: "module" });
  const waiting = new Map();
  let count = 0;
  worker.onmessage = ({ data: { id, done, failed } }) => {
    if (failed !== undefined) waiting.get(id).fail(new Error(failed));
    else if (done) waiting.get(id).done(done);
  };
  window.ask = (ask, more) => new Promise((done, fail) => {
    waiting.set(++count, { done, fail });
    worker.postMessage({ id: count, ask, ...more });
  });
  await ask("start", { base, book: await (await fetch(`${base}files.json`)).json() });
}"""
# A cell that answers an exercise gives others what stands there beside the answer.
WAIT = """async ([cells, at]) => {
  await ask("reset");
  const begun = performance.now();
  for (const i of plan.needed(cells, at)) {
    const { id, source, part } = cells[i];
    const { error } = await ask("run", { source: part ?? source, name: id, silent: true });
    if (error) throw new Error(`${id}: ${error}`);
  }
  return performance.now() - begun;
}"""


def waits(page: Page, address: str, name: str) -> Iterator[tuple[float, float, str]]:
    """Yield the seconds of each exercise of a lesson, the first time and again, and its name."""
    cells = json.loads((HTML / FOLDER / "pages" / f"{name}.json").read_text(encoding="utf-8"))
    page.goto(address)
    page.evaluate(START, PLAN)
    for at, cell in enumerate(cells):
        if cell["id"].startswith("ex-"):
            first, again = (page.evaluate(WAIT, [cells, at]) / 1000 for _ in range(2))
            yield first, again, f"{name}: {cell['id']}"


def main() -> None:
    """Print the exercises of the pages that are named, or of all, the slowest first."""
    names = sys.argv[1:] or sorted(path.stem for path in CHAPTERS.glob("*.ipynb"))
    found = []
    with serving(partial(QuietHandler, directory=HTML)) as server, browser.opened() as chromium:
        for name in names:
            page = chromium.new_page()
            page.set_default_timeout(600_000)
            address = f"{server}/404.html"
            page.route(address, lambda route: route.fulfill(content_type="text/html", body=""))
            found += waits(page, address, name)
            page.close()
    load = os.getloadavg()[0]
    print(f"Seconds until what an exercise needs has run, limit {LIMIT}; load {load:.1f}")
    print("  first   again")
    for first, again, exercise in sorted(found, reverse=True):
        print(f"{first:7.2f} {again:7.2f}  {exercise}")


if __name__ == "__main__":
    main()
