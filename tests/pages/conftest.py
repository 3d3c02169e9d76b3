"""Which pages the book has, their trees, and a page of a browser that tests share."""

from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml
from bs4 import BeautifulSoup
from playwright.sync_api import Browser

from tests.conftest import Visit, parsed
from tools.project import ROOT

TOC = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
#: All pages in their order and the lessons among them, as chapters/temperature.
DOCUMENTS = [TOC["root"], *(e["file"] for part in TOC["parts"] for e in part["chapters"])]
LESSONS = [name for name in DOCUMENTS[1:] if (ROOT / f"{name}.ipynb").exists()]


@pytest.fixture(scope="session")
def trees(book: Path) -> dict[str, BeautifulSoup]:
    """Every built page, parsed, by its name: chapters/temperature, search, embed/index-teaser."""
    files = [path for path in sorted(book.rglob("*.html")) if "_static" not in path.parts]
    return {path.relative_to(book).with_suffix("").as_posix(): parsed(path) for path in files}


@pytest.fixture(scope="session")
def used(browser: Browser) -> Iterator[Visit]:
    """A page for one test after the other: opening one more takes longer than most tests."""
    visit = Visit(browser.new_page())
    visit.listen()
    yield visit
    visit.page.context.close()


@pytest.fixture
def reopen(used: Visit) -> Callable[..., Visit]:
    """A function that opens an address on that page, at first with nothing stored."""
    page = used.page
    origins = {"://".join(urlsplit(address)[:2]) for address in (*used.requests, page.url)}
    page.goto("about:blank")
    devtools = page.context.new_cdp_session(page)
    for origin in origins:
        stored = {"origin": origin, "storageTypes": "local_storage"}
        devtools.send("Storage.clearDataForOrigin", stored)
    devtools.detach()
    page.mouse.move(0, 0)
    used.problems.clear()
    used.requests.clear()

    def open_(
        address: str, *, width: int = 1280, height: int = 800, theme: str = "light", **media: str
    ) -> Visit:
        page.set_viewport_size({"width": width, "height": height})
        plain = {"media": "null", "reduced_motion": "no-preference", "forced_colors": "none"}
        page.emulate_media(color_scheme=theme, **{**plain, **media})
        used.open(address)
        return used

    return open_
