"""An explorer in the frame of a page of another origin, sandboxed; other pages offer themselves."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from html import unescape
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.conftest import until
from tools.local_server import QuietHandler, serving

HEAD = """<!doctype html><title>Slides</title><link rel=icon href='data:,'><script>
  window.heard = [];
  addEventListener("message", ({ data, origin }) => heard.push([origin, data]));
</script>"""


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Callable[[str], str]]:
    """A function that puts markup on a plain page of another origin; returns its address."""
    with serving(partial(QuietHandler, directory=tmp_path)) as address:

        def write(body: str) -> str:
            (tmp_path / "host.html").write_text(HEAD + body, encoding="utf-8")
            return f"{address}/host.html"

        yield write


def test_an_explorer_runs_in_a_sandbox_of_another_origin(host, server, reopen):
    address = f"{server}/embed/attention-mechanism-bench.html#bench:"
    frame = f'<iframe sandbox="allow-scripts" src="{address}T=inf" height="900" title="x"></iframe>'
    visit = reopen(host(frame))
    page, inside = visit.page, visit.page.frame_locator("iframe")
    root = inside.locator("html")
    expect(inside.locator(".widget-slot[data-state=live]")).to_be_attached()
    headline = inside.locator(".headline").first
    expect(headline).to_contain_text("Book attends equally to all six words, 0.167")
    page.emulate_media(color_scheme="dark")
    expect(root).to_have_css("background-color", "rgb(20, 24, 30)")
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
    inside.get_by_role("slider").first.press("ArrowLeft")
    frame.wait_for_url(lambda url: url != f"{address}T=inf")
    assert frame.url.startswith(address)
    assert not visit.problems


def test_the_line_that_is_offered_shows_the_whole_explorer(host, server, reopen):
    page = reopen(f"{server}/chapters/temperature.html#temperature:T=0.5").page
    corner = page.locator("[data-address=temperature] + .share")
    corner.get_by_role("button", name="Embed").press("Enter")
    line = corner.get_by_role("textbox").input_value()
    src = f"{server}/embed/temperature-temperature.html#temperature:T=0.5"
    assert re.fullmatch(
        rf'<iframe src="{re.escape(src)}" width="100%" .*></iframe>', unescape(line)
    )
    page = reopen(host(f'<body style="margin: 0">{line}'), width=900).page
    inside = page.frame_locator("iframe")
    expect(inside.locator("html[data-widgets=ready]")).to_be_attached()
    expect(inside.locator(".headline")).to_contain_text("At T = 0.5,")
    overflow = inside.locator("html").evaluate("root => root.scrollHeight - root.clientHeight")
    body = inside.locator("body").evaluate("body => body.getBoundingClientRect().height")
    assert overflow <= 0
    assert page.locator("iframe").bounding_box()["height"] - body < 40


def test_another_page_in_a_frame_offers_itself_and_runs_no_python(host, server, reopen):
    address = f"{server}/chapters/temperature.html"
    page = reopen(host(f'<iframe src="{address}" height="500"></iframe>')).page
    inside = page.frame_locator("iframe")
    link = inside.get_by_role("link", name="Open this page by itself")
    expect(link).to_be_in_viewport()
    expect(link).to_have_attribute("target", "_blank")
    expect(inside.locator("html[data-widgets=ready]")).to_be_attached()
    expect(inside.locator(".run")).to_have_count(0)
    alone = reopen(address).page
    expect(alone.get_by_text("Open this page by itself")).to_be_hidden()
    expect(alone.locator(".run").first).to_be_attached()
