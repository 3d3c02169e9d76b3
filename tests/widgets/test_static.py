"""The scripts and styles of the widgets: whole, small, and in step with Python."""

import re

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

from attnutils.plotting import (
    FACE,
    GREYS,
    INKS,
    INKS_DARK,
    ROLE_COLORS,
    ROLE_COLORS_DARK,
    ink_on,
    plot_weights,
)
from attnutils.widgets import _base
from tests.examples import STATES
from tools.project import ROOT

CORE = (_base.STATIC / "core.css").read_text(encoding="utf-8")
MIXED = r"color-mix\(in srgb, var\(--weight\) ([\d.]+)%, var\(--page\)\)"
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


def on_page(ink, page, amount):
    """So much of an ink on a page: red, green and blue, 0 to 1."""
    ink, page = (np.array(matplotlib.colors.to_rgb(color)) for color in (ink, page))
    return page + amount * (ink - page)


def contrast(one, other):
    """The contrast of two colours by WCAG."""

    def luminance(rgb):
        rgb = np.array(rgb)
        linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
        return linear @ [0.2126, 0.7152, 0.0722]

    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def pages():
    """The two colours of the page."""
    return re.search(PAIR, re.search(r"--page: ([^;]+);", CORE)[1]).groups()


@pytest.mark.parametrize("name", INKS)
def test_a_number_reads_on_every_amount_of_an_ink(name):
    light, dark = pages()
    for amount in np.linspace(0, 1, 256):
        on_light = on_page(INKS[name], light, amount)
        # A page turns black letters white and white ones black (_python/worker/py/drawings.py).
        letters = ink_on([*on_light, 1])
        turned = {"black": "white", "white": "black"}[letters]
        assert contrast(on_light, matplotlib.colors.to_rgb(letters)) >= 4.5
        on_dark = on_page(INKS_DARK[name], dark, amount)
        assert contrast(on_dark, matplotlib.colors.to_rgb(turned)) >= 4.5, amount


def test_pages_and_widgets_have_the_inks_of_figures():
    base = (THEME / "style" / "1-base.css").read_text(encoding="utf-8")
    for name in INKS:
        assert f"--{name}: light-dark({INKS[name]}, {INKS_DARK[name]})" in base
    assert f"--weight: light-dark({INKS['weight']}, {INKS_DARK['weight']})" in CORE
    assert f"--face: light-dark({FACE}, " in base


def test_a_canvas_has_the_greys_and_the_letters_of_figures(run_script):
    grey, *letters = run_script(
        "attention_explorer",
        "console.log(JSON.stringify([MASKED, ...[false, true].map((isDark) => "
        "Array.from({ length: 256 }, (_, i) => inkOn(i / 255, isDark)))]));",
        None,
    )
    assert grey == GREYS["field"]
    names = {"#fff": (1, 1, 1), "#000": (0, 0, 0)}
    inks = INKS["weight"], INKS_DARK["weight"]
    for ink, page, found in zip(inks, pages(), letters, strict=True):
        for amount, letter in zip(np.linspace(0, 1, 256), found, strict=True):
            assert contrast(on_page(ink, page, amount), names[letter]) >= 4.5


def test_a_weight_has_one_colour_in_scripts_and_figures(run_script):
    """So much of the ink on the page."""
    got = run_script(
        "question",
        "console.log(JSON.stringify(Array.from({ length: 256 }, (_, i) => weightColor(i / 255))));",
        None,
    )
    shares = [float(re.fullmatch(MIXED, color)[1]) / 100 for color in got]
    figure, ax = plt.subplots()
    image = plot_weights(np.linspace(0, 1, 256), ax=ax).images[0]
    drawn = image.to_rgba(image.get_array())[0, :, :3]
    plt.close(figure)
    wanted = [on_page(INKS["weight"], "white", share) for share in shares]
    np.testing.assert_allclose(drawn, wanted, rtol=0, atol=1 / 255)


# Elements within which an explorer stands on a page: a rule for what is in them meets it.
AROUND = {"html", "body", "main", "article", "section"}
#: What pages and widgets mean alike.
SHARED = {"unbroken", "widget-slot"}


def split(text: str, at: str) -> list[str]:
    """The parts of a selector between these characters, but for those in brackets."""
    parts, depth = [""], 0
    for each in text:
        depth += (each in "([") - (each in ")]")
        if depth == 0 and each in at:
            parts.append("")
        else:
            parts[-1] += each
    return [part.strip() for part in parts if part.strip()]


def owned(selector: str) -> set[str]:
    """The class by which a rule of a page begins, whatever has it: in `.share button`, share."""
    for part in split(selector, " >+~"):
        bare = re.sub(r"\[[^\]]*\]|\(([^()]|\([^()]*\))*\)", "", part)
        if classes := set(re.findall(r"\.([\w-]+)", bare)):
            return classes if len(classes) == 1 else set()
        if either := re.match(r":(?:is|where)\((.*)\)", part):
            return set().union(*map(owned, split(either[1], ",")))
        if bare not in AROUND:
            break
    return set()


def test_a_rule_begins_with_its_class():
    rules = {
        ".a": "a",
        ".a:has(> .b) .c": "a",
        "article :is(section, .a)": "a",
        ".a.b": "",
        "nav .a": "",
    }
    assert {rule: "".join(owned(rule)) for rule in rules} == rules


def test_no_class_of_a_widget_is_one_that_pages_style():
    """One named like a button of the page was as unseen as that."""
    pages = set()
    for path in [*(THEME / "style").glob("*.css"), *(ROOT / "_python" / "page").glob("*.css")]:
        text = re.sub(r'(?s)/\*.*?\*/|"[^"]*"', "", path.read_text(encoding="utf-8"))
        for selectors in re.findall(r"([^{};@]+)\{", text):
            pages = pages.union(*map(owned, split(selectors, ",")))
    assert pages >= {"cell", "run", "share", "title", *SHARED}
    found = {}
    for path in _base.STATIC.iterdir():
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".css":
            classes = set(re.findall(r"\.([a-z][\w-]*)", text))
        else:
            names = re.findall(r'\bclass(?:Name)?\b.{0,30}?["`]([^"`]*)["`]', text)
            names += re.findall(r'\bclassList\.\w+\("([^"]+)"', text)
            classes = set(re.findall(r"[\w-]+", " ".join(names)))
        if clash := classes & pages - SHARED:
            found[path.name] = clash
    assert not found


def test_type_checking_is_on():
    for path in _base.STATIC.glob("*.js"):
        assert path.read_text(encoding="utf-8").startswith("// @ts-check\n"), path.name
