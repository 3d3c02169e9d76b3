"""The published book without a network: a page that was opened works again, whole, and says so."""

import shutil
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.conftest import Visit, exhaustive
from tests.page.conftest import SHOWN, slider
from tools import address
from tools import browser as browsers
from tools.local_server import QuietHandler, serving
from tools.offline import __main__ as offline

FOLDER = "/yours/"
# Browsers take this name for this machine, and connections to it for safe.
NAME = "book.localhost"
ONE, TWO, ENDED = (digit * 40 for digit in "123")
PAGES = ("index", "temperature", "language-model")
PYTHON = f"{FOLDER}_static/python/"
# What of a page says of which version it is.
VERSIONS = """() => [document.documentElement.dataset.commit, window.scriptOf,
  getComputedStyle(document.documentElement).getPropertyValue("--of")]"""
# A cache may be deleted between its name and the look into it.
KEPT = """async (address) => {
  for (const name of await caches.keys()) {
    if (await caches.match(address, { cacheName: name }).catch(() => null)) return name;
  }
}"""
# What a page's service workers are at, and how much each cache holds.
STATE = """async () => JSON.stringify([
  (await navigator.serviceWorker?.getRegistrations() ?? []).map((each) =>
    ["installing", "waiting", "active"].map((name) => each[name]?.state)),
  await Promise.all((await caches.keys()).map(async (name) =>
    [name, (await (await caches.open(name)).keys()).length])),
])"""
TAKEN_OVER = """async () => {
  const { installing, waiting, active } = await navigator.serviceWorker.getRegistration();
  return !installing && !waiting && active.state === "activated";
}"""
BLOB = """(address) => new Promise((done) => {
  const source = `onmessage = ({ data }) => {
    const request = new XMLHttpRequest();
    request.open("GET", data, false);
    try { request.send(); postMessage(request.responseText); } catch { postMessage("none"); }
  }`;
  const worker = new Worker(URL.createObjectURL(new Blob([source])));
  worker.onmessage = ({ data }) => done(data);
  worker.postMessage(address);
})"""


@dataclass
class Host:
    """A host of the book, which may show another version, or not answer."""

    folder: Path
    port: int = 0
    is_up: bool = True
    #: What ends in ?held is answered when this is set.
    may_answer: Event = field(default_factory=Event)

    def at(self, page: str, name: str = NAME) -> str:
        """The address of a page, under the name of the host or another one of this machine."""
        return f"http://{name}:{self.port}{FOLDER}{page}"


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    """A host that answers; what it shows is for the test to say."""
    made = Host(tmp_path)

    class Handler(QuietHandler):
        def do_GET(self) -> None:
            if self.path.endswith("?held"):
                made.may_answer.wait()
            if made.is_up:
                super().do_GET()
            else:
                self.connection.shutdown(socket.SHUT_RDWR)
                self.close_connection = True

        def translate_path(self, path: str) -> str:
            self.directory = str(made.folder)
            return super().translate_path(path.removeprefix(FOLDER[:-1]))

    with serving(Handler) as server:
        made.port = urlsplit(server).port
        yield made
        made.may_answer.set()


@pytest.fixture
def publish(book: Path, tmp_path: Path, host: Host) -> Callable[..., None]:
    """A function that publishes some pages as a commit, with a script and a style that are its."""

    def publish(commit: str) -> None:
        source = tmp_path / f"built-{commit}"
        for name in ("_static", "_images"):
            skip = shutil.ignore_patterns("pyodide-*", "widgets")
            shutil.copytree(book / name, source / name, ignore=skip)
        (source / "chapters").mkdir()
        pages = [f"chapters/{name}.html" for name in PAGES]
        for name in (*pages, "search.html", "index.html", "404.html", "searchindex.js"):
            text = (book / name).read_text(encoding="utf-8")
            text = text.replace(address.current().pages, host.at(""))
            (source / name).write_text(text, encoding="utf-8")
        for name, line in (
            ("theme.js", f'\nwindow.scriptOf = "{commit}";'),
            ("book.css", f":root {{ --of: {commit}; }}"),
        ):
            with (source / "_static" / name).open("a", encoding="utf-8") as file:
                file.write(line)
        target = tmp_path / commit
        if commit == ENDED:
            offline.end(source, target)
        else:
            offline.publish(source, target, commit, host.at(""))
        host.folder = target

    return publish


