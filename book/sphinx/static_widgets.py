"""Widgets on a static page: picture and widget side by side, mounted without a kernel.

`make execute` keeps the state of a widget in the metadata of its output. Here every widget becomes
a slot with its picture in it, and the states of a page one JSON element. Scripts are files, one for
each class and one for what all classes share; styles are part of the book's own (styles.py).
`static/mount-widgets.js` brings the slots to life.
"""

import hashlib
import json
import re
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from myst_nb.core.render import WIDGET_VIEW_MIMETYPE
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.writers.html5 import HTML5Translator

from attnbook import explorers
from attnbook.explorers._base import core_script, things_as_html
from book.portable import read
from book.sphinx.esbuild import esbuild
from book.sphinx.typesetting import typeset

STATIC = Path(__file__).parent / "static"
FOLDER = "widgets"  # of _static
# What may stand in for a widget where scripts do not run, the best first.
PICTURES = ("image/svg+xml", "image/png", "text/html", "text/plain")
# The quiet corner of an explorer, which addresses.js brings to life.
SHARE = (
    '<div class="share"><input readonly hidden aria-label="To copy">'
    '<button type="button">Copy link</button><button type="button">Embed</button></div>\n'
)


class widget_slot(nodes.General, nodes.Element):
    """A place on the page: a picture, and the widget that replaces it."""


def visit_widget_slot(translator: HTML5Translator, node: widget_slot) -> None:
    names = {"data-widget": node["widget"], "data-model": node["model"]}
    if node["answer"]:  # its name in what is kept (book/theme/static/progress.js)
        names["data-answer"] = node["answer"]
    if node["address"]:  # an explorer; its words and letters are not to be translated
        names |= {"data-address": node["address"], "data-place": node["place"], "translate": "no"}
    if node["room"]:  # that its place is kept for it
        names["style"] = node["room"]
    place = "widget-slot stage" if node["stage"] else "widget-slot"
    translator.body.append(translator.starttag(node, "div", CLASS=place, **names))


def depart_widget_slot(translator: HTML5Translator, node: widget_slot) -> None:
    translator.body.append("</div>\n")
    if node["address"] and node.get("shared", True):
        translator.body.append(SHARE)


def script(mime_type: str, data: Any, **attributes: str) -> nodes.raw:
    """Return a script element that holds data; `<` is escaped, so no text in it can end it."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    extra = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return nodes.raw("", f'<script type="{mime_type}"{extra}>{text}</script>\n', format="html")


def typeset_formulas(formulas: Iterable[str], picture: list[nodes.Node]) -> nodes.raw:
    """Set the formulas of a picture that is HTML; return all, for the widget to clone."""
    done = {tex: typeset(tex, display=False) for tex in sorted(formulas)}
    for html in (raw for node in picture for raw in node.findall(nodes.raw)):
        for tex, formula in done.items():
            written = re.compile(f'<span data-tex="{re.escape(escape(tex))}">.*?</span>')
            html[0] = nodes.Text(written.sub(lambda _, formula=formula: formula, html.astext()))
    return nodes.raw("", f"<template>{''.join(done.values())}</template>\n", format="html")


def give_back(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put the state of each widget where myst-nb takes the name of its model."""
    path = Path(app.env.doc2path(docname))
    if path.suffix == ".ipynb":
        notebook = read(path)
        source[0] = json.dumps(notebook | {"cells": [*map(with_states, notebook["cells"])]})


def with_states(cell: dict[str, Any]) -> dict[str, Any]:
    """Return a cell whose outputs that are widgets hold their states."""
    if "outputs" not in cell:
        return cell
    outputs = []
    for output in cell["outputs"]:
        if state := output.get("metadata", {}).get("widget"):
            output = output | {"data": output["data"] | {WIDGET_VIEW_MIMETYPE: state}}
        outputs.append(output)
    return cell | {"outputs": outputs}


def saved_model(view: nodes.Node) -> dict[str, Any]:
    """Return what was saved of a widget."""
    text = view.astext()
    return json.loads(text[text.index(">") + 1 : text.rindex("<")])


