"""The published book without a network: a page that was opened once opens again, whole."""

import shutil
from functools import partial

from playwright.sync_api import expect

from tests.conftest import Visit
from tools import address
from tools import browser as browsers
from tools.local_server import QuietHandler, serving
from tools.offline import __main__ as offline

# A page is kept when all that it needs is, and when its worker has taken over.
KEPT = """async (name) => {
  for (let looks = 0; looks < 1500; looks++) {
    const kept = await caches.match(location.href, { cacheName: name }).catch(() => null);
    const { installing, waiting, active } = await navigator.serviceWorker.getRegistration() ?? {};
    if (kept && !installing && !waiting && active.state === "activated") return;
    await new Promise((done) => setTimeout(done, 20));
  }
  throw new Error("not in time");
}"""
LOAD_ALL = """async () => {
  for (const image of document.images) image.loading = "eager";
  const images = [...document.images].map((image) => image.decode());
  await Promise.all([...images, ...[...document.fonts].map((font) => font.load())]);
  return images.length;
}"""


def test_a_page_that_was_opened_once_opens_again_without_a_server(book, browser, program, tmp_path):
    """In a Chromium of its own: in one that many tests have used, service workers hang."""
    built = tmp_path / "built"
    for name in ("_static", "_images"):
        skip = shutil.ignore_patterns("pyodide-*", "widgets")
        shutil.copytree(book / name, built / name, ignore=skip)
    (built / "chapters").mkdir()
    own = browsers.launch(browser.browser_type, program)
    visit = Visit(own.new_page())
    visit.listen()
    with serving(partial(QuietHandler, directory=tmp_path)) as server:
        # Browsers take this name for this machine, and connections to it for safe.
        site = f"{server.replace('127.0.0.1', 'book.localhost')}/yours/"
        for name in ("chapters/temperature.html", "search.html", "404.html"):
            text = (book / name).read_text(encoding="utf-8")
            (built / name).write_text(text.replace(address.current().pages, site), "utf-8")
        offline.publish(built, tmp_path / "yours", "1" * 40, site)
        visit.open(f"{site}chapters/temperature.html")
        visit.page.evaluate(KEPT, f"/yours/ pages {'1' * 40}")
        assert not visit.problems
    visit.open(f"{site}chapters/temperature.html")
    expect(visit.page.locator(".kept")).to_contain_text("has kept (1111111).")
    assert visit.page.locator(".widget-slot:not([data-state=live])").count() == 0
    assert visit.page.evaluate(LOAD_ALL)  # also what is folded, or out of sight
    assert not visit.problems
    own.close()
