"""Time what an exercise of a page waits for in a browser: the earlier cells that its cell needs.

The cells run in the page's own worker, silently, as after a press on "Write your answer". Variables
are forgotten before each exercise; modules stay, so the first exercise of a page is measured with
all that it imports, and again without. The limit is 5 s. Seconds of a busy machine say little.

    python -m benchmarks.exercise_waits graph-attention training
"""

import json
import os
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from playwright.sync_api import Page

from _ext.python import FOLDER
from tools import browser
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
  await ask("start", { base });
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


class Quiet(SimpleHTTPRequestHandler):
    """Serve files and say nothing."""

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def waits(page: Page, address: str, name: str) -> dict[str, float]:
    """Return the seconds of each exercise of a lesson, the first one's twice."""
    cells = json.loads((HTML / FOLDER / "pages" / f"{name}.json").read_text(encoding="utf-8"))
    page.goto(address)
    page.evaluate(START, PLAN)
    found = {}
    for at, cell in enumerate(cells):
        if cell["id"].startswith("ex-"):
            if not found:
                found[f"{cell['id']}, with imports"] = page.evaluate(WAIT, [cells, at]) / 1000
            found[cell["id"]] = page.evaluate(WAIT, [cells, at]) / 1000
    return found


def main() -> None:
    """Print the exercises of the pages that are named, or of all, the slowest first."""
    names = sys.argv[1:] or sorted(path.stem for path in CHAPTERS.glob("*.ipynb"))
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=HTML))
    threading.Thread(target=httpd.serve_forever, daemon=True).start()
    found = {}
    with browser.opened() as chromium:
        for name in names:
            page = chromium.new_page()
            page.set_default_timeout(600_000)
            address = f"http://127.0.0.1:{httpd.server_port}/404.html"
            page.route(address, lambda route: route.fulfill(content_type="text/html", body=""))
            for exercise, seconds in waits(page, address, name).items():
                found[name, exercise] = seconds
            page.close()
    load = os.getloadavg()[0]
    print(f"Seconds until what an exercise needs has run, limit {LIMIT}; load {load:.1f}")
    for (name, exercise), seconds in sorted(found.items(), key=lambda item: -item[1]):
        print(f"{seconds:7.2f}  {name:28}  {exercise}")
    httpd.shutdown()


if __name__ == "__main__":
    main()