class WidgetSlots(SphinxPostTransform):
    """Turn the outputs that are widgets into slots, and embed the states of a page."""

    default_priority = 3  # myst-nb's SelectMimeType, at 4, keeps one type of each output
    formats = ("html",)

    def run(self, **_: Any) -> None:
        models: dict[str, dict[str, Any]] = {}
        addresses: set[str] = set()
        for bundle in list(self.document.findall(nodes.container)):
            if bundle.get("nb_element") != "mime_bundle":
                continue
            outputs = {child["mime_type"]: child.children for child in bundle.children}
            if WIDGET_VIEW_MIMETYPE not in outputs:
                continue
            model = saved_model(outputs[WIDGET_VIEW_MIMETYPE][0])
            name, traits = model.pop("name"), model["state"]
            room = model.pop("picture", {}).get("room", ())
            model["widget"] = model["widget"].rpartition(".")[2]
            picture = next((outputs[kind] for kind in PICTURES if kind in outputs), None)
            if picture is None:
                raise self._error(f"{model['widget']} has no picture or text for a page")
            for image in (i for node in picture for i in node.findall(nodes.image)):
                image["loading"] = "lazy"  # hidden where the widget shows
            address = traits.get("address", "")
            if address in addresses:
                raise self._error(
                    f"two explorers have the address {address!r}: give one of them "
                    'another, as in AttentionExplorer(..., address="second")'
                )
            addresses |= {address} - {""}
            models[name] = model
            slot = widget_slot("", widget=model["widget"], model=name, address=address)
            slot["room"] = "".join(f"--room-{i}: {px}px; " for i, px in enumerate(room)).strip()
            html = things_as_html(traits.get("tries", ()))
            picture = [*picture, *([nodes.raw("", html, format="html")] if html else ())]
            slot += nodes.container("", *picture, classes=["widget-picture"])
            slot["stage"] = stands_in(bundle, "tag_stage")  # it opens its page
            slot["place"] = f"{self._page}-{address}" if address else ""
            slot["answer"] = self._answer(traits)
            slot["veil"] = traits.get("veil", False)  # for book/sphinx/veils.py
            if formulas := traits.get("formulas"):
                slot += typeset_formulas(formulas, picture)
            slot += script(WIDGET_VIEW_MIMETYPE, {"model_id": name})
            bundle.replace_self(slot)
        if models:
            self.document += widget_data(models)
            self.document["widget_models"] = models
            self.document["has_addresses"] = bool(addresses)

    @property
    def _page(self) -> str:
        return self.env.docname.rpartition("/")[2]

    def _answer(self, traits: dict[str, Any]) -> str:
        """Return the name of a question; empty for the rest."""
        return answer_name(self._page, traits["prompt"]) if "veil" in traits else ""

    def _error(self, problem: str) -> ExtensionError:
        return ExtensionError(f"{self.env.docname}: {problem}")


def answer_name(page: str, prompt: str) -> str:
    """Return the name of a question, which stays while its prompt does."""
    return f"{page}/{hashlib.sha256(prompt.encode()).hexdigest()[:8]}"


def widget_data(models: dict[str, Any]) -> nodes.raw:
    """Return the element with the states of a page, where the mounter looks for them."""
    return script("application/json", {"models": models}, id="widget-data")


def script_files(models: dict[str, Any]) -> list[str]:
    """Return the files with the scripts of these models, by their names in `_static`.

    A class that a notebook defines brings its script in its state.
    """
    kinds = {model["widget"] for model in models.values()} & {*explorers.__all__}
    return [f"{FOLDER}/{name}.js" for name in ("core", *sorted(kinds))]


def stands_in(node: nodes.Node, kind: str) -> bool:
    """Whether a node stands in one of this class, or is one."""
    while node is not None and kind not in node.get("classes", ()):
        node = node.parent
    return node is not None


def write_scripts(app: Sphinx) -> None:
    """Write the scripts of the explorers, as scripts that say a text: these load from a folder."""
    # The mounter is not in `_static`: Jupyter Book puts what is there on every page.
    app.config.html_static_path.append(str(STATIC))
    folder = Path(app.outdir, "_static", FOLDER)
    folder.mkdir(parents=True, exist_ok=True)
    own = {name: getattr(explorers, name).own_script for name in explorers.__all__}
    for name, text in {"core": core_script(), **own}.items():
        text = esbuild(f"the script of {name}", "--minify", "--charset=utf8", text=text)
        text = f"(self.widgetTexts??={{}}).{name}={json.dumps(text)};\n"
        (folder / f"{name}.js").write_text(text, encoding="utf-8")


def add_scripts(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Load the scripts of a page's widgets, what reads and writes addresses, and the mounter."""
    context["has_widgets"] = bool(doctree) and "widget_models" in doctree
    if context["has_widgets"]:
        for name in script_files(doctree["widget_models"]):
            app.add_js_file(name, priority=300)
        if doctree["has_addresses"]:
            app.add_js_file("addresses.js", priority=400)  # before the mounter
        app.add_js_file("mount-widgets.js")


def setup(app: Sphinx) -> None:
    app.add_node(widget_slot, html=(visit_widget_slot, depart_widget_slot))
    app.add_post_transform(WidgetSlots)
    app.connect("builder-inited", write_scripts)
    app.connect("source-read", give_back)
    app.connect("html-page-context", add_scripts)