def opened(context: BrowserContext, address: str) -> Visit:
    """Open an address in a tab of its own."""
    visit = Visit(context.new_page())
    visit.listen()
    visit.open(address)
    return visit


def is_kept(commit: str) -> str:
    """What asks whether a page is kept, as of a version; it is kept when all that it needs is."""
    name = f"{FOLDER} pages {commit}"
    return f"async () => await ({KEPT})(location.origin + location.pathname) === '{name}'"


def until_kept(page: Page, commit: str) -> None:
    """Wait until a page is kept, and until the newest worker has taken over.

    Playwright is attached to the workers: where one takes over while a page comes, it hangs.
    """
    until_true(page, is_kept(commit))
    until_true(page, TAKEN_OVER)


def until_true(page: Page, asks: str) -> None:
    """Wait until what a page is asked comes true."""
    page.evaluate(
        f"""async () => {{
          const end = Date.now() + 30_000;
          while (!await ({asks})()) {{
            if (Date.now() > end) throw new Error({asks!r} + await ({STATE})());
            await new Promise((done) => setTimeout(done, 20));
          }}
        }}"""
    )


def versions(page: Page) -> set[str]:
    """The versions that page, script and style are of."""
    return set(page.evaluate(VERSIONS))


@pytest.fixture
def context(browser, program) -> Iterator[BrowserContext]:
    """In a Chromium of its own: in one that a thousand tests have used, service workers hang."""
    own = browsers.launch(browser.browser_type, program)
    yield own.new_context()
    own.close()


def test_a_page_that_was_opened_once_works_without_a_network(context, host, publish):
    publish(ONE)
    for name in ("chapters/temperature.html", "chapters/language-model.html", "search.html?q=odds"):
        first = opened(context, host.at(name))
        until_kept(first.page, ONE)
        expect(first.page.locator(".kept")).to_have_count(0)
        assert not first.problems
        first.page.close()
    host.is_up = False

    visit = opened(context, host.at("chapters/temperature.html"))
    page = visit.page
    expect(page.locator(".kept")).to_contain_text(f"has kept ({ONE[:7]}).")
    assert "Invalid" not in page.locator(".kept").inner_text()
    explorer = page.locator("[data-widget=TemperatureExplorer]").first
    shown = explorer.evaluate(SHOWN)
    slider(explorer).fill("100")
    assert explorer.evaluate(SHOWN) != shown
    # Also what is folded, or out of sight: its fonts and its pictures.
    page.evaluate("for (const item of document.querySelectorAll('details')) item.open = true")
    assert (
        page.evaluate(
            """async () => {
          const fonts = [...document.fonts].map((font) => font.load());
          const images = [...document.images].map((image) => {
            image.loading = "eager";
            return image.decode();
          });
          return (await Promise.all([...fonts, ...images])).length;
        }"""
        )
        > 18
    )
    assert not visit.problems
    assert versions(page) == {ONE}

    # A large model comes as a file of its own.
    visit = opened(context, host.at("chapters/language-model.html"))
    assert visit.page.locator(".widget-slot[data-state=failed]").count() == 0
    assert not visit.problems
    visit = opened(context, host.at("search.html?q=temperature"))
    expect(visit.page.locator("#search-results li").first).to_be_visible()
    assert not visit.problems

    # What was not opened is not there, and what was is named.
    page.goto(host.at("chapters/index.html"))
    expect(page.get_by_role("heading")).to_have_text("Not here without a network")
    expect(page.locator("li:visible")).to_have_text(["Temperature", "A model that writes"])
    page.get_by_role("link", name="Temperature").click()
    page.wait_for_url("**/temperature.html")
    expect(page.locator(".kept")).to_be_visible()
    page.goto(host.at(""))
    page.wait_for_url("**/chapters/index.html")


def test_an_update_comes_at_once_and_no_page_mixes_two_versions(context, host, publish):
    publish(ONE)
    address, other = (host.at(f"chapters/{name}.html") for name in ("index", "temperature"))
    for each in (other, address):
        page = opened(context, each).page
        until_kept(page, ONE)
    publish(TWO)
    host.is_up = False
    page.reload()
    assert versions(page) == {ONE}
    expect(page.locator(".kept")).to_be_visible()

    host.is_up = True
    page.reload()
    assert versions(page) == {TWO}
    expect(page.locator(".kept")).to_have_count(0)
    until_kept(page, TWO)
    host.is_up = False
    page.reload()
    assert versions(page) == {TWO}
    # What is not opened since is there as it was, until it is.
    visit = opened(context, other)
    assert versions(visit.page) == {ONE}
    assert not visit.problems
    host.is_up = True
    visit = opened(context, other)
    assert versions(visit.page) == {TWO}
    until_kept(visit.page, TWO)
    until_true(visit.page, "async () => (await caches.keys()).length === 1")


