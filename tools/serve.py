"""Show a preview of the book in a browser, and keep it up to date while its sources are edited.

A changed page is made again, alone; a changed notebook runs if its code changed; a changed style,
template or widget script goes onto every page without running anything; a changed function of
attnutils runs every notebook, as in `make book`. A build that fails says why here and on the page.

Every build is a fork of a process that has loaded Sphinx and nothing of the book, so it starts at
once and sees all code as it is now; sphinx-autobuild starts a new Python each time. What changed is
asked of the list of inputs that `make book` goes by, which a watcher of folders would not know.
"""

import argparse
import io
import json
import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
import webbrowser
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import redirect_stderr, suppress
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from sphinx.util.console import strip_colors

from tools import build, minilm, pyodide
from tools.project import ROOT, environment

PAGES = build.PREVIEW / "html"
# What every build loads, but _ext and attnutils, which change.
PRELOADED = (
    *("jupyter_book.sphinx", "myst_nb", "nbclient", "sphinx.builders.html", "sphinx.ext.autodoc"),
    *("sphinx.ext.napoleon", "sphinx_exercise", "sphinxcontrib.bibtex", "sphinxcontrib.katex"),
    *("sphinx.builders.linkcheck", "sphinx_external_toc", "myst_nb.sphinx_ext"),
    *("myst_nb.core.execute.cache", "sqlalchemy.dialects.sqlite", "pybtex.style.formatting.unsrt"),
    *("anywidget", "numpy", "scipy.sparse", "matplotlib.pyplot", "fontTools.subset", "PIL.Image"),
)
EVENTS = "/events-of-the-preview"
# Loads the page again when there is a new build, and shows what the last one complained of.
ADDRESS = "/script-of-the-preview"
SCRIPT = """const { number: shown } = document.currentScript.dataset;
new EventSource("/events-of-the-preview" + location.pathname).onmessage = ({ data }) => {
  const { number, complaint } = JSON.parse(data);
  if (String(number) !== shown) location.reload();
  document.getElementById("complaint")?.remove();
  if (!complaint) return;
  const box = Object.assign(document.createElement("pre"), { id: "complaint" });
  box.textContent = complaint;
  box.style.cssText = "position:fixed;inset:auto 0 0;z-index:9999;margin:0;padding:1em;" +
    "max-height:50%;overflow:auto;white-space:pre-wrap;color:#fff;background:#8b0000";
  document.body.append(box);
};"""


MISSING = """<title>Not there (yet)</title>
<p>This page is not there, or not yet: while the book is being made it comes by itself."""


class News:
    """What a page is told: the number of the last good build, and what the last one complained of.

    And which pages are open. A server that was started again has other numbers, so pages that are
    still open load again.
    """

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.open: Counter[str] = Counter()
        self.number = time.time_ns() // 1_000_000
        self.complaint = ""

    def tell(self, status: int, complaint: str) -> None:
        """Tell every open page how a build ended."""
        with self.changed:
            self.complaint = complaint if status else ""
            self.number += status == 0
            self.changed.notify_all()

    def sources(self) -> list[Path]:
        """Return the files of the pages that are open."""
        pages = (page.removesuffix(".html") for page, count in self.open.items() if count)
        files = (Path(f"{ROOT}{page}{suffix}") for page in pages for suffix in build.PAGES)
        return [file for file in files if file.is_file()]

    def data(self) -> str:
        return json.dumps({"number": self.number, "complaint": self.complaint})


class Handler(SimpleHTTPRequestHandler):
    """Serves the pages with the script in them."""

    def __init__(self, *args: object, news: News, **options: object) -> None:
        self.news = news
        super().__init__(*args, directory=PAGES, **options)

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        if self.path.startswith(EVENTS):
            page = self.path.removeprefix(EVENTS)
            self.news.open[page] += 1
            with suppress(ConnectionError):  # the page was left
                self.send_events()
            self.news.open[page] -= 1
        elif self.path == ADDRESS:
            self.send_text(SCRIPT, "text/javascript")
        elif path.suffix == ".html" or (path / "index.html").is_file():
            self.send_page(path / "index.html" if path.is_dir() else path)
        else:
            super().do_GET()

    def send_page(self, path: Path) -> None:
        """Send a page, or while there is none an empty one, which loads again."""
        # Not the script itself: the policy of a page has none that stands in it.
        script = f'<script src="{ADDRESS}" data-number="{self.news.number}"></script>'
        found = path.is_file()
        text = path.read_text(encoding="utf-8") if found else MISSING
        before, end, after = text.rpartition("</body>")
        page = "".join([before, script, end, after] if end else [text, script])
        self.send_text(page, "text/html", HTTPStatus.OK if found else HTTPStatus.NOT_FOUND)

    def send_text(self, text: str, kind: str, status: HTTPStatus = HTTPStatus.OK) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def send_events(self) -> None:
        """Send the news and each that follows, until the page is left."""
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        while True:
            with self.news.changed:
                told = self.news.data()
            self.wfile.write(f"data: {told}\n\n".encode())
            # Now and then the same again: that a page was left is noticed when it is written to.
            with self.news.changed:
                self.news.changed.wait_for(lambda told=told: self.news.data() != told, timeout=60)

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the terminal is for the builds."""


def make_preview(first: list[Path]) -> tuple[int, str, bool]:
    """Make what changed, new looks on these pages first; return the exit status, what it complained
    of, and whether other pages wait for the new looks."""
    complaint = io.StringIO()
    new, left = build.wanted(), False
    with redirect_stderr(complaint), build.alone():
        try:
            status, _ = build.make_pages(build.PREVIEW, new, first=first)
            made = build.read(build.PREVIEW / "inputs.json")
            left = status == 0 and any(build.is_look(name) and not made[name] for name in new)
        except Exception:
            traceback.print_exc()
            status = 1
    return status, strip_colors(complaint.getvalue()), left


def keep_up_to_date(news: News) -> None:
    """Build, and again whenever something changes."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*PRELOADED])
    shown, first = {}, []
    while True:
        seen = build.states()
        start = time.monotonic()
        # A process for each build. It imports the book's own code as it is now.
        with ProcessPoolExecutor(1, context) as pool:
            try:
                status, complaint, left = pool.submit(make_preview, first).result()
            except BrokenProcessPool:
                status, complaint, left = 1, "The process that built the pages was killed.", False
        if status or seen != shown:
            news.tell(status, complaint)
            took = f"Up to date ({time.monotonic() - start:.1f} s)"
            print(complaint or took, file=sys.stderr if status else sys.stdout, flush=True)
        shown, first = seen, []
        if left:
            continue
        while (now := build.states()) == seen:
            time.sleep(0.2)
        print(f"Changed: {build.changed(seen, now)} ...", flush=True)
        first = news.sources()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=8000, help="0 takes any free port")
    arguments = parser.parse_args()
    os.environ.update(environment())
    news = News()
    handler = partial(Handler, news=news)
    try:
        server = ThreadingHTTPServer(("127.0.0.1", arguments.port), handler)
    except OSError:  # the port is taken
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/"
    pyodide.get_or_say()
    minilm.get_or_say()
    print(
        f"The preview is at {address} (stop with Ctrl+C). Its pages come when they are made ...",
        flush=True,
    )
    webbrowser.open(address)
    # Whoever ends it waits for a build that runs, which nobody would stop otherwise.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        keep_up_to_date(news)


if __name__ == "__main__":
    main()
