"""Time and weigh the way from the first press on an exercise to its verdict.

Beside it, in turn, a bare page of the same server in whose worker Pyodide, as it is published,
imports NumPy and does no more. The limit is 1.3 times that, and 10 MB where nothing is drawn. Each
visit has an empty cache, and then none: the page is loaded again. Seconds of a busy machine say
little, ratios more.
"""

import gzip
import os
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Browser, Page

from tools import browser, pyodide
from tools.local_server import QuietHandler, serving
from tools.project import HTML

PAIRS = 4
ANSWER = 'from attnutils import check\nanswer = np.exp(2)\ncheck("reads-odds", answer)'
#: What the reader writes before the answer.
VISITS = {
    "an answer": "",
    "with a figure": "plt.plot([1]);\n",
    "with SciPy": "import scipy.sparse\n",
}
# From the press to the verdict: the answer is written while Python comes.
PRESS = """() => {
  const box = document.querySelector("[data-cell=ex-odds-answer]");
  const begun = performance.now();
  window.verdict = new Promise((done) => {
    new MutationObserver(() => {
      if (box.querySelector(".run-output .result")) done((performance.now() - begun) / 1000);
    }).observe(box, { childList: true, subtree: true });
  });
  box.querySelector(".run").click();
}"""
WORKER = """onmessage = async ({ data: { home, numpy } }) => {
  const coming = fetch(numpy);
  const { loadPyodide } = await import(`${home}pyodide.mjs`);
  const pyodide = await loadPyodide({ indexURL: home });
  pyodide.unpackArchive(await (await coming).arrayBuffer(), "wheel");
  pyodide.runPython("import numpy");
  postMessage("there");
};"""
BARE = """([script, files]) => new Promise((done) => {
  const begun = performance.now();
  const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const worker = new Worker(address, { type: "module" });
  worker.onmessage = () => done((performance.now() - begun) / 1000);
  worker.postMessage(files);
})"""


def sent(address: str) -> int:
    """Return the bytes of a file as it travels: servers pack what is not packed."""
    path = HTML / urlsplit(address).path[1:]
    data = path.read_bytes() if path.is_file() else b""
    return len(data) if path.suffix in (".whl", ".zip") else len(gzip.compress(data, 6))


def ours(page: Page, before: str) -> float:
    """Answer the exercise; return the seconds that it took."""
    page.evaluate(PRESS)
    page.locator("[data-cell=ex-odds-answer] .cm-content").focus()
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.insert_text(before + ANSWER)
    page.keyboard.press("Control+Enter")
    return page.evaluate("verdict")


def bare_page(page: Page, files: dict[str, str]) -> float:
    """Import NumPy; return the seconds that it took."""
    return page.evaluate(BARE, [WORKER, files])


def visits(chromium: Browser, address: str, act: Callable[[Page], float]) -> NDArray[Any]:
    """Return the seconds of a visit with an empty cache, of the next one, and MB of the first."""
    context = chromium.new_context()
    page = context.new_page()
    page.set_default_timeout(600_000)
    page.goto(address, wait_until="networkidle")
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    cold = act(page)
    weight = sum(map(sent, asked)) / 1e6
    page.reload(wait_until="networkidle")
    warm = act(page)
    context.close()
    return np.array([cold, warm, weight])


class Handler(QuietHandler):
    """A server of the book, and of Pyodide and NumPy as they are published."""

    def translate_path(self, path: str) -> str:
        place, _, name = urlsplit(path).path[1:].partition("/")
        folder = {"npm": pyodide.NPM, "wheels": pyodide.CACHE / "wheels"}.get(place)
        return str(folder / name) if folder else super().translate_path(path)


def main() -> None:
    """Print seconds, ratios and MB: medians over pairs."""
    wheel = pyodide.official()["packages"]["numpy"]["file_name"]
    print(f"From the press to the verdict, {PAIRS} pairs; load {os.getloadavg()[0]:.1f}")
    print("                 seconds       times bare         MB")
    print("                 cold   warm   cold   warm")
    with serving(partial(Handler, directory=HTML)) as server, browser.opened() as chromium:
        files = {"home": f"{server}/npm/", "numpy": f"{server}/wheels/{wheel}"}
        for name, before in VISITS.items():
            bare, full = np.empty((2, PAIRS, 3))
            for n in range(PAIRS):
                # A text has no policy, which the pages of the book have.
                bare[n] = visits(chromium, f"{server}/robots.txt", partial(bare_page, files=files))
                full[n] = visits(
                    chromium, f"{server}/chapters/temperature.html", partial(ours, before=before)
                )
            cold, warm, weight = np.median(full, axis=0)
            ratios = np.median(full / bare, axis=0)
            row = f"{name:<15}{cold:6.1f} {warm:6.1f} {ratios[0]:6.2f} {ratios[1]:6.2f}"
            print(f"{row} {weight:8.2f}", flush=True)


if __name__ == "__main__":
    main()
