"""The pages of functions and widgets: every public name, with its signature, and nothing leaks."""

import ast
import re
from inspect import isfunction
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

import attnutils
from _ext.api import PAGE
from attnutils import binding, bugs, induction, translation, translator, worked_example
from tests.book.test_lessons import LESSONS
from tools.project import CHAPTERS, ROOT

NOT_AT_THE_TOP = "train", "progress", "reversal_batch", "lookup_batch", "load_reversal_runs"
NAMES = [
    *(f"attnutils.{name}" for name in attnutils.__all__),
    *(f"attnutils.toy_tasks.{name}" for name in NOT_AT_THE_TOP),
    *(f"attnutils.binding.{name}" for name in binding.__all__),
    *(f"attnutils.bugs.{name}" for name in bugs.__all__),
    *(f"attnutils.translation.{name}" for name in translation.__all__),
    *(f"attnutils.induction.{name}" for name in induction.__all__),
    *(f"attnutils.translator.{name}" for name in translator.__all__),
    *(f"attnutils.worked_example.{name}" for name in worked_example.__all__),
    "module-attnutils.worked_example",
]


@pytest.fixture(scope="session")
def page(book: Path) -> BeautifulSoup:
    """The built page, parsed."""
    text = (book / "chapters" / "api.html").read_text(encoding="utf-8")
    return BeautifulSoup(text, "html.parser").select_one("article")


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_has_an_anchor(page, name):
    assert page.find(id=name)


def test_the_name_of_a_widget_leads_on_to_where_it_is_documented(book, page):
    text = (book / "chapters" / "widgets.html").read_text(encoding="utf-8")
    documented = BeautifulSoup(text, "html.parser").select("dl.py > dt[id]")
    widgets = [thing["id"] for thing in documented]
    assert {f"attnutils.{name}" for name in attnutils.widgets.__all__} <= set(widgets)
    for name in widgets:
        place = page.find(id=name)
        item = place if place.name == "li" else place.find_parent("li")
        assert name.startswith(item.a["href"].removeprefix("widgets.html#")), name


# check prints what it has to say, and what there is to load is always the same.
WITHOUT = {
    "attnutils.check": {"Returns"},
    "attnutils.binding.load_binding_runs": {"Parameters"},
    "attnutils.induction.load_induction_runs": {"Parameters"},
    "attnutils.load_longer_texts": {"Parameters"},
    "attnutils.load_lookup_runs": {"Parameters"},
    "attnutils.load_head_interventions": {"Parameters"},
    "attnutils.load_pronoun_heads": {"Parameters"},
    "attnutils.load_trained_heads": {"Parameters"},
    "attnutils.load_wonderland": {"Parameters"},
    "attnutils.toy_tasks.load_reversal_runs": {"Parameters"},
    "attnutils.translation.load_translation_runs": {"Parameters"},
    "attnutils.translator.load_translator_runs": {"Parameters"},
}


def test_functions_have_sections_and_highlighted_examples(page):
    definitions = {definition.dt["id"]: definition for definition in page.select("dl.py.function")}
    functions = [name for name in attnutils.__all__ if isfunction(getattr(attnutils, name))]
    assert {f"attnutils.{name}" for name in functions} <= set(definitions)
    for name, definition in definitions.items():
        fields = {field.get_text(strip=True) for field in definition.select("dt")[1:]}
        missing = {"Parameters", "Returns"} - fields
        assert missing <= WITHOUT.get(name, set()), name
        assert definition.select(".doctest .highlight .gp"), name


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("attention", "key (array_like of shape (..., n_k, d_k)) –"),
        ("attention", "query (array_like of shape (..., n_q, d_q) or (d_q,)) –"),
        ("attention", "mask (array_like of bool that broadcasts to (..., n_q, n_k), optional) –"),
        ("multi_head_attention", "n_heads (an integer of at least 1) –"),
        ("graph_attention", "senders, receivers (array_like of int of shape (E,)) –"),
        ("softmax", "Returns ndarray of shape (..., n) – Weights."),
        ("causal_mask", "Returns ndarray of bool of shape (n_query, n_key) – True"),
        ("attention", "output (ndarray of shape (..., n_q, d_v) or (d_v,)) – Weighted means."),
        ("classifier_gradients", "gradients (ClassifierParams) –"),
        ("MultiHeadParams", "w_output (ndarray of shape (n_heads * d_value, d_out))"),
        ("ClassifierGradients", "gradients (ClassifierParams)"),
    ],
)
def test_shapes_are_those_of_the_signatures(page, name, shown):
    text = page.find(id=f"attnutils.{name}").parent.get_text()
    assert shown in " ".join(text.split())


def test_no_markup_is_left_over_and_no_address_of_this_machine(page):
    text = "".join(
        string for string in page.find_all(string=True) if not string.find_parent(["pre", "math"])
    )
    assert not re.search(r"``|:\w+:`|\.\. \w+::|-{4,}", text)
    assert not re.search(r"\bat 0x[0-9a-f]+|<function", text)


def test_a_page_that_teaches_a_module_is_linked(page):
    links = {a["href"].partition("#")[0] for a in page.select("a.reference.internal")}
    assert {"attention-mechanism.html", "temperature.html", "bibliography.html"} <= links


def test_the_modules_stand_in_the_order_of_the_pages_that_teach_them():
    """All that have public names; those that are used on all pages come last."""
    shown = re.findall(r"automodule:: attnutils\.(\w+)", (CHAPTERS / "api.rst").read_text("utf-8"))
    paths = [
        *(ROOT / "attnutils").glob("[!_]*.py"),
        *(ROOT / "attnutils").glob("[!_]*/__init__.py"),
    ]
    sources = {
        path.stem.replace("__init__", path.parent.name): path.read_text("utf-8") for path in paths
    }
    public = {name for name, text in sources.items() if "\n__all__ = " in text}
    assert sorted(shown) == sorted(public - {"exercises", "widgets"})  # shown without, and apart
    places = []
    for name in shown:
        page = PAGE.search(" ".join((ast.get_docstring(ast.parse(sources[name])) or "").split()))
        places.append(LESSONS.index("-".join(page[2].split())) if page else len(LESSONS))
    assert places == sorted(places), dict(zip(shown, places, strict=True))
    assert places.count(len(LESSONS)) == 1  # pictures
