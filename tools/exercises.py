"""What each exercise of the book asks of the page's Python: cells, seconds, bytes.

An exercise is answered as its solution does. What runs before it is what the page would run, by
`book/python/page/plan.js`; it runs in Chromium, in the built book, with all files at hand.

    .venv/bin/python -m tools.project .venv/bin/python -m tools.exercises self-attention
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Browser, Page

from attnbook.page.names import names
from book.sphinx.python import FOLDER, cell_data, code_cells
from tools import browser
from tools.local_server import QuietHandler, serving
from tools.project import CHAPTERS, HTML, ROOT, environment

#: As strict as the pages of the book are, or more: the worker and its files, from this host alone.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'self' 'wasm-unsafe-eval' blob:; "
    "worker-src blob:; connect-src 'self'"
)
#: Starts the worker of the built book in a page that has nothing else.
START = """async (base) => {
  const text = await (await fetch(base + "worker.js")).text();
  const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const worker = new Worker(address, { type: "module" });
  let count = 0;
  window.fetched = 0;
  const waiting = new Map();
  worker.onerror = (event) => waiting.forEach(({ fail }) => fail(new Error(event.message)));
  worker.onmessage = ({ data: { id, done, failed, ...part } }) => {
    const asked = waiting.get(id);
    if (failed !== undefined) waiting.forEach(({ fail }) => fail(new Error(failed)));
    else if (done) asked.done(JSON.parse(JSON.stringify({ ...done, parts: asked.parts })));
    else if (["stream", "display"].includes(part.kind)) asked.parts.push(part);
    else if (part.stage === "package" && part.loaded === part.total) fetched += part.total;
  };
  window.ask = (ask, more) => new Promise((done, fail) => {
    waiting.set(++count, { done, fail, parts: [] });
    worker.postMessage({ id: count, ask, ...more });
  });
  return window.ask("start", { base, book: await (await fetch(`${base}files.json`)).json() });
}"""
PLAN = """import {{ apart, needed }} from {address};
const told = {pages}.map(apart).map((page) =>
  needed(page, page.length - 1).concat(page.length - 1).map((at) => [page[at].id, page[at].text]));
console.log(JSON.stringify(told));"""


class Exercise(NamedTuple):
    """An exercise, and the cells that run for it in order, itself the last: names and texts."""

    page: str
    name: str
    cells: list[tuple[str, str]]


def exercises(*pages: str) -> list[Exercise]:
    """Return the exercises of these pages, each with the text of its solution in its cell."""
    found, standing = [], []
    for page in pages:
        cells = [cell_data(cell) for _, cell in code_cells(CHAPTERS / f"{page}.ipynb")]
        for at, cell in enumerate(cells):
            if not cell["id"].startswith("ex-"):
                continue
            solved = next(each["source"] for each in cells[at:] if each["id"].startswith("sol-"))
            solved = f"{cell.get('part', '')}\n{solved}"
            before = [
                each | {"text": each["part"], "takes": []}
                if "part" in each
                else each | {"text": each["source"]}
                for each in cells[:at]
            ]
            found.append((page, cell["id"]))
            standing.append([*before, {"id": cell["id"], "text": solved, **names(solved)}])
    address = json.dumps((ROOT / "book/python/page/plan.js").as_uri())
    program = PLAN.format(address=address, pages=json.dumps(standing))
    node = ["node", "--input-type=module", "-"]
    done = subprocess.run(
        node, input=program, stdout=subprocess.PIPE, text=True, check=True, env=environment()
    )
    told = json.loads(done.stdout)
    return [Exercise(*name, cells) for name, cells in zip(found, told, strict=True)]


def started(chromium: Browser, server: str) -> Page:
    """Return a page with nothing but Python, which has started."""
    page = chromium.new_page()
    page.set_default_timeout(600_000)
    body = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    page.route("**/python.html", lambda r: r.fulfill(content_type="text/html", body=body))
    page.goto(f"{server}/python.html")
    page.evaluate(START, f"{server}/{FOLDER}/")
    return page


def run(page: Page, source: str, name: str = "a-cell") -> dict[str, Any]:
    """Run a cell; return what the worker answers, and all that it sent before."""
    return page.evaluate("asked => ask('run', asked)", {"source": source, "name": name})


def measured(todo: list[Exercise]) -> Iterator[tuple[Exercise, float, float]]:
    """Yield each exercise with the seconds that its cells took, and the MB that they fetched."""
    with serving(partial(QuietHandler, directory=HTML)) as server, browser.opened() as chromium:
        begun = time.perf_counter()
        page = started(chromium, server)
        print(f"Python starts in {time.perf_counter() - begun:.1f} s.")
        for each in todo:
            page.evaluate("ask('reset')")
            answers = [run(page, text, name) for name, text in each.cells]
            for answer in answers:
                if answer["error"]:
                    raise RuntimeError(f"{each.page}, {each.name}: {answer['error']}")
            fetched = page.evaluate("fetched") / 1e6
            yield each, sum(answer["ms"] for answer in answers) / 1000, fetched
            if fetched:  # what is there is not fetched again
                page.close()
                page = started(chromium, server)


def main() -> None:
    """Print a line for each exercise of the pages that are named, or of all."""
    pages = sys.argv[1:] or [path.stem for path in sorted(Path(CHAPTERS).glob("*.ipynb"))]
    print("page                       exercise                    s    MB  cells before it")
    for (page, name, cells), seconds, fetched in measured(exercises(*pages)):
        before = ", ".join(cell for cell, _ in cells[:-1])
        print(f"{page:26} {name:24}{seconds:5.1f} {fetched:5.1f}  {before}", flush=True)


if __name__ == "__main__":
    main()
