"""The scripts and styles of the widgets: whole, small, and in step with Python."""

import gzip
import re

import matplotlib
import pytest

from attnutils.plotting import GREYS, ROLE_COLORS, ROLE_COLORS_DARK, ink_on
from attnutils.widgets import _base
from tests.examples import STATES
from tools.project import ROOT

CORE = (_base.STATIC / "core.css").read_text(encoding="utf-8")
WIDGETS = list({type(widget).__name__: widget for widget in STATES}.values())


@pytest.fixture(params=WIDGETS, ids=lambda widget: type(widget).__name__)
def widget(request):
    return request.param


def test_a_script_is_one_module_with_one_default_export(widget):
    text = widget._esm
    assert len(re.findall(r"^export default\b", text, re.MULTILINE)) == 1
    assert len(re.findall(r"\bexport\b", text)) == 1


def test_a_script_imports_nothing_and_asks_for_nothing(widget):
    text = widget._esm.replace("http://www.w3.org/2000/svg", "")  # a name, not an address
    assert "http" not in text
    assert not re.search(
        r"\bimport\b *[({\"'*]|\bfetch\b|XMLHttpRequest|sendBeacon|WebSocket", text
    )
    assert "url(" not in widget._css
    assert "@import" not in widget._css


def test_text_never_becomes_markup(widget):
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|DOMParser", widget._esm
    )


def test_core_comes_first(widget):
    assert widget._esm.startswith((_base.STATIC / "core.js").read_text(encoding="utf-8"))
    assert widget._css.startswith((_base.STATIC / "core.css").read_text(encoding="utf-8"))


def test_a_script_is_small(widget):
    own = widget._esm.removeprefix((_base.STATIC / "core.js").read_text(encoding="utf-8"))
    assert len(own) < len(widget._esm)
    assert len(gzip.compress(own.encode())) < 10_000


@pytest.mark.parametrize("role", "qkvo")
def test_roles_have_the_colours_of_the_figures(role):
    light, dark = re.search(rf"--{role}: light-dark\((#\w+), (#\w+)\)", CORE).groups()
    assert (light, dark) == (ROLE_COLORS[role], ROLE_COLORS_DARK[role])


@pytest.mark.parametrize("name", GREYS)
def test_greys_are_those_of_the_figures(name):
    (light,) = re.search(rf"--{name}: light-dark\((#\w+)", CORE).groups()
    assert light == GREYS[name]


THEME = ROOT / "_theme"
PAIR = r"light-dark\((#\w{6}), (#\w{6})\)"


def test_pages_have_the_colours_and_the_letters_of_the_widgets():
    base = (THEME / "style" / "1-base.css").read_text(encoding="utf-8")
    of_pages, of_widgets = (
        dict(reversed(re.findall(r"--([\w-]+): ([^;]+);", text)))  # the first of each name
        for text in (base, CORE)
    )
    of_widgets["page"] = re.search(PAIR, of_widgets["page"])[0]  # in a notebook, the notebook's
    both = of_pages.keys() & of_widgets.keys()
    assert both >= {"page", "ink", "ink-2", "rule", "field", *"qkvo", "sans"}
    assert {name: of_pages[name] for name in both} == {name: of_widgets[name] for name in both}

    # Where a page has no other file it repeats them.
    bare = (THEME / "bare.html").read_text(encoding="utf-8")
    assert f"background: {of_pages['page']}; color: {of_pages['ink']};" in bare
    assert f"a {{ color: {of_pages['q']};" in bare
    assert f" {of_pages['sans']};" in bare
    assert len(re.findall(r"#\w{6}", bare)) == 6
    head = (THEME / "head.html").read_text(encoding="utf-8")
    assert re.findall(r'theme-color" content="(#\w{6})"', head) == re.findall(
        r"#\w{6}", of_pages["page"]
    )


def test_the_style_of_figures_has_these_greys_alone():
    text = (ROOT / "attnutils" / "book.mplstyle").read_text(encoding="utf-8")
    assert {f"#{grey}" for grey in re.findall(r"\b[\da-f]{6}\b", text)} <= set(GREYS.values())


def test_a_canvas_has_the_greys_and_the_ink_of_figures(run_script):
    grey, inks = run_script(
        "attention_explorer",
        "console.log(JSON.stringify([MASKED, "
        "Array.from({ length: 256 }, (_, i) => inkOn((i + 0.5) / 256))]));",
        None,
    )
    assert grey == GREYS["field"]
    names = {"white": "#fff", "black": "#000"}
    assert inks == [names[ink_on(color)] for color in matplotlib.colormaps["viridis"](range(256))]


def test_the_colour_scale_is_viridis(run_script):
    got = run_script(
        "question",
        "console.log(JSON.stringify(Array.from({ length: 1001 }, (_, i) => viridis(i / 1000))));",
        None,
    )
    viridis = matplotlib.colormaps["viridis"]
    assert got == [matplotlib.colors.to_hex(viridis(i / 1000)) for i in range(1001)]


def test_type_checking_is_on():
    for path in _base.STATIC.glob("*.js"):
        assert path.read_text(encoding="utf-8").startswith("// @ts-check\n"), path.name
