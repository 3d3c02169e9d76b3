"""One style in place of the theme's many: nothing is lost that a page or a script can use."""

import re

import pytest
from sphinx.errors import ExtensionError

from _ext.light_styles import cut

WORDS = {"btn", "show"}


@pytest.mark.parametrize(
    "style",
    [
        "a{b:c}",
        ".btn{b:c}",
        ".lost,.btn:hover{b:c}",
        ".btn:not(.lost){b:c}",
        '.btn[data-x=".lost}"]{b:c}',
        ":is(.lost, .btn){b:c}",
        r".w-1\/2{b:c}",
        "@media print{.show{b:c}}",
        "@font-face{src:url(data:x;y)}",
        "@keyframes lost{from{b:c}}",
        '.btn{background:url("data:image/svg+xml,{)}")}',
    ],
)
def test_what_may_be_used_stays_as_it_is(style):
    assert cut(style, WORDS) == style


@pytest.mark.parametrize(
    "style", [".lost{b:c}", "#lost .btn{b:c}", ".btn-lost{b:c}", "@media print{.lost{b:c}}"]
)
def test_what_no_page_and_no_script_names_goes(style):
    assert cut(f".btn{{b:c}}{style}.show{{d:e}}", WORDS) == ".btn{b:c}.show{d:e}"


def test_a_style_that_cannot_be_read_stops_the_build():
    with pytest.raises(ExtensionError, match="cannot be read"):
        cut("a{b:c}.btn", WORDS)


def test_a_tooltip_points_at_its_button(open_page, server):
    page = open_page(f"{server}/chapters/temperature.html").page
    page.get_by_role("button", name="Colour mode").hover()
    arrow = page.locator(".tooltip.show > .tooltip-arrow")
    arrow.wait_for(state="attached")
    above, drawn = arrow.evaluate(
        """arrow => [
          arrow.nextElementSibling.getBoundingClientRect().top
            - arrow.getBoundingClientRect().bottom,
          getComputedStyle(arrow, "::before").borderBottomWidth,
        ]"""
    )
    assert above >= -1
    assert float(drawn.removesuffix("px")) > 3


def test_every_page_of_the_book_has_the_same_style(book):
    names = set()
    for path in [*book.glob("chapters/*.html"), book / "search.html"]:
        links = re.findall(r'rel="stylesheet"[^>]*href="([^"]+)"', path.read_text(encoding="utf-8"))
        styles = [link for link in links if "/widgets-" not in link]
        assert len(styles) == 1, path.name
        assert (path.parent / styles[0]).is_file()
        names.add(styles[0].removeprefix("../"))
    assert len(names) == 1
