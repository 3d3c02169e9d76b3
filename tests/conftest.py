"""What several folders of tests share: the built book, a server over it, a real browser.

`book` is the folder of the built pages, `server` its address over http. `open_page` opens a page
in Chromium and returns a `Visit`: the page, what went wrong on it, and what it asked for.
"""

import gc
import json
import subprocess
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import DoctestModule
from bs4 import BeautifulSoup
from playwright.sync_api import Browser, Page, Request, expect, sync_playwright

from tools import browser as browsers
from tools.local_server import QuietHandler, serving
from tools.project import HTML, environment

# The trees of all pages stay in memory: to look through them for garbage, again and again, took a
# tenth of the time of all tests that open no page.
gc.set_threshold(100_000)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for no examples in docstrings of tests: that takes a fifth of the time to find them."""
    return [each for each in (yield) if not isinstance(each, DoctestModule)]


@pytest.fixture(scope="session")
def book() -> Path:
    """The built book, which `make test` builds first."""
    if not (HTML / "index.html").exists():
        pytest.fail("The built book is missing: run `make book`.", pytrace=False)
    return HTML


def parsed(path: Path) -> BeautifulSoup:
    """A built page, parsed once, for reading alone: who changes it takes a copy."""
    return _parsed(path, path.stat().st_mtime_ns)


@cache
def _parsed(path: Path, written: int) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


@pytest.fixture(scope="session")
def run_node() -> Callable[[str, str, object], Any]:
    """A function that runs JavaScript in Node behind a script."""

    def run(script: str, program: str, data: object) -> Any:
        """Return what `program` prints as JSON; it finds `data` parsed in `input`."""
        done = subprocess.run(
            ["node", "--input-type=module", "-"],
            input=f"{script}\nconst input = {json.dumps(data)};\n{program}",
            capture_output=True,
            encoding="utf-8",
            env=environment(),
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


#: Milliseconds until what should come comes: minutes, since a busy machine takes its time.
PATIENCE = 240_000
expect.set_options(timeout=PATIENCE)

# Widgets learn their width when the browser renders, after its animation frames: the second
# frame comes after that. On a busy machine a test could measure before it.
SETTLE = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def until(page: Page, holds: str, arg: object = None) -> None:
    """Wait until a function holds on a page.

    Playwright's own compiles it at each look, which the policy of our pages forbids.
    """
    page.evaluate(
        f"""(arg) => {{
          const holds = {holds};
          return new Promise((done, fail) => {{
            const end = Date.now() + {PATIENCE};
            const look = () => {{
              if (holds(arg)) done();
              else if (Date.now() > end) fail(new Error(`not in time: ${{holds}}`));
              else setTimeout(look, 20);
            }};
            look();
          }});
        }}""",
        arg,
    )


@pytest.fixture(scope="session")
def server(book: Path) -> Iterator[str]:
    """The address of the built book over http, without a slash at its end."""
    with serving(partial(QuietHandler, directory=book)) as address:
        yield address


@pytest.fixture(scope="session")
def program() -> str:
    """The program of a Chromium; where none can be had the tests fail and say how to get one."""
    try:
        return browsers.path()
    except browsers.NoBrowserError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def browser(program: str) -> Iterator[Browser]:
    """A real Chromium, for one test after the other."""
    with sync_playwright() as playwright:
        chromium = browsers.launch(playwright.chromium, program)
        yield chromium
        chromium.close()


def resize(page: Page, width: int) -> None:
    """Give a page another width, and wait until what follows it, and its fonts, are there."""
    page.set_viewport_size({"width": width, "height": 900})
    until(page, "width => innerWidth === width && document.fonts.status === 'loaded'", width)
    page.evaluate(SETTLE)


@dataclass
class Visit:
    """A page that is open, with what happened on it so far."""

    page: Page
    #: Errors on the console, exceptions and failed requests.
    problems: list[str] = field(default_factory=list)
    #: The address of every request, in order.
    requests: list[str] = field(default_factory=list)

    def listen(self) -> None:
        """Note from now on what the page does; it has time."""
        self.page.set_default_timeout(PATIENCE)
        on = self.page.on
        on("console", lambda m: self.problems.append(m.text) if m.type == "error" else None)
        on("pageerror", lambda error: self.problems.append(str(error)))
        on("requestfailed", self.note_failure)
        on("request", lambda request: self.requests.append(request.url))

    def open(self, address: str, *, wait: bool = True, scripts: bool = True) -> None:
        """Go to a page; `wait` until its widgets are mounted."""
        self.page.goto(address, wait_until="load" if wait else "commit")
        if wait and scripts and self.page.locator(".widget-slot").count():
            self.page.wait_for_selector("html[data-widgets=ready]")
            self.page.evaluate(SETTLE)

    def note_failure(self, request: Request) -> None:
        """Note a failed request, unless the page was left before it ended."""
        if request.failure != "net::ERR_ABORTED":
            self.problems.append(f"failed: {request.url}")


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Visit]]:
    """A function that opens an address, each in a context of its own, until the test ends."""
    contexts = []

    def open_page(
        address: str,
        *,
        width: int = 1280,
        height: int = 800,
        theme: str = "light",
        scripts: bool = True,
        prepare: Callable[[Page], None] = lambda page: None,
        wait: bool = True,
    ) -> Visit:
        """Open a page; `prepare` sees it before it loads, `wait` until its widgets are mounted."""
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=theme,
            java_script_enabled=scripts,
        )
        contexts.append(context)
        visit = Visit(context.new_page())
        visit.listen()
        prepare(visit.page)
        visit.open(address, wait=wait, scripts=scripts)
        return visit

    yield open_page
    for context in contexts:
        context.close()
