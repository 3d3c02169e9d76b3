"""An explorer in the frame of a page of another origin, sandboxed; other pages offer themselves."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from html import unescape
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Page, expect

from _ext.static_widgets import SHARE
from _ext.theme import digest
from tests.conftest import SETTLE, parsed, some, until
from tests.examples import PLACES
from tests.page.conftest import OBSERVE, mover
from tests.page.test_accessibility import findings
from tools import limits
from tools.local_server import QuietHandler, serving
from tools.project import HTML

# These lead on to where the explorer is now.
MOVED = {"index-bench.html"}
EMBEDS = sorted({path.name for path in HTML.glob("embed/*.html")} - MOVED)
STATES = {
    "attention-mechanism-bench.html": ("T=inf", "all six words weigh the same, 0.167"),
    "temperature-temperature.html": ("T=0.2&tie=1", "At T = 0.2, Reads and Book share"),
    "graph-attention-graph.html": ("by=GAT&node=Cem", "Receiver i Cem attends most to Fay"),
}
HEARD = """() => {
  window.heard = [];
  addEventListener("message", ({ data, origin }) => heard.push([origin, data]));
}"""


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Callable[[str], str]]:
    """A function that puts markup on a plain page of another origin; returns its address."""
    page = tmp_path / "host.html"
    with serving(partial(QuietHandler, directory=tmp_path)) as address:

        def write(body: str) -> str:
            script = f"<script>({HEARD})()</script>"
            head = f"<!doctype html><title>Slides</title><link rel=icon href='data:,'>{script}"
            page.write_text(head + body, encoding="utf-8")
            return f"{address}/{page.name}"

        yield write


def test_each_explorer_of_the_book_has_a_page_of_its_own():
    assert len(EMBEDS) == len(PLACES)
    assert {name.rpartition("-")[0] for name in EMBEDS} == {page for _, page in PLACES}
    for name in EMBEDS:
        page = parsed(HTML / "embed" / name)
        (link,) = page.select("a")
        assert (HTML / "embed" / link["href"]).is_file()
        assert page.h1.get_text()
        assert len(page.select(".widget-slot")) == 1
        assert not page.select("aside, nav, form, .share")


# What an explorer needs to run, and nothing that asks another host.
POLICY = {
    "default-src": {"'none'"},
    "connect-src": {"'self'"},
    "script-src": {"'self'", "blob:"},
    "style-src": {"'self'", "'unsafe-inline'"},
    "img-src": {"'self'", "data:", "blob:"},
    "font-src": {"'self'", "data:"},
    "base-uri": {"'none'"},
    "form-action": {"'none'"},
}
INLINE = """() => {
  const script = document.createElement("script");
  script.textContent = "window.owned = true";
  document.head.append(script);
  return window.owned === true;
}"""
ASKS = """async (address) => {
  const asked = [fetch(address).then(() => "fetched", () => "refused")];
  for (const tag of ["img", "script"]) {
    const made = document.createElement(tag);
    asked.push(new Promise((done) => {
      made.onload = () => done("loaded");
      made.onerror = () => done("refused");
    }));
    made.src = address;
    document.body.append(made);
  }
  return [...new Set(await Promise.all(asked))];
}"""


def test_the_policy_of_a_page_to_embed_allows_the_explorer_alone():
    for name in EMBEDS:
        page = BeautifulSoup((HTML / "embed" / name).read_text(encoding="utf-8"), "html.parser")
        (meta,) = page.select("meta[http-equiv=Content-Security-Policy]")
        parts = (part.split() for part in meta["content"].split(";"))
        policy = {name: set(sources) for name, *sources in parts}
        scripts = {
            f"'{digest(script.string)}'"
            for script in page.find_all("script")
            if not script.get("src") and not script.get("type")
        }
        assert len(scripts) == 1
        assert policy == {**POLICY, "script-src": POLICY["script-src"] | scripts}
        # It comes before all that it is about.
        assert not meta.find_previous(["script", "link", "style"])


def test_a_page_to_embed_asks_nothing_of_another_host(server, reopen, host, elsewhere):
    address, asked = elsewhere
    page: Page = reopen(f"{server}/embed/temperature-temperature.html").page
    assert page.evaluate(INLINE) is False
    assert page.evaluate(ASKS, address) == ["refused"]
    assert asked == []
    # The same on a page without a policy: the test sees what it looks for.
    page.goto(host("<p>"))
    assert page.evaluate(INLINE) is True
    page.evaluate(ASKS, address)
    assert asked


@pytest.mark.parametrize("name", some(EMBEDS, *STATES))
def test_an_explorer_runs_in_a_sandbox_of_another_origin(host, server, reopen, name):
    kind = name.rpartition("-")[2]
    state, says = STATES.get(name, ("", ""))
    src = f"{server}/embed/{name}#{kind.removesuffix('.html')}:{state}"
    frame = f'<iframe sandbox="allow-scripts" src="{src}" height="900" title="x"></iframe>'
    visit = reopen(host(frame))
    page: Page = visit.page
    inside = page.frame_locator("iframe")
    expect(inside.locator("html[data-widgets=ready]")).to_be_attached()
    expect(inside.locator(".widget-slot")).to_have_attribute("data-state", "live")
    if says:
        expect(inside.locator(".unseen[role=status]").first).to_contain_text(says)
    root = inside.locator("html")
    for theme, colour in (("dark", "rgb(20, 24, 30)"), ("light", "rgb(255, 255, 255)")):
        page.emulate_media(color_scheme=theme)
        expect(root).to_have_css("background-color", colour)
    for width in (400, 900):
        page.evaluate("width => document.querySelector('iframe').width = width", width)
        expect(root).to_have_js_property("clientWidth", width)
        assert root.evaluate("root => root.scrollWidth <= root.clientWidth")
        # The host hears the height, and nothing else.
        until(page, "() => heard.length > 0")
        height = inside.locator("body").evaluate("b => Math.ceil(b.getBoundingClientRect().height)")
        until(page, "height => heard.at(-1)[1].height === height", height)
        for origin, message in page.evaluate("heard"):
            assert origin == "null"
            assert set(message) == {"type", "height"}
            assert message["type"] == "attention-layers:height"
    # A step of the reader is possible, and its address follows.
    frame = page.frames[1]
    before = frame.url
    for key in ("ArrowDown", "ArrowDown", "ArrowUp"):  # a step from either end, and between
        mover(inside).press(key)
    frame.wait_for_url(lambda url: url != before)
    assert frame.url.startswith(f"{server}/embed/{name}#{kind.removesuffix('.html')}:")
    assert not visit.problems


@pytest.mark.parametrize(
    "name", some(EMBEDS, *(name for name in EMBEDS if name.endswith("-explorer.html")))
)
def test_an_explorer_stands_still_while_it_comes(server, open_page, name):
    def observe(page: Page) -> None:
        page.add_init_script(OBSERVE)

    page = open_page(f"{server}/embed/{name}", width=412, prepare=observe).page
    page.evaluate(f"document.fonts.ready.then(() => {SETTLE})")
    assert page.evaluate("shift") <= limits.LAYOUT_SHIFT


def test_the_line_that_is_offered_shows_the_whole_explorer(host, server, reopen):
    visit = reopen(f"{server}/chapters/temperature.html#temperature:T=0.5")
    corner = visit.page.locator("[data-address=temperature] + .share")
    corner.get_by_role("button", name="Embed").press("Enter")
    line = corner.get_by_role("textbox").input_value()
    assert re.fullmatch(
        rf'<iframe src="{server}/embed/temperature-temperature\.html#temperature:T=0\.5" '
        r'width="100%" height="\d+" loading="lazy" style="border: 0" '
        r'title="Temperature — Attention Layers"></iframe>',
        unescape(line),
    )
    page = reopen(host(f'<body style="margin: 0">{line}'), width=900).page
    inside = page.frame_locator("iframe")
    expect(inside.locator("html[data-widgets=ready]")).to_be_attached()
    expect(inside.locator(".headline")).to_contain_text("At T = 0.5,")
    overflow = inside.locator("html").evaluate("root => root.scrollHeight - root.clientHeight")
    assert overflow <= 0
    body = inside.locator("body").evaluate("body => body.getBoundingClientRect().height")
    assert page.locator("iframe").bounding_box()["height"] - body < 40


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_on_a_page_to_embed(server, reopen, theme):
    page = reopen(f"{server}/embed/temperature-temperature.html", width=400, theme=theme).page
    assert findings(page) == []


@pytest.mark.parametrize("path", ["chapters/temperature.html", "search.html"])
def test_another_page_in_a_frame_offers_itself(host, server, reopen, path):
    page: Page = reopen(host(f'<iframe src="{server}/{path}" height="500"></iframe>')).page
    inside = page.frame_locator("iframe")
    link = inside.get_by_role("link", name="Open this page by itself")
    expect(link).to_be_in_viewport()
    expect(link).to_have_attribute("target", "_blank")
    assert inside.locator("html").get_attribute("data-framed") == ""
    alone = reopen(f"{server}/{path}").page
    expect(alone.get_by_text("Open this page by itself")).to_be_hidden()
    assert alone.locator("html").get_attribute("data-framed") is None


def test_the_corner_is_named():
    corner = BeautifulSoup(SHARE, "html.parser")
    assert [button.get_text() for button in corner.select("button")] == ["Copy link", "Embed"]