def test_an_update_is_kept_while_the_worker_before_it_is_busy(context, host, publish):
    publish(ONE)
    page = opened(context, host.at("chapters/index.html")).page
    until_kept(page, ONE)
    publish(TWO)
    page.reload()
    page.evaluate("() => { fetch('../_static/book.css?held').catch(() => {}); }")
    until_true(page, is_kept(TWO))
    # Chromium lets the new one wait until this is answered, and for five minutes at most.
    assert not page.evaluate(TAKEN_OVER)
    host.may_answer.set()
    until_true(page, TAKEN_OVER)
    host.is_up = False
    page.reload()
    assert versions(page) == {TWO}


@exhaustive
def test_python_files_are_kept_when_they_come_and_not_before(context, host, publish):
    publish(ONE)
    folder = host.folder / "_static" / "python" / "pyodide-1-0123abcd"
    folder.mkdir()
    (folder / "file.wasm").write_text("Python", encoding="utf-8")
    page = opened(context, host.at("chapters/temperature.html")).page
    until_kept(page, ONE)
    assert page.evaluate(f"({KEPT})('{PYTHON}files.json')") is None
    assert page.evaluate(f"caches.has('{FOLDER} python')") is False
    file = f"{page.evaluate('location.origin')}{PYTHON}pyodide-1-0123abcd/file.wasm"
    # A worker from a blob, as Python's, and while it waits, as for what is imported late.
    assert page.evaluate(BLOB, file) == "Python"
    until_true(page, f"async () => await ({KEPT})('{file}') === '{FOLDER} python'")
    page.reload()  # a reader of Python: what it needs beside, small, is kept with each page
    until_true(page, f"() => ({KEPT})('{PYTHON}files.json')")
    host.is_up = False
    page.reload()
    assert page.evaluate(BLOB, file) == "Python"
    assert page.evaluate(BLOB, file.replace("file.wasm", "other.wasm")) == "none"


@exhaustive
def test_it_is_ended_everywhere_by_one_publication(context, host, publish):
    publish(ONE)
    page = opened(context, host.at("chapters/temperature.html")).page
    until_kept(page, ONE)
    page.evaluate("caches.open('/theirs/ pages').then(() => {})")
    publish(ENDED)
    visit = opened(context, host.at("chapters/temperature.html"))
    until_true(visit.page, "async () => (await caches.keys()).join() === '/theirs/ pages'")
    until_true(visit.page, "async () => !(await navigator.serviceWorker.getRegistrations()).length")
    visit.page.reload()
    assert visit.page.evaluate("navigator.serviceWorker.controller") is None
    assert not visit.problems


COUNTED = """
window.registered = 0;
if (isSecureContext) {
  ServiceWorkerContainer.prototype.register = async () => { window.registered += 1; };
}
"""


@pytest.mark.parametrize(("name", "times"), [(NAME, 1), ("localhost", 0)])
def test_nothing_is_kept_on_a_machine_of_ones_own(context, host, publish, name, times):
    publish(ONE)
    context.add_init_script(COUNTED)
    visit = opened(context, host.at("chapters/temperature.html", name))
    # A page that asks for its caches now has been answered before.
    assert visit.page.evaluate("caches.keys().then(() => registered)") == times
    assert not visit.problems


REFUSED: dict[str, Any] = {
    "none": "Object.defineProperty(navigator, 'serviceWorker', { value: undefined })",
    "refused": "if (isSecureContext) CacheStorage.prototype.has = "
    "ServiceWorkerContainer.prototype.register = "
    "() => Promise.reject(new DOMException('', 'SecurityError'))",
}


@exhaustive
@pytest.mark.parametrize("script", REFUSED.values(), ids=REFUSED)
def test_a_browser_that_refuses_it_shows_the_page_as_it_was(open_page, host, publish, script):
    publish(ONE)
    visit = open_page("about:blank", prepare=lambda page: page.add_init_script(script))
    visit.open(host.at("chapters/temperature.html"))
    assert versions(visit.page) == {ONE}
    assert not visit.problems
