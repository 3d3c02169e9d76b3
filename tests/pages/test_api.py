"""The pages of functions and widgets: every public name, with its signature, and nothing leaks."""

import re
from importlib import import_module
from inspect import isfunction
from pkgutil import iter_modules

import pytest
from bs4 import BeautifulSoup

import attnbook
import attnutils
from attnbook import models

MODULES = [attnutils, attnbook, import_module("attnutils.worked_example")]
MODULES += [
    module
    for found in iter_modules(models.__path__, "attnbook.models.")
    if hasattr(module := import_module(found.name), "__all__")
]


@pytest.fixture(scope="module")
def page(trees) -> BeautifulSoup:
    return trees["chapters/api"].article


def test_every_public_name_has_its_place(trees):
    pages = [trees[f"chapters/{name}"] for name in ("api", "widgets")]
    ids = {tag["id"] for page in pages for tag in page.find_all(id=True)}
    for module in MODULES:
        assert {f"{module.__name__}.{name}" for name in module.__all__} <= ids


def test_functions_have_sections_and_highlighted_examples(page):
    definitions = {definition.dt["id"]: definition for definition in page.select("dl.py.function")}
    functions = [name for name in attnutils.__all__ if isfunction(getattr(attnutils, name))]
    assert {f"attnutils.{name}" for name in functions} <= set(definitions)
    for name, definition in definitions.items():
        fields = {field.get_text(strip=True).rstrip(":") for field in definition.select("dt")[1:]}
        # What loads stored runs takes nothing, and check only prints.
        wanted = {"Returns"} if ".load_" in name else {"Parameters"} if ".check" in name else None
        assert fields >= (wanted or {"Parameters", "Returns"}), name
        assert definition.select(".doctest .highlight .gp"), name


SHAPES = {
    "attention": "key (array_like of shape (..., n_k, d_k)) –",
    "graph_attention": "senders, receivers (array_like of int of shape (E,)) –",
    "softmax": "ndarray of shape (..., n) – Weights.",
    "classifier_gradients": "gradients (ClassifierParams) –",
    "MultiHeadParams": "w_output (ndarray of shape (n_heads * d_value, d_out))",
}


def test_shapes_are_those_of_the_signatures(page):
    for name, shown in SHAPES.items():
        text = page.find(id=re.compile(rf"^attn[\w.]+\.{name}$")).parent.get_text()
        assert shown in " ".join(text.split()), name


def test_no_markup_is_left_over_and_no_address_of_this_machine(page):
    text = "".join(
        string for string in page.find_all(string=True) if not string.find_parent(["pre", "math"])
    )
    assert not re.search(r"``|:\w+:`|\.\. \w+::|-{4,}|\bat 0x[0-9a-f]+|<function", text)
