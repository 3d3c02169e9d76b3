"""`make audit`: measure every page of the built book, and look up what is known of its packages.

Lighthouse, the Nu HTML checker, npm audit and pip-audit judge; tools/limits.py says what is good
enough. Slow, and some of it needs Java or a network, so it is not part of `make test`. Let nothing
else run meanwhile: Lighthouse takes times.
"""

import argparse
import asyncio
import gzip
import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from math import inf
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from bs4 import BeautifulSoup, SoupStrainer
from playwright.sync_api import Browser, Page, Request, sync_playwright
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application, StaticFileHandler

from tools import browser, build, limits
from tools.project import BUILD, HTML, ROOT, node_folder, npm

HERE = Path(__file__).parent
MODULES = HERE / "node_modules"
REPORTS = BUILD / "audit"
# Every name but that of this machine leads nowhere, so nothing can be fetched from elsewhere.
FLAGS = [*browser.FLAGS, "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
# Pictures that wait until they are scrolled to count too; those that are hidden are never fetched.
FETCH_ALL = """() => {
  const shown = [...document.images].filter((image) => image.checkVisibility());
  for (const image of shown) image.loading = "eager";
  return Promise.all(shown.map((image) => image.decode().catch(() => {})));
}"""

# Sentences: what missed a limit, and what nobody could look at.
missed: list[str] = []
unchecked: list[str] = []


class Measure(NamedTuple):
    """A number of a page, and what it may be."""

    title: str
    value: float
    most: float = inf
    least: float = -inf

    def miss(self) -> list[str]:
        """Return a sentence where the limit is missed."""
        if self.least <= self.value <= self.most:
            return []
        allowed = f"at most {self.most}" if self.value > self.most else f"at least {self.least}"
        return [f"{self.title} {self.value:g}, where tools/limits.py allows {allowed}"]


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve a folder on loopback with gzip; give its address, without a slash at its end."""
    handler = (r"/(.*)", StaticFileHandler, {"path": folder, "default_filename": "index.html"})
    loop = asyncio.new_event_loop()

    async def start() -> int:
        sockets = bind_sockets(0, "127.0.0.1")
        application = Application([handler], compress_response=True, log_function=lambda _: None)
        HTTPServer(application).add_sockets(sockets)
        return sockets[0].getsockname()[1]

    Thread(target=loop.run_forever, daemon=True).start()
    yield f"http://127.0.0.1:{asyncio.run_coroutine_threadsafe(start(), loop).result()}"
    loop.call_soon_threadsafe(loop.stop)


def weigh(chromium: Browser, address: str, folder: Path) -> tuple[list[Measure], set[str]]:
    """Open a page as a reader who never was here; return its weights and all it asked for."""
    tab = chromium.new_page(viewport={"width": 1350, "height": 940})
    requests: list[Request] = []
    tab.on("request", lambda request: requests.append(request))
    tab.goto(address, wait_until="networkidle")
    sizes = travelled(tab, requests)
    # A page can lead on: this is where the reader is now.
    file = folder / urlsplit(tab.url).path.lstrip("/")
    measures = [*weights(file, sizes), elements(tab)]
    tab.close()
    return measures, {request.url for request in requests}


def elements(tab: Page) -> Measure:
    """Return how many elements an open page has."""
    return Measure("elements", tab.locator("*").count(), limits.PAGE_ELEMENTS)


def travelled(tab: Page, requests: Sequence[Request]) -> Counter[str]:
    """Return how many bytes of each kind came, once all pictures that show have come."""
    tab.evaluate(FETCH_ALL)
    sizes: Counter[str] = Counter()
    for request in requests:
        if request.response():
            # Of widgets, all that is in files travels as scripts, for pages that lie in a folder.
            name = Path(urlsplit(request.url).path).name.partition("-")[0]
            kind = {"buffer": "state", "widget": "widgets"}.get(name, request.resource_type)
            sizes[kind] += request.sizes()["responseBodySize"]
    return sizes


def weights(file: Path, sizes: Counter[str]) -> list[Measure]:
    """Return the weights of a page of the book for which so many bytes of each kind came."""
    text, inline = file.read_text(encoding="utf-8"), SoupStrainer(["script", "style"])
    page = BeautifulSoup(text, "html.parser", parse_only=inline)
    data = page.find(id="widget-data")
    kinds = (
        {name.rpartition(".")[2] for name in json.loads(data.string)["scripts"]} if data else set()
    )
    explorers = limits.EXPLORER_SCRIPT_KB * len(kinds - {"Question", "ThingsToTry"})

    def kb(title: str, most: float, files: int, texts: Iterable[str] = ()) -> Measure:
        here = "\n".join(texts).encode()
        travels = files + (len(gzip.compress(here)) if here else 0)
        return Measure(title, round(travels / limits.KB, 1), most)

    own = limits.SCRIPT_KB
    if file.name == "search.html":
        sources = [path for path in (file.parent / "_sources").rglob("*") if path.is_file()]
        own = limits.SEARCH_SCRIPT_KB + limits.INDEX_KB * len(sources)
    scripts = [e.text for e in page.select("script:not([src], [type*=json])")]
    return [
        kb("KB", limits.WIDGET_PAGE_KB if kinds else limits.PAGE_KB, sizes.total()),
        kb("HTML", limits.HTML_KB, 0, [text]),
        kb("scripts", own, sizes["script"], scripts),
        kb("widgets", limits.WIDGET_SCRIPT_KB + explorers if kinds else 0, sizes["widgets"]),
        kb("styles", limits.STYLE_KB, sizes["stylesheet"], [e.text for e in page("style")]),
        kb("state", limits.STATE_KB, sizes["state"]),
    ]


def lighthouse(address: str, name: str, *options: str) -> dict[str, Any]:
    """Run Lighthouse once; return its report, which stays with one to read."""
    path = REPORTS / name
    command = [
        *(node_folder() / "node", MODULES / "lighthouse" / "cli" / "index.js", address, *options),
        *("--quiet", "--no-enable-error-reporting", "--output=json", "--output=html"),
        *(f"--output-path={path}", f"--chrome-flags={shlex.join(FLAGS)}"),
    ]
    subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(path.with_name(f"{name}.report.json").read_text(encoding="utf-8"))


def judge(mobile: list[dict[str, Any]], desktop: dict[str, Any]) -> list[Measure]:
    """Return what Lighthouse says: the median of performance on a phone, the worst of the rest."""
    reports = [*mobile, desktop]

    def scores(category: str) -> list[int]:
        # None, where an audit failed, is no pass.
        return [round(100 * (r["categories"][category]["score"] or 0)) for r in reports]

    *speeds, desktop_speed = scores("performance")
    shift = max(r["audits"]["cumulative-layout-shift"]["numericValue"] for r in reports)
    return [
        Measure("shift", round(shift, 3), limits.LAYOUT_SHIFT),
        Measure("mobile", statistics.median(speeds), least=limits.MOBILE_PERFORMANCE),
        Measure("desktop", desktop_speed, least=limits.DESKTOP_PERFORMANCE),
        Measure("access.", min(scores("accessibility")), least=limits.ACCESSIBILITY),
        Measure("practices", min(scores("best-practices")), least=limits.BEST_PRACTICES),
        Measure("SEO", min(scores("seo")), least=limits.SEO),
    ]


def measure(chromium: Browser, server: str, name: str, runs: int) -> list[Measure]:
    """Measure a page in every way but its markup."""
    address, stem = f"{server}/{name}", name.replace("/", "-")
    address += "?q=softmax" if name == "search.html" else ""
    measures, asked = weigh(chromium, address, HTML)
    mobile = [lighthouse(address, f"{stem}-mobile-{run}") for run in range(runs)]
    desktop = lighthouse(address, f"{stem}-desktop", "--preset=desktop")
    for report in (*mobile, desktop):
        asked |= {r["url"] for r in report["audits"]["network-requests"]["details"]["items"]}
    # These are made in the page and never travel.
    elsewhere = [url for url in asked if not url.startswith((f"{server}/", "data:", "blob:"))]
    missed.extend(f"{name} asks for {url}" for url in sorted(elsewhere))
    return [*measures, Measure("elsewhere", len(elsewhere), 0), *judge(mobile, desktop)]


def audit_pages(pages: list[Path], runs: int) -> None:
    """Print the numbers of each page as soon as it is measured."""
    program = os.environ["CHROME_PATH"] = browser.path()  # where Lighthouse looks, too
    shutil.rmtree(REPORTS, ignore_errors=True)
    REPORTS.mkdir()
    with serving(HTML) as server, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=FLAGS)
        for name in map(Path.as_posix, pages):
            try:
                measures = measure(chromium, server, name, runs)
            except subprocess.CalledProcessError as error:
                missed.append(f"{name} could not be measured: {error.stderr.strip()}")
                continue
            print(name, *(f"{m.title} {m.value:g}" for m in measures), sep="  ", flush=True)
            missed.extend(f"{name}: {miss}" for m in measures for miss in m.miss())
        chromium.close()
    print(f"Lighthouse's reports are in {REPORTS}")


def answer(*command: str | Path, cwd: Path = ROOT) -> dict[str, Any]:
    """Run a command; return its JSON, or what it said instead as "message"."""
    try:
        result = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
        return json.loads(result.stdout)
    except FileNotFoundError as error:
        return {"message": str(error)}
    except json.JSONDecodeError:
        return {"message": (result.stderr or result.stdout).strip()}


def audit_markup(pages: list[Path]) -> None:
    """Check the markup of pages; what is no error is advice, such as slashes without effect."""
    jar = MODULES / "vnu-jar" / "build" / "dist" / "vnu.jar"
    options = ("--stdout", "--format", "json", "--exit-zero-always", "--errors-only")
    found = answer("java", "-jar", jar, *options, *pages, cwd=HTML)
    if "messages" not in found:
        unchecked.append(f"The Nu HTML checker, which needs Java, failed: {found.get('message')}")
        return
    for error in found["messages"]:
        missed.append(f"{error.get('url')}, line {error.get('lastLine')}: {error['message']}")


def audit_npm(lock: Path) -> None:
    """Look up the packages of a package-lock.json."""
    found = answer(*npm(), "audit", "--package-lock-only", "--json", cwd=lock.parent)
    name = lock.relative_to(ROOT)
    if "vulnerabilities" not in found:
        unchecked.append(f"{name} could not be looked up: {found.get('message')}")
        return
    for package, entry in found["vulnerabilities"].items():
        # An entry that names a package only passes on the weakness of that package.
        known = [advisory for advisory in entry["via"] if isinstance(advisory, dict)]
        missed.extend(f"{name}: {package} {a['range']}: {a['url']}" for a in known)


def audit_pip(lock: Path) -> None:
    """Look up the packages of a lock of pip that this machine would install."""
    # The lock is complete and hashed: nothing is resolved. A package that nobody knows is an error.
    options = ("--strict", "--disable-pip", "--require-hashes", "--format=json")
    command = (sys.executable, "-m", "tools.environments", "audit", "-m", "pip_audit", *options)
    found = answer(*command, "--progress-spinner=off", "-r", lock)
    if not found.get("dependencies"):
        unchecked.append(f"{lock.name} could not be looked up: {found.get('message')}")
        return
    for package in found["dependencies"]:
        name = f"{package['name']} {package['version']}"
        missed.extend(f"{lock.name}: {name}: {known['id']}" for known in package["vulns"])


def verdict() -> int:
    """Say what was found; return 1 where a limit is missed.

    What could not be checked says nothing about the book: a reader behind a wall would only learn
    to ignore the status. CI has a network and Java, so there it fails.
    """
    lines = [f"MISSED: {sentence}" for sentence in missed]
    lines += [f"NOT CHECKED: {sentence}" for sentence in unchecked]
    print(*(lines or ["No limit is missed, and all that was asked for was checked."]), sep="\n")
    return int(bool(missed or (unchecked and os.environ.get("CI"))))


def main() -> int:
    if build.stamped() != build.wanted():
        sys.exit("The built book is missing or out of date: run `make book` first.")
    pages = sorted(path.relative_to(HTML) for path in HTML.rglob("*.html"))
    pages = [page for page in pages if not page.parts[0].startswith("_")]
    stems = [page.stem for page in pages]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=stems, default=stems, metavar="PAGE")
    parser.add_argument("--runs", type=int, default=3, help="runs on a phone (default: 3)")
    arguments = parser.parse_args()
    pages = [page for page in pages if page.stem in arguments.only]

    install = ("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    steps = (("ls", "--silent"), install)  # is it there? else get it
    if any(subprocess.run([*npm(), *step], cwd=HERE).returncode == 0 for step in steps):
        audit_pages(pages, arguments.runs)
        audit_markup(pages)
    else:
        unchecked.append("Lighthouse and the Nu HTML checker could not be installed.")
    if arguments.only is stems:
        audit_npm(ROOT / "package-lock.json")
        audit_npm(HERE / "package-lock.json")
        audit_pip(ROOT / "requirements.lock")
    return verdict()


if __name__ == "__main__":
    sys.exit(main())
